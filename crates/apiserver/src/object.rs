//! Reading and writing the parts of an object that every kind has.

use serde_json::{Map, Value};

/// A Kubernetes object as JSON: always a map, always with a map of metadata.
#[derive(Clone, Debug, PartialEq)]
pub struct Object(Value);

impl Object {
    /// The object, when the value is a map and its metadata (if any) too.
    pub fn new(mut value: Value) -> Option<Self> {
        let fields = value.as_object_mut()?;
        let metadata = fields.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
        if metadata.is_null() {
            *metadata = Value::Object(Map::new());
        }
        metadata.is_object().then_some(Self(value))
    }

    /// An object that has nothing but a name, and a namespace.
    pub(crate) fn empty(name: &str, namespace: Option<&str>) -> Self {
        let mut object = Self(serde_json::json!({"metadata": {"name": name}}));
        object.set_meta("namespace", namespace.map(Value::from));
        object
    }

    /// The whole as JSON.
    pub fn value(&self) -> &Value {
        &self.0
    }

    /// The whole as JSON, to be changed. Metadata must stay a map.
    pub fn value_mut(&mut self) -> &mut Value {
        &mut self.0
    }

    /// The JSON itself.
    pub fn into_value(self) -> Value {
        self.0
    }

    /// A top-level field.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Sets a top-level field, or removes it.
    pub fn set(&mut self, name: &str, value: Option<Value>) {
        if let Some(fields) = self.0.as_object_mut() {
            put(fields, name, value);
        }
    }

    /// A text at the top level, empty when absent.
    pub fn text(&self, name: &str) -> &str {
        self.0.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A field of the metadata.
    pub fn meta(&self, name: &str) -> Option<&Value> {
        self.0.get("metadata").and_then(|metadata| metadata.get(name)).filter(|value| !value.is_null())
    }

    /// A text of the metadata, empty when absent.
    pub fn meta_text(&self, name: &str) -> &str {
        self.meta(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// Sets a field of the metadata, or removes it.
    pub fn set_meta(&mut self, name: &str, value: Option<Value>) {
        if let Some(fields) = self.0.get_mut("metadata").and_then(Value::as_object_mut) {
            put(fields, name, value);
        }
    }

    /// `metadata.name`.
    pub fn name(&self) -> &str {
        self.meta_text("name")
    }

    /// `metadata.namespace`.
    pub fn namespace(&self) -> &str {
        self.meta_text("namespace")
    }

    /// `metadata.uid`.
    pub fn uid(&self) -> &str {
        self.meta_text("uid")
    }

    /// `metadata.resourceVersion`.
    pub fn version(&self) -> &str {
        self.meta_text("resourceVersion")
    }

    /// `metadata.generation`.
    pub fn generation(&self) -> Option<i64> {
        self.meta("generation").and_then(Value::as_i64)
    }

    /// Whether `metadata.deletionTimestamp` is set.
    pub fn is_deleting(&self) -> bool {
        !self.meta_text("deletionTimestamp").is_empty()
    }

    /// `metadata.finalizers`.
    pub fn finalizers(&self) -> impl Iterator<Item = &str> {
        self.meta("finalizers").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    }

    /// `metadata.ownerReferences`.
    pub fn owners(&self) -> impl Iterator<Item = &Value> {
        self.meta("ownerReferences").and_then(Value::as_array).into_iter().flatten()
    }

    /// Adds a finalizer that is not there yet.
    pub fn add_finalizer(&mut self, name: &str) {
        let mut names: Vec<Value> = self.finalizers().map(Value::from).collect();
        if !names.iter().any(|present| present == name) {
            names.push(name.into());
            self.set_meta("finalizers", Some(Value::Array(names)));
        }
    }

    /// Takes a finalizer away; no finalizers means no field.
    pub fn remove_finalizer(&mut self, name: &str) {
        let names: Vec<Value> =
            self.finalizers().filter(|present| *present != name).map(Value::from).collect();
        self.set_meta("finalizers", (!names.is_empty()).then_some(Value::Array(names)));
    }
}

fn put(fields: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    match value {
        Some(value) => drop(fields.insert(name.to_owned(), value)),
        None => drop(fields.remove(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn finalizers_come_and_go() {
        let mut object = Object::new(json!({"kind": "A"})).unwrap();
        object.add_finalizer("a/b");
        object.add_finalizer("a/b");
        assert_eq!(object.meta("finalizers"), Some(&json!(["a/b"])));
        object.remove_finalizer("a/b");
        assert_eq!(object.value(), &json!({"kind": "A", "metadata": {}}));
    }

    #[test]
    fn only_maps_are_objects() {
        for value in [json!([]), json!("x"), json!({"metadata": 1})] {
            assert_eq!(Object::new(value), None);
        }
        assert!(Object::new(json!({"metadata": null})).is_some());
    }
}
