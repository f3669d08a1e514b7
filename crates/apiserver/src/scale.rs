//! The `scale` subresource.

use krono_schema::FieldError;
use serde_json::{Value, json};

use crate::jsonpath::JsonPath;
use crate::kind::ScalePaths;
use crate::object::Object;
use crate::resource::Resource;
use crate::status::{Status, Subject};
use crate::write::metadata::invalid;

/// The scale of an object.
pub(crate) fn of(resource: &Resource, object: &Object) -> Value {
    let paths = resource.kind.scale.as_ref();
    let number = |path: fn(&ScalePaths) -> &str| {
        let found = paths.and_then(|paths| at(object.value(), path(paths)));
        found.and_then(Value::as_i64).unwrap_or(0)
    };
    let mut metadata = json!({});
    for name in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        if let Some(value) = object.meta(name) {
            metadata[name] = value.clone();
        }
    }
    let mut spec = json!({});
    let replicas = number(|paths| &paths.spec_replicas);
    if replicas != 0 {
        spec["replicas"] = replicas.into();
    }
    let mut status = json!({"replicas": number(|paths| &paths.status_replicas)});
    if let Some(selector) = paths.and_then(|paths| selector(object, paths)) {
        status["selector"] = selector.into();
    }
    json!({"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": metadata, "spec": spec, "status": status})
}

/// The object with the number of replicas that a scale asks for.
pub(crate) fn applied(resource: &Resource, object: &Object, scale: &Value) -> Result<Object, Status> {
    let wanted = scale.pointer("/spec/replicas").and_then(Value::as_i64).unwrap_or(0);
    if wanted < 0 && !resource.is_custom() {
        let error = invalid("spec.replicas", wanted, "must be greater than or equal to 0");
        let scale = Subject { group: "autoscaling", resource: "Scale" };
        return Err(Status::invalid_as(scale, object.name(), &[error]));
    }
    let mut changed = object.clone();
    if let Some(version) = scale.pointer("/metadata/resourceVersion") {
        changed.set_meta("resourceVersion", Some(version.clone()));
    }
    let paths = resource.kind.scale.as_ref().and_then(|paths| JsonPath::parse(&paths.spec_replicas));
    if let Some(fields) = paths.as_ref().and_then(JsonPath::fields) {
        put(changed.value_mut(), &fields, wanted.into());
    }
    Ok(changed)
}

fn put(value: &mut Value, fields: &[&str], new: Value) {
    let [name, rest @ ..] = fields else {
        *value = new;
        return;
    };
    if let Some(map) = value.as_object_mut() {
        put(map.entry(*name).or_insert_with(|| json!({})), rest, new);
    }
}

fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    JsonPath::parse(path)?.find(value).into_iter().next()
}

/// The selector as text: built-in kinds keep it as an object.
fn selector(object: &Object, paths: &ScalePaths) -> Option<String> {
    let found = at(object.value(), paths.label_selector.as_deref()?)?;
    match found {
        Value::String(text) => Some(text.clone()),
        Value::Object(_) => Some(selector_text(found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    }
}

fn selector_text(selector: &Value) -> String {
    let labels = selector.get("matchLabels").unwrap_or(selector);
    let terms = labels.as_object().into_iter().flatten();
    let terms = terms.filter_map(|(name, value)| Some(format!("{name}={}", value.as_str()?)));
    terms.collect::<Vec<_>>().join(",")
}

/// What is wrong with the replicas and the selector of a custom resource that scales.
pub(crate) fn errors(paths: &ScalePaths, value: &Value) -> Vec<FieldError> {
    let replicas = [&paths.spec_replicas, &paths.status_replicas].map(|path| count_error(path, value));
    let selector = paths.label_selector.as_ref().and_then(|path| match nested(path, value) {
        Ok(None | Some(Value::String(_))) => None,
        Ok(Some(other)) => Some(invalid(path, "", mistyped(path, other, "string"))),
        Err(why) => Some(invalid(path, "", why)),
    });
    replicas.into_iter().flatten().chain(selector).collect()
}

fn count_error(path: &str, value: &Value) -> Option<FieldError> {
    let found = match nested(path, value) {
        Ok(None) => return None,
        Ok(Some(found)) => found,
        Err(why) => return Some(invalid(path, 0, why)),
    };
    match found.as_i64() {
        None => Some(invalid(path, 0, mistyped(path, found, "int64"))),
        Some(count) if count < 0 => Some(invalid(path, count, "should be a non-negative integer")),
        Some(count) if count > i64::from(i32::MAX) => {
            Some(invalid(path, count, format!("should be less than or equal to {}", i32::MAX)))
        }
        Some(_) => None,
    }
}

/// The value at the end of a path, or why the path ends before.
fn nested<'v>(path: &str, value: &'v Value) -> Result<Option<&'v Value>, String> {
    let mut found = value;
    let mut walked = String::new();
    for name in path.trim_start_matches('.').split('.') {
        walked = format!("{walked}.{name}");
        match found {
            Value::Null => return Ok(None),
            Value::Object(fields) => match fields.get(name) {
                Some(next) => found = next,
                None => return Ok(None),
            },
            other @ (Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
                return Err(mistyped(&walked, other, "map[string]interface{}"));
            }
        }
    }
    Ok(Some(found).filter(|it| !it.is_null()))
}

fn mistyped(path: &str, value: &Value, expected: &str) -> String {
    let (text, kind) = match value {
        Value::String(text) => (text.clone(), "string"),
        Value::Bool(_) => (value.to_string(), "bool"),
        Value::Number(number) if number.is_i64() => (value.to_string(), "int64"),
        Value::Number(_) => (value.to_string(), "float64"),
        Value::Array(_) => (value.to_string(), "[]interface {}"),
        Value::Object(_) => (value.to_string(), "map[string]interface {}"),
        Value::Null => ("<nil>".to_owned(), "<nil>"),
    };
    format!("{path} accessor error: {text} is of the type {kind}, expected {expected}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_scales_is_checked() {
        let paths = ScalePaths {
            spec_replicas: ".spec.replicas".into(),
            status_replicas: ".status.replicas".into(),
            label_selector: Some(".status.selector".into()),
        };
        let check = |value: Value, expect: &[&str]| {
            let errors: Vec<String> = errors(&paths, &value).iter().map(ToString::to_string).collect();
            assert_eq!(errors, expect);
        };
        check(json!({"spec": {"replicas": 1}, "status": {"selector": "a=b"}}), &[]);
        check(json!({"spec": {"replicas": null}}), &[]);
        let text = ".spec.replicas: Invalid value: 0: .spec.replicas accessor error: text is of the type string, \
                    expected map[string]interface{}";
        check(json!({"spec": "text"}), &[text]);
        let negative = ".spec.replicas: Invalid value: -1: should be a non-negative integer";
        check(json!({"spec": {"replicas": -1}}), &[negative]);
        let half = ".spec.replicas: Invalid value: 0: .spec.replicas accessor error: 1.5 is of the type float64, \
                    expected int64";
        check(json!({"spec": {"replicas": 1.5}}), &[half]);
    }
}
