//! The identity of what was applied: as wanted, and as the API server holds it.

use std::fmt;

use krono_model::names;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

/// Two objects with the same digest hold the same content.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 16]);

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Labels that change without the content: they are written when an object is written anyway.
const RIDING_ALONG: [&str; 2] = [names::KRO_VERSION_LABEL, names::COLLECTION_SIZE_LABEL];

impl Digest {
    /// Of an object to apply.
    pub fn of_desired(object: &Value) -> Self {
        Self::of(object)
    }

    /// Of that part of a live object which a manager applied; nothing if it applied nothing.
    pub fn of_applied(object: &Value, manager: &str) -> Option<Self> {
        let entries = object.pointer("/metadata/managedFields")?.as_array()?;
        let is_ours = |entry: &&Value| {
            entry["manager"] == manager
                && entry["operation"] == "Apply"
                && entry.get("subresource").is_none_or(|it| it == "")
        };
        let fields = entries.iter().find(is_ours)?.get("fieldsV1")?.as_object()?;
        Some(Self::of(&owned(object, fields)))
    }

    fn of(object: &Value) -> Self {
        let mut hash = Hash(Sha256::new());
        hash.object(object);
        let mut digest = [0; 16];
        digest.copy_from_slice(&hash.0.finalize()[..16]);
        Self(digest)
    }
}

/// What a set of fields holds of a value.
fn owned(value: &Value, fields: &Map<String, Value>) -> Value {
    let mut children = fields.iter().filter(|(element, _)| *element != ".").peekable();
    if children.peek().is_none() {
        return value.clone();
    }
    match value {
        Value::Object(map) => {
            let owned = children.filter_map(|(element, below)| {
                let name = element.strip_prefix("f:")?;
                Some((name.to_owned(), owned(map.get(name)?, below.as_object()?)))
            });
            Value::Object(owned.collect())
        }
        Value::Array(items) => {
            let elements: Vec<_> = children.filter_map(|(text, below)| Element::read(text, below)).collect();
            let owned = items.iter().enumerate().filter_map(|(index, item)| {
                let element = elements.iter().find(|it| it.names(index, item))?;
                Some(owned(item, element.below))
            });
            Value::Array(owned.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// An item of a list, as managed fields name it.
struct Element<'a> {
    name: ItemName,
    below: &'a Map<String, Value>,
}

enum ItemName {
    Key(Map<String, Value>),
    Value(Value),
    Index(usize),
}

impl<'a> Element<'a> {
    fn read(text: &str, below: &'a Value) -> Option<Self> {
        let (form, rest) = text.split_once(':')?;
        let name = match form {
            "k" => ItemName::Key(serde_json::from_str(rest).ok()?),
            "v" => ItemName::Value(serde_json::from_str(rest).ok()?),
            "i" => ItemName::Index(rest.parse().ok()?),
            _ => return None,
        };
        Some(Self { name, below: below.as_object()? })
    }

    fn names(&self, index: usize, item: &Value) -> bool {
        match &self.name {
            ItemName::Key(key) => key.iter().all(|(field, value)| item.get(field) == Some(value)),
            ItemName::Value(value) => item == value,
            ItemName::Index(at) => *at == index,
        }
    }
}

struct Hash(Sha256);

impl Hash {
    /// A whole object, without what identifies it and without what rides along.
    fn object(&mut self, object: &Value) {
        for (name, value) in sorted(object) {
            match name {
                "apiVersion" | "kind" => {}
                "metadata" => self.metadata(value),
                _ => self.field(name, value),
            }
        }
    }

    fn metadata(&mut self, metadata: &Value) {
        for (name, value) in sorted(metadata) {
            match name {
                "name" | "namespace" => {}
                "labels" => {
                    let labels = sorted(value).into_iter().filter(|(key, _)| !RIDING_ALONG.contains(key));
                    self.0.update("labels{");
                    for (key, value) in labels {
                        self.field(key, value);
                    }
                    self.0.update("}");
                }
                "annotations" if value.is_object() => self.annotations(value),
                _ => self.field(name, value),
            }
        }
    }

    /// Without stamps, which are written when an object is written anyway. What is itself an instance has its stamps under
    /// other names, and a pin under the plain one.
    fn annotations(&mut self, annotations: &Value) {
        let prefix = if is_owner_stamped(annotations) { names::OWNER_STAMP_PREFIX } else { names::PREFIX };
        let is_stamp = |key: &str| key.strip_prefix(prefix).is_some_and(|it| names::STAMPS.contains(&it));
        self.text("annotations");
        self.0.update("{");
        for (key, value) in sorted(annotations).into_iter().filter(|(key, _)| !is_stamp(key)) {
            self.field(key, value);
        }
        self.0.update("}");
    }

    fn field(&mut self, name: &str, value: &Value) {
        self.text(name);
        self.value(value);
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.0.update("n"),
            Value::Bool(value) => self.0.update(if *value { "t" } else { "f" }),
            Value::Number(number) => match number.as_f64().filter(|it| it.fract() == 0.0) {
                // 1 and 1.0 are one number.
                Some(whole) if !number.is_i64() && !number.is_u64() => self.0.update(format!("#{whole:.0}")),
                Some(_) | None => self.0.update(format!("#{number}")),
            },
            Value::String(text) => self.text(text),
            Value::Array(items) => {
                self.0.update("[");
                for item in items {
                    self.value(item);
                }
                self.0.update("]");
            }
            Value::Object(_) => {
                self.0.update("{");
                for (name, value) in sorted(value) {
                    self.field(name, value);
                }
                self.0.update("}");
            }
        }
    }

    /// Its length first, so that no text can look like what follows it.
    fn text(&mut self, text: &str) {
        self.0.update(text.len().to_be_bytes());
        self.0.update(text);
    }
}

/// Whether an object is stamped as one that is itself an instance.
pub(crate) fn is_owner_stamped(annotations: &Value) -> bool {
    let mut keys = annotations.as_object().into_iter().flatten().map(|(key, _)| key);
    keys.any(|it| it.starts_with(names::OWNER_STAMP_PREFIX))
}

fn sorted(object: &Value) -> Vec<(&str, &Value)> {
    let fields = object.as_object().into_iter().flatten();
    let mut fields: Vec<_> = fields.map(|(name, value)| (name.as_str(), value)).collect();
    fields.sort_unstable_by_key(|(name, _)| *name);
    fields
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn live(fields: &Value, mut object: Value) -> Option<Digest> {
        object["metadata"]["managedFields"] = json!([{"manager": "other", "operation": "Apply", "fieldsV1": {"f:data": {}}},
                   {"manager": "ours", "operation": "Apply", "fieldsV1": fields}]);
        Digest::of_applied(&object, "ours")
    }

    #[test]
    fn what_is_live_has_the_digest_of_what_was_applied() {
        let desired = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "labels": {"app": "web"}},
            "spec": {"replicas": 2, "template": {"spec": {"containers": [{"name": "a", "image": "nginx"}]}}},
        });
        let fields = json!({
            "f:metadata": {"f:labels": {"f:app": {}}},
            "f:spec": {"f:replicas": {}, "f:template": {"f:spec": {"f:containers": {
                "k:{\"name\":\"a\"}": {".": {}, "f:name": {}, "f:image": {}}}}}},
        });
        let answer = json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "web", "namespace": "default", "uid": "1", "labels": {"app": "web", "theirs": "1"}},
            "spec": {"replicas": 2, "paused": false, "template": {"spec": {"containers": [
                {"name": "sidecar"}, {"name": "a", "image": "nginx", "imagePullPolicy": "Always"}]}}},
        });
        let wanted = Digest::of_desired(&desired);
        assert_eq!(live(&fields, answer.clone()), Some(wanted));
        let mut drifted = answer.clone();
        drifted["spec"]["replicas"] = json!(3);
        assert_ne!(live(&fields, drifted), Some(wanted));
        let mut fewer = desired;
        fewer["spec"].as_object_mut().unwrap().remove("replicas");
        assert_ne!(live(&fields, answer), Some(Digest::of_desired(&fewer)));
    }

    #[test]
    fn nothing_applied_has_no_digest() {
        assert_eq!(Digest::of_applied(&json!({"metadata": {}}), "ours"), None);
        let scaled = json!({"metadata": {"managedFields": [
            {"manager": "ours", "operation": "Update", "fieldsV1": {"f:spec": {}}},
            {"manager": "ours", "operation": "Apply", "subresource": "scale", "fieldsV1": {"f:spec": {}}}]}});
        assert_eq!(Digest::of_applied(&scaled, "ours"), None);
    }

    #[test]
    fn spelling_and_what_rides_along_do_not_count() {
        let same = |left: Value, right: Value| {
            assert_eq!(Digest::of_desired(&left), Digest::of_desired(&right), "{left} {right}");
        };
        same(json!({"spec": {"a": 1, "b": 2}}), json!({"spec": {"b": 2.0, "a": 1}}));
        let labels = |size: &str| json!({"metadata": {"labels": {"kro.run/collection-size": size}}});
        same(labels("2"), labels("3"));
        let stamped = |stamps: Value| json!({"metadata": {"annotations": stamps}});
        same(
            stamped(json!({"a": "1", "kro.run/rgd-revision": "1", "kro.run/input-revision": "4"})),
            stamped(json!({"a": "1"})),
        );
        let owned = |revision: &str, pin: &str| {
            stamped(json!({"internal.kro.run/owner-rgd-revision": revision, "kro.run/rgd-revision": pin}))
        };
        same(owned("1", "2"), owned("7", "2"));
        let different = |left: Value, right: Value| {
            assert_ne!(Digest::of_desired(&left), Digest::of_desired(&right), "{left} {right}");
        };
        different(owned("1", "2"), owned("1", "3"));
        different(json!({"data": {"a": "1"}}), json!({"data": {"a": 1}}));
        different(json!({"data": {"ab": "c"}}), json!({"data": {"a": "bc"}}));
        different(json!({"data": ["a", "b"]}), json!({"data": [["a"], "b"]}));
    }
}
