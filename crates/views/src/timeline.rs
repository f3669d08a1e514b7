//! What became of a definition or an instance: who changed what, when and why.

mod events;
mod order;

use jiff::Timestamp;
use krono_history::RevisionNumber;
use serde_json::{Value, json};

use crate::inputs::InputRow;
use crate::revisions::RevisionRow;
use crate::table::{Table, cell};
use crate::time::shown_time;

pub use events::time_of_event;
use events::{issued, of_events};

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When, in RFC 3339.
    pub when: Option<String>,
    /// What came of it.
    pub what: Change,
    /// Who, where somebody told: the author of a revision, whoever asked for what an event tells, else the controller.
    pub who: Option<String>,
    /// Why: in the words of whoever did it, or else what kind of change it was.
    pub why: String,
}

/// What came of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A revision of the definition.
    Definition(RevisionNumber),
    /// A revision of the instance's input, evaluated by that revision of the definition.
    Input(RevisionNumber, Option<RevisionNumber>),
    /// No revision; a controller told of it.
    Told {
        /// About whom.
        whose: Whose,
        /// In one word.
        reason: String,
    },
}

/// What an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The definition.
    Definition,
    /// The instance.
    Instance,
}

/// What a history is told from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Past<'a> {
    /// The revisions of the definition, newest first.
    pub revisions: &'a [RevisionRow],
    /// The events about it; clusters forget them after a while.
    pub told_of_definition: &'a [Value],
    /// The inputs of the instance, newest first; none where it is about a definition.
    pub inputs: &'a [InputRow],
    /// The events about it.
    pub told_of_instance: &'a [Value],
}

/// All changes, newest first; the revisions of one lineage stand in the order of their numbers whatever clocks said.
pub fn timeline(past: &Past<'_>) -> Vec<Entry> {
    let kept_since = second(past.revisions.last().and_then(|it| it.created.as_deref()));
    let issued = issued(past.told_of_definition);
    let revisions = of_definition(past.revisions).into_iter().zip(past.revisions);
    order::merged(order::Lanes {
        revisions: revisions.map(|(entry, row)| (entry, issued.get(row.name.as_str()).copied())).collect(),
        told_of_definition: of_events(past.told_of_definition, Whose::Definition, kept_since),
        told_of_instance: of_events(past.told_of_instance, Whose::Instance, None),
        inputs: of_inputs(past.inputs),
    })
}

/// Revisions know when they were issued to the second.
fn second(time: Option<&str>) -> Option<Timestamp> {
    instant(time).and_then(|it| Timestamp::from_second(it.as_second()).ok())
}

fn instant(time: Option<&str>) -> Option<Timestamp> {
    time.and_then(|it| it.parse().ok())
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
    Table { heading: vec!["WHEN", "WHAT", "WHO", "WHY"], rows: entries.iter().map(Entry::cells).collect() }
}

impl Entry {
    /// For programs.
    pub fn to_json(&self) -> Value {
        let (input, definition, event) = match &self.what {
            Change::Definition(number) => (None, Some(*number), None),
            Change::Input(number, definition) => (Some(*number), *definition, None),
            Change::Told { whose, reason } => (None, None, Some((whose, reason))),
        };
        let about = event.map(|(whose, _)| match whose {
            Whose::Definition => "definition",
            Whose::Instance => "instance",
        });
        json!({
            "createdAt": self.when,
            "inputRevision": input.map(RevisionNumber::get),
            "rgdRevision": definition.map(RevisionNumber::get),
            "event": event.map(|(_, reason)| reason),
            "about": about,
            "who": self.who,
            "why": self.why,
        })
    }

    fn cells(&self) -> Vec<String> {
        let what = match &self.what {
            Change::Definition(number) => format!("rgd {number}"),
            Change::Input(number, Some(definition)) => format!("input {number} (rgd {definition})"),
            Change::Input(number, None) => format!("input {number}"),
            Change::Told { whose: Whose::Definition, reason } => format!("rgd {reason}"),
            Change::Told { whose: Whose::Instance, reason } => reason.clone(),
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

    fn of_rows(revisions: &[RevisionRow]) -> Vec<Entry> {
        timeline(&Past { revisions, ..Past::default() })
    }

    fn event(time: &str, reason: &str, message: &str) -> Value {
        json!({"eventTime": time, "reason": reason, "message": message, "reportingComponent": "kro"})
    }

    #[test]
    fn one_timeline_of_definition_and_inputs() {
        let revisions = RevisionRows::new(&definition(), &revisions()).rows;
        let mut inputs = input_rows(&instance(), &[]);
        inputs[0].restored_from = RevisionNumber::new(10);
        let text =
            timeline_table(&timeline(&Past { revisions: &revisions, inputs: &inputs, ..Past::default() }))
                .to_text();
        let expected = "\
WHEN                 WHAT              WHO                WHY
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
    fn what_was_told_stands_where_it_happened() {
        let revisions = &RevisionRows::new(&definition(), &revisions()).rows[..2];
        let inputs = &input_rows(&instance(), &[])[..1];
        let told_of_definition = [
            event("2025-01-10T08:00:00.5Z", "RevisionIssued", "created revision 1"),
            event("2025-01-15T10:30:00.2Z", "RevisionIssued", "created revision 3"),
            event("2025-01-15T10:30:00.9Z", "RevisionSuperseded", "revision 2 is superseded by revision 3"),
            event("2025-01-15T10:30:01Z", "Ready", "False -> True: Ready"),
            event("2025-01-16T00:00:00Z", "RevisionPruned", "pruned revision 1, which nothing needs"),
        ];
        let told_of_instance = [
            event("2025-01-15T10:35:00.3Z", "Pinned", "pinned at revision 2\nreally"),
            event("2025-01-15T10:40:00Z", "Contested", "somebody else writes ConfigMap a"),
        ];
        let past = Past {
            revisions,
            told_of_definition: &told_of_definition,
            inputs,
            told_of_instance: &told_of_instance,
        };
        let text = timeline_table(&timeline(&past)).to_text();
        let expected = "\
WHEN                 WHAT                    WHO                WHY
2025-01-16 00:00:00  rgd RevisionPruned      krono              pruned revision 1, which nothing needs
2025-01-15 10:35:00  input 12 (rgd 3)        -                  spec edited
2025-01-15 10:35:00  Pinned                  krono              pinned at revision 2
2025-01-15 10:30:00  rgd RevisionSuperseded  krono              revision 2 is superseded by revision 3
2025-01-15 10:30:00  rgd 3                   kubectl            more replicas
2025-01-14 09:00:00  rgd 2                   alice@example.com  edited
2025-01-10 08:00:00  rgd RevisionIssued      krono              created revision 1
";
        assert_eq!(text, expected, "{text}");
        let told = timeline(&past)[0].to_json();
        assert_eq!((&told["event"], &told["about"]), (&json!("RevisionPruned"), &json!("definition")));
    }

    #[test]
    fn words_about_the_change_before_are_not_those_of_a_rollback() {
        let mut rows = RevisionRows::new(&definition(), &revisions()).rows;
        rows[0].restored_from = RevisionNumber::new(1);
        assert_eq!(of_rows(&rows)[0].why, "more replicas (restores revision 1)");
        rows[1].change_cause = rows[0].change_cause.clone();
        assert_eq!(of_rows(&rows)[0].why, "restores revision 1");
        assert_eq!(of_rows(&rows)[1].why, "more replicas");
    }

    #[test]
    fn numbers_are_in_order_whatever_clocks_said() {
        let mut rows = RevisionRows::new(&definition(), &revisions()).rows;
        rows[0].created = Some("2020-01-01T00:00:00Z".to_owned());
        rows[1].created = None;
        let numbers = |entries: Vec<Entry>| entries.into_iter().map(|it| it.what).collect::<Vec<_>>();
        let expected = [3, 2, 1].map(|it| Change::Definition(RevisionNumber::new(it).unwrap()));
        assert_eq!(numbers(of_rows(&rows)), expected);
    }

    #[test]
    fn whoever_acted_is_named() {
        let check = |related: Value, expected: &str| {
            let mut told = event("2025-01-15T10:35:00.3Z", "Pinned", "pinned at revision 2");
            told["related"] = related;
            let past = Past { told_of_instance: &[told], ..Past::default() };
            assert_eq!(timeline(&past)[0].who.as_deref(), Some(expected));
        };
        check(json!({"kind": "User", "name": "alice"}), "alice");
        check(json!({"kind": "FieldManager", "name": "kubectl-annotate"}), "kubectl-annotate");
        check(json!({"kind": "ConfigMap", "name": "settings"}), "krono");
        check(Value::Null, "krono");
    }

    #[test]
    fn what_happens_within_one_second_stands_in_the_order_of_causes() {
        let at = |number: u64| RevisionNumber::new(number);
        let mut revisions = RevisionRows::new(&definition(), &revisions()).rows;
        for row in &mut revisions {
            row.created = Some("2025-01-15T10:30:00Z".to_owned());
        }
        let mut inputs = input_rows(&instance(), &[]);
        for (row, (number, rgd)) in inputs.iter_mut().zip([(3, 3), (2, 2), (1, 1)]) {
            (row.number, row.definition) = (at(number).unwrap(), at(rgd));
            row.created = Some("2025-01-15T10:30:00Z".to_owned());
        }
        let issued = |time: &str, number: u64| {
            let mut told = event(time, "RevisionIssued", "created");
            told["related"] = json!({"kind": "ResourceGraphDefinitionRevision", "name": format!("application-rev-{number}")});
            told
        };
        let told_of_definition = [
            issued("2025-01-15T10:30:00.1Z", 1),
            issued("2025-01-15T10:30:00.3Z", 2),
            event("2025-01-15T10:30:00.4Z", "RevisionSuperseded", "revision 1"),
            event("2025-01-15T10:30:00.6Z", "RollingBack", "rolling back to revision 1"),
            issued("2025-01-15T10:30:00.7Z", 3),
        ];
        let told_of_instance = [event("2025-01-15T10:30:00.5Z", "Unpinned", "follows")];
        let past = Past {
            revisions: &revisions,
            inputs: &inputs,
            told_of_definition: &told_of_definition,
            told_of_instance: &told_of_instance,
        };
        let what: Vec<String> = timeline(&past).iter().map(|it| it.cells()[1].clone()).collect();
        let expected = [
            "input 3 (rgd 3)",
            "rgd 3",
            "input 2 (rgd 2)",
            "rgd RollingBack",
            "Unpinned",
            "rgd RevisionSuperseded",
            "rgd 2",
            "input 1 (rgd 1)",
            "rgd 1",
        ];
        assert_eq!(what, expected);
    }
}
