//! What krono writes beside what the author said, and under which name.

use krono_model::{applyset, names};
use krono_sim::server::Request;
use serde_json::{Value, json};

use crate::scene::{Scene, map, named};

fn entries(object: &Value) -> &[Value] {
    object["metadata"]["managedFields"].as_array().map(Vec::as_slice).unwrap_or_default()
}

#[test]
fn behaviour_26_instances_and_resources_carry_all_that_kro_writes() {
    let away = map("map", "map", "x").replace("name: 'map'", "name: 'map', namespace: away");
    let mut scene = Scene::new(&away);
    scene.start(json!({}));
    let id = applyset::id("demo", "home", "App", "kro.run");
    let instance = &scene.instance()["metadata"];
    assert_eq!(instance["finalizers"], json!(["kro.run/finalizer"]));
    let labels = json!({
        "applyset.kubernetes.io/id": id, "kro.run/owned": "true", "kro.run/kro-version": names::KRO_VERSION,
        "kro.run/resource-graph-definition-id": "apps-1", "kro.run/resource-graph-definition-name": "apps",
    });
    assert_eq!(instance["labels"], labels);
    let annotations = &instance["annotations"];
    assert_eq!(annotations["applyset.kubernetes.io/tooling"], "kro/v0.9.4");
    assert_eq!(annotations["applyset.kubernetes.io/contains-group-kinds"], "ConfigMap");
    assert_eq!(annotations["applyset.kubernetes.io/additional-namespaces"], "away");
    assert!(annotations["internal.kro.run/applyset-inventory-hash"].is_string());

    let resource = &scene.get("ConfigMap", "away/map")["metadata"];
    assert_eq!(resource["annotations"], json!({"internal.kro.run/apply-order": "1"}));
    assert_eq!(resource["labels"]["applyset.kubernetes.io/part-of"], id.as_str());
    assert_eq!(resource["labels"]["kro.run/instance-id"], instance["uid"]);
    assert_eq!(resource["labels"]["kro.run/node-id"], "map");
    assert_eq!(resource["labels"].as_object().map(serde_json::Map::len), Some(11));
    assert_eq!(resource["ownerReferences"], Value::Null);
}

#[test]
fn behaviour_27_resources_have_one_manager_and_removed_fields_are_removed() {
    let mut scene = Scene::new(&map("map", "map", "x").replace("text: 'x'", "text: x, more: again"));
    scene.start(json!({}));
    let managers: Vec<_> = entries(scene.get("ConfigMap", "map")).iter().map(|it| &it["manager"]).collect();
    assert_eq!(managers, ["kro.run/applyset"]);
    scene.redefine("{}", &map("map", "map", "x"));
    scene.settle();
    assert_eq!(scene.get("ConfigMap", "map")["data"], json!({"text": "x"}));
}

#[test]
fn behaviour_27_what_kro_left_is_taken_over_without_a_write() {
    let mut scene = Scene::new(&map("map", "map", "x"));
    scene.start(json!({}));
    let version = scene.simulation.server.version();
    let requests = scene.simulation.requests;
    scene.simulation.restart();
    scene.settle();
    assert_eq!((scene.simulation.server.version(), scene.simulation.requests), (version, requests));
}

#[test]
fn behaviour_27_drift_is_taken_back_by_force() {
    let mut scene = Scene::new(&map("map", "map", "x"));
    scene.start(json!({}));
    let theirs = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "map", "namespace": "home"},
        "data": {"text": "theirs"}});
    let name = named("ConfigMap", "map");
    let request = Request::Apply { name, object: theirs, manager: "somebody", force: true };
    scene.simulation.server.perform(&request).expect("drift");
    scene.settle();
    assert_eq!(scene.get("ConfigMap", "map")["data"]["text"], "x");
    let owns_data = |it: &&Value| it["manager"] == "somebody" && it["fieldsV1"].get("f:data").is_some();
    assert!(!entries(scene.get("ConfigMap", "map")).iter().any(|it| owns_data(&it)));
}
