//! The input revisions of an instance.

use std::collections::BTreeMap;

use krono_history::input::PackedSpec;
use krono_history::{Digest, RevisionNumber};
use krono_model::names;
use serde_json::{Value, json};

use crate::author;
use crate::instance::{krono_status, number};
use crate::table::Table;
use crate::time::shown_time;

/// One input revision of an instance.
#[derive(Clone, Debug, PartialEq)]
pub struct InputRow {
    /// Its number.
    pub number: RevisionNumber,
    /// The revision of the definition that it was evaluated by.
    pub definition: Option<RevisionNumber>,
    /// The identity of that revision's content, where somebody said so.
    pub content: Option<Digest>,
    /// When it was issued, in RFC 3339.
    pub created: Option<String>,
    /// How far it has come: `Completed`, `Superseded`, …
    pub status: String,
    /// Whether it can be had back, where somebody said so.
    pub restorable: Option<bool>,
    /// The input revision whose content it is again.
    pub restored_from: Option<RevisionNumber>,
    /// Who made the change.
    pub author: Option<String>,
    /// Why, in the words of whoever made the change.
    pub change_cause: Option<String>,
    /// The name of the object that holds it; nothing when the instance does.
    pub object: Option<String>,
    /// What the instance asked for, where that is kept.
    pub spec: Option<Value>,
}

/// What becomes of all but the newest.
const SUPERSEDED: &str = "Superseded";

/// Whether an object is an input revision of an instance.
pub fn is_input_of(object: &Value, instance: &Value) -> bool {
    let uid = &instance["metadata"]["uid"];
    let owners = object["metadata"]["ownerReferences"].as_array().into_iter().flatten();
    let is_owned = owners.into_iter().any(|it| it["uid"] == *uid);
    !uid.is_null() && (is_owned || object["metadata"]["labels"][names::INPUT_REVISION_OF_LABEL] == *uid)
}

/// The input revisions of an instance, newest first: those in its status, and the objects that hold some.
pub fn input_rows(instance: &Value, objects: &[Value]) -> Vec<InputRow> {
    let mut rows: BTreeMap<RevisionNumber, InputRow> = BTreeMap::new();
    let listed = krono_status(instance, "inputRevisionHistory").as_array().into_iter().flatten();
    for row in listed.filter_map(of_entry) {
        rows.insert(row.number, row);
    }
    for row in objects.iter().filter(|it| is_input_of(it, instance)).filter_map(of_object) {
        let listed = rows.remove(&row.number);
        let status = listed.map_or_else(|| row.status.clone(), |it| it.status);
        rows.insert(row.number, InputRow { status, ..row });
    }
    let newest = number(krono_status(instance, "currentInputRevision")).or(rows.keys().next_back().copied());
    let mut rows: Vec<InputRow> = rows.into_values().rev().collect();
    for row in rows.iter_mut().filter(|it| Some(it.number) < newest) {
        SUPERSEDED.clone_into(&mut row.status);
    }
    rows
}

fn of_entry(entry: &Value) -> Option<InputRow> {
    let text = |field: &str| entry[field].as_str().map(str::to_owned);
    Some(InputRow {
        number: number(&entry["revision"])?,
        definition: number(&entry["rgdRevision"]),
        content: digest(&entry["rgdRevisionHash"]),
        created: text("createdAt"),
        status: text("status").unwrap_or_default(),
        restorable: entry["restorable"].as_bool(),
        restored_from: number(&entry["restoredFrom"]),
        author: author::of(entry),
        change_cause: text("changeCause"),
        object: None,
        spec: entry["spec"].as_str().and_then(|it| PackedSpec::from_text(it).unpack().ok()),
    })
}

fn of_object(object: &Value) -> Option<InputRow> {
    let (spec, status) = (&object["spec"], &object["status"]);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let created = [&spec["createdAt"], &status["createdAt"], &object["metadata"]["creationTimestamp"]];
    Some(InputRow {
        number: number(&spec["inputRevision"])?,
        definition: number(&spec["rgdRevision"]),
        content: digest(&spec["rgdRevisionRef"]["digest"]),
        created: created.into_iter().find_map(text),
        status: text(&status["propagationStatus"]).unwrap_or_default(),
        restorable: status["restorable"].as_bool(),
        restored_from: number(&spec["restoredFrom"]),
        author: author::of(spec),
        change_cause: text(&spec["changeCause"]),
        object: text(&object["metadata"]["name"]),
        spec: Some(json!(spec["instanceSpec"].as_object().cloned().unwrap_or_default())),
    })
}

fn digest(value: &Value) -> Option<Digest> {
    value.as_str()?.parse().ok()
}

/// In columns.
pub fn input_table(rows: &[InputRow]) -> Table {
    Table {
        heading: vec!["INPUT-REV", "RGD-REV", "CREATED", "STATUS"],
        rows: rows.iter().map(InputRow::cells).collect(),
    }
}

/// In more columns.
pub fn wide_input_table(rows: &[InputRow]) -> Table {
    let Table { heading, .. } = input_table(&[]);
    let more = ["RESTORED-FROM", "RESTORABLE", "AUTHOR", "CHANGE-CAUSE"];
    Table {
        heading: heading.into_iter().chain(more).collect(),
        rows: rows.iter().map(InputRow::wide_cells).collect(),
    }
}

fn or_dash(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "-".to_owned(), |it| it.to_string())
}

impl InputRow {
    /// For programs.
    pub fn to_json(&self) -> Value {
        json!({
            "inputRevision": self.number.get(),
            "rgdRevision": self.definition.map(RevisionNumber::get),
            "createdAt": self.created,
            "status": self.status,
            "restorable": self.restorable,
            "restoredFrom": self.restored_from.map(RevisionNumber::get),
            "author": self.author,
            "changeCause": self.change_cause,
            "name": self.object,
            "spec": self.spec,
        })
    }

    fn cells(&self) -> Vec<String> {
        vec![
            self.number.to_string(),
            or_dash(self.definition),
            self.created.as_deref().map(shown_time).unwrap_or_default(),
            match self.restorable {
                Some(false) => format!("{} (not restorable)", self.status),
                Some(true) | None => self.status.clone(),
            },
        ]
    }

    fn wide_cells(&self) -> Vec<String> {
        let more = vec![
            or_dash(self.restored_from),
            or_dash(self.restorable),
            or_dash(self.author.as_deref().map(crate::table::cell)),
            self.change_cause.as_deref().map(crate::table::cell).unwrap_or_default(),
        ];
        [self.cells(), more].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{input, instance};

    #[test]
    fn inputs_are_listed_as_the_design_prints_them() {
        let text = input_table(&input_rows(&instance(), &[])).to_text();
        let expected = "\
INPUT-REV  RGD-REV  CREATED              STATUS
12         3        2025-01-15 10:35:00  Completed
11         3        2025-01-15 09:00:00  Superseded
10         2        2025-01-14 10:00:00  Superseded
";
        assert_eq!(text, expected, "{text}");
    }

    #[test]
    fn v32_what_cannot_be_had_back_is_told_in_the_list() {
        let mut instance = instance();
        instance["status"]["inputRevisionHistory"][1]["restorable"] = json!(true);
        instance["status"]["inputRevisionHistory"][2]["restorable"] = json!(false);
        let text = input_table(&input_rows(&instance, &[])).to_text();
        let expected = "\
INPUT-REV  RGD-REV  CREATED              STATUS
12         3        2025-01-15 10:35:00  Completed
11         3        2025-01-15 09:00:00  Superseded
10         2        2025-01-14 10:00:00  Superseded (not restorable)
";
        assert_eq!(text, expected, "{text}");
    }

    #[test]
    fn v4_what_a_status_keeps_can_be_read() {
        let mut instance = instance();
        let spec = json!({"replicas": 3});
        instance["status"]["inputRevisionHistory"][1]["spec"] = json!(PackedSpec::pack(&spec).as_str());
        instance["status"]["inputRevisionHistory"][2]["spec"] = json!("garbage");
        let rows = input_rows(&instance, &[]);
        assert_eq!(rows.into_iter().map(|it| it.spec).collect::<Vec<_>>(), [None, Some(spec), None]);
    }

    #[test]
    fn v4_objects_tell_what_a_status_has_no_room_for() {
        let mut other = input(13, 3, 1);
        other["metadata"]["ownerReferences"] = json!([{"uid": "i-2"}]);
        let rows = input_rows(&instance(), &[input(9, 2, 1), other, input(12, 3, 5)]);
        let told: Vec<_> =
            rows.iter().map(|it| (it.number.get(), it.status.as_str(), it.spec.is_some())).collect();
        let expected = [
            (12, "Completed", true),
            (11, "Superseded", false),
            (10, "Superseded", false),
            (9, "Superseded", true),
        ];
        assert_eq!(told, expected);
        assert_eq!(rows[0].object.as_deref(), Some("my-app-input-rev-12"));
        let wide = wide_input_table(&rows[..1]).to_text();
        let expected = "\
INPUT-REV  RGD-REV  CREATED              STATUS     RESTORED-FROM  RESTORABLE  AUTHOR        CHANGE-CAUSE
12         3        2025-01-15 10:35:00  Completed  -              -           kubectl-edit
";
        assert_eq!(wide, expected, "{wide}");
    }
}
