//! What two servers made of the same stories.

use crate::accepted::Accepted;
use crate::player::Outcome;
use crate::story::{Step, Story};

/// Lines of each side shown of a difference.
const SHOWN: usize = 30;

/// The verdict on all stories.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    pub(crate) commands: usize,
    pub(crate) equal: usize,
    pub(crate) accepted: usize,
    /// Differences that nobody accepted, for people.
    pub(crate) differences: Vec<String>,
    /// Positions of the accepted differences that occurred.
    occurred: Vec<usize>,
}

impl Comparison {
    /// Compares the outcomes of a story.
    pub(crate) fn add(&mut self, story: &Story, real: &[Outcome], ours: &[Outcome], accepted: &[Accepted]) {
        let commands = story.steps.iter().filter_map(|step| match step {
            Step::Command { line, text, .. } => Some((*line, text.as_str())),
            Step::File { .. } => None,
        });
        for ((line, command), (real, ours)) in commands.zip(real.iter().zip(ours)) {
            self.commands += 1;
            let known = accepted.iter().position(|it| it.is(&story.name, command));
            match known {
                _ if real == ours => self.equal += 1,
                Some(index) => {
                    self.accepted += 1;
                    self.occurred.push(index);
                }
                None => self.differences.push(difference(&story.name, line, command, real, ours)),
            }
        }
    }

    /// Accepted differences of the stories played that did not occur.
    pub(crate) fn stale<'a>(&self, stories: &[Story], accepted: &'a [Accepted]) -> Vec<&'a Accepted> {
        let played = |it: &Accepted| stories.iter().any(|story| story.name == it.story);
        let stale =
            accepted.iter().enumerate().filter(|(index, it)| played(it) && !self.occurred.contains(index));
        stale.map(|(_, it)| it).collect()
    }
}

fn difference(story: &str, line: usize, command: &str, real: &Outcome, ours: &Outcome) -> String {
    let mut parts = vec![format!("{story}.txt:{line}: {command}\n")];
    if real.exit_code != ours.exit_code {
        parts.push(format!("  exit code: real {}, krono {}\n", real.exit_code, ours.exit_code));
    }
    for (name, real, ours) in [("stdout", &real.output, &ours.output), ("stderr", &real.errors, &ours.errors)]
    {
        if real != ours {
            parts.push(format!("  {name} (- real, + krono):\n{}", changed_lines(real, ours)));
        }
    }
    parts.concat()
}

/// The lines between the common beginning and the common end.
fn changed_lines(real: &str, ours: &str) -> String {
    let (real, ours): (Vec<&str>, Vec<&str>) = (real.lines().collect(), ours.lines().collect());
    let same = real.iter().zip(&ours).take_while(|(a, b)| a == b).count();
    let rest = real.len().min(ours.len()) - same;
    let end = real.iter().rev().zip(ours.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let side = |mark: char, lines: &[&str]| {
        let lines = lines[same..lines.len() - end].iter().take(SHOWN);
        lines.map(|line| format!("    {mark} {line}\n")).collect::<Vec<_>>().concat()
    };
    side('-', &real) + &side('+', &ours)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::CommandKind;

    fn outcome(output: &str) -> Outcome {
        Outcome { exit_code: 0, output: output.to_owned(), errors: String::new() }
    }

    fn accepted(command: &str) -> Accepted {
        Accepted { story: "s".to_owned(), command: command.to_owned(), reason: "r".to_owned() }
    }

    #[test]
    fn verdicts() {
        let command =
            |line, text: &str| Step::Command { line, kind: CommandKind::Compare, text: text.to_owned() };
        let story =
            Story { name: "s".to_owned(), steps: vec![command(1, "a"), command(2, "b"), command(3, "c")] };
        let (real, ours) =
            ([outcome("1"), outcome("2"), outcome("3")], [outcome("1"), outcome("x"), outcome("y")]);
        let known = [accepted("b"), accepted("a")];
        let mut comparison = Comparison::default();
        comparison.add(&story, &real, &ours, &known);
        assert_eq!((comparison.commands, comparison.equal, comparison.accepted), (3, 1, 1));
        assert_eq!(comparison.differences, ["s.txt:3: c\n  stdout (- real, + krono):\n    - 3\n    + y\n"]);
        assert_eq!(comparison.stale(&[story], &known), [&known[1]]);
    }

    #[test]
    fn only_what_changed() {
        assert_eq!(changed_lines("a\nb\nc\n", "a\nx\ny\nc\n"), "    - b\n    + x\n    + y\n");
        assert_eq!(changed_lines("a\n", "a\nb\n"), "    + b\n");
    }
}
