//! What the design prints of an instance's status, at the CRD that the controllers make.

use krono_history::Digest;
use serde_json::{Value, json};

use crate::inputs::{app, with_instances};
use crate::world::World;

const DEFINITION: &str = include_str!("../../../model/tests/it/seed/definition.yaml");
const INSTANCE: &str = include_str!("../../../model/tests/it/seed/instance.yaml");
const INLINE_INPUT: &str = include_str!("../../../model/tests/it/seed/inline-input.yaml");

/// An object, and its status for itself.
fn read(text: &str) -> (Value, Value) {
    let mut object: Value = serde_saphyr::from_str(text).expect("YAML");
    let status = object.as_object_mut().expect("an object").remove("status");
    (object, status.expect("a status"))
}

/// Fails unless all that was written is there.
fn assert_holds(stored: &Value, written: &Value) {
    for (name, value) in written.as_object().expect("a status") {
        assert_eq!(&stored[name], value, "{name} is lost: {stored:#}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn v05_a_status_is_kept_as_printed_by_the_kind_that_a_definition_makes() {
    let mut world = World::start().await;
    let (mut definition, _) = read(DEFINITION);
    // What the design leaves out of its Deployment.
    let container = json!({"name": "app", "image": "${schema.spec.image}"});
    definition["spec"]["resources"][0]["template"]["spec"] = json!({
        "selector": {"matchLabels": {"app": "app"}},
        "template": {"metadata": {"labels": {"app": "app"}}, "spec": {"containers": [container]}},
    });
    world.define(&definition).await;
    world.quiet().await;
    // They would put the status right at once.
    world.kill_controllers();
    let (instance, printed) = read(INSTANCE);
    world.put(&instance).await;
    let what = "Application.apps.example.com my-app";
    assert_holds(&world.merge_status(what, printed).await["status"], &read(INSTANCE).1);
    let (_, inline) = read(INLINE_INPUT);
    assert_holds(&world.merge_status(what, inline.clone()).await["status"], &inline);
}

#[tokio::test(flavor = "multi_thread")]
async fn v15_an_input_in_the_status_tells_the_identity_of_spec_and_definition() {
    let world = with_instances(1).await;
    world.merge("App a0", json!({"spec": {"text": "other"}})).await;
    world.eventually("App a0", |it| it["status"]["observedInputRevision"] == 2).await;
    world.define(&app("two")).await;
    let told = world.eventually("App a0", |it| it["status"]["observedInputRevision"] == 3).await;
    let mut expected = Vec::new();
    for (text, revision) in [("other", 2), ("other", 1), ("hello", 1)] {
        let revision = world.there(&format!("ResourceGraphDefinitionRevision /app-rev-{revision}")).await;
        let digest: Digest = revision["spec"]["digest"].as_str().expect("text").parse().expect("a digest");
        expected.push(json!(Digest::of_input(&json!({"text": text}), digest).to_string()));
    }
    let history = told["status"]["inputRevisionHistory"].as_array().expect("a list");
    assert_eq!(history.iter().map(|it| it["specHash"].clone()).collect::<Vec<_>>(), expected);
    world.settled().await;
}
