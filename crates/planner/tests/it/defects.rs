//! Defects that kro has and krono does not.

use std::collections::{BTreeMap, BTreeSet};

use krono_graph::KindName;
use krono_model::metadata::Owner;
use krono_planner::instance::{Cluster, DeletionPolicies, Member, Plan, Refused, Seen, World, plan};
use serde_json::{Value, json};

use crate::scene::{Scene, map, named, resource, said};

const EACH: &str = "- id: each1
  forEach: [{word: '${schema.spec.words}'}]
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: one, namespace: '${word}'}, data: {text: '${word}'}}
";

#[test]
fn defect_b3_drift_is_corrected_in_every_namespace() {
    let mut scene = Scene::new(EACH);
    scene.start(json!({"words": ["far", "away"]}));
    scene.patch("ConfigMap", "far/one", json!({"data": {"text": "drifted"}}));
    scene.settle();
    assert_eq!(scene.get("ConfigMap", "far/one")["data"]["text"], "far");
    scene.delete("ConfigMap", "away/one");
    assert_eq!(scene.get("ConfigMap", "away/one")["data"]["text"], "away");
}

#[test]
fn defect_b5_suspension_keeps_what_is_known_and_does_not_claim_to_be_active() {
    let mut scene = Scene::with_status("{text: '${map.data.text}'}", &map("map", "map", "x"));
    scene.start(json!({}));
    scene.annotate("kro.run/reconcile", Some("suspended"));
    assert_eq!(scene.instance()["status"]["text"], "x");
    assert_eq!(
        (scene.state(), scene.says("Ready")),
        ("IN_PROGRESS", said("False", "ReconciliationSuspended"))
    );
}

/// An empty cluster.
struct Nothing;

impl Cluster for Nothing {
    fn seen(&self, _: &KindName, _: &str, _: &str) -> Option<Seen<'_>> {
        None
    }

    fn selected(&self, _: &KindName, _: Option<&str>, _: &Value) -> Vec<&Value> {
        Vec::new()
    }

    fn members(&self, _: &str) -> Vec<Member<'_>> {
        Vec::new()
    }
}

fn planned(instance: &Value, graph: Result<&krono_graph::CompiledGraph, &str>, refused: &Refused) -> Plan {
    let owner = Owner { definition_name: "apps", definition_uid: "apps-1" };
    let (resting, now) = (&BTreeSet::new(), "2026-01-01T00:00:00Z");
    let (policies, cluster) = (&DeletionPolicies::default(), &Nothing);
    plan(&World { instance, graph, owner, assigned: None, policies, cluster, refused, resting, now })
}

#[test]
fn defect_b7_braces_and_quotes_within_texts_end_no_expression() {
    let text = r#"${'}' + "it's {" + '"${' + schema.spec.text} and ${"}"}"#;
    let template = resource("map", "v1", "ConfigMap", "map", &format!("data: {{text: {}}}", json!(text)));
    let mut scene = Scene::new(&template);
    scene.start(json!({"text": "}"}));
    assert_eq!(scene.get("ConfigMap", "map")["data"]["text"], r#"}it's {"${} and }"#);
}

#[test]
fn defect_b9_whatever_is_refused_is_tried_again() {
    let instance = json!({"apiVersion": "kro.run/v1alpha1", "kind": "App", "metadata": {"name": "demo",
        "namespace": "home", "uid": "1", "deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["kro.run/finalizer"]}});
    let resources = BTreeMap::from([(named("ConfigMap", "map"), "no".to_owned())]);
    for refused in [
        Refused { instance: Some("no".to_owned()), ..Refused::default() },
        Refused { resources, ..Refused::default() },
    ] {
        let mut living = instance.clone();
        living["metadata"]["deletionTimestamp"] = Value::Null;
        assert!(planned(&instance, Err("none"), &refused).retry, "while it is deleted");
        assert!(planned(&living, Err("none"), &refused).retry, "while it has no graph");
    }
}

#[test]
fn defect_b9_an_expression_that_fails_is_tried_again() {
    let mut scene = Scene::new(&map("map", "map", "${string(1 / schema.spec.words.size())}"));
    scene.start(json!({"words": []}));
    assert_eq!(scene.state(), "ERROR");
    assert!(scene.plan().retry);
    scene.edit(json!({"words": ["a"]}));
    assert_eq!(scene.state(), "ACTIVE");
    assert!(!scene.plan().retry);
}

#[test]
fn defect_b13_a_graph_that_comes_back_serves_all_instances() {
    let mut scene = Scene::new(&map("map", "map", "x"));
    scene.define(Err("broken".to_owned()));
    scene.start(json!({}));
    assert_eq!(scene.state(), "ERROR");
    scene.redefine("{}", &map("map", "map", "x"));
    scene.settle();
    assert_eq!((scene.made(), scene.state()), (vec!["map"], "ACTIVE"));
}

#[test]
fn defect_b10_a_collection_that_grows_or_shrinks_leaves_its_other_items_alone() {
    let mut scene = Scene::new(EACH);
    scene.start(json!({"words": ["a", "b"]}));
    let versions = |scene: &Scene| ["a/one", "b/one"].map(|it| scene.version("ConfigMap", it).to_owned());
    let before = versions(&scene);
    scene.edit(json!({"words": ["a", "b", "c"]}));
    assert_eq!(versions(&scene), before);
    scene.edit(json!({"words": ["a", "b"]}));
    assert_eq!((versions(&scene), scene.made().len()), (before, 2));
    scene.assert_at_rest();
}

#[test]
fn defect_b15_times_and_secrets_can_be_compared_in_ready_when() {
    let secret = resource("secret", "v1", "Secret", "secret", "data: {token: aGVsbG8=}");
    let conditions = "  readyWhen: [\"${string(secret.data.token) == 'hello'}\", \
                      \"${secret.metadata.creationTimestamp < timestamp('2100-01-01T00:00:00Z')}\"]\n";
    let mut scene = Scene::new(&(secret + conditions));
    scene.start(json!({}));
    assert_eq!(
        (scene.state(), scene.message("ResourcesReady")),
        ("ACTIVE", "all resources are created and ready")
    );
}
