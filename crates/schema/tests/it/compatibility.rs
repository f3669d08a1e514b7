//! The law of compatibility: what was valid stays valid and loses nothing.

use krono_schema::{Schema, Validator, compatibility, prune};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn a_schema_does_not_differ_from_itself(schema in schemas()) {
        let schema = Schema::from_value(&schema).unwrap();
        let verdict = compatibility::compare(&schema, &schema.clone());
        prop_assert_eq!(verdict.changes(), &[]);
    }

    #[test]
    fn what_was_valid_stays_valid((old, new) in pairs(), value in values()) {
        let (old, new) = (Schema::from_value(&old).unwrap(), Schema::from_value(&new).unwrap());
        let mut value = value;
        prune(&old, &mut value);
        let was_valid = Validator::new(&old).validate(&value).is_empty();
        if was_valid && compatibility::compare(&old, &new).is_compatible() {
            prop_assert_eq!(Validator::new(&new).validate(&value), vec![]);
            let mut kept = value.clone();
            prop_assert_eq!(prune(&new, &mut kept), Vec::<String>::new());
            prop_assert_eq!(kept, value);
        }
    }
}

/// Set by `xtask deep`.
fn cases() -> u32 {
    std::env::var("KRONO_RANDOM_CASES").ok().and_then(|it| it.parse().ok()).unwrap_or(2_000)
}

/// Two schemas that often differ little.
fn pairs() -> impl Strategy<Value = (Value, Value)> {
    prop_oneof![(schemas(), schemas()), schemas().prop_flat_map(|old| (Just(old.clone()), loosened(old)))]
}

/// The schema without some of its keywords.
fn loosened(schema: Value) -> impl Strategy<Value = Value> {
    let keywords = prop::sample::subsequence(
        vec![
            "minimum",
            "maximum",
            "minLength",
            "enum",
            "required",
            "maxItems",
            "pattern",
            "nullable",
            "properties",
        ],
        0..=4,
    );
    keywords.prop_map(move |gone| without(&schema, &gone))
}

fn without(schema: &Value, gone: &[&str]) -> Value {
    let Value::Object(map) = schema else { return schema.clone() };
    let kept = map.iter().filter(|(key, _)| !gone.contains(&key.as_str()));
    Value::Object(kept.map(|(key, value)| (key.clone(), without(value, gone))).collect())
}

fn schemas() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![text(), number(), Just(json!({"type": "boolean"}))];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let fields = prop::collection::btree_map(field_name(), inner.clone(), 0..4);
        let required = prop::collection::btree_set(field_name(), 0..3);
        prop_oneof![
            (fields, required, prop::bool::ANY).prop_map(|(fields, required, open)| {
                let required: Vec<_> = required.into_iter().filter(|it| fields.contains_key(it)).collect();
                let mut schema = json!({"type": "object", "properties": fields, "required": required});
                if open {
                    schema["x-kubernetes-preserve-unknown-fields"] = json!(true);
                }
                schema
            }),
            (inner.clone(), prop::option::of(0..3_u32)).prop_map(|(items, most)| {
                limited(json!({"type": "array", "items": items}), "maxItems", most.map(Value::from))
            }),
            inner.prop_map(|values| json!({"type": "object", "additionalProperties": values})),
        ]
    })
}

fn text() -> impl Strategy<Value = Value> {
    let enumeration = prop::option::of(prop::sample::subsequence(vec!["a", "b", "ab"], 1..=3));
    let pattern = prop::option::of(prop::sample::select(vec!["a", "^b"]));
    (enumeration, prop::option::of(0..3_u32), pattern, prop::bool::ANY).prop_map(
        |(values, least, pattern, nullable)| {
            let schema = json!({"type": "string", "nullable": nullable});
            let schema = limited(schema, "enum", values.map(Value::from));
            let schema = limited(schema, "minLength", least.map(Value::from));
            limited(schema, "pattern", pattern.map(Value::from))
        },
    )
}

fn number() -> impl Strategy<Value = Value> {
    let bound = || prop::option::of(-2..3_i32);
    (bound(), bound(), prop::bool::ANY).prop_map(|(least, most, exclusive)| {
        let schema = limited(json!({"type": "integer"}), "minimum", least.map(Value::from));
        let exclusive = (exclusive && least.is_some()).then_some(json!(true));
        let schema = limited(schema, "exclusiveMinimum", exclusive);
        limited(schema, "maximum", most.map(Value::from))
    })
}

fn limited(mut schema: Value, keyword: &str, limit: Option<Value>) -> Value {
    if let Some(limit) = limit {
        schema[keyword] = limit;
    }
    schema
}

fn values() -> impl Strategy<Value = Value> {
    let text = prop::sample::select(vec!["", "a", "b", "ab", "bb"]).prop_map(Value::from);
    let leaf = prop_oneof![
        text,
        (-3..4_i32).prop_map(Value::from),
        prop::bool::ANY.prop_map(Value::from),
        Just(Value::Null)
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            prop::collection::btree_map(field_name(), inner.clone(), 0..3)
                .prop_map(|it| Value::Object(it.into_iter().collect::<Map<_, _>>())),
            prop::collection::vec(inner, 0..3).prop_map(Value::from),
        ]
    })
}

fn field_name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c"]).prop_map(str::to_owned)
}
