//! Differences we know of and accept, each with its reason.

use std::fs;
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;

use crate::play::Outcome;

/// Answers may differ at some place of some step.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accepted {
    /// The story; any when absent.
    pub story: Option<String>,
    /// The step; any when absent.
    pub step: Option<String>,
    /// The place, or what lies above it, as a JSON pointer; `*` stands for any one key.
    pub at: String,
    /// The real server itself does not always answer the same, so that the difference need not occur.
    #[serde(default)]
    pub sometimes: bool,
    /// Why we do not do as the real server does.
    pub reason: String,
}

impl Accepted {
    /// Reads the list.
    pub fn load(path: &Path) -> anyhow::Result<Vec<Self>> {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_saphyr::from_str(&text).with_context(|| format!("cannot read {}", path.display()))
    }

    fn covers(&self, outcome: &Outcome, at: &str) -> bool {
        self.story.as_ref().is_none_or(|it| *it == outcome.story)
            && self.step.as_ref().is_none_or(|it| *it == outcome.step)
            && is_at_or_below(at, &self.at)
    }
}

fn is_at_or_below(at: &str, pattern: &str) -> bool {
    let mut keys = at.split('/');
    pattern.split('/').all(|wanted| keys.next().is_some_and(|key| wanted == "*" || wanted == key))
}

/// Takes accepted differences out of the outcomes and returns what was accepted but did not occur.
pub fn remove_accepted<'a>(accepted: &'a [Accepted], outcomes: &mut [Outcome]) -> Vec<&'a Accepted> {
    let mut used = vec![false; accepted.len()];
    for outcome in outcomes {
        let mut differences = std::mem::take(&mut outcome.differences);
        differences.retain(|difference| {
            let found = accepted.iter().position(|it| it.covers(outcome, &difference.at));
            if let Some(index) = found {
                used[index] = true;
            }
            found.is_none()
        });
        outcome.differences = differences;
    }
    accepted.iter().zip(used).filter(|(it, used)| !used && !it.sometimes).map(|(it, _)| it).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::difference::Difference;

    #[test]
    fn what_is_accepted_is_removed_and_the_rest_is_told() {
        let difference = |at: &str| Difference { at: at.to_owned(), real: None, krono: None };
        let mut outcomes = [Outcome {
            story: "s".to_owned(),
            step: "t".to_owned(),
            request: String::new(),
            differences: vec![difference("/a/0/b"), difference("/c")],
        }];
        let accept = |story: Option<&str>, at: &str| Accepted {
            story: story.map(str::to_owned),
            step: None,
            at: at.to_owned(),
            sometimes: false,
            reason: String::new(),
        };
        let accepted = [accept(Some("s"), "/a/*"), accept(None, "/c/d"), accept(Some("x"), "/c")];
        let unused = remove_accepted(&accepted, &mut outcomes);
        assert_eq!(unused.iter().map(|it| it.at.as_str()).collect::<Vec<_>>(), ["/c/d", "/c"]);
        assert_eq!(outcomes[0].differences, [difference("/c")]);
    }
}
