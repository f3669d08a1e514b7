//! Any definition, rewritten in any way.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::Digest;

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-9i64..9).prop_map(Value::from),
        (-9i64..9).prop_map(|it| json!(it.to_string())),
        "[a-c]{0,2}".prop_map(Value::from),
    ]
}

/// What an author may write in a template.
pub(crate) fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-d]", inner, 0..4)
                .prop_map(|it| Value::Object(it.into_iter().collect())),
        ]
    })
}

fn conditions() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[a-c]", 0..3)
}

/// A definition with distinct ids.
pub(crate) fn definition() -> impl Strategy<Value = Value> {
    let resource = ("[a-f]", value(), conditions(), conditions());
    let resources = prop::collection::vec(resource, 0..4);
    (value(), value(), resources).prop_map(|(spec, status, resources)| {
        let distinct: BTreeMap<String, (Value, Vec<String>, Vec<String>)> =
            resources.into_iter().map(|(id, template, ready, include)| (id, (template, ready, include))).collect();
        let resource = |(id, (template, ready, include))| {
            json!({"id": id, "template": {"spec": template}, "readyWhen": ready, "includeWhen": include})
        };
        let resources: Vec<Value> = distinct.into_iter().map(resource).collect();
        json!({"schema": {"kind": "A", "apiVersion": "v1", "spec": {"f": spec}, "status": {"g": status}}, "resources": resources})
    })
}

/// The same content in other words; `coins` decides which.
fn rewritten(spec: &Value, coins: &mut impl Iterator<Item = bool>) -> Value {
    let mut spec = spec.clone();
    if coins.next() == Some(true) {
        spec["propagateWhen"] = json!(["${false}"]);
        spec["schema"]["group"] = json!("kro.run");
        spec["schema"]["categories"] = json!([]);
    }
    let resources = spec["resources"].as_array_mut().unwrap();
    if coins.next() == Some(true) {
        resources.reverse();
    }
    for resource in resources {
        if coins.next() == Some(true) {
            resource["readyWhen"].as_array_mut().unwrap().reverse();
            resource["deletionPolicy"] = json!("Retain");
        }
        if resource["includeWhen"] == json!([]) && coins.next() == Some(true) {
            resource["includeWhen"] = Value::Null;
        }
        resource["template"] = respelled(&resource["template"], coins);
    }
    spec
}

/// Numbers spelled otherwise, keys in another order, nulls that were not there.
fn respelled(value: &Value, coins: &mut impl Iterator<Item = bool>) -> Value {
    match value {
        Value::Number(number) if coins.next() == Some(true) => json!(number.as_f64().unwrap()),
        Value::Array(items) => items.iter().map(|it| respelled(it, coins)).collect(),
        Value::Object(fields) => {
            let mut other = Map::new();
            if coins.next() == Some(true) {
                other.insert("nothing".to_owned(), Value::Null);
            }
            for (name, value) in fields.iter().rev() {
                other.insert(name.clone(), respelled(value, coins));
            }
            Value::Object(other)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// Every place of a template with a value that is another one.
fn edits(value: &Value, pointer: &str, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Null => {}
        Value::Bool(it) => found.push((pointer.to_owned(), json!(!it))),
        Value::Number(it) => found.push((pointer.to_owned(), json!(it.to_string()))),
        Value::String(it) => found.push((pointer.to_owned(), json!(format!("{it}!")))),
        Value::Array(items) => {
            found.push((pointer.to_owned(), json!([items, 1])));
            for (index, item) in items.iter().enumerate() {
                edits(item, &format!("{pointer}/{index}"), found);
            }
        }
        Value::Object(fields) => {
            let mut more = fields.clone();
            more.insert("another".to_owned(), json!({}));
            found.push((pointer.to_owned(), Value::Object(more)));
            for (name, value) in fields {
                edits(value, &format!("{pointer}/{name}"), found);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn v8_irrelevant_rewrites_never_change_it(
        spec in definition(),
        coins in prop::collection::vec(any::<bool>(), 1..40),
    ) {
        let other = rewritten(&spec, &mut coins.into_iter().cycle());
        prop_assert_eq!(Digest::of_definition(&spec), Digest::of_definition(&other));
    }

    #[test]
    fn v8_relevant_edits_always_change_it(spec in definition()) {
        let digest = Digest::of_definition(&spec);
        for (index, resource) in spec["resources"].as_array().unwrap().iter().enumerate() {
            let mut found = Vec::new();
            edits(&resource["template"], &format!("/resources/{index}/template"), &mut found);
            for (pointer, value) in found {
                let mut other = spec.clone();
                *other.pointer_mut(&pointer).unwrap() = value;
                prop_assert_ne!(Digest::of_definition(&other), digest, "{} {}", pointer, other);
            }
        }
    }
}
