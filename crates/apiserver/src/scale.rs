//! The `scale` subresource.

use serde_json::{Value, json};

use crate::jsonpath::JsonPath;
use crate::kind::ScalePaths;
use crate::object::Object;
use crate::resource::Resource;
use crate::status::Status;
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
    if wanted < 0 {
        let error = invalid("spec.replicas", wanted, "must be greater than or equal to 0");
        return Err(Status::invalid(&resource.kind, object.name(), &[error]));
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
