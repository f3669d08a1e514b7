use krono_schema::Schema;
use serde_json::{Value, json};

use super::{Elements, Node, ObjectType, Scalar, TypeError};

/// The node of the field `a`.
fn node(schema: &Value, compile: fn(&Schema) -> Result<ObjectType, TypeError>) -> Node {
    let schema = Schema::from_value(&json!({"type": "object", "properties": {"a": schema}})).unwrap();
    let types = compile(&schema).unwrap();
    let map = types.node(types.root()).map.clone().unwrap();
    types.node(map.field("a").unwrap()).clone()
}

fn text(node: &Node) -> String {
    let scalar = node.scalar.map(|it| format!("{it:?}"));
    let list = node.list.as_ref().map(|list| match &list.elements {
        Elements::Atomic => "atomic list".to_owned(),
        Elements::Set => "set".to_owned(),
        Elements::Keyed(keys) => {
            let keys = keys.sorted.iter().map(|key| match &key.default {
                Some(default) => format!("{}={default}", key.name),
                None => key.name.clone(),
            });
            format!("list by {}", keys.collect::<Vec<_>>().join(","))
        }
    });
    let map = node.map.as_ref().map(|map| {
        let kind = if map.atomic { "atomic map" } else { "map" };
        let others = if map.others.is_some() { " of anything" } else { "" };
        format!("{kind}{others}")
    });
    [scalar, list, map].into_iter().flatten().collect::<Vec<_>>().join(" or ")
}

fn check(schema: Value, expect: &str) {
    assert_eq!(text(&node(&schema, ObjectType::custom_resource)), expect, "{schema}");
}

#[test]
fn scalars() {
    check(json!({"type": "string"}), "String");
    check(json!({"type": "string", "format": "byte"}), "String");
    check(json!({"type": "string", "format": "date-time"}), "Any");
    check(json!({"type": "string", "format": "int-or-string"}), "Any");
    check(json!({"type": "integer"}), "Numeric");
    check(json!({"type": "number"}), "Numeric");
    check(json!({"type": "boolean"}), "Boolean");
    check(json!({"x-kubernetes-int-or-string": true}), "Any or atomic list or map of anything");
    check(json!({"x-kubernetes-preserve-unknown-fields": true}), "Any or atomic list or map of anything");
}

#[test]
fn lists() {
    let list = |kind: &str, keys: Value| {
        let item =
            json!({"type": "object", "properties": {"p": {"type": "string", "default": "TCP"}, "n": {}}});
        json!({
            "type": "array", "items": item, "x-kubernetes-list-type": kind, "x-kubernetes-list-map-keys": keys,
        })
    };
    check(json!({"type": "array", "items": {}}), "atomic list");
    check(list("atomic", json!([])), "atomic list");
    check(list("set", json!([])), "set");
    check(list("map", json!(["p", "n"])), "list by n,p=\"TCP\"");
    let schema = Schema::from_value(&list("map", json!([]))).unwrap();
    let error = ObjectType::custom_resource(&schema);
    // A list at the root is no object; the type of its elements is wrong all the same.
    assert_eq!(error.err(), Some(TypeError::MissingMapKeys));
}

#[test]
fn strategies_count_for_built_in_kinds_only() {
    let list = |strategy: &str, key: Option<&str>| {
        json!({
            "type": "array", "items": {"type": "object", "properties": {"n": {}}},
            "x-kubernetes-patch-strategy": strategy, "x-kubernetes-patch-merge-key": key,
        })
    };
    let built_in = |schema: Value| text(&node(&schema, ObjectType::built_in));
    assert_eq!(built_in(list("merge", Some("n"))), "list by n");
    assert_eq!(built_in(list("merge,retainKeys", Some("n"))), "list by n");
    assert_eq!(built_in(list("merge", None)), "set");
    assert_eq!(built_in(list("retainKeys", None)), "atomic list");
    check(list("merge", Some("n")), "atomic list");
    let schema = Schema::from_value(&list("shuffle", None)).unwrap();
    assert_eq!(
        ObjectType::built_in(&schema).err(),
        Some(TypeError::UnknownPatchStrategy("shuffle".to_owned()))
    );
}

#[test]
fn maps() {
    check(json!({"type": "object"}), "map of anything");
    check(json!({"type": "object", "properties": {"b": {}}}), "map");
    check(
        json!({"type": "object", "properties": {"b": {}}, "x-kubernetes-preserve-unknown-fields": true}),
        "map of anything",
    );
    check(json!({"type": "object", "additionalProperties": {"type": "string"}}), "map of anything");
    check(
        json!({"type": "object", "properties": {"b": {}}, "additionalProperties": true}),
        "map of anything",
    );
    check(json!({"type": "object", "additionalProperties": false}), "map");
    check(json!({"type": "object", "x-kubernetes-map-type": "atomic"}), "atomic map of anything");
    check(json!({"type": "object", "x-kubernetes-map-type": "granular"}), "map of anything");
}

/// Whoever preserves unknown fields does so further down as well, but not in metadata.
#[test]
fn unknown_fields_are_preserved_further_down() {
    let schema = json!({
        "type": "object", "x-kubernetes-preserve-unknown-fields": true,
        "properties": {"spec": {"type": "object", "properties": {"a": {"type": "string"}}}},
    });
    let types = ObjectType::custom_resource(&Schema::from_value(&schema).unwrap()).unwrap();
    let root = types.node(types.root()).map.clone().unwrap();
    let map = |id| types.node(id).map.clone().unwrap();
    assert!(map(root.field("spec").unwrap()).others.is_some());
    assert!(map(root.field("metadata").unwrap()).others.is_none());
    assert!(root.knows("apiVersion") && !root.knows("unknown"));
    assert_eq!(types.node(root.field("kind").unwrap()).scalar, Some(Scalar::String));
}

#[test]
fn managed_fields_are_ignored_in_the_objects_own_metadata_only() {
    let embedded = json!({"type": "object", "x-kubernetes-embedded-resource": true});
    let schema = json!({"type": "object", "properties": {"spec": embedded}});
    for types in [
        ObjectType::deduced(),
        ObjectType::custom_resource(&Schema::from_value(&schema).unwrap()).unwrap(),
        ObjectType::built_in(&Schema::from_value(&json!({"type": "object"})).unwrap()).unwrap(),
    ] {
        let ignored = |path: &[&str]| {
            let mut id = types.root();
            for name in path {
                id = types.node(id).map.as_ref().unwrap().field(name).unwrap();
            }
            types.node(id).ignored
        };
        assert!(ignored(&["metadata", "managedFields"]));
        assert!(!ignored(&["spec", "metadata", "managedFields"]));
        assert!(!ignored(&["metadata", "labels"]));
    }
}
