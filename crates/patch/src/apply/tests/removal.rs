//! What nobody applies any more.

use serde_json::json;

use super::Story;

#[test]
fn what_one_applied_alone_goes() {
    Story::new()
        .apply("a", json!({"numeric": 1, "string": "s", "struct": {"a": "x", "inner": {"c": "y"}}}))
        .apply("a", json!({"numeric": 1}))
        .spec(&json!({"numeric": 1}))
        .owns("a", &[".numeric"]);
}

#[test]
fn what_others_own_stays() {
    Story::new()
        .apply("a", json!({"numeric": 1, "map": {"k": "v", "l": "w"}}))
        .apply("b", json!({"numeric": 1, "map": {"l": "w"}}))
        .apply("a", json!({"bool": true}))
        .spec(&json!({"numeric": 1, "map": {"l": "w"}, "bool": true}))
        .update("u", json!({"numeric": 2, "map": {"l": "w"}, "bool": true, "string": "s"}))
        .apply("b", json!({}))
        .spec(&json!({"numeric": 2, "bool": true, "string": "s"}));
}

/// Fields that nobody owns, such as defaults, stay too.
#[test]
fn what_nobody_owns_stays() {
    let mut story = Story::new();
    story.apply("a", json!({"struct": {"a": "x"}, "list": [{"name": "x", "value": 1}]}));
    let mut live = story.live().clone();
    live["spec"]["struct"]["b"] = 7.into();
    live["spec"]["list"][0]["map"] = json!({"k": "v"});
    story.live = Some(live);
    story
        .apply("a", json!({"struct": {"inner": {"c": "y"}}, "list": [{"name": "x"}]}))
        .spec(&json!({"struct": {"b": 7, "inner": {"c": "y"}}, "list": [{"name": "x", "map": {"k": "v"}}]}))
        .apply("a", json!({"numeric": 1}))
        .spec(&json!({"numeric": 1}));
}

#[test]
fn elements_go_with_what_is_in_them() {
    Story::new()
        .apply("a", json!({"list": [{"name": "x", "value": 1}, {"name": "y"}]}))
        .apply("b", json!({"list": [{"name": "x"}]}))
        .apply("a", json!({"list": [{"name": "y"}]}))
        .spec(&json!({"list": [{"name": "x"}, {"name": "y"}]}))
        .apply("b", json!({}))
        .spec(&json!({"list": [{"name": "y"}]}))
        .apply("a", json!({"numeric": 1}))
        .spec(&json!({"numeric": 1}));
}

/// Whoever owns a part that loses everything in it keeps it as null, or as the whole it gave.
#[test]
fn emptied_parts() {
    Story::new()
        .apply("a", json!({"maps": {"x": {"a": "1"}}, "map": {"k": "v"}}))
        .apply("b", json!({"maps": {"x": {}}, "map": {}}))
        .spec(&json!({"maps": {"x": {"a": "1"}}, "map": {"k": "v"}}))
        .apply("a", json!({}))
        .spec(&json!({"maps": {"x": null}, "map": null}))
        .owns("b", &[".map", ".maps.x"]);
}

#[test]
fn lost_fields_are_not_removed_by_those_who_lost_them() {
    Story::new()
        .apply("a", json!({"numeric": 1, "list": [{"name": "x", "value": 1}]}))
        .force("b", json!({"numeric": 2, "list": [{"name": "x", "value": 2}]}))
        .owns("a", &[".list[name=\"x\"]", ".list[name=\"x\"].name"])
        .apply("a", json!({}))
        .spec(&json!({"numeric": 2, "list": [{"name": "x", "value": 2}]}));
}

#[test]
fn an_empty_configuration_owns_nothing() {
    let mut story = Story::new();
    story.apply("a", json!({"numeric": 1})).update("u", json!({"numeric": 1, "string": "s"}));
    let mut config = story.object(json!({}));
    config.as_object_mut().unwrap().remove("spec");
    story.try_apply("a", &config, false).unwrap();
    story.owns("a", &[]).spec(&json!({"string": "s"}));
}
