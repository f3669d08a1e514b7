//! Objects that were applied on the client's side before.

use serde_json::{Value, json};

use super::super::LAST_APPLIED;
use super::Story;

/// An object that kubectl applied on the client's side with this spec.
fn applied_by_client(spec: &Value) -> Story {
    let mut story = Story::new();
    let config = story.object(spec.clone());
    let mut object = config.clone();
    object["metadata"]["annotations"] = json!({LAST_APPLIED: config.to_string()});
    story.try_update("kubectl-client-side-apply", object).unwrap();
    story
}

#[test]
fn kubectl_takes_over_what_it_applied_on_the_clients_side() {
    let mut story = applied_by_client(&json!({"numeric": 1, "string": "s"}));
    story
        .apply("kubectl", json!({"numeric": 2, "string": "s"}))
        .spec(&json!({"numeric": 2, "string": "s"}))
        .owns("kubectl", &[".numeric", ".string"]);
    // The annotation is kept up to date for those who go back.
    let annotation = story.live()["metadata"]["annotations"][LAST_APPLIED].as_str().unwrap();
    assert_eq!(
        annotation,
        "{\"apiVersion\":\"g/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"n\",\"namespace\":\"ns\"},\
         \"spec\":{\"numeric\":2,\"string\":\"s\"}}\n"
    );
}

#[test]
fn others_do_not() {
    let conflict =
        "Apply failed with 1 conflict: conflict with \"kubectl-client-side-apply\" using g/v1: .spec.numeric";
    applied_by_client(&json!({"numeric": 1})).refused("other", json!({"numeric": 2}), conflict);
}

/// What somebody changed since is not what was applied.
#[test]
fn changes_since_are_conflicts() {
    let mut story = applied_by_client(&json!({"numeric": 1, "string": "s"}));
    let mut changed = story.live().clone();
    changed["spec"]["numeric"] = 5.into();
    story.try_update("u", changed).unwrap();
    story.refused(
        "kubectl",
        json!({"numeric": 2, "string": "t"}),
        "Apply failed with 1 conflict: conflict with \"u\" using g/v1: .spec.numeric",
    );
}

#[test]
fn an_annotation_that_cannot_be_used_does_not_count() {
    for annotation in
        ["", "nonsense", "[]", "{\"apiVersion\":\"g/v2\"}", "{\"apiVersion\":\"g/v1\",\"spec\":{\"none\":1}}"]
    {
        let mut story = Story::new();
        let mut object = story.object(json!({"numeric": 1}));
        object["metadata"]["annotations"] = json!({LAST_APPLIED: annotation});
        story.try_update("u", object).unwrap();
        story.refused(
            "kubectl",
            json!({"numeric": 2}),
            "Apply failed with 1 conflict: conflict with \"u\" using g/v1: .spec.numeric",
        );
    }
}

#[test]
fn an_annotation_that_becomes_too_large_goes() {
    let mut story = applied_by_client(&json!({"numeric": 1}));
    story.apply("kubectl", json!({"numeric": 1, "string": "x".repeat(300_000)}));
    assert_eq!(story.live()["metadata"]["annotations"], json!({}));
}

/// Ownership of objects that were never tracked begins with the first apply.
#[test]
fn before_the_first_apply() {
    let mut story = Story::new();
    let mut object = story.object(json!({"numeric": 1, "string": "s"}));
    object["metadata"]["uid"] = "u".into();
    story.live = Some(object);
    story.update("u", json!({"numeric": 2, "string": "s"})).owns("u", &[]);
    story.refused(
        "a",
        json!({"numeric": 3}),
        "Apply failed with 1 conflict: conflict with \"before-first-apply\" using g/v1: .spec.numeric",
    );
    story
        .apply("a", json!({"numeric": 2}))
        .owns("before-first-apply", &["", ".numeric", ".string"])
        .owns("a", &[".numeric"]);
}
