//! What the server makes of revisions.

use serde_json::{Value, json};

use crate::seed::{INPUT_REVISIONS, REVISIONS, definition_revision, input_revision};
use crate::server::{self, Server};

/// Every edit is refused in these words, and what was stored is stored.
async fn refuses_edits(
    server: &Server,
    collection: &str,
    mut object: Value,
    expected: &str,
    edits: &[Value],
) {
    object.as_object_mut().unwrap().remove("status");
    let stored = server.apply_to(collection, &object).await.unwrap();
    let path = format!("{collection}/{}", object["metadata"]["name"].as_str().unwrap());
    for edit in edits {
        let refusal = server.merge(&path, &json!({"spec": edit})).await.unwrap_err();
        assert!(refusal.contains(expected), "{edit}: {refusal}");
    }
    let without = server.merge(&path, &json!({"spec": null})).await.unwrap_err();
    assert!(without.contains("spec: Required value"), "{without}");
    let labelled = server.merge(&path, &json!({"metadata": {"labels": {"team": "a"}}})).await.unwrap();
    assert_eq!(labelled["spec"], stored["spec"]);
}

#[tokio::test]
async fn v3_the_spec_of_a_revision_is_immutable() {
    let server = server::start().await;
    let edits = [
        json!({"revision": 4}),
        json!({"schema": {"spec": {"replicas": "integer | default=4"}}}),
        json!({"schema": {"spec": {"image": null}}}),
        json!({"schema": {"types": {"Port": {"number": "integer"}}}}),
        json!({"resources": []}),
        json!({"resources": [{"id": "deployment", "template": {"kind": "Job"}}]}),
        json!({"resources": null}),
        json!({"digest": "abc"}),
        json!({"changeCause": "none"}),
        json!({"interface": {"apps/v1": {}}}),
    ];
    let words = "spec: Invalid value: a revision is immutable; edit the definition to issue another one";
    refuses_edits(&server, REVISIONS, definition_revision(), words, &edits).await;
}

#[tokio::test]
async fn v3_the_spec_of_an_input_revision_is_immutable() {
    let server = server::start().await;
    let edits = [
        json!({"inputRevision": 13}),
        json!({"rgdRevision": 2}),
        json!({"rgdRevisionRef": {"name": "application-rev-2"}}),
        json!({"instanceSpec": {"replicas": 6}}),
        json!({"instanceSpec": {"name": null}}),
        json!({"restoredFrom": 10}),
    ];
    let words = "spec: Invalid value: an input revision is immutable; edit the instance to issue another one";
    refuses_edits(&server, INPUT_REVISIONS, input_revision(), words, &edits).await;
}

#[tokio::test]
async fn malformed_revisions_are_refused_with_the_field_named() {
    let server = server::start().await;
    let check = async |pointer: &str, value: Value, expected: &str| {
        let mut object = definition_revision();
        object.as_object_mut().unwrap().remove("status");
        *object.pointer_mut(pointer).unwrap() = value;
        let refusal = server.apply_to(REVISIONS, &object).await.unwrap_err();
        assert!(refusal.contains(expected), "{refusal}");
    };
    check("/spec/revision", json!(0), "spec.revision: Invalid value: 0").await;
    check("/spec/revision", json!("3"), ".spec.revision").await;
    check("/spec/schema", json!("Application"), ".spec.schema").await;
    check("/spec/resources/0", json!("deployment"), ".spec.resources[0]").await;
    check("/spec", json!({"revision": 1}), "spec.schema: Required value").await;
}

#[tokio::test]
async fn columns_tell_revisions_apart() {
    let server = server::start().await;
    server.apply_to(REVISIONS, &without_status(definition_revision())).await.unwrap();
    server.apply_to(INPUT_REVISIONS, &without_status(input_revision())).await.unwrap();
    let row = async |collection: &str, count: usize| {
        let table = server.table(collection).await;
        let cells = table["rows"][0]["cells"].as_array().unwrap();
        Value::from(&cells[..count])
    };
    assert_eq!(row(REVISIONS, 3).await, json!(["application-rev-3", "application", 3]));
    assert_eq!(row(INPUT_REVISIONS, 4).await, json!(["my-app-input-rev-12", "my-app", 12, 3]));
}

fn without_status(mut object: Value) -> Value {
    object.as_object_mut().unwrap().remove("status");
    object
}
