//! Values that take the place of others.

use serde_json::Value;

/// A merge patch that leaves nothing of the old value but what the new one has.
pub fn replacing(new: &Value, old: &Value) -> Value {
    let (Some(new_fields), Some(old_fields)) = (new.as_object(), old.as_object()) else { return new.clone() };
    let mut patch = new_fields.clone();
    for (name, old) in old_fields {
        match patch.get_mut(name) {
            Some(new) => *new = replacing(new, old),
            None => drop(patch.insert(name.clone(), Value::Null)),
        }
    }
    Value::Object(patch)
}
