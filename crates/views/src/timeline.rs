//! What became of a definition or an instance: who changed what, when and why.

use std::cmp::Ordering;

use jiff::Timestamp;
use krono_history::RevisionNumber;
use serde_json::{Value, json};

use crate::inputs::InputRow;
use crate::revisions::RevisionRow;
use crate::table::{Table, cell};
use crate::time::shown_time;

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When, in RFC 3339.
    pub when: Option<String>,
    /// Which revision.
    pub what: Change,
    /// Who, where somebody told.
    pub who: Option<String>,
    /// Why: in the words of whoever did it, or else what kind of change it was.
    pub why: String,
}

/// Which revision a change made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// One of the definition.
    Definition(RevisionNumber),
    /// One of the instance's inputs, evaluated by that revision of the definition.
    Input(RevisionNumber, Option<RevisionNumber>),
}

/// All changes, newest first; the revisions of one lineage stand in the order of their numbers whatever clocks said.
pub fn timeline(revisions: &[RevisionRow], inputs: &[InputRow]) -> Vec<Entry> {
    let mut definitions = of_definition(revisions).into_iter().peekable();
    let mut inputs = of_inputs(inputs).into_iter().peekable();
    let mut entries = Vec::new();
    loop {
        // At the same second an input follows the revision it is evaluated by.
        let is_input = match (definitions.peek(), inputs.peek()) {
            (Some(definition), Some(input)) => later(input, definition) != Ordering::Less,
            (None, Some(_)) => true,
            (_, None) => false,
        };
        match if is_input { inputs.next() } else { definitions.next() } {
            Some(entry) => entries.push(entry),
            None => return entries,
        }
    }
}

fn later(one: &Entry, other: &Entry) -> Ordering {
    let time = |entry: &Entry| entry.when.as_deref().and_then(|it| it.parse::<Timestamp>().ok());
    time(one).cmp(&time(other))
}

fn of_definition(rows: &[RevisionRow]) -> Vec<Entry> {
    let entry = |(index, row): (usize, &RevisionRow)| {
        let usual = if row.number == RevisionNumber::FIRST { "first revision" } else { "edited" };
        let restored = restored("revision", row.restored_from);
        // A rollback leaves the words on the definition that somebody wrote about the change before.
        let is_stale = rows.get(index + 1).is_some_and(|it| it.change_cause == row.change_cause);
        let cause = row.change_cause.as_deref().filter(|_| restored.is_none() || !is_stale);
        Entry {
            when: row.created.clone(),
            what: Change::Definition(row.number),
            who: row.author.clone(),
            why: why(cause, restored, usual),
        }
    };
    rows.iter().enumerate().map(entry).collect()
}

fn of_inputs(rows: &[InputRow]) -> Vec<Entry> {
    let entry = |(index, row): (usize, &InputRow)| {
        let before = rows.get(index + 1);
        let usual = match (before, row.definition) {
            (None, _) if row.number == RevisionNumber::FIRST => "created".to_owned(),
            (Some(before), Some(definition)) if before.definition != row.definition => {
                format!("moved to revision {definition}")
            }
            (Some(_) | None, _) => "spec edited".to_owned(),
        };
        Entry {
            when: row.created.clone(),
            what: Change::Input(row.number, row.definition),
            who: row.author.clone(),
            why: why(row.change_cause.as_deref(), restored("input revision", row.restored_from), &usual),
        }
    };
    rows.iter().enumerate().map(entry).collect()
}

fn restored(what: &str, from: Option<RevisionNumber>) -> Option<String> {
    from.map(|it| format!("restores {what} {it}"))
}

fn why(cause: Option<&str>, restored: Option<String>, usual: &str) -> String {
    match (cause.map(cell).filter(|it| !it.is_empty()), restored) {
        (Some(cause), Some(restored)) => format!("{cause} ({restored})"),
        (Some(told), None) | (None, Some(told)) => told,
        (None, None) => usual.to_owned(),
    }
}

/// In columns.
pub fn timeline_table(entries: &[Entry]) -> Table {
    Table {
        heading: vec!["WHEN", "REVISION", "WHO", "WHY"],
        rows: entries.iter().map(Entry::cells).collect(),
    }
}

impl Entry {
    /// For programs.
    pub fn to_json(&self) -> Value {
        let (input, definition) = match self.what {
            Change::Definition(number) => (None, Some(number)),
            Change::Input(number, definition) => (Some(number), definition),
        };
        json!({
            "createdAt": self.when,
            "inputRevision": input.map(RevisionNumber::get),
            "rgdRevision": definition.map(RevisionNumber::get),
            "who": self.who,
            "why": self.why,
        })
    }

    fn cells(&self) -> Vec<String> {
        let what = match self.what {
            Change::Definition(number) => format!("rgd {number}"),
            Change::Input(number, Some(definition)) => format!("input {number} (rgd {definition})"),
            Change::Input(number, None) => format!("input {number}"),
        };
        let when = self.when.as_deref().map(shown_time).unwrap_or_default();
        vec![when, what, self.who.as_deref().map_or_else(|| "-".to_owned(), cell), self.why.clone()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{definition, instance, revisions};
    use crate::inputs::input_rows;
    use crate::revisions::RevisionRows;

    #[test]
    fn one_timeline_of_definition_and_inputs() {
        let revisions = RevisionRows::new(&definition(), &revisions()).rows;
        let mut inputs = input_rows(&instance(), &[]);
        inputs[0].restored_from = RevisionNumber::new(10);
        let text = timeline_table(&timeline(&revisions, &inputs)).to_text();
        let expected = "\
WHEN                 REVISION          WHO                WHY
2025-01-15 10:35:00  input 12 (rgd 3)  -                  restores input revision 10
2025-01-15 10:30:00  rgd 3             kubectl            more replicas
2025-01-15 09:00:00  input 11 (rgd 3)  -                  moved to revision 3
2025-01-14 10:00:00  input 10 (rgd 2)  -                  spec edited
2025-01-14 09:00:00  rgd 2             alice@example.com  edited
2025-01-10 08:00:00  rgd 1             -                  first revision
";
        assert_eq!(text, expected, "{text}");
    }

    #[test]
    fn words_about_the_change_before_are_not_those_of_a_rollback() {
        let mut rows = RevisionRows::new(&definition(), &revisions()).rows;
        rows[0].restored_from = RevisionNumber::new(1);
        assert_eq!(timeline(&rows, &[])[0].why, "more replicas (restores revision 1)");
        rows[1].change_cause = rows[0].change_cause.clone();
        assert_eq!(timeline(&rows, &[])[0].why, "restores revision 1");
        assert_eq!(timeline(&rows, &[])[1].why, "more replicas");
    }

    #[test]
    fn numbers_are_in_order_whatever_clocks_said() {
        let mut rows = RevisionRows::new(&definition(), &revisions()).rows;
        rows[0].created = Some("2020-01-01T00:00:00Z".to_owned());
        rows[1].created = None;
        let numbers = |entries: Vec<Entry>| entries.into_iter().map(|it| it.what).collect::<Vec<_>>();
        let expected = [3, 2, 1].map(|it| Change::Definition(RevisionNumber::new(it).unwrap()));
        assert_eq!(numbers(timeline(&rows, &[])), expected);
    }
}
