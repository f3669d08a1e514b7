//! The objects of the design that revisions come from, with what it shortens written out and what it forgets put in.

use krono_model::wire::{
    ResourceGraphDefinition, ResourceGraphDefinitionRevision, ResourceGraphInputRevision,
};
use krono_schema::crd::InstanceSchema;
use krono_schema::{Schema, SchemaType};
use serde_json::{Value, json};

use crate::server::{self, Server};

const DEFINITION: &str = include_str!("seed/definition.yaml");
const PROPAGATING_DEFINITION: &str = include_str!("seed/propagating-definition.yaml");
const DEFINITION_REVISION: &str = include_str!("seed/definition-revision.yaml");
const INPUT_REVISION: &str = include_str!("seed/input-revision.yaml");
const RESOURCE: &str = include_str!("seed/resource.yaml");
const INSTANCE: &str = include_str!("seed/instance.yaml");
const INLINE_INPUT: &str = include_str!("seed/inline-input.yaml");
const PINNED_INSTANCE: &str = include_str!("seed/pinned-instance.yaml");

const DEFINITIONS: &str = "/apis/kro.run/v1alpha1/resourcegraphdefinitions";
pub(crate) const REVISIONS: &str = "/apis/kro.run/v1alpha1/resourcegraphdefinitionrevisions";
pub(crate) const INPUT_REVISIONS: &str =
    "/apis/kro.run/v1alpha1/namespaces/default/resourcegraphinputrevisions";
const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";
const APPLICATIONS: &str = "/apis/apps.example.com/v1alpha1/namespaces/default/applications";

pub(crate) fn read(text: &str) -> Value {
    serde_saphyr::from_str(text).unwrap()
}

pub(crate) fn definition_revision() -> Value {
    read(DEFINITION_REVISION)
}

pub(crate) fn input_revision() -> Value {
    read(INPUT_REVISION)
}

/// Applies an object and then its status; both must be kept whole.
async fn keeps(server: &Server, collection: &str, text: &str) {
    let mut object = read(text);
    let mut status = object.as_object_mut().unwrap().remove("status");
    let stored = server.apply_to(collection, &object).await.unwrap();
    if !collection.contains("/namespaces/") {
        // A server takes such an object and forgets the namespace, as the real one does.
        object["metadata"].as_object_mut().unwrap().remove("namespace");
        assert_eq!(stored["metadata"]["namespace"], Value::Null, "{collection}");
    }
    assert_holds(&stored, &object);
    if collection == APPLICATIONS {
        // What it holds is the business of the CRD that the controllers make, whose tests keep it whole.
        status = None;
    }
    if let Some(status) = status {
        let path = format!("{collection}/{}/status", object["metadata"]["name"].as_str().unwrap());
        let stored = server.merge(&path, &json!({"status": status})).await.unwrap();
        assert_eq!(stored["status"], status, "{collection}");
    }
}

/// Whether all that was written is there.
fn assert_holds(stored: &Value, written: &Value) {
    match (stored, written) {
        (Value::Object(stored), Value::Object(written)) => {
            for (name, value) in written {
                assert!(stored.contains_key(name), "{name} is lost: {stored:?}");
                assert_holds(&stored[name], value);
            }
        }
        (Value::Array(stored), Value::Array(written)) if stored.len() == written.len() => {
            stored.iter().zip(written).for_each(|(stored, written)| assert_holds(stored, written));
        }
        (_, _) => assert_eq!(stored, written),
    }
}

#[tokio::test]
async fn v5_objects_of_definitions_are_taken_as_printed() {
    let server = server::start().await;
    keeps(&server, DEFINITIONS, DEFINITION).await;
    keeps(&server, DEFINITIONS, PROPAGATING_DEFINITION).await;
    keeps(&server, REVISIONS, DEFINITION_REVISION).await;
}

#[tokio::test]
async fn v5_objects_of_instances_are_taken_as_printed() {
    let server = server::start().await;
    let schema = InstanceSchema::from_definition(&read(DEFINITION)).unwrap();
    let crd = schema.definition(&mut |_| Schema::of_type(SchemaType::String)).unwrap();
    server.install(&serde_json::to_value(crd).unwrap()).await;
    keeps(&server, INPUT_REVISIONS, INPUT_REVISION).await;
    keeps(&server, DEPLOYMENTS, RESOURCE).await;
    keeps(&server, APPLICATIONS, INSTANCE).await;
    keeps(&server, APPLICATIONS, PINNED_INSTANCE).await;
}

#[test]
fn v5_the_wire_types_lose_nothing_of_what_is_printed() {
    fn check<T: serde::Serialize + serde::de::DeserializeOwned>(text: &str) {
        let value = read(text);
        let typed: T = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(serde_json::to_value(typed).unwrap(), value);
    }
    check::<ResourceGraphDefinition>(DEFINITION);
    check::<ResourceGraphDefinition>(PROPAGATING_DEFINITION);
    check::<ResourceGraphDefinitionRevision>(DEFINITION_REVISION);
    check::<ResourceGraphInputRevision>(INPUT_REVISION);
}

/// The design, shared between projects and not part of this one; none when it is not there, which is an error where `CI=true`.
fn design() -> Option<String> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/seeds/000_1e6af9f4b8c2366b.txt");
    if let Ok(text) = std::fs::read_to_string(&path) {
        return Some(text);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "the design is missing: {}", path.display());
    println!("left out: the design is not at {}", path.display());
    None
}

/// Whether an object has all that the design prints of it, wherever the design shortens.
fn holds(object: &Value, printed: &Value) -> bool {
    match (object, printed) {
        (Value::Object(object), Value::Object(printed)) => {
            printed.iter().all(|(name, value)| object.get(name).is_some_and(|it| holds(it, value)))
        }
        (Value::Array(_), Value::Array(printed)) if printed.is_empty() => true,
        (Value::Array(object), Value::Array(printed)) => {
            object.len() == printed.len()
                && object.iter().zip(printed).all(|(it, printed)| holds(it, printed))
        }
        (Value::String(_), Value::String(printed)) if printed == "..." => true,
        (_, _) => object == printed,
    }
}

#[test]
fn v5_the_objects_are_those_of_the_design() {
    let Some(design) = design() else { return };
    let own: Vec<Value> = [
        DEFINITION,
        PROPAGATING_DEFINITION,
        DEFINITION_REVISION,
        INPUT_REVISION,
        RESOURCE,
        INSTANCE,
        PINNED_INSTANCE,
        INLINE_INPUT,
    ]
    .map(read)
    .to_vec();
    let blocks =
        design.split("```yaml\n").skip(1).filter_map(|it| it.split_once("```")).map(|(block, _)| block);
    // The alternative that the design rejects.
    let objects: Vec<&str> = blocks.filter(|it| !it.contains("patchFrom")).collect();
    assert_eq!(objects.len(), own.len());
    for block in objects {
        let printed = read(&block.replace("{ ... }", "{}").replace("[ ... ]", "[]").replace("[...]", "[]"));
        assert!(own.iter().any(|it| holds(it, &printed)), "{block}");
    }
}
