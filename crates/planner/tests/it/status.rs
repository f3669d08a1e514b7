//! What people are told.

use serde_json::{Value, json};

use crate::scene::{Scene, map, said, widget};

#[test]
fn behaviour_34_conditions_and_states_are_those_of_kro() {
    let ready = widget("widget", "w") + "  readyWhen: ['${widget.status.ready}']\n";
    let mut scene = Scene::new(&ready);
    scene.start(json!({}));
    assert_eq!(scene.state(), "IN_PROGRESS");
    assert_eq!(scene.says("InstanceManaged"), said("True", "Managed"));
    assert_eq!(scene.says("GraphResolved"), said("True", "Resolved"));
    assert_eq!(scene.says("ResourcesReady"), said("False", "NotReady"));
    assert_eq!(scene.says("Ready"), said("False", "NotReady"));
    let message = scene.message("Ready");
    assert!(message.starts_with("awaiting resource readiness: "), "{message}");

    scene.set_status("Widget", "w", json!({"ready": true}));
    assert_eq!(scene.state(), "ACTIVE");
    assert_eq!(scene.says("ResourcesReady"), said("True", "AllResourcesReady"));
    assert_eq!(scene.says("Ready"), said("True", "Ready"));
    let conditions = scene.instance()["status"]["conditions"].as_array().cloned().unwrap_or_default();
    assert_eq!(conditions.last().map(|it| &it["type"]), Some(&json!("Ready")));

    scene.define(Err("no revision compiles".to_owned()));
    scene.settle();
    assert_eq!((scene.state(), scene.says("GraphResolved")), ("ERROR", said("False", "ResolutionFailed")));
    assert_eq!(scene.says("Ready"), said("False", "ResolutionFailed"));
}

#[test]
fn behaviour_34_times_are_those_of_changes_and_generations_those_seen() {
    let mut scene = Scene::new(&map("map", "map", "${schema.spec.text}"));
    scene.start(json!({"text": "one"}));
    let time = |scene: &Scene| scene.condition("Ready")["lastTransitionTime"].clone();
    let before = time(&scene);
    scene.edit(json!({"text": "two"}));
    assert_eq!(time(&scene), before);
    let generation = scene.instance()["metadata"]["generation"].clone();
    assert_eq!(generation, 2);
    for condition in ["InstanceManaged", "GraphResolved", "ResourcesReady", "Ready"] {
        assert_eq!(scene.condition(condition)["observedGeneration"], generation);
    }
}

#[test]
fn behaviour_34_a_status_that_is_there_is_not_written() {
    let mut scene = Scene::with_status("{text: '${map.data.text}'}", &map("map", "map", "x"));
    scene.start(json!({}));
    assert_eq!(scene.instance()["status"]["text"], "x");
    scene.assert_at_rest();
    let version = scene.version("App", "demo").to_owned();
    scene.patch("ConfigMap", "map", json!({"data": {"theirs": "1"}}));
    scene.settle();
    assert_eq!(scene.version("App", "demo"), version);
}

const AUTHORED: &str = "{conditions: [
    \"${runtime.newCondition({type: 'Up', status: runtime.condition(schema, 'ResourcesReady').status, reason: 'Said', message: 'by the author'})}\"]}";

fn types(scene: &Scene) -> Vec<&str> {
    let conditions = scene.instance()["status"]["conditions"].as_array().map(Vec::as_slice);
    conditions.unwrap_or_default().iter().filter_map(|it| it["type"].as_str()).collect()
}

#[test]
fn behaviour_35_the_authors_conditions_replace_the_usual_ones() {
    let ready = widget("widget", "w") + "  readyWhen: ['${widget.status.ready}']\n";
    let mut scene = Scene::with_status(AUTHORED, &ready);
    scene.start(json!({}));
    assert_eq!((types(&scene), scene.says("Up")), (vec!["Up"], said("False", "Said")));
    scene.set_status("Widget", "w", json!({"ready": true}));
    assert_eq!((types(&scene), scene.says("Up")), (vec!["Up"], said("True", "Said")));
    assert_eq!(scene.state(), "ACTIVE");
    scene.assert_at_rest();
}

#[test]
fn behaviour_35_the_usual_conditions_do_not_stay_behind() {
    let mut scene = Scene::new(&map("map", "map", "x"));
    scene.define(Err("not compiled yet".to_owned()));
    scene.start(json!({}));
    assert_eq!(scene.says("GraphResolved"), said("False", "ResolutionFailed"));
    scene.redefine(AUTHORED, &map("map", "map", "x"));
    scene.settle();
    assert_eq!((types(&scene), scene.says("Up")), (vec!["Up"], said("True", "Said")));
}

#[test]
fn behaviour_35_a_condition_that_cannot_speak_says_what_it_said() {
    let status = "{conditions: [\"${runtime.newCondition({type: 'Up', status: 'True', reason: 'Said', message: widget.status.text})}\"]}";
    let mut scene = Scene::with_status(status, &widget("widget", "w"));
    scene.start(json!({}));
    assert_eq!(types(&scene), Vec::<&str>::new());
    scene.set_status("Widget", "w", json!({"text": "hi"}));
    assert_eq!((scene.says("Up"), scene.message("Up")), (said("True", "Said"), "hi"));
    scene.set_status("Widget", "w", json!({}));
    assert_eq!((scene.says("Up"), scene.message("Up")), (said("True", "Said"), "hi"));
}

#[test]
fn behaviour_35_conditions_and_fields_that_cannot_be_made_are_told() {
    let divided = |of: &str| {
        format!(
            "\"${{runtime.newCondition({{type: '{of}', status: 'True', message: string(6 / schema.spec.by)}})}}\""
        )
    };
    let up = "\"${runtime.newCondition({type: 'Up', status: 'True'})}\"";
    let status = format!("{{sixth: '${{6 / schema.spec.by}}', conditions: [{}, {up}]}}", divided("Parts"));
    let mut scene = Scene::with_status(&status, &map("map", "map", "x"));
    scene.start(json!({"by": 2}));
    assert_eq!((types(&scene), scene.message("Parts"), scene.state()), (vec!["Parts", "Up"], "3", "ACTIVE"));
    assert_eq!(scene.plan().notices, []);

    scene.edit(json!({"by": 0}));
    assert_eq!((types(&scene), scene.state()), (vec!["Up", "Parts", "StatusInvalid"], "ERROR"));
    let expected = "status.sixth: division by zero; status.conditions[0]: division by zero";
    assert_eq!((scene.message("Parts"), scene.message("StatusInvalid")), ("3", expected));
    let notices = scene.plan().notices;
    assert_eq!(
        notices.iter().map(|it| (it.reason, it.note.as_str())).collect::<Vec<_>>(),
        [("StatusInvalid", expected)]
    );
    scene.assert_at_rest();

    scene.edit(json!({"by": 3}));
    assert_eq!((types(&scene), scene.message("Parts"), scene.state()), (vec!["Parts", "Up"], "2", "ACTIVE"));
}

#[test]
fn a_status_field_that_cannot_be_made_is_told_and_no_error_of_the_instance() {
    let mut scene = Scene::with_status("{sixth: '${6 / schema.spec.by}'}", &map("map", "map", "x"));
    scene.start(json!({"by": 0}));
    assert_eq!((scene.state(), scene.says("StatusInvalid")), ("ACTIVE", said("True", "StatusInvalid")));
    assert_eq!(scene.message("StatusInvalid"), "status.sixth: division by zero");
    assert_eq!(types(&scene).last(), Some(&"Ready"));
    scene.edit(json!({"by": 1}));
    assert!(!types(&scene).contains(&"StatusInvalid"));
}

#[test]
fn behaviour_36_a_suspended_instance_is_left_alone() {
    for word in ["suspended", "Disabled"] {
        let mut scene = Scene::new(&map("map", "map", "${schema.spec.text}"));
        scene.start(json!({"text": "one"}));
        scene.annotate("kro.run/reconcile", Some(word));
        assert_eq!(scene.says("ResourcesReady"), said("False", "ReconciliationSuspended"));
        scene.edit(json!({"text": "two"}));
        assert_eq!(scene.get("ConfigMap", "map")["data"]["text"], "one");
        scene.annotate("kro.run/reconcile", None);
        assert_eq!(scene.get("ConfigMap", "map")["data"]["text"], "two");
        assert_eq!(scene.says("Ready"), said("True", "Ready"));

        scene.annotate("kro.run/reconcile", Some(word));
        scene.delete("App", "demo");
        assert_eq!((scene.made(), scene.find("App", "demo")), (Vec::new(), None));
    }
}

#[test]
fn a_resource_that_is_excluded_takes_its_status_fields_along() {
    let first = map("first", "first", "x") + "  includeWhen: ['${schema.spec.on}']\n";
    let mut scene = Scene::with_status("{text: '${first.data.text}'}", &first);
    scene.start(json!({"on": true}));
    assert_eq!(scene.instance()["status"]["text"], "x");
    scene.edit(json!({"on": false}));
    assert_eq!(scene.instance()["status"]["text"], Value::Null);
}
