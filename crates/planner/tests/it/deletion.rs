//! The end of an instance.

use serde_json::json;

use crate::scene::{Scene, map, said, widget};

fn chain() -> Scene {
    let first = map("first", "first", "x");
    let second = widget("second", "second").replace("hello", "'${first.data.text}'");
    let third = map("third", "third", "${second.spec.text}");
    let mut scene = Scene::new(&(first + &second + &third));
    scene.start(json!({}));
    assert_eq!(scene.made(), ["first", "second", "third"]);
    scene
}

#[test]
fn behaviour_33_deletion_goes_in_waves_and_the_finalizer_is_last() {
    let mut scene = chain();
    scene.hold("Widget", "second", true);
    scene.delete("App", "demo");
    assert_eq!(scene.made(), ["first", "second"], "the last wave is gone, and the next is on its way");
    assert_eq!((scene.state(), scene.says("ResourcesReady")), ("DELETING", said("Unknown", "UnderDeletion")));
    scene.hold("Widget", "second", false);
    assert_eq!((scene.made(), scene.find("App", "demo")), (Vec::new(), None));
}

#[test]
fn behaviour_33_deletion_needs_no_graph_and_no_external_object() {
    let mut scene = chain();
    scene.define(Err("the definition is broken".to_owned()));
    scene.delete("App", "demo");
    assert_eq!((scene.made(), scene.find("App", "demo")), (Vec::new(), None));

    let external = "- id: other
  externalRef: {apiVersion: test.krono.dev/v1, kind: Widget, metadata: {name: other}}
";
    let mut scene = Scene::new(&(external.to_owned() + &map("after", "after", "${other.spec.text}")));
    scene.put("Widget", json!({"metadata": {"name": "other", "namespace": "home"}, "spec": {"text": "hi"}}));
    scene.start(json!({}));
    scene.delete("Widget", "other");
    scene.delete("App", "demo");
    assert_eq!((scene.made(), scene.find("App", "demo")), (Vec::new(), None));
}

#[test]
fn behaviour_33_resources_without_a_wave_go_last() {
    let mut scene = chain();
    scene.define(Err("left alone".to_owned()));
    scene.settle();
    let legacy = json!({"metadata": {"annotations": {"internal.kro.run/apply-order": null}}});
    scene.patch("ConfigMap", "third", legacy);
    scene.hold("ConfigMap", "first", true);
    scene.delete("App", "demo");
    assert_eq!(scene.made(), ["first", "third"], "wave 1 is on its way, and wave 0 is not");
    scene.hold("ConfigMap", "first", false);
    assert_eq!((scene.made(), scene.find("App", "demo")), (Vec::new(), None));
}

#[test]
fn behaviour_33_an_inventory_that_was_edited_blocks_deletion() {
    let mut scene = chain();
    scene.annotate("kro.run/reconcile", Some("suspended"));
    scene.annotate("applyset.kubernetes.io/contains-group-kinds", Some("ConfigMap"));
    scene.delete("App", "demo");
    assert_eq!((scene.made().len(), scene.state()), (3, "DELETING"));
    let message = scene.message("ResourcesReady");
    assert!(message.starts_with("deletion blocked: "), "{message}");

    scene.annotate("applyset.kubernetes.io/contains-group-kinds", Some("ConfigMap,Widget.test.krono.dev"));
    assert_eq!((scene.made(), scene.find("App", "demo")), (Vec::new(), None));
}

#[test]
fn behaviour_34_an_inventory_that_was_edited_is_no_ground_to_act_on() {
    let mut scene = chain();
    scene.annotate("applyset.kubernetes.io/contains-group-kinds", Some("ConfigMap"));
    assert_eq!((scene.state(), scene.says("InstanceManaged")), ("ERROR", said("False", "ManagementFailed")));
    assert!(scene.message("InstanceManaged").starts_with("finalizer/labeling failed: "));
    assert_eq!(scene.says("Ready"), said("False", "ManagementFailed"));
    scene.delete("ConfigMap", "third");
    assert_eq!(scene.made().len(), 2, "nothing is made that a deletion would not find");

    scene.annotate("applyset.kubernetes.io/contains-group-kinds", Some("ConfigMap,Widget.test.krono.dev"));
    assert_eq!((scene.made().len(), scene.state()), (3, "ACTIVE"));
    assert_eq!(scene.says("InstanceManaged"), said("True", "Managed"));
}

#[test]
fn an_instance_that_is_gone_is_not_brought_back() {
    let mut scene = Scene::new(&map("map", "map", "x"));
    scene.put(
        "App",
        json!({"metadata": {"name": "demo", "namespace": "home"}, "spec": {"text": "x", "on": true}}),
    );
    while scene.simulation.deliver() {}
    let delete = krono_sim::Request::Delete { name: crate::scene::named("App", "demo"), uid: None };
    scene.simulation.server.perform(&delete).expect("an instance without a finalizer");
    assert!(!scene.plan().actions.is_empty(), "the controller has not heard of the deletion");
    scene.settle();
    assert_eq!((scene.made(), scene.find("App", "demo")), (Vec::new(), None));
}
