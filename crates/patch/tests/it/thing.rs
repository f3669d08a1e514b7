//! A kind with one field of every sort in its spec, and one object of it that several managers change.

use krono_patch::apply::{Applier, ApplyError, Endpoint, ObjectType, SameShape, Timestamp, apply, update};
use krono_schema::Schema;
use serde_json::{Map, Value, json};

/// The schema of the kind.
pub(crate) fn schema() -> Schema {
    let string = || json!({"type": "string"});
    let number = || json!({"type": "integer"});
    let strings = || json!({"type": "object", "additionalProperties": {"type": "string"}});
    let object = |properties: Value| json!({"type": "object", "properties": properties});
    let keyed = |keys: Value, items: Value| {
        json!({
            "type": "array", "items": items, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys,
        })
    };
    let nested = keyed(json!(["id"]), object(json!({"id": number(), "value": string()})));
    let item = object(json!({"name": string(), "value": number(), "nested": nested, "map": strings()}));
    let port =
        object(json!({"port": number(), "protocol": {"type": "string", "default": "TCP"}, "name": string()}));
    let spec = object(json!({
        "numeric": number(), "string": string(),
        "struct": object(json!({"a": string(), "b": number(), "inner": object(json!({"c": string()}))})),
        "map": strings(),
        "maps": {"type": "object", "additionalProperties": object(json!({"a": string(), "b": number()}))},
        "list": keyed(json!(["name"]), item), "ports": keyed(json!(["port", "protocol"]), port),
        "set": {"type": "array", "items": string(), "x-kubernetes-list-type": "set"},
        "atomicList": {"type": "array", "items": string()},
        "atomicMap": {"type": "object", "additionalProperties": string(), "x-kubernetes-map-type": "atomic"},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
    }));
    Schema::from_value(&object(json!({"spec": spec}))).expect("a schema")
}

/// An object with this spec.
pub(crate) fn object(spec: &Value) -> Value {
    labelled(spec, &Value::Null)
}

/// An object with this spec and these labels, unless they are null.
pub(crate) fn labelled(spec: &Value, labels: &Value) -> Value {
    let mut metadata = json!({"name": "n", "namespace": "ns"});
    if !labels.is_null() {
        metadata["labels"] = labels.clone();
    }
    json!({"apiVersion": "g/v1", "kind": "Thing", "metadata": metadata, "spec": spec})
}

/// Everything happens in one second.
fn now() -> Timestamp {
    Timestamp::from_seconds(1)
}

/// One object, as it is at the moment.
#[derive(Clone, Debug)]
pub(crate) struct Shared<'k> {
    versions: &'k SameShape,
    pub(crate) live: Option<Value>,
}

pub(crate) fn versions() -> SameShape {
    SameShape::of("g/v1", ObjectType::custom_resource(&schema()).expect("a type"))
}

impl<'k> Shared<'k> {
    pub(crate) fn new(versions: &'k SameShape) -> Self {
        Self { versions, live: None }
    }

    fn endpoint(&self) -> Endpoint<'k> {
        Endpoint {
            api_version: "g/v1",
            kind: "Thing",
            subresource: "",
            versions: self.versions,
            blank: &Value::Null,
        }
    }

    pub(crate) fn apply(&mut self, manager: &str, config: &Value, force: bool) -> Result<(), ApplyError> {
        let applier = Applier { manager, force, now: now() };
        self.live = Some(apply(&self.endpoint(), self.live.as_ref(), config, &applier)?);
        Ok(())
    }

    /// Replaces the object; when ownership cannot be worked out it is left without managers.
    pub(crate) fn update(&mut self, manager: &str, mut new: Value) -> Result<(), String> {
        update(&self.endpoint(), self.live.as_ref(), &mut new, manager, now())
            .map_err(|it| it.to_string())?;
        self.live = Some(new);
        Ok(())
    }

    /// The object without the times of its managers.
    pub(crate) fn timeless(&self) -> Value {
        let mut live = self.live.clone().unwrap_or(Value::Null);
        let managers = live.pointer_mut("/metadata/managedFields").and_then(Value::as_array_mut);
        for manager in managers.into_iter().flatten().filter_map(Value::as_object_mut) {
            manager.remove("time");
        }
        live
    }

    pub(crate) fn managed_fields(&self) -> Vec<Map<String, Value>> {
        let live = self.timeless();
        let managers = live.pointer("/metadata/managedFields").and_then(Value::as_array).cloned();
        managers.into_iter().flatten().filter_map(|it| it.as_object().cloned()).collect()
    }

    pub(crate) fn spec(&self) -> Value {
        self.live.as_ref().and_then(|it| it.get("spec")).cloned().unwrap_or(Value::Null)
    }
}
