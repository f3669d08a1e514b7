//! What is made, and when.

use serde_json::json;

use crate::scene::{Scene, map, said, widget};

const EACH: &str = "- id: each1
  forEach: [{word: '${schema.spec.words}'}]
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: '${word}'}, data: {text: '${word}'}}
";

#[test]
fn behaviour_21_collections_carry_index_and_size_and_shrink_by_the_removed_items() {
    let mut scene = Scene::new(EACH);
    scene.start(json!({"words": ["a", "b", "c"]}));
    assert_eq!(scene.made(), ["a", "b", "c"]);
    let labels = &scene.get("ConfigMap", "b")["metadata"]["labels"];
    assert_eq!(
        (&labels["kro.run/collection-index"], &labels["kro.run/collection-size"]),
        (&json!("1"), &json!("3"))
    );

    let uid = scene.get("ConfigMap", "a")["metadata"]["uid"].clone();
    scene.edit(json!({"words": ["a", "c"]}));
    assert_eq!(scene.made(), ["a", "c"]);
    assert_eq!(scene.get("ConfigMap", "a")["metadata"]["uid"], uid);
    assert_eq!(scene.get("ConfigMap", "c")["metadata"]["labels"]["kro.run/collection-index"], "1");
    scene.assert_at_rest();
}

#[test]
fn behaviour_22_exclusion_is_contagious_and_a_flip_prunes() {
    let first = map("first", "first", "x") + "  includeWhen: ['${schema.spec.on}']\n";
    let second = map("second", "second", "${first.data.text}");
    let third = map("third", "third", "x");
    let mut scene = Scene::new(&(first + &second + &third));
    scene.start(json!({"on": true}));
    assert_eq!(scene.made(), ["first", "second", "third"]);
    scene.edit(json!({"on": false}));
    assert_eq!((scene.made(), scene.state()), (vec!["third"], "ACTIVE"));
    scene.edit(json!({"on": true}));
    assert_eq!((scene.made(), scene.state()), (vec!["first", "second", "third"], "ACTIVE"));
}

#[test]
fn behaviour_22_nothing_is_pruned_while_something_is_pending() {
    let gone = map("gone", "gone", "x") + "  includeWhen: ['${schema.spec.on}']\n";
    let widget = widget("widget", "w");
    let pending = map("pending", "pending", "${widget.status.text}");
    let mut scene = Scene::new(&(gone + &widget + &pending));
    scene.start(json!({"on": true}));
    scene.edit(json!({"on": false}));
    assert_eq!(scene.made(), ["gone", "w"]);
    scene.set_status("Widget", "w", json!({"text": "t"}));
    assert_eq!((scene.made(), scene.state()), (vec!["pending", "w"], "ACTIVE"));
}

#[test]
fn behaviour_23_what_is_not_ready_holds_back_what_depends_on_it() {
    let widget = widget("widget", "w") + "  readyWhen: ['${widget.status.ready}']\n";
    let after = map("after", "after", "${widget.metadata.name}");
    let mut scene = Scene::new(&(widget + &after));
    scene.start(json!({}));
    assert_eq!((scene.made(), scene.state()), (vec!["w"], "IN_PROGRESS"));
    assert_eq!(scene.says("ResourcesReady"), said("False", "NotReady"));
    scene.set_status("Widget", "w", json!({"ready": false}));
    assert_eq!((scene.made(), scene.state()), (vec!["w"], "IN_PROGRESS"));
    scene.set_status("Widget", "w", json!({"ready": true}));
    assert_eq!((scene.made(), scene.state()), (vec!["after", "w"], "ACTIVE"));
}

#[test]
fn behaviour_23_an_empty_collection_is_ready() {
    let after = map("after", "after", "${string(each1.size())}");
    let mut scene = Scene::new(&(EACH.to_owned() + &after));
    scene.start(json!({"words": []}));
    assert_eq!((scene.made(), scene.state()), (vec!["after"], "ACTIVE"));
}

const EXTERNAL: &str = "- id: other
  externalRef: {apiVersion: test.krono.dev/v1, kind: Widget, metadata: {name: other}}
";

#[test]
fn behaviour_24_a_missing_external_object_is_awaited_and_never_touched() {
    let mut scene = Scene::new(&(EXTERNAL.to_owned() + &map("after", "after", "${other.spec.text}")));
    scene.start(json!({}));
    assert_eq!((scene.made(), scene.state()), (Vec::new(), "IN_PROGRESS"));

    scene.put("Widget", json!({"metadata": {"name": "other", "namespace": "home"}, "spec": {"text": "hi"}}));
    let version = scene.version("Widget", "other").to_owned();
    scene.settle();
    assert_eq!((scene.made(), scene.state()), (vec!["after"], "ACTIVE"));
    assert_eq!(scene.get("ConfigMap", "after")["data"]["text"], "hi");

    scene.delete("App", "demo");
    assert_eq!(scene.find("ConfigMap", "after"), None);
    assert_eq!(scene.version("Widget", "other"), version);
}

#[test]
fn behaviour_28_what_a_template_does_not_say_is_left_to_others() {
    let mut scene = Scene::new(&map("map", "map", "${schema.spec.text}"));
    scene.start(json!({"text": "one"}));
    scene.patch(
        "ConfigMap",
        "map",
        json!({"data": {"theirs": "1"}, "metadata": {"labels": {"theirs": "2"}}}),
    );
    let version = scene.version("ConfigMap", "map").to_owned();
    scene.settle();
    assert_eq!(scene.version("ConfigMap", "map"), version, "nothing to correct");
    scene.edit(json!({"text": "two"}));
    let map = scene.get("ConfigMap", "map");
    assert_eq!(map["data"], json!({"text": "two", "theirs": "1"}));
    assert_eq!(map["metadata"]["labels"]["theirs"], "2");
}

#[test]
fn behaviour_29_a_resource_of_another_set_is_refused() {
    for owned in [json!("true"), json!(null)] {
        let mut scene = Scene::new(&map("map", "map", "x"));
        let labels = json!({"applyset.kubernetes.io/part-of": "applyset-theirs-v1", "kro.run/owned": owned});
        let theirs = json!({"metadata": {"name": "map", "namespace": "home", "labels": labels}, "data": {"text": "y"}});
        scene.put("ConfigMap", theirs);
        let version = scene.version("ConfigMap", "map").to_owned();
        scene.start(json!({}));
        assert_eq!(scene.version("ConfigMap", "map"), version);
        assert_eq!((scene.state(), scene.says("ResourcesReady")), ("ERROR", said("False", "NotReady")));
        let message = scene.message("ResourcesReady");
        assert!(
            message.contains("resource belongs to a different ApplySet (applyset-theirs-v1)"),
            "{message}"
        );

        scene.delete("ConfigMap", "map");
        assert_eq!((scene.made(), scene.state()), (vec!["map"], "ACTIVE"));
    }
}

#[test]
fn behaviour_29_an_object_of_nobody_is_adopted() {
    let mut scene = Scene::new(&map("map", "map", "x"));
    let mine = json!({"metadata": {"name": "map", "namespace": "home"}, "data": {"text": "y", "more": "z"}});
    scene.put("ConfigMap", mine);
    let uid = scene.get("ConfigMap", "map")["metadata"]["uid"].clone();
    scene.start(json!({}));
    let map = scene.get("ConfigMap", "map");
    assert_eq!((&map["metadata"]["uid"], &map["data"]), (&uid, &json!({"text": "x", "more": "z"})));
    assert_eq!(scene.state(), "ACTIVE");
    scene.assert_at_rest();
}

#[test]
fn behaviour_32_nothing_is_built_upon_what_is_being_deleted() {
    let first = widget("first", "first");
    let second = map("second", "second", "${first.metadata.name} ${schema.spec.text}");
    let mut scene = Scene::new(&(first + &second));
    scene.start(json!({"text": "one"}));
    scene.hold("Widget", "first", true);
    scene.delete("Widget", "first");
    assert_eq!(
        (scene.state(), scene.says("ResourcesReady")),
        ("IN_PROGRESS", said("False", "ResourceDeleting"))
    );

    scene.edit(json!({"text": "two"}));
    assert_eq!(scene.get("ConfigMap", "second")["data"]["text"], "first one");
    scene.hold("Widget", "first", false);
    assert_eq!((scene.made(), scene.state()), (vec!["first", "second"], "ACTIVE"));
    assert_eq!(scene.get("ConfigMap", "second")["data"]["text"], "first two");
}
