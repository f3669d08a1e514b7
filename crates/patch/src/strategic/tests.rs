#![expect(clippy::needless_pass_by_value, reason = "tables of `json!` values read better")]

use std::sync::LazyLock;

use krono_schema::Schema;
use serde_json::{Value, json};

use super::apply;

/// A pod in a deployment, as far as its lists and strategies go.
static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let container = json!({"type": "object", "properties": {
        "name": {"type": "string"}, "image": {"type": "string"},
        "args": {"type": "array", "items": {"type": "string"}},
        "env": {
            "type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}},
            "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name",
        },
    }});
    let schema = json!({"type": "object", "properties": {
        "metadata": {"type": "object", "properties": {
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "finalizers": {"type": "array", "items": {"type": "string"}, "x-kubernetes-patch-strategy": "merge"},
        }},
        "spec": {"type": "object", "properties": {
            "containers": {
                "type": "array", "items": container,
                "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name",
            },
            "tolerations": {"type": "array", "items": {"type": "object", "properties": {"key": {"type": "string"}}}},
            "strategy": {"type": "object", "x-kubernetes-patch-strategy": "retainKeys", "properties": {
                "type": {"type": "string"},
                "rollingUpdate": {"type": "object", "properties": {"maxSurge": {"type": "integer"}}},
            }},
            "whole": {"type": "object", "x-kubernetes-patch-strategy": "replace", "properties": {"a": {}, "b": {}}},
            "odd": {"type": "object", "x-kubernetes-patch-strategy": "merge,keep,retainKeys", "properties": {"a": {}}},
            "objects": {
                "type": "array", "items": {"type": "object", "properties": {"a": {}}},
                "x-kubernetes-patch-strategy": "merge",
            },
            "nested": {"type": "array", "items": {"type": "array", "items": {}}},
            "maps": {"type": "object", "additionalProperties": {"type": "object", "properties": {"a": {}}}},
        }},
    }});
    Schema::from_value(&schema).unwrap()
});

/// Both sides of a field of `spec`.
fn check(document: Value, patch: Value, expect: Value) {
    assert_eq!(
        apply(json!({"spec": document}), json!({"spec": patch}), &SCHEMA),
        Ok(json!({"spec": expect}))
    );
}

fn check_metadata(document: Value, patch: Value, expect: Value) {
    let result = apply(json!({"metadata": document}), json!({"metadata": patch}), &SCHEMA);
    assert_eq!(result, Ok(json!({"metadata": expect})));
}

fn refuse(document: Value, patch: Value, expect: &str) {
    let error = apply(json!({"spec": document}), json!({"spec": patch}), &SCHEMA).unwrap_err();
    assert_eq!(error.to_string(), expect);
}

/// A list of objects with these names.
fn named(names: &[&str]) -> Value {
    names.iter().map(|name| json!({ "name": name })).collect()
}

#[test]
fn fields() {
    check(json!({"a": 1, "b": 2}), json!({"b": null, "c": 3}), json!({"a": 1, "c": 3}));
    check(
        json!({"a": 1}),
        json!({"b": null, "c": {"d": null, "e": [{"f": null}]}}),
        json!({"a": 1, "c": {"e": [{}]}}),
    );
    check(json!({"a": null}), json!({"a": {"b": 1}}), json!({"a": {"b": 1}}));
    check(json!({"a": {"b": 1}}), json!({"a": "text"}), json!({"a": "text"}));
    check(json!({"whole": {"a": 1}}), json!({"whole": {"b": 2}}), json!({"whole": {"b": 2}}));
    check_metadata(
        json!({"labels": {"a": "1", "b": "2"}}),
        json!({"labels": {"a": null, "c": "3"}}),
        json!({"labels": {"b": "2", "c": "3"}}),
    );
}

#[test]
fn lists_without_a_strategy_are_replaced() {
    check(
        json!({"tolerations": [{"key": "a"}]}),
        json!({"tolerations": [{"key": "b"}]}),
        json!({"tolerations": [{"key": "b"}]}),
    );
    check(json!({"tolerations": [{"key": "a"}]}), json!({"tolerations": []}), json!({"tolerations": []}));
}

#[test]
fn elements_are_merged_by_their_key() {
    check(
        json!({"containers": [{"name": "a", "image": "a:1", "args": ["x"]}, {"name": "b"}]}),
        json!({"containers": [{"name": "a", "image": "a:2", "args": ["y"]}, {"name": "c"}]}),
        json!({"containers": [{"name": "a", "image": "a:2", "args": ["y"]}, {"name": "c"}, {"name": "b"}]}),
    );
    check(
        json!({"containers": [{"name": "a", "env": [{"name": "x", "value": 1}, {"name": "y"}]}]}),
        json!({"containers": [{"name": "a", "env": [{"name": "x", "value": 2}]}]}),
        json!({"containers": [{"name": "a", "env": [{"name": "x", "value": 2}, {"name": "y"}]}]}),
    );
    check(json!({"containers": []}), json!({"containers": []}), json!({"containers": []}));
}

#[test]
fn primitives_are_united() {
    check_metadata(
        json!({"finalizers": ["a", "b"]}),
        json!({"finalizers": ["c", "b"]}),
        json!({"finalizers": ["c", "a", "b"]}),
    );
    check_metadata(
        json!({"finalizers": ["a", "b", "c"]}),
        json!({"$deleteFromPrimitiveList/finalizers": ["a", "c", "d"]}),
        json!({"finalizers": ["b"]}),
    );
    check_metadata(json!({}), json!({"$deleteFromPrimitiveList/finalizers": ["a"]}), json!({}));
    check_metadata(
        json!({"finalizers": ["a"]}),
        json!({"$deleteFromPrimitiveList/finalizers": null}),
        json!({}),
    );
}

#[test]
fn patch_directive() {
    check(json!({"a": 1}), json!({"$patch": "replace", "b": 2}), json!({"b": 2}));
    check(json!({"a": 1}), json!({"$patch": "delete", "b": 2}), json!({}));
    check(
        json!({"containers": [{"name": "a", "image": "i"}, {"name": "b"}]}),
        json!({"containers": [{"name": "a", "$patch": "delete"}, {"name": "c"}]}),
        json!({"containers": [{"name": "c"}, {"name": "b"}]}),
    );
    check(
        json!({"containers": [{"name": "a", "image": "i"}]}),
        json!({"containers": [{"$patch": "replace"}, {"name": "c"}]}),
        json!({"containers": [{"name": "c"}]}),
    );
    check(json!({}), json!({"a": {"$patch": "delete"}, "b": [{"$patch": "delete"}, 1]}), json!({"b": [1]}));
}

#[test]
fn retain_keys() {
    check(
        json!({"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}),
        json!({"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}),
        json!({"strategy": {"type": "Recreate"}}),
    );
    check(
        json!({"strategy": {"type": "x", "rollingUpdate": {}}}),
        json!({"strategy": {"$retainKeys": ["type"], "rollingUpdate": null}}),
        json!({"strategy": {"type": "x"}}),
    );
    refuse(
        json!({"strategy": {"type": "x"}}),
        json!({"strategy": {"$retainKeys": ["rollingUpdate"], "type": "y"}}),
        "invalid patch format of retainKeys",
    );
    refuse(
        json!({"strategy": {"type": "x"}}),
        json!({"strategy": {"$retainKeys": "type"}}),
        "invalid patch format of retainKeys",
    );
}

#[test]
fn element_order() {
    let check_order = |live: &[&str], patch: Value, order: &[&str], expect: &[&str]| {
        let mut fields = json!({"$setElementOrder/containers": named(order)});
        if !patch.is_null() {
            fields["containers"] = patch;
        }
        check(json!({"containers": named(live)}), fields, json!({"containers": named(expect)}));
    };
    check_order(&["a", "b", "c"], Value::Null, &["c", "a"], &["b", "c", "a"]);
    check_order(&["a", "b"], named(&["c"]), &["c", "a"], &["c", "a", "b"]);
    check_order(&["server", "a", "b"], named(&["a"]), &["b", "a"], &["server", "b", "a"]);
    check_order(&["a", "b", "c"], json!([{"$patch": "delete", "name": "b"}]), &["c", "a"], &["c", "a"]);
    check_order(&["x", "y"], json!([{"name": "z"}, {"$patch": "delete", "name": "x"}]), &["z"], &["y", "z"]);
    check_metadata(
        json!({"finalizers": ["a", "b", "c"]}),
        json!({"$setElementOrder/finalizers": ["d", "b"], "finalizers": ["d"]}),
        json!({"finalizers": ["d", "a", "b", "c"]}),
    );
    check_metadata(json!({}), json!({"$setElementOrder/finalizers": ["a"]}), json!({}));
    check_metadata(
        json!({}),
        json!({"$setElementOrder/finalizers": ["b", "a"], "finalizers": ["b", "a"]}),
        json!({"finalizers": ["b", "a"]}),
    );
}

#[test]
fn element_order_refused() {
    let live = || json!({"containers": named(&["a"])});
    refuse(
        live(),
        json!({"$setElementOrder/containers": named(&["a"]), "containers": named(&["a", "b"])}),
        "The order in patch list:\n[map[name:a] map[name:b]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n",
    );
    refuse(
        live(),
        json!({"$setElementOrder/containers": "a"}),
        "expected a []interface {}, but received a string",
    );
    refuse(live(), json!({"$setElementOrder": []}), "invalid patch format of setElementOrder list");
    refuse(
        live(),
        json!({"$setElementOrder/none": []}),
        "unable to find api field in struct for the json field \"none\"",
    );
    refuse(
        live(),
        json!({"$setElementOrder/containers": [{"image": "i"}], "containers": named(&["a"])}),
        "map: map[image:i] does not contain declared merge key: name",
    );
    refuse(
        json!({"containers": []}),
        json!({"$setElementOrder/containers": []}),
        "no elements in any of the given slices",
    );
    refuse(
        json!({"containers": null}),
        json!({"$setElementOrder/containers": []}),
        "expected a []interface {}, but received a %!s(<nil>)",
    );
}

#[test]
fn refusals() {
    refuse(json!({}), json!({"$patch": "merge"}), "unknown patch type: merge in map: map[$patch:merge]");
    refuse(json!({}), json!({"$patch": 1}), "unknown patch type: %!s(int64=1) in map: map[$patch:1]");
    refuse(
        json!({"containers": named(&["a"])}),
        json!({"containers": [{"image": "i"}]}),
        "map: map[image:i] does not contain declared merge key: name",
    );
    refuse(
        json!({"containers": named(&["a"])}),
        json!({"containers": [{"$patch": "delete"}]}),
        "map: map[$patch:delete] does not contain declared merge key: name",
    );
    refuse(
        json!({"containers": named(&["a"])}),
        json!({"containers": [{"$patch": "merge"}]}),
        "merging lists cannot yet be specified in the patch",
    );
    refuse(
        json!({"containers": named(&["a"])}),
        json!({"containers": ["a", 1]}),
        "list element types are not identical: [[map[name:a]] [a 1]]",
    );
    refuse(json!({"containers": [[]]}), json!({"containers": [1]}), "lists of lists are not supported");
    refuse(
        json!({"objects": [{"a": 1}]}),
        json!({"objects": [{"a": 1}]}),
        "cannot merge lists without merge key for struct",
    );
    refuse(json!({"nested": [[1]]}), json!({"nested": [[2]]}), "unexpected slice of slice");
    refuse(json!({"strategy": []}), json!({"strategy": []}), "expected slice or array type, but got: struct");
    refuse(
        json!({"odd": {"a": 1}}),
        json!({"odd": {"a": 2}}),
        "unexpected patch strategy: [merge keep retainKeys]",
    );
    refuse(
        json!({"none": {}}),
        json!({"none": {}}),
        "unable to find api field in struct for the json field \"none\"",
    );
    refuse(
        json!({"maps": {"a": {}}}),
        json!({"maps": {"a": {}}}),
        "merging an object in json but data type is not struct, instead is: map",
    );
    refuse(json!({}), json!({"$deleteFromPrimitiveListing": []}), "invalid patch format of primitive list");
    assert_eq!(
        apply(json!({}), json!([]), &SCHEMA).unwrap_err().to_string(),
        "json: cannot unmarshal array into Go value of type map[string]interface {}"
    );
    assert_eq!(apply(json!({"spec": {}}), Value::Null, &SCHEMA).unwrap(), json!({"spec": {}}));
    let deep = (0..300).fold(json!({}), |inner, _| json!({ "a": inner }));
    refuse(json!({}), deep, "nested more than 256 levels deep");
}

#[test]
fn names_are_found_in_any_case() {
    check(
        json!({"Containers": [{"name": "a"}]}),
        json!({"Containers": named(&["b"])}),
        json!({"Containers": named(&["b", "a"])}),
    );
}
