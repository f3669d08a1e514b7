//! Which old value a new one replaces, and whether it changed.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::schema::{ListType, Schema, SchemaType};

/// A new value, the old value in its place, and the schema of both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Correlated<'a> {
    pub(crate) schema: &'a Schema,
    pub(crate) value: &'a Value,
    pub(crate) old: &'a Value,
}

impl<'a> Correlated<'a> {
    /// The same for a field; none when either side does not have it, or when it has no schema.
    pub(crate) fn field(&self, name: &str) -> Option<Correlated<'a>> {
        let schema = self.schema.properties.get(name).or_else(|| self.schema.map_values())?;
        let (value, old) = (self.value.as_object()?.get(name)?, self.old.as_object()?.get(name)?);
        Some(Correlated { schema, value, old })
    }

    /// The old elements by key, when the list has keys.
    pub(crate) fn old_items(&self) -> OldItems<'a, 'a> {
        match (self.value, self.old) {
            (Value::Array(_), Value::Array(old)) => OldItems::new(self.schema, old),
            _ => OldItems::default(),
        }
    }

    /// Whether nothing changed. Objects with fields that have no schema count as changed.
    pub(crate) fn is_unchanged(&self) -> bool {
        match (self.value, self.old) {
            (Value::Array(new), Value::Array(old)) => new.len() == old.len() && self.same_items(new, old),
            (Value::Object(new), Value::Object(old)) => new.len() == old.len() && self.same_fields(new),
            (new, old) => new == old,
        }
    }

    /// A list with keys is compared element by element, in any order; every other list as a whole.
    fn same_items(&self, new: &'a [Value], old: &[Value]) -> bool {
        if self.schema.list_type != Some(ListType::Map) {
            return new == old;
        }
        let by_key = self.old_items();
        new.iter().all(|value| {
            let (Some(schema), Some(old)) = (&self.schema.items, by_key.get(value)) else { return false };
            Correlated { schema, value, old }.is_unchanged()
        })
    }

    fn same_fields(&self, new: &Map<String, Value>) -> bool {
        new.keys().all(|name| self.field(name).is_some_and(|field| field.is_unchanged()))
    }
}

/// The elements of an old list by their keys; empty unless the list is of type map.
#[derive(Debug, Default)]
pub(crate) struct OldItems<'k, 'v> {
    keys: &'k [String],
    items: HashMap<String, &'v Value>,
}

impl<'k, 'v> OldItems<'k, 'v> {
    pub(crate) fn new(schema: &'k Schema, old: &'v [Value]) -> Self {
        let is_map = schema.schema_type == Some(SchemaType::Array) && schema.list_type == Some(ListType::Map);
        if !is_map {
            return Self::default();
        }
        let keys = schema.list_map_keys.as_slice();
        let mut items = HashMap::new();
        for item in old {
            if let Some(key) = key_of(keys, item) {
                items.entry(key).or_insert(item);
            }
        }
        Self { keys, items }
    }

    /// The old element with the keys of `value`.
    pub(crate) fn get(&self, value: &Value) -> Option<&'v Value> {
        if self.items.is_empty() {
            return None;
        }
        self.items.get(&key_of(self.keys, value)?).copied()
    }
}

/// The values of the keys as one string; none unless all are there and scalar.
fn key_of(keys: &[String], item: &Value) -> Option<String> {
    let fields = item.as_object()?;
    let mut text = String::new();
    for key in keys {
        match fields.get(key)? {
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
            scalar @ (Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
                text.push_str(&scalar.to_string());
                text.push('\0');
            }
        }
    }
    (!keys.is_empty()).then_some(text)
}
