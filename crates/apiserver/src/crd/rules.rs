//! What the server itself writes into a definition.

use serde_json::{Value, json};

use super::definition::Definition;
use crate::object::Object;

/// Fills in what authors leave out. Changes the object.
pub(crate) fn default(object: &mut Object) {
    let Some(spec) = object.value_mut().get_mut("spec").and_then(Value::as_object_mut) else { return };
    let kind =
        spec.get("names").and_then(|names| names.get("kind")).and_then(Value::as_str).unwrap_or_default();
    if !kind.is_empty() {
        let filled = [("singular", kind.to_lowercase()), ("listKind", format!("{kind}List"))];
        if let Some(names) = spec.get_mut("names").and_then(Value::as_object_mut) {
            fill_names(names, &filled);
        }
    }
    if spec.get("conversion").is_none_or(Value::is_null) {
        spec.insert("conversion".to_owned(), json!({"strategy": "None"}));
    }
    let service = spec.get_mut("conversion").and_then(|it| it.pointer_mut("/webhook/clientConfig/service"));
    if let Some(service) = service.and_then(Value::as_object_mut) {
        service.entry("port").or_insert_with(|| 443.into());
    }
}

fn fill_names(names: &mut serde_json::Map<String, Value>, filled: &[(&str, String)]) {
    for (name, value) in filled {
        if names.get(*name).and_then(Value::as_str).is_none_or(str::is_empty) {
            names.insert((*name).to_owned(), value.as_str().into());
        }
    }
}

/// Gives a new definition the status it starts with. Changes the object.
pub(crate) fn prepare_new(object: &mut Object) {
    let stored: Vec<String> =
        Definition::read(object).storage_version().map(|it| it.name.clone()).into_iter().collect();
    let status =
        json!({"conditions": null, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": stored});
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
