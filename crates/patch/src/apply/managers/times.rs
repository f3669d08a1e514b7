//! Times that change although nothing else does.

use serde_json::{Map, Value};

use super::super::object::managed_fields;

/// Gives the entries of `managedFields` their old times back when nothing but times changed.
///
/// Without this an apply that changes nothing would make a new version of the object.
pub fn keep_times(old: &Value, new: &mut Value) {
    let (Some(before), Some(after)) = (entries(old), entries(new)) else { return };
    let same_owners = before.len() == after.len()
        && !after.is_empty()
        && before.iter().zip(after).all(|(before, after)| same_but(before, after, "time"));
    if !same_owners || !same_object(old, new) {
        return;
    }
    let before = Value::Array(before.clone());
    if let Some(entries) = new.pointer_mut("/metadata/managedFields") {
        *entries = before;
    }
}

fn entries(object: &Value) -> Option<&Vec<Value>> {
    managed_fields(object).and_then(Value::as_array)
}

fn same_object(old: &Value, new: &Value) -> bool {
    let metadata = (old.get("metadata"), new.get("metadata"));
    let (Some(old_metadata), Some(new_metadata)) = metadata else { return false };
    same_but(old, new, "metadata") && same_but(old_metadata, new_metadata, "managedFields")
}

/// Whether two objects are the same but for one field.
fn same_but(left: &Value, right: &Value, but: &str) -> bool {
    let (Value::Object(left), Value::Object(right)) = (left, right) else { return left == right };
    let rest = |fields: &Map<String, Value>| fields.len() - usize::from(fields.contains_key(but));
    rest(left) == rest(right)
        && left.iter().all(|(name, value)| name == but || right.get(name) == Some(value))
}
