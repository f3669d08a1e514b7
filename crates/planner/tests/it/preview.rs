//! What is foretold of an edit is what happens (V43).

use krono_graph::KindName;
use krono_model::metadata::Owner;
use krono_model::names;
use krono_patch::apply::{Applier, Endpoint, ObjectType, SameShape, Timestamp, apply};
use krono_planner::instance::DeletionPolicies;
use krono_planner::preview::{Change, Edit, Effect, Forecast, Objects, Premise, Server, forecast, shown};
use krono_schema::Schema;
use serde_json::{Value, json};

use crate::scene::{Scene, map, resource, schema, widget};

/// Applies as the simulated server does; a frozen Widget keeps its text.
struct Applies;

impl Server for Applies {
    fn applied(&self, kind: &KindName, live: Option<&Value>, object: &Value) -> Result<Value, String> {
        if live.is_some_and(|live| live["spec"]["text"] == "frozen" && object["spec"] != live["spec"]) {
            return Err("spec.text: field is immutable".to_owned());
        }
        let schema = Schema::from_value(&schema(kind)).map_err(|it| it.to_string())?;
        let object_type = ObjectType::custom_resource(&schema).map_err(|it| it.to_string())?;
        let versions = SameShape::of(&kind.api_version, object_type);
        let endpoint = Endpoint {
            api_version: &kind.api_version,
            kind: &kind.kind,
            subresource: "",
            versions: &versions,
            blank: &Value::Null,
        };
        let applier =
            Applier { manager: names::MANAGER_RESOURCES, force: true, now: Timestamp::from_seconds(0) };
        apply(&endpoint, live, object, &applier).map_err(|it| it.to_string())
    }
}

fn foretold(scene: &Scene, old: &str, new: &str, assume_made: bool) -> Forecast {
    let mut objects = Objects::default();
    for (name, object) in scene.simulation.server.objects() {
        objects.add(name.kind.clone(), object.clone());
    }
    let objects = if assume_made { Objects::default() } else { objects };
    let (old, new) = (Scene::graph("{}", old), Scene::graph("{}", new));
    let owner = Owner { definition_name: "apps", definition_uid: "apps-1" };
    let policies = DeletionPolicies::default();
    let edit = Edit { old: Some(&old), new: &new, owner, policies: [&policies; 2] };
    let premise = Premise { objects: &objects, assume_made, server: &Applies, now: "2026-01-01T00:00:00Z" };
    forecast(&edit, scene.instance(), &premise)
}

fn titles(forecast: &Forecast) -> Vec<String> {
    forecast.changes.iter().map(title).collect()
}

/// Such as `Update ConfigMap map of node map`.
fn title(change: &Change) -> String {
    let effect = match &change.effect {
        Effect::Refused(words) => format!("Refused ({words})"),
        Effect::Delete | Effect::Release | Effect::Update | Effect::Create => format!("{:?}", change.effect),
    };
    let name = change.name.as_ref().map_or("?", |it| it.name.as_str());
    let later = if change.is_awaiting { ", later" } else { "" };
    format!("{effect} {} {name} of {}{later}", change.kind.kind, change.node)
}

/// An instance that is as the old resources say; what is foretold of the edit; and that it then happens.
fn check(old: &str, new: &str, expect: &[&str]) -> Forecast {
    let mut scene = Scene::new(old);
    scene.start(json!({"words": ["a", "b"]}));
    let forecast = foretold(&scene, old, new, false);
    assert_eq!(titles(&forecast), expect, "{forecast:#?}");
    // Without having seen any resource, the same is known as long as nothing waits for one.
    if !forecast.changes.iter().any(|it| it.is_awaiting) && !old.contains("status") && !old.contains("frozen")
    {
        assert_eq!(titles(&foretold(&scene, old, new, true)), expect);
    }
    happens(&mut scene, new, &forecast);
    forecast
}

fn contents(scene: &Scene) -> Vec<(String, Value)> {
    let made = scene.simulation.server.objects();
    let made =
        made.filter(|(name, it)| name.kind.kind != "App" && it["metadata"]["deletionTimestamp"].is_null());
    made.map(|(name, it)| (format!("{} {}", name.kind.kind, name.name), shown(it))).collect()
}

/// Whoever reads the forecast knows every object after the edit.
fn happens(scene: &mut Scene, new: &str, forecast: &Forecast) {
    let mut expect = contents(scene);
    for change in forecast.changes.iter().filter(|it| !it.is_awaiting) {
        let name = format!("{} {}", change.kind.kind, change.name.as_ref().expect("a name").name);
        match change.effect {
            Effect::Refused(_) => return,
            Effect::Delete | Effect::Update | Effect::Release | Effect::Create => {
                expect.retain(|(it, _)| *it != name);
                expect.extend(change.after.clone().map(|it| (name, it)));
            }
        }
    }
    expect.sort_by(|one, other| one.0.cmp(&other.0));
    scene.redefine("{}", new);
    scene.settle();
    let mut found = contents(scene);
    found.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(found, expect);
}

#[test]
fn v43_an_edit_of_nothing_does_nothing() {
    let both = map("map", "map", "x") + &widget("widget", "w");
    check(&both, &both, &[]);
}

#[test]
fn v43_what_changes_is_shown_as_it_will_be() {
    let forecast = check(&map("map", "map", "x"), &map("map", "map", "y"), &["Update ConfigMap map of map"]);
    let change = &forecast.changes[0];
    assert_eq!(change.before.as_ref().unwrap()["data"], json!({"text": "x"}));
    assert_eq!(change.after.as_ref().unwrap()["data"], json!({"text": "y"}));
}

#[test]
fn v43_what_goes_comes_first() {
    let old = map("keep", "keep", "x") + &map("gone", "gone", "x");
    let new = map("added", "added", "x") + &map("keep", "keep", "y");
    let expect =
        ["Delete ConfigMap gone of gone", "Update ConfigMap keep of keep", "Create ConfigMap added of added"];
    assert!(check(&old, &new, &expect).is_destructive());
}

#[test]
fn v43_another_name_is_another_object() {
    let expect = ["Delete ConfigMap one of map", "Create ConfigMap two of map"];
    check(&map("map", "one", "x"), &map("map", "two", "x"), &expect);
}

#[test]
fn v25_what_is_retained_is_released() {
    let old = map("map", "map", "x") + "  deletionPolicy: Retain\n" + &map("other", "other", "x");
    let forecast = check(&old, &map("other", "other", "x"), &["Release ConfigMap map of map"]);
    assert!(!forecast.is_destructive());
}

#[test]
fn v43_collections_grow_and_shrink() {
    let each = |list: &str| {
        map("map", "${schema.metadata.name}-${word}", "x")
            + &format!("  forEach: [{{word: '${{{list}}}'}}]\n")
    };
    let longer = each("schema.spec.words + [\"c\"]");
    check(&each("schema.spec.words"), &longer, &["Create ConfigMap demo-c of map"]);
    check(&longer, &each("schema.spec.words"), &["Delete ConfigMap demo-c of map"]);
}

#[test]
fn v43_what_nobody_knows_yet_is_known_after_apply() {
    let old = widget("widget", "w");
    let new = widget("widget", "w")
        + &map("map", "from-${widget.metadata.name}", "${widget.status.text}")
        + &map("late", "late-${widget.status.text}", "x");
    let expect = ["Create ConfigMap ? of late, later", "Create ConfigMap from-w of map, later"];
    let forecast = check(&old, &new, &expect);
    assert_eq!(forecast.changes[1].after.as_ref().unwrap()["data"], json!({"text": "(known after apply)"}));
}

#[test]
fn v43_what_asks_whether_something_is_there_is_not_known_before_it_could_be() {
    let old = map("map", "map", "x");
    let guarded = "${has(widget.status.text) ? \"yes\" : \"no\"}";
    let new = map("map", "map", "x")
        + &(widget("widget", "w") + "  readyWhen: ['${widget.status.ready}']\n")
        + &map("answer", "answer", guarded)
        + &map("next", "next", "${answer.data.text}");
    // Another place in the order is a change, too.
    let expect = [
        "Update ConfigMap map of map",
        "Create Widget w of widget",
        "Create ConfigMap answer of answer, later",
        "Create ConfigMap next of next, later",
    ];
    let forecast = check(&old, &new, &expect);
    for change in &forecast.changes[2..] {
        assert_eq!(change.after.as_ref().unwrap()["data"], json!({"text": "(known after apply)"}));
    }
}

#[test]
fn v43_deletions_are_told_although_others_have_to_come_first() {
    let old = map("old", "old", "x") + &widget("widget", "w");
    let new = widget("widget", "w") + &map("new", "new", "${widget.status.text}");
    let mut scene = Scene::new(&old);
    scene.start(json!({}));
    let forecast = foretold(&scene, &old, &new, false);
    assert_eq!(titles(&forecast), ["Delete ConfigMap old of old", "Create ConfigMap new of new, later"]);
}

#[test]
fn v43_what_happens_anyway_is_not_the_edits_doing() {
    let resources = map("map", "map", "x") + &map("other", "other", "x");
    let mut scene = Scene::new(&resources);
    scene.start(json!({}));
    scene.patch("ConfigMap", "map", json!({"data": {"text": "drifted"}}));
    let forecast = foretold(&scene, &resources, &resources, false);
    assert_eq!((titles(&forecast), forecast.regardless), (Vec::new(), 1));
}

#[test]
fn v43_what_the_server_refuses_takes_a_deletion() {
    let frozen = |text: &str| {
        resource("widget", "test.krono.dev/v1", "Widget", "w", &format!("spec: {{text: {text}}}"))
    };
    let expect = ["Refused (spec.text: field is immutable) Widget w of widget"];
    let forecast = check(&frozen("frozen"), &frozen("other"), &expect);
    assert!(forecast.is_destructive() && forecast.failure.is_some());
    assert_eq!(forecast.changes[0].after.as_ref().unwrap()["spec"], json!({"text": "other"}));
}

#[test]
fn v43_an_expression_that_fails_is_told() {
    let wrong = "${string(1 / (size(schema.spec.words) - 2))}";
    let forecast = check(&map("map", "map", "x"), &map("map", "map", wrong), &[]);
    assert!(forecast.failure.as_ref().is_some_and(|it| it.contains("map")), "{forecast:?}");
    assert!(!forecast.is_unchanged());
}

#[test]
fn v43_nothing_is_foretold_of_a_suspended_instance() {
    let (old, new) = (map("map", "map", "x"), map("map", "map", "y"));
    let mut scene = Scene::new(&old);
    scene.start(json!({}));
    scene.annotate(names::RECONCILE_ANNOTATION, Some("suspended"));
    let forecast = foretold(&scene, &old, &new, false);
    assert!(forecast.is_suspended && forecast.is_unchanged());
}
