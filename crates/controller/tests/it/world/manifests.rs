//! Objects as tests write and read them.

use serde_json::{Value, json};

use super::naming::kind_of;

/// A definition whose name is its kind in lower case; `schema` and `resources` are YAML.
pub(crate) fn definition(kind: &str, schema: &str, resources: &str) -> Value {
    let mut all = json!({"apiVersion": "v1alpha1", "kind": kind});
    let schema: Value = serde_saphyr::from_str(&format!("{{{schema}}}")).expect("a schema");
    all.as_object_mut().expect("a map").extend(schema.as_object().expect("a map").clone());
    let resources: Value = serde_saphyr::from_str(resources).expect("resources");
    json!({
        "apiVersion": "kro.run/v1alpha1",
        "kind": "ResourceGraphDefinition",
        "metadata": {"name": kind.to_lowercase()},
        "spec": {"schema": all, "resources": resources},
    })
}

/// A resource that is a `ConfigMap`, called after the instance and its own id; `more` is YAML of further fields.
pub(crate) fn config_map(id: &str, data: &str, more: &str) -> String {
    let name = format!("${{schema.metadata.name}}-{id}");
    let template =
        format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: '{name}'}}, data: {{{data}}}}}");
    let more = if more.is_empty() { String::new() } else { format!(", {more}") };
    format!("- {{id: {id}, template: {template}{more}}}\n")
}

/// An object of a defined kind; `spec` is YAML.
pub(crate) fn instance(what: &str, spec: &str) -> Value {
    let (kind, name) = what.split_once(' ').expect("a kind and a name");
    let (namespace, name) = name.split_once('/').unwrap_or(("default", name));
    let (api_version, kind) = kind_of(kind);
    let spec: Value = serde_saphyr::from_str(&format!("{{{spec}}}")).expect("a spec");
    let mut object =
        json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, "spec": spec});
    object["metadata"]["namespace"] = namespace.into();
    object
}

/// The condition of an object.
pub(crate) fn condition<'a>(object: &'a Value, condition_type: &str) -> &'a Value {
    let all = object["status"]["conditions"].as_array();
    all.and_then(|all| all.iter().find(|it| it["type"] == condition_type)).unwrap_or(&Value::Null)
}

/// The message of a condition.
pub(crate) fn message<'a>(object: &'a Value, condition_type: &str) -> &'a str {
    condition(object, condition_type)["message"].as_str().unwrap_or_default()
}
