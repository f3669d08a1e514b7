//! Stories of several managers, with what structured-merge-diff and the field manager make of them.

mod client_side;
mod lists;
mod ownership;
mod removal;
mod requests;
mod versions;

use krono_schema::Schema;
use serde_json::{Value, json};

use super::path::path_text;
use super::{
    Applier, ApplyError, Endpoint, FieldSet, ObjectType, SameShape, Timestamp, UpdateError, apply, update,
};

/// A kind with one field of every sort in its spec.
pub(super) fn schema() -> Schema {
    let string = || json!({"type": "string"});
    let number = || json!({"type": "integer"});
    let strings = || json!({"type": "object", "additionalProperties": {"type": "string"}});
    let object = |properties: Value| json!({"type": "object", "properties": properties});
    let list = |kind: &str, keys: Value, items: Value| {
        json!({
            "type": "array", "items": items, "x-kubernetes-list-type": kind, "x-kubernetes-list-map-keys": keys,
        })
    };
    let nested = list("map", json!(["id"]), object(json!({"id": number(), "value": string()})));
    let item = object(json!({"name": string(), "value": number(), "nested": nested, "map": strings()}));
    let port =
        object(json!({"port": number(), "protocol": {"type": "string", "default": "TCP"}, "name": string()}));
    let schema = object(json!({
        "spec": object(json!({
            "numeric": number(), "string": string(), "bool": {"type": "boolean"},
            "struct": object(json!({"a": string(), "b": number(), "inner": object(json!({"c": string()}))})),
            "map": strings(),
            "maps": {"type": "object", "additionalProperties": object(json!({"a": string(), "b": number()}))},
            "list": list("map", json!(["name"]), item),
            "ports": list("map", json!(["port", "protocol"]), port),
            "set": list("set", json!([]), string()),
            "atomicList": {"type": "array", "items": string()},
            "atomicMap": {"type": "object", "additionalProperties": string(), "x-kubernetes-map-type": "atomic"},
            "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        })),
        "status": object(json!({"phase": string()})),
    }));
    Schema::from_value(&schema).unwrap()
}

/// One object and what happens to it.
struct Story {
    versions: SameShape,
    subresource: &'static str,
    version: &'static str,
    live: Option<Value>,
    clock: i64,
}

impl Story {
    fn new() -> Self {
        Self::of(SameShape::of("g/v1", ObjectType::custom_resource(&schema()).unwrap()))
    }

    fn of(versions: SameShape) -> Self {
        Self { versions, subresource: "", version: "g/v1", live: None, clock: 0 }
    }

    fn endpoint(&self) -> Endpoint<'_> {
        Endpoint {
            api_version: self.version,
            kind: "Thing",
            subresource: self.subresource,
            versions: &self.versions,
            blank: &Value::Null,
        }
    }

    fn object(&self, spec: Value) -> Value {
        json!({"apiVersion": self.version, "kind": "Thing", "metadata": {"name": "n", "namespace": "ns"}, "spec": spec})
    }

    fn try_apply(&mut self, manager: &str, config: &Value, force: bool) -> Result<(), ApplyError> {
        self.clock += 1;
        let applier = Applier { manager, force, now: Timestamp::from_seconds(self.clock) };
        let live = apply(&self.endpoint(), self.live.as_ref(), config, &applier)?;
        self.store(live);
        Ok(())
    }

    fn apply(&mut self, manager: &str, spec: Value) -> &mut Self {
        self.try_apply(manager, &self.object(spec), false).unwrap();
        self
    }

    fn force(&mut self, manager: &str, spec: Value) -> &mut Self {
        self.try_apply(manager, &self.object(spec), true).unwrap();
        self
    }

    /// The conflicts that an apply meets.
    fn refused(&mut self, manager: &str, spec: Value, expect: &str) -> &mut Self {
        let error = self.try_apply(manager, &self.object(spec), false).unwrap_err();
        assert_eq!(error.to_string(), expect);
        self
    }

    fn try_update(&mut self, manager: &str, mut object: Value) -> Result<(), UpdateError> {
        self.clock += 1;
        let now = Timestamp::from_seconds(self.clock);
        let result = update(&self.endpoint(), self.live.as_ref(), &mut object, manager, now);
        self.store(object);
        result
    }

    fn update(&mut self, manager: &str, spec: Value) -> &mut Self {
        let mut object = self.live.clone().unwrap_or_else(|| self.object(Value::Null));
        object["spec"] = spec;
        self.try_update(manager, object).unwrap();
        self
    }

    fn store(&mut self, mut object: Value) {
        object["metadata"]["uid"] = "u".into();
        self.live = Some(object);
    }

    fn live(&self) -> &Value {
        self.live.as_ref().unwrap()
    }

    fn spec(&mut self, expect: &Value) -> &mut Self {
        assert_eq!(self.live()["spec"], *expect);
        self
    }

    fn entries(&self) -> &[Value] {
        self.live()["metadata"]["managedFields"].as_array().map_or(&[], Vec::as_slice)
    }

    /// What the only entry of a manager lists, without `.spec` in front.
    fn owns(&mut self, manager: &str, expect: &[&str]) -> &mut Self {
        let entries: Vec<_> = self.entries().iter().filter(|entry| entry["manager"] == manager).collect();
        let fields: Vec<_> = entries.iter().map(|entry| &entry["fieldsV1"]).collect();
        assert!(fields.len() < 2, "{manager} has several entries");
        let set = fields.first().map(|fields| FieldSet::from_fields_v1(fields).unwrap()).unwrap_or_default();
        let paths = set.paths();
        let mut paths: Vec<_> = paths.iter().map(|path| path_text(path)).collect();
        paths.sort();
        let paths: Vec<_> = paths.iter().map(|path| path.strip_prefix(".spec").unwrap_or(path)).collect();
        assert_eq!(paths, expect, "{manager}");
        self
    }

    fn time(&self, manager: &str) -> Option<i64> {
        let entry = self.entries().iter().find(|entry| entry["manager"] == manager).unwrap();
        entry["time"].as_str().map(|time| time.parse::<Timestamp>().unwrap().seconds())
    }
}
