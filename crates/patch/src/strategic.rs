//! Strategic merge patch: a merge patch that knows how the lists of built-in kinds are merged.
//!
//! What the schema does not say, the patch may: `$patch`, `$retainKeys`, `$setElementOrder/…` and
//! `$deleteFromPrimitiveList/…` are directives.

mod cleaning;
mod error;
mod list;
mod lookup;
mod order;
#[cfg(test)]
mod tests;

use krono_schema::Schema;
use krono_schema::go_text::json_kind;
use serde_json::{Map, Value};

use crate::depth;
use cleaning::{drop_nulls, without_directives};
pub use error::StrategicPatchError;
use lookup::{Field, Lookup};

const PATCH: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
const SET_ELEMENT_ORDER: &str = "$setElementOrder";
const DELETE_FROM_PRIMITIVE_LIST: &str = "$deleteFromPrimitiveList";

type Fields = Map<String, Value>;
type Result<T> = std::result::Result<T, StrategicPatchError>;

/// Merges `patch` into `document`, an object of a built-in kind with this schema.
///
/// ```
/// use krono_schema::Schema;
/// use serde_json::json;
/// let schema = Schema::from_value(&json!({"type": "object", "properties": {"containers": {
///     "type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}},
///     "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name",
/// }}}))?;
/// let document = json!({"containers": [{"name": "a", "image": "a:1"}, {"name": "b", "image": "b:1"}]});
/// let patch = json!({"containers": [{"name": "a", "image": "a:2"}]});
/// let patched = krono_patch::strategic::apply(document, patch, &schema)?;
/// assert_eq!(patched, json!({"containers": [{"name": "a", "image": "a:2"}, {"name": "b", "image": "b:1"}]}));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn apply(document: Value, patch: Value, schema: &Schema) -> Result<Value> {
    depth::check(&document)?;
    depth::check(&patch)?;
    let (document, patch) = (fields(document)?, fields(patch)?);
    merge_objects(document, patch, Lookup::new(schema)).map(Value::Object)
}

/// The fields of an object; null is an object without any.
fn fields(value: Value) -> Result<Fields> {
    match value {
        Value::Object(fields) => Ok(fields),
        Value::Null => Ok(Fields::new()),
        other @ (Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            Err(StrategicPatchError::NotAnObject { found: json_kind(&other) })
        }
    }
}

fn merge_objects(mut original: Fields, mut patch: Fields, schema: Lookup<'_>) -> Result<Fields> {
    if let Some(directive) = patch.get(PATCH) {
        return match directive.as_str() {
            Some("replace") => {
                patch.remove(PATCH);
                Ok(patch)
            }
            Some("delete") => Ok(Fields::new()),
            _ => Err(StrategicPatchError::unknown_directive(&patch)),
        };
    }
    retain_keys(&mut original, &mut patch)?;
    order::set_element_order(&mut original, &mut patch, schema)?;
    for (name, value) in patch {
        merge_field(&mut original, name, value, schema)?;
    }
    Ok(original)
}

/// Keeps only the listed fields of the object; the patch may not set others.
fn retain_keys(original: &mut Fields, patch: &mut Fields) -> Result<()> {
    let Some(keys) = patch.remove(RETAIN_KEYS) else { return Ok(()) };
    let Value::Array(keys) = keys else { return Err(StrategicPatchError::RetainKeysFormat) };
    let retained = |name: &str| keys.iter().any(|key| key == name);
    let sets = |name: &str, value: &Value| {
        let directive = name.starts_with(DELETE_FROM_PRIMITIVE_LIST) || name.starts_with(SET_ELEMENT_ORDER);
        !value.is_null() && !directive
    };
    if patch.iter().any(|(name, value)| sets(name, value) && !retained(name)) {
        return Err(StrategicPatchError::RetainKeysFormat);
    }
    original.retain(|name, _| retained(name));
    Ok(())
}

fn merge_field(original: &mut Fields, name: String, mut value: Value, schema: Lookup<'_>) -> Result<()> {
    let (name, deletes) = match name.strip_prefix(DELETE_FROM_PRIMITIVE_LIST) {
        None => (name, false),
        Some("/") => (name, true),
        Some(rest) => match rest.strip_prefix('/') {
            Some(list) => (list.to_owned(), true),
            None => return Err(StrategicPatchError::PrimitiveListFormat),
        },
    };
    if value.is_null() {
        original.remove(&name);
        return Ok(());
    }
    match (original.get_mut(&name), &mut value) {
        (Some(Value::Object(old)), Value::Object(new)) => {
            let (old, new) = (std::mem::take(old), std::mem::take(new));
            let merged = merge_nested(old, new, schema.object(&name)?)?;
            original.insert(name, Value::Object(merged));
        }
        (Some(Value::Array(old)), Value::Array(new)) => {
            let (old, new) = (std::mem::take(old), std::mem::take(new));
            let merged = list::merge_field(old, new, schema.list(&name)?, deletes)?;
            original.insert(name, Value::Array(merged));
        }
        _ if deletes => {}
        _ => set_field(original, name, value),
    }
    Ok(())
}

fn merge_nested(original: Fields, patch: Fields, field: Field<'_>) -> Result<Fields> {
    match field.strategy()? {
        "replace" => Ok(patch),
        _ => merge_objects(original, patch, field.inner),
    }
}

/// Takes the value of the patch as it is, without nulls and directives.
fn set_field(original: &mut Fields, name: String, mut value: Value) {
    drop_nulls(&mut value);
    match without_directives(value) {
        Some(value) => original.insert(name, value),
        None => original.remove(&name),
    };
}
