//! Input that is meant to hurt: refused or dealt with, without a panic and in time that does not explode.

use std::time::{Duration, Instant};

use krono_patch::{MAX_DEPTH, json, merge, strategic};
use krono_schema::Schema;
use serde_json::{Map, Value, json};

use crate::thing::{Shared, object, versions};

/// Far more than an unoptimised build needs, and far less than anything quadratic takes.
const LIMIT: Duration = Duration::from_secs(20);

fn in_time<T>(work: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let done = work();
    assert!(begun.elapsed() < LIMIT, "{:?}", begun.elapsed());
    done
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(json!(1), |inner, _| json!({ "a": inner }))
}

#[test]
fn deep_nesting_is_refused() {
    let deep = nested(MAX_DEPTH + 10);
    assert!(merge::apply(json!({}), deep.clone()).is_err());
    let schema = Schema::from_value(&json!({"type": "object"})).unwrap();
    assert!(strategic::apply(json!({}), deep.clone(), &schema).is_err());
    assert!(strategic::apply(deep.clone(), json!({}), &schema).is_err());
    let versions = versions();
    let mut shared = Shared::new(&versions);
    assert!(shared.apply("me", &object(&json!({"free": deep})), false).is_err());
    assert!(shared.apply("me", &object(&json!({"free": nested(MAX_DEPTH / 2)})), false).is_ok());
}

#[test]
fn paths_into_nowhere_are_refused() {
    let long = "/a".repeat(100_000);
    for path in [long.as_str(), "no slash", "/~", "/~2", "/\u{0}", "/9999999999999999999999", "/-"] {
        for op in ["add", "remove", "replace", "test", "move", "copy"] {
            let patch = json!([{"op": op, "path": path, "from": path, "value": 1}]);
            // Whether it applies does not matter here.
            drop(json::apply(json!({"a": [1]}), patch));
        }
    }
}

#[test]
fn copies_do_not_explode() {
    let copy = json!({"op": "copy", "from": "/a", "path": "/a/-"});
    let patch = Value::Array(vec![copy; 60]);
    assert!(in_time(|| json::apply(json!({"a": ["x".repeat(1000)]}), patch)).is_err());
    let many =
        Value::Array(vec![json!({"op": "test", "path": "/a", "value": null}); json::MAX_OPERATIONS + 1]);
    assert!(json::apply(json!({}), many).is_err());
}

fn items(count: usize) -> Value {
    (0..count).map(|index| json!({"name": format!("n{index}"), "value": index})).collect()
}

#[test]
fn long_lists_are_merged_in_time() {
    let count = 5_000;
    let versions = versions();
    let mut shared = Shared::new(&versions);
    in_time(|| {
        shared.apply("one", &object(&json!({"list": items(count)})), false).unwrap();
        shared.apply("two", &object(&json!({"list": items(count)})), false).unwrap();
        shared.apply("one", &object(&json!({"list": []})), false).unwrap();
    });
    assert_eq!(shared.spec()["list"].as_array().unwrap().len(), count);
    let set: Value = (0..count).map(|index| json!(format!("s{index}"))).collect();
    in_time(|| shared.apply("one", &object(&json!({"set": set})), false).unwrap());
}

#[test]
fn long_lists_are_patched_in_time() {
    let count = 3_000;
    let element = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let schema = Schema::from_value(&json!({"type": "object", "properties": {"list": {
        "type": "array", "items": element,
        "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "name",
    }}}))
    .unwrap();
    let order: Value = (0..count).rev().map(|index| json!({"name": format!("n{index}")})).collect();
    let patch = json!({"list": items(count), "$setElementOrder/list": order});
    let document = json!({"list": items(count)});
    drop(in_time(|| strategic::apply(document, patch, &schema)));
}

#[test]
fn odd_keys_are_keys() {
    let odd = ["", ".", "f:a", "k:{}", "v:1", "\"", "\\", "\u{0}", "\n", "é", "𝄞", "a/b", "~0", "{}", "[]"];
    let map: Map<String, Value> = odd.iter().map(|it| ((*it).to_owned(), json!("x"))).collect();
    let list: Value = odd.iter().map(|it| json!({"name": it})).collect();
    let versions = versions();
    let mut shared = Shared::new(&versions);
    let config = object(&json!({"map": map, "list": list, "set": odd, "free": map}));
    shared.apply("me", &config, false).unwrap();
    let live = shared.live.clone();
    shared.apply("me", &config, false).unwrap();
    assert_eq!(shared.live, live);
    shared.apply("me", &object(&json!({})), false).unwrap();
    assert!(shared.spec().as_object().is_none_or(Map::is_empty), "{}", shared.spec());
}

#[test]
fn damaged_managed_fields_are_survived() {
    let damaged = [
        json!("x"),
        json!([1]),
        json!([{"manager": "a", "operation": "Apply", "fieldsV1": {"k:{": {}}}]),
        json!([{"manager": "a", "operation": "Apply", "apiVersion": "g/v1", "fieldsV1": {"i:x": {}, "f:a": 1}}]),
        json!([{"manager": 1, "operation": "Odd", "fieldsType": "FieldsV9", "time": "yesterday"}]),
    ];
    let versions = versions();
    for entries in damaged {
        let mut live = object(&json!({"numeric": 1}));
        live["metadata"]["managedFields"] = entries;
        live["metadata"]["uid"] = "u".into();
        let mut shared = Shared::new(&versions);
        shared.live = Some(live.clone());
        drop(shared.apply("me", &object(&json!({"numeric": 2})), true));
        shared.live = Some(live);
        drop(shared.update("me", object(&json!({"numeric": 2}))));
    }
}
