//! Objects as Go writes them: zero values of some fields are left out, of others written.

use serde_json::{Map, Value, json};

use super::table::{Field, Item, Message, Shape, Table};

/// How deep objects are looked at; as deep as protobuf bodies may be.
const MAX_DEPTH: usize = 160;

/// Gives an object of a built-in kind the form in which Go would write it again.
pub fn normalise(api_version: &str, kind: &str, object: &mut Value) {
    let table = Table::get();
    if let (Some(message), Some(fields)) = (table.kind(api_version, kind), object.as_object_mut()) {
        Writer { table, depth: 0 }.object(message, fields);
    }
}

/// Gives the metadata of an object of any kind the form in which Go would write it again.
pub(crate) fn normalise_metadata(object: &mut Value) {
    let table = Table::get();
    let metadata = object.get_mut("metadata").and_then(Value::as_object_mut);
    if let (Some(message), Some(fields)) = (table.message_named("meta.ObjectMeta"), metadata) {
        Writer { table, depth: 0 }.object(message, fields);
    }
}

/// Whether Go writes null where a field of a type, such as `io.k8s.api.core.v1.PodSpec`, has no value.
pub(crate) fn is_null_when_absent(type_name: &str, field: &str) -> bool {
    let mut parts = type_name.rsplit('.');
    let (Some(name), Some(version), Some(group)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let name = format!("{group}{}.{name}", version.strip_prefix("v1").unwrap_or(version));
    let message = Table::get().message_named(&name);
    let field = message.and_then(|it| it.fields.iter().find(|it| it.name == Some(field)));
    field.is_some_and(|it| absent(it) == Some(Value::Null))
}

/// What Go writes for a field without a value, unless it is a struct.
fn absent(field: &Field) -> Option<Value> {
    let is_time = matches!(field.item, Item::Time | Item::MicroTime);
    if is_time && !field.is_pointer && field.shape == Shape::One && !field.omits_zero {
        return Some(Value::Null);
    }
    field.is_always.then(|| zero(field))
}

fn zero(field: &Field) -> Value {
    if field.is_pointer || field.shape != Shape::One {
        return Value::Null;
    }
    match field.item {
        Item::String => "".into(),
        Item::Bool => false.into(),
        Item::Int32 | Item::Int64 | Item::Double | Item::IntOrString => 0.into(),
        Item::Quantity => "0".into(),
        Item::Message(_) => json!({}),
        Item::Bytes | Item::Strings | Item::Time | Item::MicroTime | Item::Json => Value::Null,
    }
}

/// Whether Go leaves a value out where a field says so.
fn is_empty(field: &Field, value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty() && !field.is_pointer,
        Value::Object(fields) => fields.is_empty() && field.shape == Shape::Map && !field.is_pointer,
        Value::String(text) => text.is_empty() && !field.is_pointer && field.item != Item::Quantity,
        Value::Bool(value) => !value && !field.is_pointer,
        Value::Number(number) => number.as_f64() == Some(0.0) && !field.is_pointer && is_number(field.item),
    }
}

fn is_number(item: Item) -> bool {
    matches!(item, Item::Int32 | Item::Int64 | Item::Double)
}

struct Writer {
    table: &'static Table,
    depth: usize,
}

impl Writer {
    fn object(&mut self, message: &Message, fields: &mut Map<String, Value>) {
        if message.is_either || self.depth == MAX_DEPTH {
            return;
        }
        self.depth += 1;
        for field in &message.fields {
            match field.name {
                Some(name) => self.field(field, name, fields),
                None => self.inlined(field, fields),
            }
        }
        self.depth -= 1;
    }

    fn inlined(&mut self, field: &Field, fields: &mut Map<String, Value>) {
        if let Some(message) = self.message(field) {
            self.object(message, fields);
        }
    }

    fn field(&mut self, field: &Field, name: &str, fields: &mut Map<String, Value>) {
        if let Some(value) = fields.get_mut(name).filter(|value| !value.is_null()) {
            self.values(field, value);
            if is_empty(field, value) && !field.is_always {
                fields.remove(name);
            }
            return;
        }
        match self.absent(field) {
            Some(value) => {
                fields.insert(name.to_owned(), value);
            }
            None => {
                fields.remove(name);
            }
        }
    }

    fn values(&mut self, field: &Field, value: &mut Value) {
        let Some(message) = self.message(field) else { return };
        match (field.shape, value) {
            (Shape::One, Value::Object(fields)) => self.object(message, fields),
            (Shape::List, Value::Array(items)) => {
                items.iter_mut().filter_map(Value::as_object_mut).for_each(|it| self.object(message, it));
            }
            (Shape::Map, Value::Object(entries)) => {
                entries.values_mut().filter_map(Value::as_object_mut).for_each(|it| self.object(message, it));
            }
            (Shape::One | Shape::List | Shape::Map, _) => {}
        }
    }

    /// A struct that is no pointer is there even when nobody wrote it.
    fn absent(&mut self, field: &Field) -> Option<Value> {
        let is_struct = field.shape == Shape::One && !field.is_pointer;
        let Some(message) = self.message(field).filter(|it| is_struct && !it.is_either) else {
            return absent(field);
        };
        let mut fields = Map::new();
        self.object(message, &mut fields);
        (!fields.is_empty() || !field.omits_zero).then_some(Value::Object(fields))
    }

    fn message(&self, field: &Field) -> Option<&'static Message> {
        match field.item {
            Item::Message(index) => self.table.message(index),
            Item::String
            | Item::Bool
            | Item::Int32
            | Item::Int64
            | Item::Double
            | Item::Bytes
            | Item::Strings
            | Item::Time
            | Item::MicroTime
            | Item::Quantity
            | Item::IntOrString
            | Item::Json => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(api_version: &str, kind: &str, mut object: Value, expect: &Value) {
        normalise(api_version, kind, &mut object);
        assert_eq!(object, *expect);
    }

    #[test]
    fn structs_are_always_there() {
        let template = json!({"metadata": {}, "spec": {"containers": null}});
        let spec = json!({"selector": null, "template": template, "strategy": {}});
        check("apps/v1", "Deployment", json!({}), &json!({"metadata": {}, "spec": spec, "status": {}}));
        check(
            "v1",
            "Service",
            json!({}),
            &json!({"metadata": {}, "spec": {}, "status": {"loadBalancer": {}}}),
        );
        check("v1", "ConfigMap", json!({"data": {}}), &json!({"metadata": {}}));
        check("rbac.authorization.k8s.io/v1", "Role", json!({}), &json!({"metadata": {}, "rules": null}));
    }

    #[test]
    fn what_is_empty_goes_and_what_is_said_stays() {
        let pod = json!({"metadata": {"labels": {}}, "spec": {"volumes": [], "hostNetwork": false, "priority": 0,
            "containers": [{"name": "c", "env": [{"name": "E", "value": ""}], "stdin": false}], "nodeName": ""}});
        let expect = json!({"metadata": {}, "spec": {"priority": 0,
            "containers": [{"name": "c", "env": [{"name": "E"}], "resources": {}}]}, "status": {}});
        check("v1", "Pod", pod, &expect);
    }

    #[test]
    fn metadata_of_any_kind() {
        let mut object = json!({"metadata": {"labels": {}, "annotations": {"a": "b"}, "finalizers": []}, "spec": {"a": []}});
        normalise_metadata(&mut object);
        assert_eq!(object, json!({"metadata": {"annotations": {"a": "b"}}, "spec": {"a": []}}));
    }

    #[test]
    fn times() {
        let status = json!({"conditions": [{"type": "A", "status": "True"}]});
        let expect = json!({"conditions":
            [{"type": "A", "status": "True", "lastTransitionTime": null, "lastUpdateTime": null}]});
        let mut object = json!({"status": status});
        normalise("apps/v1", "Deployment", &mut object);
        assert_eq!(object["status"], expect);
    }

    #[test]
    fn nulls() {
        let check = |name: &str, field: &str, expect: bool| {
            assert_eq!(is_null_when_absent(name, field), expect, "{name} {field}");
        };
        check("io.k8s.api.core.v1.PodSpec", "containers", true);
        check("io.k8s.api.core.v1.PodSpec", "volumes", false);
        check("io.k8s.api.apps.v1.DeploymentCondition", "lastUpdateTime", true);
        check("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "creationTimestamp", false);
        check("io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus", "currentMetrics", true);
        check("io.k8s.api.core.v1.Event", "eventTime", true);
        check("io.k8s.api.core.v1.Nothing", "x", false);
    }
}
