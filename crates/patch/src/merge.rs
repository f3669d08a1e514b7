//! JSON merge patch (RFC 7396) as the API server applies it.

use krono_schema::go_text::json_kind;
use serde_json::{Map, Value};

use crate::depth::{self, TooDeep};

/// Why a merge patch does not apply; a bad request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergePatchError {
    /// The patch is not an object.
    #[error(
        "error decoding patch: json: cannot unmarshal {found} into Go value of type map[string]interface {{}}"
    )]
    NotAnObject {
        /// What it is instead.
        found: &'static str,
    },
    /// The patch is null.
    #[error("Invalid JSON Patch")]
    Null,
    /// The patch is nested too deeply.
    #[error("error decoding patch: {0}")]
    TooDeep(#[from] TooDeep),
}

/// Merges `patch` into `document`: null removes a field, an object is merged, anything else replaces.
///
/// ```
/// use serde_json::json;
/// let patched = krono_patch::merge::apply(json!({"a": 1, "b": {"c": 2}}), json!({"a": null, "b": {"d": 3}}))?;
/// assert_eq!(patched, json!({"b": {"c": 2, "d": 3}}));
/// # Ok::<(), krono_patch::merge::MergePatchError>(())
/// ```
pub fn apply(document: Value, patch: Value) -> Result<Value, MergePatchError> {
    depth::check(&patch)?;
    let mut patch = match patch {
        Value::Object(patch) => patch,
        Value::Null => return Err(MergePatchError::Null),
        other @ (Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            return Err(MergePatchError::NotAnObject { found: json_kind(&other) });
        }
    };
    let Value::Object(mut document) = document else {
        drop_nulls_of_fields(&mut patch);
        return Ok(Value::Object(patch));
    };
    merge_fields(&mut document, patch);
    Ok(Value::Object(document))
}

fn merge_fields(document: &mut Map<String, Value>, patch: Map<String, Value>) {
    for (name, value) in patch {
        if value.is_null() {
            document.remove(&name);
            continue;
        }
        merge_value(document.entry(name).or_insert(Value::Null), value);
    }
}

fn merge_value(current: &mut Value, mut patch: Value) {
    match (&mut *current, &mut patch) {
        (Value::Object(current), Value::Object(patch)) => {
            return merge_fields(current, std::mem::take(patch));
        }
        // An object that gives way to a list takes it as it stands, nulls and all.
        (Value::Object(_), _) => {}
        (_, patch) => drop_nulls(patch),
    }
    *current = patch;
}

/// Removes the null fields of every object, also of those in lists; null elements of lists stay.
fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => drop_nulls_of_fields(fields),
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn drop_nulls_of_fields(fields: &mut Map<String, Value>) {
    fields.retain(|_, value| !value.is_null());
    fields.values_mut().for_each(drop_nulls);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(document: Value, patch: Value, expect: Value) {
        assert_eq!(apply(document, patch), Ok(expect));
    }

    /// The examples of RFC 7396 whose patch is an object.
    #[test]
    fn examples_of_the_rfc() {
        check(json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"}));
        check(json!({"a": "b"}), json!({"b": "c"}), json!({"a": "b", "b": "c"}));
        check(json!({"a": "b"}), json!({"a": null}), json!({}));
        check(json!({"a": "b", "b": "c"}), json!({"a": null}), json!({"b": "c"}));
        check(json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"}));
        check(json!({"a": "c"}), json!({"a": ["b"]}), json!({"a": ["b"]}));
        check(json!({"a": {"b": "c"}}), json!({"a": {"b": "d", "c": null}}), json!({"a": {"b": "d"}}));
        check(json!({"a": [{"b": "c"}]}), json!({"a": [1]}), json!({"a": [1]}));
        check(json!(["a", "b"]), json!({"c": "d"}), json!({"c": "d"}));
        check(json!({"e": null}), json!({"a": 1}), json!({"e": null, "a": 1}));
        check(json!([1, 2]), json!({"a": "b", "c": null}), json!({"a": "b"}));
        check(json!({}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}}));
    }

    #[test]
    fn nulls_inside_of_lists() {
        check(json!({}), json!({"a": [null, {"b": null, "c": 1}]}), json!({"a": [null, {"c": 1}]}));
        check(json!({"a": [1]}), json!({"a": [{"b": null}]}), json!({"a": [{}]}));
        check(json!({"a": {"x": 1}}), json!({"a": [{"b": null}]}), json!({"a": [{"b": null}]}));
        check(json!({"a": null}), json!({"a": {"b": null}}), json!({"a": {}}));
    }

    #[test]
    fn refusals() {
        let refuse =
            |patch: Value, expect: &str| assert_eq!(apply(json!({}), patch).unwrap_err().to_string(), expect);
        refuse(
            json!([]),
            "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
        );
        refuse(json!(null), "Invalid JSON Patch");
        let deep = (0..300).fold(json!({}), |inner, _| json!({ "a": inner }));
        refuse(deep, "error decoding patch: nested more than 256 levels deep");
    }
}
