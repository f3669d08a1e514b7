use serde_json::{Value, json};

use super::expand;

fn check(fields: &Value, types: &Value, expect: &Value) {
    assert_eq!(expand("spec", fields, types).unwrap().to_value(), *expect);
}

/// One field, without custom types.
fn check_field(field: &str, expect: &Value) {
    let schema = expand("spec", &json!({ "f": field }), &Value::Null).unwrap();
    assert_eq!(schema.properties["f"].to_value(), *expect, "{field}");
}

fn check_errors(fields: &Value, types: &Value, expect: &[&str]) {
    let errors = expand("spec", fields, types).unwrap_err();
    assert_eq!(errors.to_string().lines().collect::<Vec<_>>(), expect);
}

fn check_error(field: &str, expect: &str) {
    check_errors(&json!({ "f": field }), &Value::Null, &[&format!("spec.f: {expect}")]);
}

#[test]
fn behaviour_5_types() {
    check_field("string", &json!({"type": "string"}));
    check_field("integer", &json!({"type": "integer"}));
    check_field("boolean", &json!({"type": "boolean"}));
    check_field("float", &json!({"type": "number"}));
    let any = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    check_field("object", &any);
    check_field("[][]object", &json!({"type": "array", "items": {"type": "array", "items": any}}));
    check_field(
        "map[string][]integer",
        &json!({"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer"}}}),
    );
}

#[test]
fn behaviour_5_markers_on_strings() {
    check_field(r#"string | default="a \"b\"""#, &json!({"type": "string", "default": "a \"b\""}));
    check_field(r#"string | default="a\nb""#, &json!({"type": "string", "default": "a\nb"}));
    check_field(r#"string | default="\d+""#, &json!({"type": "string", "default": "\\d+"}));
    check_field(r#"string | default="\\""#, &json!({"type": "string", "default": "\\"}));
    check_field(
        r#"string | default=5 description="d""#,
        &json!({"type": "string", "default": "5", "description": "d"}),
    );
    check_field(r#"string | description="""#, &json!({"type": "string"}));
    check_field(r#"string | enum="a, b" "#, &json!({"type": "string", "enum": ["a", "b"]}));
    check_field(r#"string | pattern="^a|b$""#, &json!({"type": "string", "pattern": "^a|b$"}));
    check_field(
        "string | minLength=0 maxLength=9",
        &json!({"type": "string", "minLength": 0, "maxLength": 9}),
    );
    check_field(
        r#"string | validation="self != 'a'" validation="self != 'b'" immutable=true immutable=false"#,
        &json!({"type": "string", "x-kubernetes-validations": [
            {"rule": "self != 'a'", "message": "validation failed"},
            {"rule": "self != 'b'", "message": "validation failed"},
            {"rule": "self == oldSelf", "message": "field is immutable"},
        ]}),
    );
}

#[test]
fn behaviour_5_markers_on_numbers() {
    check_field("integer | default=+5", &json!({"type": "integer", "default": 5}));
    check_field("integer | default=007", &json!({"type": "integer", "default": 7}));
    check_field("boolean | default=T", &json!({"type": "boolean", "default": true}));
    check_field("boolean | default=0", &json!({"type": "boolean", "default": false}));
    check_field("float | default=1", &json!({"type": "number", "default": 1}));
    check_field("float | default=.5", &json!({"type": "number", "default": 0.5}));
    check_field("integer | minimum=0 maximum=1.5", &json!({"type": "integer", "minimum": 0, "maximum": 1.5}));
    check_field(r#"integer | enum="400, +404""#, &json!({"type": "integer", "enum": [400, 404]}));
}

#[test]
fn behaviour_5_markers_on_lists_and_objects() {
    let list = |more: Value| {
        let mut list = json!({"type": "array", "items": {"type": "string"}});
        list.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        list
    };
    check_field(r#"[]string | default=["a", "b"]"#, &list(json!({"default": ["a", "b"]})));
    check_field("[]string | minItems=1 maxItems=2", &list(json!({"minItems": 1, "maxItems": 2})));
    check_field("[]string | uniqueItems=true", &list(json!({"x-kubernetes-list-type": "set"})));
    check_field("[]string | uniqueItems=false", &list(json!({})));
    check_field("[]string | uniqueItems=true listType=set", &list(json!({"x-kubernetes-list-type": "set"})));
    check_field(
        "[]object | listMapKey=a listMapKey=b listType=map",
        &json!({
            "type": "array", "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
            "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a", "b"],
        }),
    );
    check_field(
        r#"object | default={"a": 1}"#,
        &json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "default": {"a": 1}}),
    );
    check_field(
        "map[string]string | default={}",
        &json!({"type": "object", "additionalProperties": {"type": "string"}, "default": {}}),
    );
}

#[test]
fn behaviour_6_required_is_sorted_and_blocks_the_implied_default() {
    check(
        &json!({"z": "string | required=true", "a": "string | required=1", "n": "integer | default=1"}),
        &Value::Null,
        &json!({"type": "object", "required": ["a", "z"], "properties": {
            "z": {"type": "string"}, "a": {"type": "string"}, "n": {"type": "integer", "default": 1},
        }}),
    );
    check(
        &json!({"outer": {
            "inner": {"r": "string | required=true", "o": "integer | default=42"},
            "sibling": "string | default=\"hello\"",
        }}),
        &Value::Null,
        &json!({"type": "object", "default": {}, "properties": {"outer": {
            "type": "object", "default": {}, "properties": {
                "inner": {"type": "object", "required": ["r"], "properties": {
                    "r": {"type": "string"}, "o": {"type": "integer", "default": 42},
                }},
                "sibling": {"type": "string", "default": "hello"},
            },
        }}}),
    );
    check(&json!({}), &Value::Null, &json!({"type": "object"}));
    check(&Value::Null, &json!({}), &json!({"type": "object"}));
}

#[test]
fn behaviour_7_custom_types() {
    check(
        &json!({"name": "Name", "twice": "Name | required=true description=\"d\"", "apps": "[]App", "app": "App"}),
        &json!({
            "Name": "Required", "Required": "string | required=true",
            "App": {"name": "Name", "config": "Config"},
            "Config": {"port": "Port"}, "Port": "integer | default=80",
        }),
        &json!({"type": "object", "required": ["name", "twice"], "properties": {
            "name": {"type": "string"},
            "twice": {"type": "string", "description": "d"},
            "apps": {"type": "array", "items": app()},
            "app": app(),
        }}),
    );
}

fn app() -> Value {
    json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string"},
        "config": {"type": "object", "default": {}, "properties": {"port": {"type": "integer", "default": 80}}},
    }})
}

#[test]
fn wrong_types() {
    check_error("int", "unknown type \"int\"; write \"integer\"");
    check_error("[]number", "unknown type \"number\"; write \"float\"");
    check_error(
        "Server | required=true",
        "unknown type \"Server\"; define it under types, or use string, integer, boolean, float or object",
    );
    check_error("| required=true", "type is missing; write one before \"|\", such as \"string\"");
    check_error(
        "string |",
        "marker is missing after \"|\"; write one, such as \"required=true\", or remove \"|\"",
    );
    check_error(
        "string | required",
        "marker \"required\" has no value; write required=… without spaces around \"=\"",
    );
}

#[test]
fn wrong_markers() {
    check_error("integer | default=3.14", "default=\"3.14\" is not a whole number of 64 bits");
    check_error("boolean | default=yes", "default=\"yes\" is not true or false");
    check_error("float | default=NaN", "default=\"NaN\" is not a number");
    check_error("float | minimum=inf", "minimum=\"inf\" is not a number");
    check_error("[]string | default={}", "default=\"{}\" is not a JSON list such as [1, 2]");
    check_error("object | default=text", "default=\"text\" is not a JSON object such as {\"a\": 1}");
    check_error("string | required=maybe", "required=\"maybe\" is not true or false");
    check_error("string | validation=\" \"", "validation=\" \" is not a CEL expression such as \"self > 0\"");
    check_error(
        "string | enum=\"a,,c\"",
        "enum=\"a,,c\" is not a list without empty values, such as \"a,b\"",
    );
    check_error(
        "boolean | enum=\"a\"",
        "enum applies to strings and integers only, and this is a boolean; remove it",
    );
    check_error("string | pattern=\"\"", "pattern=\"\" is not a regular expression");
    check_error(
        "string | pattern=\"[a\"",
        "pattern=\"[a\" is not a regular expression: error parsing regexp: missing closing ]: `[a`",
    );
    check_error(
        "integer | minLength=1",
        "minLength applies to strings only, and this is an integer; remove it",
    );
    check_error("string | minItems=1", "minItems applies to lists only, and this is a string; remove it");
    check_error("[]string | listType=bag", "listType=\"bag\" is not atomic, set or map");
    check_error(
        "[]string | uniqueItems=true listType=map",
        "listType asks for list type map, but an earlier marker made it set; keep one",
    );
    check_error("[]string | listMapKey=a", "listMapKey needs listType=map; add it");
    check_error(
        "[]string | listType=map listMapKey=a listMapKey=a",
        "listMapKey=a is given twice; remove one",
    );
}

#[test]
fn every_problem_is_reported_once() {
    check_errors(
        &json!({"a": 1, "b": {"c": null, "d": "Bad", "e": "[]Loop"}, "f": "string | minLength=x maxItems=2"}),
        &json!({"Bad": {"x": "int"}, "Loop": {"next": "[]Other"}, "Other": "Loop", "User": "Bad"}),
        &[
            "types.Loop: type contains itself: Loop -> Other -> Loop; break the cycle with \"object\"",
            "types.Bad.x: unknown type \"int\"; write \"integer\"",
            "spec.a: expected a type such as \"string\" or a map of fields, found a number",
            "spec.b.c: expected a type such as \"string\" or a map of fields, found nothing",
            "spec.f: minLength=\"x\" is not a whole number of 64 bits",
            "spec.f: maxItems applies to lists only, and this is a string; remove it",
        ],
    );
    check_errors(
        &json!([]),
        &json!(1),
        &["types: expected a map, found a number", "spec: expected a map, found a list"],
    );
}

#[test]
fn hostile_depth_and_size() {
    let mut deep = json!("string");
    for _ in 0..5_000 {
        deep = Value::Object([("a".to_owned(), deep)].into_iter().collect());
    }
    let errors = expand("spec", &deep, &Value::Null).unwrap_err();
    assert!(errors.to_string().ends_with("fields are nested more than 100 deep; make the schema flatter"));
    // A value this deep overflows the stack when it is dropped in one go.
    while let Some(inner) = deep.get_mut("a").map(Value::take) {
        deep = inner;
    }

    let doubling: Value = (0..60)
        .map(|index| {
            (format!("T{index}"), json!({"x": format!("T{}", index + 1), "y": format!("T{}", index + 1)}))
        })
        .chain([("T60".to_owned(), json!("string"))])
        .collect();
    let errors = expand("spec", &json!({"a": "T0"}), &doubling).unwrap_err();
    assert!(errors.to_string().lines().all(|line| line.contains("more than 500000 fields")), "{errors}");

    let chain: Value = (0..20_000)
        .map(|index| (format!("T{index}"), json!(format!("T{}", index + 1))))
        .chain([("T20000".to_owned(), json!("string | required=true"))])
        .collect();
    let schema = expand("spec", &json!({"a": "T0"}), &chain).unwrap();
    assert_eq!(schema.required, ["a"]);
}
