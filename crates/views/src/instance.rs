//! What krono says about an instance in its status.

use krono_history::RevisionNumber;
use krono_model::names;
use serde_json::Value;

/// A field of krono's in the status of an instance; an author's field of that name has moved it.
pub fn krono_status<'i>(instance: &'i Value, field: &str) -> &'i Value {
    let status = &instance["status"];
    let moved = &status["krono"][field];
    if moved.is_null() { &status[field] } else { moved }
}

/// The revision that an instance should run.
pub fn assigned_revision(instance: &Value) -> Option<RevisionNumber> {
    let assignment = krono_status(instance, "assignment");
    let numbers = [&assignment["revision"], krono_status(instance, "currentRGDRevision")];
    numbers.into_iter().find_map(number)
}

/// The definition that an instance is of, as its labels tell.
pub fn definition_of(instance: &Value) -> Option<&str> {
    instance["metadata"]["labels"][names::DEFINITION_NAME_LABEL].as_str()
}

/// The kind and the API group of a definition's instances.
pub fn kind_of_instances(definition: &Value) -> (&str, &str) {
    let schema = &definition["spec"]["schema"];
    let group = schema["group"].as_str().filter(|it| !it.is_empty()).unwrap_or("kro.run");
    (group, schema["kind"].as_str().unwrap_or_default())
}

/// An annotation.
pub(crate) fn annotation<'o>(object: &'o Value, key: &str) -> Option<&'o str> {
    object["metadata"]["annotations"][key].as_str()
}

/// The number of a revision as it stands on the wire.
pub(crate) fn number(value: &Value) -> Option<RevisionNumber> {
    value.as_i64().and_then(RevisionNumber::from_wire)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fixture::instance;

    #[test]
    fn v5_an_authors_field_of_the_same_name_is_not_taken_for_kronos() {
        let mut instance = instance();
        instance["status"]["currentRGDRevision"] = json!("mine");
        instance["status"]["krono"] = json!({"currentRGDRevision": 2});
        assert_eq!(krono_status(&instance, "currentRGDRevision"), &json!(2));
        assert_eq!(assigned_revision(&instance).map(RevisionNumber::get), Some(2));
        instance["status"]["assignment"] = json!({"revision": 3});
        assert_eq!(assigned_revision(&instance).map(RevisionNumber::get), Some(3));
    }
}
