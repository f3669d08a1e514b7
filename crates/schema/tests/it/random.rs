//! Random schemas, sensible and not, and values.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Set by `xtask deep`.
pub(crate) fn cases() -> u32 {
    std::env::var("KRONO_RANDOM_CASES").ok().and_then(|it| it.parse().ok()).unwrap_or(2_000)
}

/// Any JSON, made of the words that schemas are made of.
pub(crate) fn nonsense() -> impl Strategy<Value = Value> {
    let words =
        prop::sample::select(vec!["a", "object", "string", "set", "map", "self > 1", "^a", "[", "__", "1"]);
    let leaf = prop_oneof![
        words.prop_map(Value::from),
        prop::sample::select(vec![
            json!(0),
            json!(-1),
            json!(1.5),
            json!(1e300),
            json!(u64::MAX),
            json!(i64::MIN)
        ]),
        prop::bool::ANY.prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(keyword(), inner, 0..5)
                .prop_map(|it| Value::Object(it.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// A schema of an object, with keywords that need not make sense together.
pub(crate) fn wild_schema() -> impl Strategy<Value = Value> {
    let leaf = prop::collection::btree_map(keyword(), scalar(), 0..4)
        .prop_map(|it| Value::Object(it.into_iter().collect::<Map<_, _>>()));
    leaf.prop_recursive(3, 30, 4, |inner| {
        let fields = prop::collection::btree_map(field_name(), inner.clone(), 0..4);
        let branches = prop::collection::vec(inner.clone(), 1..3);
        prop_oneof![
            (inner.clone(), fields).prop_map(|(schema, fields)| with(
                schema,
                "properties",
                json!(fields),
                "object"
            )),
            (inner.clone(), inner.clone()).prop_map(|(schema, items)| with(schema, "items", items, "array")),
            (inner.clone(), inner.clone()).prop_map(|(schema, values)| with(
                schema,
                "additionalProperties",
                values,
                "object"
            )),
            (inner, prop::sample::select(vec!["allOf", "anyOf", "oneOf"]), branches)
                .prop_map(|(schema, keyword, branches)| with(schema, keyword, json!(branches), "string")),
        ]
    })
}

fn with(mut schema: Value, keyword: &str, value: Value, schema_type: &str) -> Value {
    schema[keyword] = value;
    schema["type"] = json!(schema_type);
    schema
}

/// A value for a keyword that takes one, often of the right type.
fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        prop::sample::select(vec![json!(0), json!(1), json!(2), json!(1.5)]),
        prop::bool::ANY.prop_map(Value::from),
        prop::sample::select(vec![
            json!("a"),
            json!("date"),
            json!("string"),
            json!(["a"]),
            json!(["a", 1, null])
        ]),
    ]
}

fn keyword() -> impl Strategy<Value = String> {
    let keywords = vec![
        "type",
        "format",
        "default",
        "nullable",
        "properties",
        "required",
        "additionalProperties",
        "minProperties",
        "items",
        "minItems",
        "maxItems",
        "uniqueItems",
        "minLength",
        "maxLength",
        "pattern",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "multipleOf",
        "enum",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "a",
        "b",
        "$ref",
        "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string",
        "x-kubernetes-list-type",
        "x-kubernetes-list-map-keys",
        "x-kubernetes-validations",
    ];
    prop::sample::select(keywords).prop_map(str::to_owned)
}

/// A value that often has the fields of random schemas.
pub(crate) fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        prop::sample::select(vec!["", "a", "b", "ab", "2020-01-01"]).prop_map(Value::from),
        prop::sample::select(vec![json!(0), json!(1), json!(2), json!(1.5), json!(-3)]),
        prop::bool::ANY.prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::btree_map(field_name(), inner.clone(), 0..4)
                .prop_map(|it| Value::Object(it.into_iter().collect::<Map<_, _>>())),
            prop::collection::vec(inner, 0..3).prop_map(Value::from),
        ]
    })
}

pub(crate) fn field_name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c"]).prop_map(str::to_owned)
}
