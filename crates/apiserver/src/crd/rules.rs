//! What a definition must be like.

use krono_schema::{BadValue, ErrorKind, FieldError, Schema};
use serde_json::{Value, json};

use super::definition::{Definition, Version};
use crate::object::Object;
use crate::write::metadata::{invalid, required};

/// Fills in what authors leave out. Changes the object.
pub(crate) fn default(object: &mut Object) {
    let Some(spec) = object.value_mut().get_mut("spec").and_then(Value::as_object_mut) else { return };
    let kind =
        spec.get("names").and_then(|names| names.get("kind")).and_then(Value::as_str).unwrap_or_default();
    let (singular, list_kind) = (kind.to_lowercase(), format!("{kind}List"));
    if let Some(names) = spec.get_mut("names").and_then(Value::as_object_mut) {
        names.entry("singular").or_insert_with(|| singular.into());
        names.entry("listKind").or_insert_with(|| list_kind.into());
    }
    spec.entry("conversion").or_insert_with(|| json!({"strategy": "None"}));
}

/// Gives a new definition the status it starts with. Changes the object.
pub(crate) fn prepare_new(object: &mut Object) {
    let stored: Vec<String> =
        Definition::read(object).storage_version().map(|it| it.name.clone()).into_iter().collect();
    let status =
        json!({"conditions": [], "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": stored});
    object.set("status", Some(status));
}

/// Remembers every version that objects have been stored in. Changes the object.
pub(crate) fn prepare_update(object: &mut Object) {
    let definition = Definition::read(object);
    let Some(storage) = definition.storage_version() else { return };
    if definition.stored_versions.contains(&storage.name) {
        return;
    }
    let mut stored = definition.stored_versions.clone();
    stored.push(storage.name.clone());
    let mut status = object.get("status").cloned().filter(Value::is_object).unwrap_or_else(|| json!({}));
    status["storedVersions"] = json!(stored);
    object.set("status", Some(status));
}

/// What is wrong with a definition, or with a change to it.
pub(crate) fn validate(new: &Object, old: Option<&Object>) -> Vec<FieldError> {
    let definition = Definition::read(new);
    let mut errors = Vec::new();
    names(&definition, &mut errors);
    versions(&definition, &mut errors);
    if let Some(old) = old {
        changes(&definition, &Definition::read(old), &mut errors);
    }
    errors
}

fn names(definition: &Definition, errors: &mut Vec<FieldError>) {
    let names = &definition.names;
    let expected = format!("{}.{}", names.plural, definition.group);
    if definition.name != expected {
        let detail = "must be spec.names.plural+\".\"+spec.group";
        errors.push(invalid("metadata.name", definition.name.as_str(), detail));
    }
    for (path, text) in [("spec.group", &definition.group), ("spec.names.plural", &names.plural)] {
        if text.is_empty() {
            errors.push(required(path, ""));
        }
    }
    if !definition.group.is_empty() && !definition.group.contains('.') {
        let detail = "should be a domain with at least one dot";
        errors.push(invalid("spec.group", definition.group.as_str(), detail));
    }
    if names.kind.is_empty() {
        errors.push(required("spec.names.kind", ""));
    }
    if !names.kind.is_empty() && names.kind == names.list_kind {
        let detail = "kind and listKind may not be the same";
        errors.push(invalid("spec.names.listKind", names.list_kind.as_str(), detail));
    }
    if definition.scope.is_none() {
        errors.push(required("spec.scope", ""));
    }
}

fn versions(definition: &Definition, errors: &mut Vec<FieldError>) {
    if definition.versions.is_empty() {
        errors.push(required("spec.versions", ""));
    }
    let storages = definition.versions.iter().filter(|version| version.storage).count();
    if storages != 1 && !definition.versions.is_empty() {
        let value = json!(definition.versions.iter().map(|it| it.name.as_str()).collect::<Vec<_>>());
        errors.push(invalid(
            "spec.versions",
            value,
            "must have exactly one version marked as storage version",
        ));
    }
    for (index, version) in definition.versions.iter().enumerate() {
        let path = format!("spec.versions[{index}]");
        let repeated = definition.versions[..index].iter().any(|it| it.name == version.name);
        if version.name.is_empty() {
            errors.push(required(&format!("{path}.name"), ""));
        } else if repeated {
            let (kind, path) = (ErrorKind::Duplicate, format!("{path}.name"));
            let value = BadValue::Value(version.name.as_str().into());
            errors.push(FieldError { kind, path, value, detail: String::new() });
        }
        schema(version, &format!("{path}.schema"), definition.preserves_unknown_fields, errors);
    }
    if definition.stored_versions.is_empty()
        && definition.storage_version().is_some()
        && definition.established
    {
        errors.push(invalid("status.storedVersions", json!([]), "must have at least one stored version"));
    }
}

fn schema(version: &Version, path: &str, optional: bool, errors: &mut Vec<FieldError>) {
    match &version.schema {
        None if optional => {}
        None => errors.push(required(&format!("{path}.openAPIV3Schema"), "schemas are required")),
        Some(value) => match Schema::from_value(value) {
            Err(error) => {
                errors.push(invalid(&format!("{path}.openAPIV3Schema"), "schema", error.to_string()));
            }
            Ok(schema) => {
                let is_object = schema.schema_type == Some(krono_schema::SchemaType::Object);
                if !is_object {
                    let detail = "must be object";
                    let found = schema.schema_type.map_or("", krono_schema::SchemaType::name);
                    errors.push(invalid(&format!("{path}.openAPIV3Schema.type"), found, detail));
                }
            }
        },
    }
}

fn changes(new: &Definition, old: &Definition, errors: &mut Vec<FieldError>) {
    for (index, stored) in new.stored_versions.iter().enumerate() {
        if !new.versions.iter().any(|version| version.name == *stored) {
            let detail = format!(
                "missing from spec.versions; {stored} was previously a storage version, and must remain in spec.versions \
                 until a storage migration ensures no data remains persisted in {stored} and removes {stored} from \
                 status.storedVersions"
            );
            errors.push(invalid(&format!("status.storedVersions[{index}]"), stored.as_str(), detail));
        }
    }
    let mut same = |path: &str, new: &str, old: &str| {
        if new != old {
            errors.push(invalid(path, new, "field is immutable"));
        }
    };
    same("spec.group", &new.group, &old.group);
    same("spec.names.plural", &new.names.plural, &old.names.plural);
    if old.established {
        same("spec.names.kind", &new.names.kind, &old.names.kind);
        let scope = |it: &Definition| format!("{:?}", it.scope);
        same("spec.scope", &scope(new), &scope(old));
    }
}
