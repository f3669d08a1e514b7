//! What a rollback would change.

use krono_history::RevisionNumber;
use krono_history::diff::Diff;
use krono_views::losses;
use serde_json::{Value, json};

use crate::arguments::outcome::{OutcomeArguments, OutcomeFormat};
use crate::command_error::CommandError;
use crate::format::Format;
use crate::output::Output;

/// What changes, for people and for programs.
pub(super) struct Preview<'o> {
    /// What would be rolled back.
    pub(super) object: &'o Value,
    pub(super) text: String,
    pub(super) data: Value,
}

impl Preview<'_> {
    /// As the result of the command.
    pub(super) fn show(&self, outcome: OutcomeArguments, output: &mut Output) -> Result<(), CommandError> {
        match outcome.output {
            OutcomeFormat::Text => output.difference(&self.text),
            OutcomeFormat::Json => output.text(&Format::Json.render(&self.data)),
            OutcomeFormat::Yaml => output.text(&Format::Yaml.render(&self.data)),
            OutcomeFormat::Name => outcome.show(self.object, output),
        }
    }
}

/// What instances lose when they move from one content to the other, in sentences.
pub(super) fn lost(old: &Value, new: &Value) -> Vec<String> {
    losses(old, new).iter().map(ToString::to_string).collect()
}

/// What goes in `every` instance or in `this`, before anything else is shown.
pub(super) fn lost_text(which: &str, lost: &[String]) -> String {
    let lines: Vec<String> = lost.iter().map(|it| format!("! {it}\n")).collect();
    if lines.is_empty() { String::new() } else { format!("In {which} instance:\n{}\n", lines.concat()) }
}

/// For programs; what is no revision has no number, and what is not kept no differences.
pub(super) fn data(
    from: Option<RevisionNumber>,
    to: RevisionNumber,
    lost: &[String],
    diff: Option<&Diff>,
) -> Value {
    json!({
        "from": from.map(RevisionNumber::get),
        "to": to.get(),
        "losses": lost,
        "changes": diff.map(Diff::changes_to_json),
    })
}
