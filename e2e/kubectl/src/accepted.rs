//! Differences that are meant to be there, each with a reason.

use std::fs;
use std::path::Path;

use anyhow::Context;

/// A command whose outcome differs, and why that is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Accepted {
    pub(crate) story: String,
    pub(crate) command: String,
    pub(crate) reason: String,
}

/// Reads lines such as `story | command | reason`; the reason is what comes after the last bar.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<Accepted>> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| parse(line).with_context(|| format!("{}: {line}", path.display()))).collect()
}

fn parse(line: &str) -> anyhow::Result<Accepted> {
    let (story, rest) = line.split_once(" | ").context("no story")?;
    let (command, reason) = rest.rsplit_once(" | ").context("no reason")?;
    let [story, command, reason] = [story, command, reason].map(|it| it.trim().to_owned());
    Ok(Accepted { story, command, reason })
}

impl Accepted {
    pub(crate) fn is(&self, story: &str, command: &str) -> bool {
        self.story == story && self.command == command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let accepted = parse("pods | kubectl get x | wc -l | there are more").unwrap();
        assert!(accepted.is("pods", "kubectl get x | wc -l"));
        assert_eq!(accepted.reason, "there are more");
        assert!(parse("pods").is_err());
    }
}
