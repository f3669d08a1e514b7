//! Differences, for people and for programs.

use serde_json::{Map, Value, json};
use similar::TextDiff;

use super::{Change, ChangeKind, Diff, Path, Step};
use crate::RevisionNumber;

impl Diff {
    /// Field by field: each object or list that differs, and below it what was and what is there.
    pub fn to_text(&self, from: RevisionNumber, to: RevisionNumber) -> String {
        self.to_text_between(&format!("revision {from}"), &format!("revision {to}"))
    }

    /// The same, of what is called so.
    pub fn to_text_between(&self, from: &str, to: &str) -> String {
        if self.is_empty() {
            return format!("{from} and {to} have the same content\n");
        }
        format!("--- {from}\n+++ {to}\n{}", self.hunks())
    }

    /// The same without saying between what; empty when the contents are the same.
    pub fn hunks(&self) -> String {
        let mut text = String::new();
        let mut shown = None;
        for change in &self.changes {
            let (holder, last) = change.holder();
            let holder = holder.to_string();
            if shown.as_ref() != Some(&holder) {
                let place = if holder.is_empty() { "the object" } else { &holder };
                text.extend(["@@ ", place, " @@\n"]);
            }
            text += &lines(change, last);
            shown = Some(holder);
        }
        text
    }

    /// The lines of both as YAML, as `diff -u` shows them; empty when the contents are the same.
    pub fn to_unified(&self, from: RevisionNumber, to: RevisionNumber) -> String {
        self.to_unified_between(&format!("revision {from}"), &format!("revision {to}"))
    }

    /// The same, of what is called so.
    pub fn to_unified_between(&self, from: &str, to: &str) -> String {
        if self.is_empty() {
            return String::new();
        }
        let (old, new) = (yaml(&json!({"spec": self.old})), yaml(&json!({"spec": self.new})));
        let diff = TextDiff::from_lines(&old, &new);
        let mut unified = diff.unified_diff();
        unified.header(from, to).to_string()
    }

    /// For programs.
    pub fn to_json(&self, from: RevisionNumber, to: RevisionNumber) -> Value {
        json!({"from": from.get(), "to": to.get(), "changes": self.changes_to_json()})
    }

    /// The differences alone, for programs.
    pub fn changes_to_json(&self) -> Value {
        self.changes.iter().map(Change::to_json).collect()
    }
}

impl Change {
    /// What the difference is shown under: what holds the value, or the list whose order it is.
    fn holder(&self) -> (Path, Option<&Step>) {
        match self.kind {
            ChangeKind::Reordered { .. } => (self.path.clone(), None),
            ChangeKind::Added(_) | ChangeKind::Removed(_) | ChangeKind::Replaced { .. } => self.path.split(),
        }
    }

    fn to_json(&self) -> Value {
        let (name, values) = match &self.kind {
            ChangeKind::Added(new) => ("add", vec![("new", new.clone())]),
            ChangeKind::Removed(old) => ("remove", vec![("old", old.clone())]),
            ChangeKind::Replaced { old, new } => {
                ("replace", vec![("old", old.clone()), ("new", new.clone())])
            }
            ChangeKind::Reordered { old, new } => ("reorder", vec![("old", json!(old)), ("new", json!(new))]),
        };
        let mut fields: Map<String, Value> =
            values.into_iter().map(|(field, value)| (field.to_owned(), value)).collect();
        fields.insert("op".to_owned(), json!(name));
        fields.insert("path".to_owned(), json!(self.path.with_keys()));
        fields.insert("pointer".to_owned(), json!(self.path.pointer()));
        Value::Object(fields)
    }
}

fn lines(change: &Change, last: Option<&Step>) -> String {
    match &change.kind {
        ChangeKind::Added(new) => marked('+', &entry(last, new)),
        ChangeKind::Removed(old) => marked('-', &entry(last, old)),
        ChangeKind::Replaced { old, new } => marked('-', &entry(last, old)) + &marked('+', &entry(last, new)),
        ChangeKind::Reordered { old, new } => {
            format!("- order: {}\n+ order: {}\n", old.join(", "), new.join(", "))
        }
    }
}

/// A field with its name, or an item of a list behind a dash.
fn entry(last: Option<&Step>, value: &Value) -> String {
    match last {
        Some(Step::Field(name)) => yaml(&json!({name.as_str(): value})),
        Some(Step::Item { .. }) => yaml(&json!([value])),
        None => yaml(value),
    }
}

fn marked(mark: char, text: &str) -> String {
    text.lines().fold(String::new(), |marked, line| marked + &format!("{mark} {line}\n"))
}

/// A value as YAML; JSON is YAML, should the printer ever refuse a value.
pub fn yaml(value: &Value) -> String {
    let options = serde_saphyr::ser_options! { compact_list_indent: true, prefer_block_scalars: true };
    let mut text = String::new();
    match serde_saphyr::to_fmt_writer_with_options(&mut text, value, options) {
        Ok(()) => text,
        Err(_) => format!("{value}\n"),
    }
}
