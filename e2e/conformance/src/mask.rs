//! Hides what two servers may say differently: identifiers, times, versions, made-up names and addresses.
//!
//! What stands for a thing keeps its relations: the same uid is the same number, and versions keep their order.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use regex::Regex;
use serde_json::{Map, Value};

/// The answers of one server in one story, masked together.
pub fn masked(replies: &[Value]) -> Vec<Value> {
    let mut mask = Mask::new();
    for reply in replies {
        mask.learn(reply);
    }
    mask.rank();
    replies.iter().map(|reply| mask.apply(reply)).collect()
}

/// What has been seen of one server.
struct Mask {
    versions: BTreeSet<u64>,
    ranks: BTreeMap<u64, usize>,
    uids: BTreeMap<String, usize>,
    /// Made-up names and what stands for them.
    names: BTreeMap<String, String>,
    uid: Option<Regex>,
    old_version: Option<Regex>,
    address: Option<Regex>,
    /// The volume with the token of a Pod.
    token_volume: Option<Regex>,
    /// A version in a complaint about one.
    record: Option<Regex>,
    /// Times and versions in the JSON that messages quote.
    quoted: Option<Regex>,
}

impl Mask {
    fn new() -> Self {
        Self {
            versions: BTreeSet::new(),
            ranks: BTreeMap::new(),
            uids: BTreeMap::new(),
            names: BTreeMap::new(),
            uid: Regex::new("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}").ok(),
            old_version: Regex::new(r"resource version: (\d+) \(\d+\)").ok(),
            token_volume: Regex::new("kube-api-access-[a-z0-9]{5}").ok(),
            record: Regex::new(r"in record \(\d+\)").ok(),
            quoted: Regex::new(r#"(Time|Timestamp|time|resourceVersion)\\*":\\*"[^"\\]*"#).ok(),
            address: Regex::new(r"^10\.(9[6-9]|10\d|11[01])\.\d+\.\d+$").ok(),
        }
    }

    fn learn(&mut self, value: &Value) {
        match value {
            Value::Object(fields) => {
                self.learn_version(fields);
                self.learn_name(fields);
                // How far a server is when it lists or marks depends on when one asks.
                let shown = fields.iter().filter(|(key, _)| match key.as_str() {
                    "metadata" => !is_list(fields),
                    "object" => !is_bookmark(fields),
                    _ => true,
                });
                shown.for_each(|(_, field)| self.learn(field));
            }
            Value::Array(items) => items.iter().for_each(|item| self.learn(item)),
            Value::String(text) => self.learn_uids(text),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn learn_version(&mut self, fields: &Map<String, Value>) {
        let version = fields.get("resourceVersion").and_then(Value::as_str);
        self.versions.extend(version.and_then(|it| it.parse::<u64>().ok()));
    }

    fn learn_name(&mut self, fields: &Map<String, Value>) {
        let text = |key: &str| fields.get(key).and_then(Value::as_str);
        let (Some(prefix), Some(name)) = (text("generateName"), text("name")) else { return };
        if name.len() == prefix.len() + 5 && name.starts_with(prefix) {
            let stands = format!("{prefix}<made up {}>", self.names.len() + 1);
            self.names.entry(name.to_owned()).or_insert(stands);
        }
    }

    fn learn_uids(&mut self, text: &str) {
        let Some(uid) = &self.uid else { return };
        for found in uid.find_iter(text) {
            let next = self.uids.len() + 1;
            self.uids.entry(found.as_str().to_owned()).or_insert(next);
        }
    }

    fn rank(&mut self) {
        self.ranks = self.versions.iter().enumerate().map(|(rank, version)| (*version, rank)).collect();
    }

    fn apply(&self, value: &Value) -> Value {
        match value {
            Value::Object(fields) => self.object(fields).into(),
            Value::Array(items) => items.iter().map(|item| self.apply(item)).collect(),
            Value::String(text) => self.text(text).into(),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn object(&self, fields: &Map<String, Value>) -> Map<String, Value> {
        let mut masked: Map<String, Value> =
            fields.iter().map(|(key, field)| (key.clone(), self.field(key, field))).collect();
        if is_list(fields) {
            hide(&mut masked, &["metadata"], "resourceVersion", "<of the list>");
        }
        if is_bookmark(fields) {
            hide(&mut masked, &["object", "metadata"], "resourceVersion", "<of the bookmark>");
        }
        masked
    }

    fn field(&self, key: &str, value: &Value) -> Value {
        match (key, value) {
            ("resourceVersion", Value::String(text)) => self.version(text).into(),
            ("continue", Value::String(text)) if !text.is_empty() => "<token>".into(),
            ("cells", Value::Array(cells)) => cells.iter().map(|cell| self.cell(cell)).collect(),
            ("managedFields", Value::Array(managers)) => self.managers(managers),
            ("causes", Value::Array(causes)) if causes.iter().any(is_conflict) => self.conflicts(causes),
            ("ca.crt", Value::String(_)) => "<certificate>".into(),
            ("nodePort" | "healthCheckNodePort", Value::Number(_)) => "<port>".into(),
            (_, value) => self.apply(value),
        }
    }

    /// A cell of a table; ages depend on when one looks.
    fn cell(&self, cell: &Value) -> Value {
        let is_age = |text: &str| {
            let number = text.trim_end_matches(['s', 'm', 'h', 'd']);
            number.len() < text.len() && number.bytes().all(|byte| byte.is_ascii_alphanumeric())
        };
        if cell.as_str().is_some_and(is_age) { "<age>".into() } else { self.apply(cell) }
    }

    /// Managers in an order that does not depend on whether a second passed between two writes.
    fn managers(&self, managers: &[Value]) -> Value {
        let mut managers: Vec<Value> = managers.iter().map(|manager| self.apply(manager)).collect();
        let text = |manager: &Value, field: &str| manager[field].as_str().unwrap_or_default().to_owned();
        managers.sort_by_key(|manager| {
            ["time", "operation", "manager", "subresource", "apiVersion"].map(|field| text(manager, field))
        });
        managers.into()
    }

    /// Conflicts of managers, which the real server goes through in any order.
    fn conflicts(&self, causes: &[Value]) -> Value {
        let mut causes: Vec<Value> = causes.iter().map(|cause| self.apply(cause)).collect();
        causes.sort_by_key(ToString::to_string);
        causes.into()
    }

    fn version(&self, text: &str) -> String {
        let rank = text.parse().ok().and_then(|version: u64| self.ranks.get(&version));
        rank.map_or_else(|| text.to_owned(), |rank| format!("<version {rank}>"))
    }

    fn text(&self, text: &str) -> String {
        if is_recent(text) {
            return "<now>".to_owned();
        }
        if self.address.as_ref().is_some_and(|it| it.is_match(text)) {
            return "<address>".to_owned();
        }
        let mut masked = text.to_owned();
        if let Some(uid) = &self.uid {
            let number = |found: &regex::Captures<'_>| match self.uids.get(&found[0]) {
                Some(number) => format!("<uid {number}>"),
                None => found[0].to_owned(),
            };
            masked = uid.replace_all(&masked, number).into_owned();
        }
        if let Some(old_version) = &self.old_version {
            masked = old_version.replace(&masked, "resource version: $1 (<now>)").into_owned();
        }
        if let Some(token_volume) = &self.token_volume {
            masked = token_volume.replace_all(&masked, "kube-api-access-<made up>").into_owned();
        }
        if let Some(record) = &self.record {
            masked = record.replace_all(&masked, "in record (<version>)").into_owned();
        }
        if let Some(quoted) = &self.quoted {
            masked = quoted.replace_all(&masked, "$1: <masked>").into_owned();
        }
        for (name, stands) in &self.names {
            masked = masked.replace(name.as_str(), stands);
        }
        masked
    }
}

fn hide(fields: &mut Map<String, Value>, way: &[&str], key: &str, stands: &str) {
    let mut place = Some(fields);
    for step in way {
        place = place.and_then(|fields| fields.get_mut(*step)).and_then(Value::as_object_mut);
    }
    if let Some(field) = place.and_then(|fields| fields.get_mut(key)) {
        *field = stands.into();
    }
}

/// No items are null in some forms.
fn is_list(fields: &Map<String, Value>) -> bool {
    fields.get("items").is_some_and(|it| it.is_array() || it.is_null())
        || fields.contains_key("columnDefinitions")
}

fn is_bookmark(fields: &Map<String, Value>) -> bool {
    fields.get("type").is_some_and(|it| it == "BOOKMARK")
}

/// Times of about now are the server's own; others come from a request.
fn is_recent(text: &str) -> bool {
    let day = SignedDuration::from_hours(24);
    text.len() >= 20
        && text.ends_with('Z')
        && text.parse::<Timestamp>().is_ok_and(|time| time.duration_until(Timestamp::now()).abs() < day)
}

fn is_conflict(cause: &Value) -> bool {
    cause["reason"] == "FieldManagerConflict"
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn relations_are_kept() {
        let uid =
            |digit: &str| format!("{0}-{1}-{1}-{1}-{2}", digit.repeat(8), digit.repeat(4), digit.repeat(12));
        let first = json!({"uid": uid("b"), "resourceVersion": "70", "at": Timestamp::now().to_string()});
        let second = json!({"message": format!("uid {} and {}", uid("a"), uid("b")), "resourceVersion": "9"});
        let third = json!({"items": [], "metadata": {"resourceVersion": "50", "continue": "x"}});
        let fourth = json!({"generateName": "a-", "name": "a-xyz12", "clusterIP": "10.96.0.7", "t": "2020-01-01T00:00:00Z"});
        let fifth = json!({"items": null, "metadata": {"resourceVersion": "51"}});
        let expect = [
            json!({"uid": "<uid 1>", "resourceVersion": "<version 1>", "at": "<now>"}),
            json!({"message": "uid <uid 2> and <uid 1>", "resourceVersion": "<version 0>"}),
            json!({"items": [], "metadata": {"resourceVersion": "<of the list>", "continue": "<token>"}}),
            json!({"generateName": "a-", "name": "a-<made up 1>", "clusterIP": "<address>", "t": "2020-01-01T00:00:00Z"}),
            json!({"items": null, "metadata": {"resourceVersion": "<of the list>"}}),
        ];
        assert_eq!(masked(&[first, second, third, fourth, fifth]), expect);
    }
}
