use serde_json::{Value, json};

use super::*;
use crate::schema::SchemaType;

fn schema(json: &Value) -> Schema {
    Schema::from_value(json).unwrap()
}

/// The changes as `breaking|compatible NAME path`.
fn changes(old: &Value, new: &Value) -> Vec<String> {
    let verdict = compare(&schema(old), &schema(new));
    let line = |it: &Change| {
        let effect = if it.effect == Effect::Breaking { "breaking" } else { "compatible" };
        format!("{effect} {} {}", it.kind.name(), it.path).trim_end().to_owned()
    };
    verdict.changes().iter().map(line).collect()
}

/// A change of one field, seen both ways: `forth` when it is made, `back` when it is undone.
#[track_caller]
fn check(old: &Value, new: &Value, forth: &str, back: &str) {
    let object = |field: &Value| json!({"type": "object", "properties": {"f": field}});
    assert_eq!(changes(&object(old), &object(new)), [format!("{forth} f")], "{old} -> {new}");
    assert_eq!(changes(&object(new), &object(old)), [format!("{back} f")], "{new} -> {old}");
}

#[test]
fn limits_break_when_they_tighten() {
    let number = |limits: Value| {
        let mut schema = json!({"type": "integer"});
        schema.as_object_mut().unwrap().extend(limits.as_object().unwrap().clone());
        schema
    };
    let plain = number(json!({}));
    check(&plain, &number(json!({"minimum": 1})), "breaking MINIMUM_ADDED", "compatible MINIMUM_REMOVED");
    check(&plain, &number(json!({"maximum": 1})), "breaking MAXIMUM_ADDED", "compatible MAXIMUM_REMOVED");
    let (low, high) = (number(json!({"minimum": 1})), number(json!({"minimum": 2})));
    check(&low, &high, "breaking MINIMUM_INCREASED", "compatible MINIMUM_DECREASED");
    let exclusive = number(json!({"minimum": 1, "exclusiveMinimum": true}));
    check(&low, &exclusive, "breaking MINIMUM_INCREASED", "compatible MINIMUM_DECREASED");
    let (low, high) = (number(json!({"maximum": 1})), number(json!({"maximum": 2})));
    check(&low, &high, "compatible MAXIMUM_INCREASED", "breaking MAXIMUM_DECREASED");
    let (coarse, fine) = (number(json!({"multipleOf": 10})), number(json!({"multipleOf": 5})));
    check(&coarse, &fine, "compatible MULTIPLE_OF_CHANGED", "breaking MULTIPLE_OF_CHANGED");
}

#[test]
fn text_constraints() {
    let plain = json!({"type": "string"});
    let with = |key: &str, value: Value| json!({"type": "string", key: value});
    check(&plain, &with("pattern", json!("a")), "breaking PATTERN_ADDED", "compatible PATTERN_REMOVED");
    check(&plain, &with("format", json!("date")), "breaking FORMAT_ADDED", "compatible FORMAT_REMOVED");
    check(&plain, &with("enum", json!(["a"])), "breaking ENUM_ADDED", "compatible ENUM_REMOVED");
    check(&plain, &with("nullable", json!(true)), "compatible NULLABLE_ADDED", "breaking NULLABLE_REMOVED");
    check(
        &plain,
        &with("description", json!("x")),
        "compatible DESCRIPTION_CHANGED",
        "compatible DESCRIPTION_CHANGED",
    );
    let (few, many) = (with("enum", json!(["a"])), with("enum", json!(["a", "b"])));
    check(&few, &many, "compatible ENUM_EXPANDED", "breaking ENUM_RESTRICTED");
    check(&plain, &json!({"type": "integer"}), "breaking TYPE_CHANGED", "breaking TYPE_CHANGED");
    let rule = with("x-kubernetes-validations", json!([{"rule": "self == oldSelf"}]));
    check(&plain, &rule, "breaking VALIDATION_ADDED", "compatible VALIDATION_REMOVED");
}

/// kro's blind spots (B1): each of these changed nothing that kro could see.
#[test]
fn blind_spots_are_closed() {
    let map = |values: Value| json!({"type": "object", "additionalProperties": values});
    let changed = changes(&map(json!({"type": "string"})), &map(json!({"type": "integer"})));
    assert_eq!(changed, ["breaking TYPE_CHANGED {}"]);
    let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    check(
        &json!({"type": "object"}),
        &open,
        "compatible UNKNOWN_FIELDS_WIDENED",
        "breaking UNKNOWN_FIELDS_NARROWED",
    );
    let list =
        |extra: &str, value: Value| json!({"type": "array", "items": {"type": "string"}, extra: value});
    let (atomic, set) =
        (list("x-kubernetes-list-type", json!("atomic")), list("x-kubernetes-list-type", json!("set")));
    check(&atomic, &set, "breaking LIST_TYPE_CHANGED", "compatible LIST_TYPE_CHANGED");
}

#[test]
fn fields_come_and_go() {
    let object = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required});
    let (empty, one) = (object(json!({}), json!([])), object(json!({"a": {"type": "string"}}), json!([])));
    assert_eq!(changes(&empty, &one), ["compatible PROPERTY_ADDED a"]);
    assert_eq!(changes(&one, &empty), ["breaking PROPERTY_REMOVED a"]);
    let demanded = object(json!({"a": {"type": "string"}}), json!(["a"]));
    assert_eq!(changes(&empty, &demanded), ["breaking PROPERTY_ADDED a"]);
    assert_eq!(changes(&one, &demanded), ["breaking REQUIRED_ADDED a"]);
    assert_eq!(changes(&demanded, &one), ["compatible REQUIRED_REMOVED a"]);
    let defaulted = object(json!({"a": {"type": "string", "default": "x"}}), json!(["a"]));
    assert_eq!(changes(&empty, &defaulted), ["compatible PROPERTY_ADDED a"]);
    assert_eq!(
        changes(&defaulted, &demanded),
        ["compatible DEFAULT_CHANGED a", "breaking REQUIRED_DEFAULT_REMOVED a"]
    );
}

#[test]
fn a_field_declared_where_any_was_kept_can_refuse_what_was_there() {
    let open = |properties: Value| json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": properties});
    assert_eq!(
        changes(&open(json!({})), &open(json!({"a": {"type": "string"}}))),
        ["breaking PROPERTY_ADDED a"]
    );
}

#[test]
fn the_summary_names_three_breaking_changes() {
    let object = |names: &[&str]| {
        let properties: serde_json::Map<_, _> =
            names.iter().map(|it| ((*it).to_owned(), json!({"type": "string"}))).collect();
        schema(&json!({"type": "object", "properties": properties}))
    };
    let verdict = compare(&object(&["a", "b", "c", "d", "e"]), &object(&["e", "f"]));
    let expected =
        "a: property was removed; b: property was removed; c: property was removed; and 1 more changes";
    assert_eq!(verdict.to_string(), expected);
    assert!(!verdict.is_compatible());
    assert_eq!(compare(&object(&["a"]), &object(&["a"])), Verdict::default());
    assert_eq!(compare(&object(&[]), &object(&["a"])).to_string(), "no breaking changes");
}

/// Shared nodes are compared once, so a schema that doubles at each level takes no time.
#[test]
fn shared_definitions_do_not_multiply() {
    let doubled = |leaf: SchemaType| {
        (0..60).fold(Arc::new(Schema::of_type(leaf)), |inner, _| {
            Arc::new(Schema::object([("a", Arc::clone(&inner)), ("b", inner)]))
        })
    };
    let verdict = compare(&doubled(SchemaType::String), &doubled(SchemaType::Integer));
    assert_eq!(verdict.changes().len(), 1);
}
