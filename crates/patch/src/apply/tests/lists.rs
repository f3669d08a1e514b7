//! Lists whose elements are told apart.

use serde_json::json;

use super::Story;

#[test]
fn elements_belong_to_who_applies_them() {
    Story::new()
        .apply("a", json!({"list": [{"name": "x"}, {"name": "y", "value": 1}]}))
        .apply("b", json!({"list": [{"name": "z"}]}))
        .spec(&json!({"list": [{"name": "x"}, {"name": "y", "value": 1}, {"name": "z"}]}))
        .owns(
            "a",
            &[
                ".list[name=\"x\"]",
                ".list[name=\"x\"].name",
                ".list[name=\"y\"]",
                ".list[name=\"y\"].name",
                ".list[name=\"y\"].value",
            ],
        )
        .owns("b", &[".list[name=\"z\"]", ".list[name=\"z\"].name"])
        .refused(
            "b",
            json!({"list": [{"name": "y", "value": 2}]}),
            "Apply failed with 1 conflict: conflict with \"a\": .spec.list[name=\"y\"].value",
        );
}

#[test]
fn elements_are_merged_inside() {
    Story::new()
        .apply("a", json!({"list": [{"name": "x", "nested": [{"id": 1, "value": "a"}], "map": {"k": "v"}}]}))
        .apply("b", json!({"list": [{"name": "x", "nested": [{"id": 2}], "map": {"l": "w"}}]}))
        .spec(&json!({"list": [{
            "name": "x", "nested": [{"id": 1, "value": "a"}, {"id": 2}], "map": {"k": "v", "l": "w"},
        }]}));
}

/// The order of what was applied last counts; the others stay where they were.
#[test]
fn order() {
    let check = |live: &[&str], config: &[&str], expect: &[&str]| {
        Story::new()
            .update("u", json!({"set": live}))
            .apply("a", json!({"set": config}))
            .spec(&json!({"set": expect}));
    };
    check(&["a", "b", "c"], &["c", "a"], &["b", "c", "a"]);
    check(&["a", "b"], &["c"], &["a", "b", "c"]);
    check(&["a", "b"], &["c", "a"], &["c", "a", "b"]);
    check(&["a", "b", "c", "d"], &["d", "x", "b"], &["a", "c", "d", "x", "b"]);
    check(&[], &["b", "a"], &["b", "a"]);
    check(&["b", "a"], &[], &["b", "a"]);
}

#[test]
fn sets() {
    Story::new()
        .apply("a", json!({"set": ["x", "y"]}))
        .owns("a", &[".set[=\"x\"]", ".set[=\"y\"]"])
        .apply("b", json!({"set": ["y", "z"]}))
        .spec(&json!({"set": ["x", "y", "z"]}))
        .apply("a", json!({"set": ["x"]}))
        .spec(&json!({"set": ["x", "y", "z"]}))
        .apply("b", json!({"set": ["z"]}))
        .spec(&json!({"set": ["x", "z"]}))
        .apply("a", json!({}))
        .spec(&json!({"set": ["z"]}));
}

#[test]
fn keys_have_defaults() {
    Story::new()
        .apply("a", json!({"ports": [{"port": 80}]}))
        .owns("a", &[".ports[port=80,protocol=\"TCP\"]", ".ports[port=80,protocol=\"TCP\"].port"])
        .apply("b", json!({"ports": [{"port": 80, "protocol": "UDP"}]}))
        .spec(&json!({"ports": [{"port": 80}, {"port": 80, "protocol": "UDP"}]}))
        .apply("b", json!({"ports": [{"port": 80, "protocol": "TCP", "name": "http"}]}))
        .spec(&json!({"ports": [{"port": 80, "protocol": "TCP", "name": "http"}]}));
}

/// A configuration may not name an element twice; an object may, and then the elements are one.
#[test]
fn duplicates() {
    let mut story = Story::new();
    let twice = json!({"list": [{"name": "x", "value": 1}, {"name": "x", "value": 2}], "set": ["y", "y"]});
    story.update("u", twice.clone()).owns("u", &["", ".list", ".list[name=\"x\"]", ".set", ".set[=\"y\"]"]);
    let error = story.try_apply("a", &story.object(twice), false).unwrap_err();
    assert_eq!(
        error.to_string(),
        "failed to create typed patch object (ns/n; g/v1, Kind=Thing): errors:\n  .spec.list: duplicate entries for key \
         [name=\"x\"]\n  .spec.set: duplicate entries for key [=\"y\"]"
    );
    story
        .apply("a", json!({"string": "s"}))
        .spec(&json!({
            "list": [{"name": "x", "value": 1}, {"name": "x", "value": 2}], "set": ["y", "y"], "string": "s",
        }))
        .force("a", json!({"list": [{"name": "x", "value": 3}]}))
        .spec(&json!({"list": [{"name": "x", "value": 3}], "set": ["y", "y"]}))
        .owns("u", &["", ".list", ".set", ".set[=\"y\"]"]);
}
