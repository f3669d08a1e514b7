//! What goes while an instance stays.

use krono_graph::KindName;
use krono_planner::instance::Action;
use serde_json::{Value, json};

use crate::scene::{Scene, kind, map, resource, widget};

fn kinds_in_history(scene: &Scene) -> Vec<&str> {
    let annotation = |it: &&Value| {
        it["metadata"]["annotations"]["applyset.kubernetes.io/contains-group-kinds"].is_string()
    };
    let mut kinds: Vec<&str> = Vec::new();
    for instance in scene.history().into_iter().filter(annotation) {
        let listed =
            instance["metadata"]["annotations"]["applyset.kubernetes.io/contains-group-kinds"].as_str();
        kinds.extend(listed.filter(|it| kinds.last() != Some(it)));
    }
    kinds
}

#[test]
fn behaviour_30_the_inventory_grows_before_and_shrinks_after() {
    let mut scene = Scene::new(&map("map", "map", "x"));
    scene.start(json!({}));
    scene.redefine("{}", &widget("widget", "w"));
    scene.settle();
    assert_eq!(scene.made(), ["w"]);
    let expected = ["ConfigMap", "ConfigMap,Widget.test.krono.dev", "Widget.test.krono.dev"];
    assert_eq!(kinds_in_history(&scene), expected);
    scene.assert_at_rest();
}

#[test]
fn behaviour_30_only_the_object_that_was_seen_is_deleted() {
    let gone = map("gone", "gone", "x") + "  includeWhen: ['${schema.spec.on}']\n";
    let mut scene = Scene::new(&gone);
    scene.start(json!({}));
    let uid = scene.get("ConfigMap", "gone")["metadata"]["uid"].as_str().map(str::to_owned);
    scene.patch("App", "demo", json!({"spec": {"on": false}}));
    while scene.simulation.deliver() {}
    let deleted = scene.plan().actions.into_iter().find_map(|action| match action {
        Action::Delete { uid, .. } => Some(uid),
        Action::Manage(_)
        | Action::Record(_)
        | Action::Shrink { .. }
        | Action::Apply { .. }
        | Action::Release { .. }
        | Action::Unmark { .. }
        | Action::RemoveFinalizer(_)
        | Action::Begin(_)
        | Action::Restore(_)
        | Action::Amend(_)
        | Action::Input(_) => None,
    });
    assert_eq!(deleted, uid);
}

#[test]
fn behaviour_30_nothing_goes_before_all_that_is_wanted_is_there() {
    let mut scene = Scene::new(&map("old", "old", "x"));
    scene.start(json!({}));
    let labels = json!({"applyset.kubernetes.io/part-of": "applyset-theirs-v1", "kro.run/owned": "true"});
    scene.put("ConfigMap", json!({"metadata": {"name": "new", "namespace": "home", "labels": labels}}));
    scene.redefine("{}", &map("new", "new", "x"));
    scene.settle();
    assert_eq!((scene.made(), scene.state()), (vec!["old"], "ERROR"));
    scene.delete("ConfigMap", "new");
    assert_eq!((scene.made(), scene.state()), (vec!["new"], "ACTIVE"));
}

#[test]
fn behaviour_31_a_sibling_that_is_not_ready_does_not_hold_up_pruning() {
    let gone = map("gone", "gone", "x") + "  includeWhen: ['${schema.spec.on}']\n";
    let widget = widget("widget", "w") + "  readyWhen: ['${widget.status.ready}']\n";
    let mut scene = Scene::new(&(gone + &widget));
    scene.start(json!({"on": true}));
    assert_eq!((scene.made(), scene.state()), (vec!["gone", "w"], "IN_PROGRESS"));
    scene.edit(json!({"on": false}));
    assert_eq!((scene.made(), scene.state()), (vec!["w"], "IN_PROGRESS"));
}

#[test]
fn what_is_to_be_kept_is_released() {
    let kept = map("kept", "kept", "x") + "  deletionPolicy: Retain\n  includeWhen: ['${schema.spec.on}']\n";
    let mut scene = Scene::new(&kept);
    scene.start(json!({"on": true}));
    scene.edit(json!({"on": false}));
    let metadata = &scene.get("ConfigMap", "kept")["metadata"];
    assert_eq!((metadata["labels"].clone(), scene.made()), (json!({}), Vec::new()));
    assert!(metadata["annotations"]["krono.dev/retained-from"].is_string());

    scene.edit(json!({"on": true}));
    assert_eq!((scene.made(), scene.state()), (vec!["kept"], "ACTIVE"));
    let annotations = &scene.get("ConfigMap", "kept")["metadata"]["annotations"];
    assert!(annotations["krono.dev/retained-from"].is_null(), "{annotations}");
}

#[test]
fn behaviour_30_what_depends_on_others_is_gone_before_they_go() {
    let first = resource("first", "v1", "Secret", "first", "data: {text: eA==}");
    let second = map("second", "second", "${first.metadata.name}");
    let stays = map("stays", "stays", "x");
    let mut scene = Scene::new(&(first + &second + &stays));
    scene.start(json!({}));
    scene.hold("ConfigMap", "second", true);
    scene.redefine("{}", &stays);
    scene.settle();
    assert_eq!(scene.made(), ["first", "second", "stays"]);
    assert!(scene.get("Secret", "first")["metadata"]["deletionTimestamp"].is_null());
    scene.hold("ConfigMap", "second", false);
    assert_eq!((scene.made(), scene.state()), (vec!["stays"], "ACTIVE"));
}

#[test]
fn behaviour_30_an_object_is_one_whatever_api_version_shows_it() {
    let mut scene = Scene::new(&widget("widget", "w"));
    scene.start(json!({}));
    let shown = scene.get("Widget", "w").clone();
    let other = KindName { api_version: "test.krono.dev/v2".to_owned(), ..kind("Widget") };
    scene
        .simulation
        .create(&other, json!({"metadata": shown["metadata"]}))
        .expect("the same in another version");
    scene.settle();
    scene.assert_at_rest();
    let kinds = scene.simulation.server.objects().filter(|(name, _)| name.name == "w").count();
    assert_eq!(kinds, 2);
}
