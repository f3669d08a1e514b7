//! Revisions, as the objects that hold them.

use std::collections::BTreeMap;

use jiff::Timestamp;
use krono_model::names as keys;
use krono_model::wire::{Author, DefinitionRevisionSpec, ResourceGraphDefinitionRevision};
use serde_json::{Map, Value, json};

use crate::issue::NewRevision;
use crate::witness::{Notes, user_of_spec};
use crate::{RevisionNumber, names};

/// The object that holds a new revision of a definition; `interface` is what it was compiled against.
///
/// All that cannot be found again stands in spec, labels and annotations: backups lose status and owners.
pub fn definition_revision_object(
    new: &NewRevision,
    definition: &Value,
    interface: Option<&Map<String, Value>>,
    notes: Notes,
    now: Timestamp,
) -> ResourceGraphDefinitionRevision {
    let content = &definition["spec"];
    let resources = content["resources"].as_array().map(|all| all.iter().filter_map(Value::as_object));
    ResourceGraphDefinitionRevision {
        api_version: "kro.run/v1alpha1".to_owned(),
        kind: "ResourceGraphDefinitionRevision".to_owned(),
        metadata: metadata(new, definition),
        spec: DefinitionRevisionSpec {
            revision: new.number.to_wire(),
            schema: content["schema"].as_object().cloned().unwrap_or_default(),
            resources: resources.map(|all| all.cloned().collect()),
            digest: Some(new.digest.to_string()),
            restored_from: new.restored_from.map(RevisionNumber::to_wire),
            created_at: Some(second(now)),
            author: author_of_spec(definition, notes),
            change_cause: change_cause(definition),
            interface: interface.cloned(),
        },
        status: None,
    }
}

/// The reference by which a definition owns its revisions.
pub fn owner_reference(definition: &Value) -> Value {
    json!({
        "apiVersion": "kro.run/v1alpha1",
        "kind": "ResourceGraphDefinition",
        "name": definition["metadata"]["name"],
        "uid": definition["metadata"]["uid"],
        "controller": true,
    })
}

fn metadata(new: &NewRevision, definition: &Value) -> Map<String, Value> {
    let name = definition["metadata"]["name"].as_str().unwrap_or_default();
    let labels = BTreeMap::from([
        (keys::REVISION_OF_LABEL, names::label(name)),
        (keys::REVISION_NUMBER_LABEL, new.number.to_string()),
    ]);
    let mut metadata = Map::new();
    metadata.insert("name".to_owned(), json!(new.name));
    metadata.insert("labels".to_owned(), json!(labels));
    metadata.insert("ownerReferences".to_owned(), json!([owner_reference(definition)]));
    if names::is_shortened_in_label(name) {
        metadata.insert("annotations".to_owned(), json!({keys::REVISION_OF_ANNOTATION: name}));
    }
    metadata
}

/// Whoever wrote the spec last: the field manager, and the user where somebody saw it.
pub fn author_of_spec(object: &Value, notes: Notes) -> Option<Author> {
    let user = user_of_spec(object, notes);
    let entries = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    let of_spec = entries.filter(|it| !it["fieldsV1"]["f:spec"].is_null());
    // Times of one format and zone are in order as texts.
    let last = of_spec.max_by_key(|it| it["time"].as_str().unwrap_or_default());
    let text = |field: &str| last.and_then(|it| it[field].as_str()).map(str::to_owned);
    (last.is_some() || user.is_some()).then(|| Author { manager: text("manager"), user, time: text("time") })
}

/// A cause is kept with every revision, so that a long one would fill them.
const LONGEST_CAUSE: usize = 1_000;

pub(crate) fn change_cause(definition: &Value) -> Option<String> {
    let annotations = &definition["metadata"]["annotations"];
    let causes = [keys::CHANGE_CAUSE_ANNOTATION, keys::KUBERNETES_CHANGE_CAUSE_ANNOTATION];
    let cause = causes.iter().find_map(|key| annotations[key].as_str().filter(|it| !it.is_empty()))?;
    Some(cause.chars().take(LONGEST_CAUSE).collect())
}

/// As Kubernetes writes times: to the second.
fn second(now: Timestamp) -> String {
    Timestamp::from_second(now.as_second()).unwrap_or(now).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Digest;
    use crate::revision::tests::number;
    use crate::revision::{Ownership, definition_revision};

    fn definition(name: &str) -> Value {
        json!({
            "metadata": {
                "name": name, "uid": "d-1",
                "annotations": {"kubernetes.io/change-cause": "kubectl apply", "krono.dev/change-cause": "more replicas"},
                "managedFields": [
                    {"manager": "kubectl", "time": "2026-01-02T00:00:00Z", "fieldsV1": {"f:spec": {"f:schema": {}}}},
                    {"manager": "ci", "time": "2026-01-03T00:00:00Z", "fieldsV1": {"f:spec": {"f:resources": {}}}},
                    {"manager": "krono", "time": "2026-01-04T00:00:00Z", "fieldsV1": {"f:metadata": {}}},
                ],
            },
            "spec": {
                "schema": {"kind": "Web", "apiVersion": "v1"},
                "resources": [{"id": "data", "template": {"kind": "Secret"}, "deletionPolicy": "Retain"}],
                "revisionManagement": {"historyLimit": 3},
            },
        })
    }

    fn new(definition: &Value, at: RevisionNumber) -> NewRevision {
        let name = definition["metadata"]["name"].as_str().unwrap();
        NewRevision {
            name: names::definition_revision(name, at),
            number: at,
            digest: Digest::of_definition(&definition["spec"]),
            restored_from: Some(number(2)),
        }
    }

    fn written(name: &str) -> Value {
        let definition = definition(name);
        let now = "2026-01-05T10:30:00.5Z".parse().unwrap();
        let new = new(&definition, number(4));
        let object = definition_revision_object(&new, &definition, None, Notes::Doubted, now);
        serde_json::to_value(object).unwrap()
    }

    #[test]
    fn v2_and_v11_a_revision_says_what_it_is_of_and_who_made_it_why() {
        let expected = json!({
            "apiVersion": "kro.run/v1alpha1",
            "kind": "ResourceGraphDefinitionRevision",
            "metadata": {
                "name": "web-rev-4",
                "labels": {"kro.run/rgd-name": "web", "kro.run/revision-number": "4"},
                "ownerReferences": [{
                    "apiVersion": "kro.run/v1alpha1", "kind": "ResourceGraphDefinition", "name": "web", "uid": "d-1",
                    "controller": true,
                }],
            },
            "spec": {
                "revision": 4,
                "schema": {"kind": "Web", "apiVersion": "v1"},
                "resources": [{"id": "data", "template": {"kind": "Secret"}, "deletionPolicy": "Retain"}],
                "digest": Digest::of_definition(&definition("web")["spec"]).to_string(),
                "restoredFrom": 2,
                "createdAt": "2026-01-05T10:30:00Z",
                "author": {"manager": "ci", "time": "2026-01-03T00:00:00Z"},
                "changeCause": "more replicas",
            },
        });
        assert_eq!(written("web"), expected);
    }

    #[test]
    fn v2_the_whole_name_stands_in_an_annotation() {
        let name = "a".repeat(70);
        let object = written(&name);
        assert_eq!(object["metadata"]["annotations"]["krono.dev/rgd-name"], json!(name));
        assert_eq!(object["metadata"]["labels"]["kro.run/rgd-name"], json!(names::label(&name)));
    }

    #[test]
    fn v3_what_is_written_is_read_again() {
        let read = definition_revision(&written("web"), "d-1").unwrap();
        assert_eq!((read.number, read.restored_from), (number(4), Some(number(2))));
        assert_eq!(read.digest, Digest::of_definition(&definition("web")["spec"]));
        assert_eq!(read.ownership, Ownership::Own);
    }
}
