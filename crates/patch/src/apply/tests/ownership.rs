//! Who owns what, who disagrees, and who gives way.

use serde_json::json;

use super::Story;

#[test]
fn an_applier_owns_what_it_applies() {
    Story::new()
        .apply("a", json!({"numeric": 1, "struct": {"a": "x", "inner": {"c": "y"}}, "map": {"k": "v"}}))
        .spec(&json!({"numeric": 1, "struct": {"a": "x", "inner": {"c": "y"}}, "map": {"k": "v"}}))
        .owns("a", &[".map.k", ".numeric", ".struct.a", ".struct.inner.c"]);
}

#[test]
fn empty_and_null_are_owned() {
    Story::new()
        .apply(
            "a",
            json!({"struct": {}, "map": {}, "list": [], "string": null, "maps": {"x": {}}, "atomicList": []}),
        )
        .owns("a", &[".atomicList", ".map", ".maps.x", ".string", ".struct"]);
}

/// An updater owns the objects it adds as well.
#[test]
fn an_updater_owns_what_it_changes() {
    Story::new()
        .update("u", json!({"numeric": 1, "struct": {"a": "x"}, "map": {"k": "v"}}))
        .owns("u", &["", ".map", ".map.k", ".numeric", ".struct", ".struct.a"])
        .update("v", json!({"numeric": 2, "struct": {"a": "x"}, "map": {"l": "w"}}))
        .owns("u", &["", ".map", ".struct", ".struct.a"])
        .owns("v", &[".map.l", ".numeric"])
        .update("v", json!({"numeric": 2, "struct": {"a": "x"}, "map": {"l": "w"}}))
        .owns("v", &[".map.l", ".numeric"])
        .update("u", json!({}))
        .owns("u", &[""])
        .owns("v", &[]);
}

#[test]
fn disagreement_is_a_conflict() {
    Story::new()
        .apply("a", json!({"numeric": 1, "string": "s"}))
        .refused("b", json!({"numeric": 2}), "Apply failed with 1 conflict: conflict with \"a\": .spec.numeric")
        .owns("b", &[])
        .update("u", json!({"numeric": 3, "string": "s", "bool": true}))
        .refused(
            "b",
            json!({"numeric": 2, "string": "t", "bool": true}),
            "Apply failed with 2 conflicts: conflicts with \"a\":\n- .spec.string\nconflicts with \"u\" using g/v1:\n\
             - .spec.numeric",
        )
        .spec(&json!({"numeric": 3, "string": "s", "bool": true}));
}

#[test]
fn force_takes_over() {
    Story::new()
        .apply("a", json!({"numeric": 1, "string": "s"}))
        .force("b", json!({"numeric": 2}))
        .spec(&json!({"numeric": 2, "string": "s"}))
        .owns("a", &[".string"])
        .owns("b", &[".numeric"])
        .refused(
            "a",
            json!({"numeric": 1}),
            "Apply failed with 1 conflict: conflict with \"b\": .spec.numeric",
        )
        .force("b", json!({"numeric": 2, "string": "t"}))
        .owns("a", &[])
        .owns("b", &[".numeric", ".string"]);
}

#[test]
fn agreement_is_shared_ownership() {
    Story::new()
        .apply("a", json!({"numeric": 1}))
        .apply("b", json!({"numeric": 1}))
        .owns("a", &[".numeric"])
        .owns("b", &[".numeric"])
        .refused(
            "a",
            json!({"numeric": 2}),
            "Apply failed with 1 conflict: conflict with \"b\": .spec.numeric",
        )
        .apply("a", json!({"string": "s"}))
        .spec(&json!({"numeric": 1, "string": "s"}))
        .owns("b", &[".numeric"]);
}

/// 1 and 1.0 are no disagreement, and the object keeps what it has.
#[test]
fn numbers_agree_by_value() {
    let mut story = Story::new();
    story.apply("a", json!({"numeric": 1})).apply("b", json!({"numeric": 1.0})).spec(&json!({"numeric": 1}));
}

#[test]
fn atomic_parts_belong_as_a_whole() {
    Story::new()
        .apply("a", json!({"atomicList": ["x"], "atomicMap": {"k": "v"}}))
        .owns("a", &[".atomicList", ".atomicMap"])
        .refused(
            "b",
            json!({"atomicMap": {"l": "w"}}),
            "Apply failed with 1 conflict: conflict with \"a\": .spec.atomicMap",
        )
        .force("b", json!({"atomicMap": {"l": "w"}, "atomicList": ["y"]}))
        .spec(&json!({"atomicMap": {"l": "w"}, "atomicList": ["y"]}))
        .owns("a", &[]);
}

/// Without a schema objects are merged and lists are replaced.
#[test]
fn unknown_structure_is_deduced() {
    Story::new()
        .apply("a", json!({"free": {"x": {"y": 1}, "l": [1]}}))
        .owns("a", &[".free.l", ".free.x", ".free.x.y"])
        .apply("b", json!({"free": {"x": {"z": 2}}}))
        .spec(&json!({"free": {"x": {"y": 1, "z": 2}, "l": [1]}}))
        .refused(
            "b",
            json!({"free": {"l": [2]}}),
            "Apply failed with 1 conflict: conflict with \"a\": .spec.free.l",
        )
        .force("b", json!({"free": {"x": [3]}}))
        .spec(&json!({"free": {"x": [3], "l": [1]}}))
        .owns("a", &[".free.l"])
        .owns("b", &[".free.x"]);
}

#[test]
fn the_time_is_that_of_the_last_change() {
    let mut story = Story::new();
    story.apply("a", json!({"numeric": 1}));
    assert_eq!(story.time("a"), Some(1));
    story.apply("a", json!({"numeric": 1}));
    assert_eq!(story.time("a"), Some(1));
    story.apply("b", json!({"numeric": 1}));
    assert_eq!((story.time("a"), story.time("b")), (Some(1), None));
    story.apply("b", json!({"numeric": 1, "string": "s"}));
    assert_eq!((story.time("a"), story.time("b")), (Some(1), Some(4)));
    story.update("u", json!({"numeric": 2, "string": "s"}));
    assert_eq!((story.time("b"), story.time("u")), (Some(4), Some(5)));
    story.update("u", json!({"numeric": 2, "string": "s"}));
    assert_eq!(story.time("u"), Some(5));
}
