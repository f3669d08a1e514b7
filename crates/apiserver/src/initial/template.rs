//! Objects made ready once and stored often: a server starts with more than a hundred of them.

use bytes::Bytes;
use serde_json::{Value, json};

use crate::object::Object;
use crate::resource::Resource;
use crate::storage;

/// Stands for the time of creation.
const TIME: &str = "0000-00-00T00:00:00Z";
/// Stands for the uid.
const UID: &str = "00000000-0000-0000-0000-000000000000";

/// An object that lacks only its uid and the time.
#[derive(Debug)]
pub(crate) struct Template {
    /// Where the object is stored.
    pub(crate) key: String,
    /// The object as it should be, without what only the server sets.
    pub(crate) expected: Value,
    record: Vec<u8>,
    /// Where the uid and the times stand in the record.
    uids: Vec<usize>,
    times: Vec<usize>,
}

/// Who wrote which fields of an object.
pub(super) struct Writer {
    pub(super) manager: &'static str,
    pub(super) operation: &'static str,
    pub(super) fields: Value,
}

impl Template {
    /// `complete` is what is stored of `expected`, but for metadata that every object has.
    pub(super) fn new(
        resource: &Resource,
        expected: Value,
        mut complete: Value,
        writers: Vec<Writer>,
    ) -> Option<Self> {
        let entry = |writer: Writer| {
            json!({
                "manager": writer.manager, "operation": writer.operation, "apiVersion": complete["apiVersion"],
                "time": TIME, "fieldsType": "FieldsV1", "fieldsV1": writer.fields,
            })
        };
        let managers: Value = writers.into_iter().map(entry).collect();
        let metadata = complete.get_mut("metadata")?;
        metadata["uid"] = UID.into();
        metadata["creationTimestamp"] = TIME.into();
        if managers.as_array().is_some_and(|managers| !managers.is_empty()) {
            metadata["managedFields"] = managers;
        }
        let object = Object::new(complete)?;
        let key = storage::key(resource, object.namespace(), object.name());
        let record = resource.record(&object).ok()?.to_vec();
        let (uids, times) = (places(&record, UID), places(&record, TIME));
        Some(Self { key, expected, record, uids, times })
    }

    /// The record of the object. `now` and `uid` are as long as what stands for them.
    pub(crate) fn record(&self, now: &str, uid: &str) -> Bytes {
        let mut record = self.record.clone();
        for (places, text) in [(&self.times, now), (&self.uids, uid)] {
            for place in places {
                if let Some(target) = record.get_mut(*place..place + text.len()) {
                    target.copy_from_slice(text.as_bytes());
                }
            }
        }
        record.into()
    }
}

fn places(record: &[u8], text: &str) -> Vec<usize> {
    let windows = record.windows(text.len()).enumerate();
    windows.filter(|(_, window)| *window == text.as_bytes()).map(|(place, _)| place).collect()
}

/// The fields of an object that its writer owns. Lists and `roleRef` are owned as a whole; `ports` one by one.
pub(super) fn owned_fields(object: &Value) -> Value {
    let fields = object.as_object().into_iter().flatten();
    let own =
        fields.filter(|(name, _)| !matches!(name.as_str(), "apiVersion" | "kind" | "metadata" | "status"));
    let mut owned: serde_json::Map<String, Value> =
        own.map(|(name, value)| (format!("f:{name}"), owned(name, value))).collect();
    let metadata: serde_json::Map<String, Value> = ["annotations", "labels"]
        .into_iter()
        .filter_map(|name| Some((format!("f:{name}"), owned_map(object["metadata"].get(name)?))))
        .collect();
    if !metadata.is_empty() {
        owned.insert("f:metadata".to_owned(), metadata.into());
    }
    owned.into()
}

fn owned(name: &str, value: &Value) -> Value {
    match (name, value) {
        ("data" | "aggregationRule", value) => owned_map(value),
        ("spec", Value::Object(fields)) => {
            fields.iter().map(|(name, value)| (format!("f:{name}"), owned(name, value))).collect()
        }
        ("ports", Value::Array(ports)) if ports.iter().all(|port| port.get("protocol").is_some()) => {
            owned_ports(ports)
        }
        _ => json!({}),
    }
}

/// A map and its entries.
fn owned_map(value: &Value) -> Value {
    let entries = value.as_object().into_iter().flatten();
    let entries = entries.map(|(name, _)| (format!("f:{name}"), json!({})));
    std::iter::once((".".to_owned(), json!({}))).chain(entries).collect()
}

fn owned_ports(ports: &[Value]) -> Value {
    let key = |port: &Value| format!("k:{}", json!({"port": port["port"], "protocol": port["protocol"]}));
    let entries = ports.iter().map(|port| (key(port), owned_map(port)));
    std::iter::once((".".to_owned(), json!({}))).chain(entries).collect()
}
