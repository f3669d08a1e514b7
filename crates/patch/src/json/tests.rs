use serde_json::{Value, json};

use super::*;

fn check(document: Value, patch: Value, expect: Value) {
    assert_eq!(apply(document, patch), Ok(expect));
}

fn refuse(document: Value, patch: Value, expect: &str) {
    assert_eq!(apply(document, patch).unwrap_err().to_string(), expect);
}

#[test]
fn add() {
    check(json!({}), json!([{"op": "add", "path": "/a", "value": 1}]), json!({"a": 1}));
    check(json!({"a": 1}), json!([{"op": "add", "path": "/a", "value": 2}]), json!({"a": 2}));
    check(json!({"a": [1]}), json!([{"op": "add", "path": "/a/-", "value": 2}]), json!({"a": [1, 2]}));
    check(json!({"a": [1]}), json!([{"op": "add", "path": "/a/0", "value": 2}]), json!({"a": [2, 1]}));
    check(json!({"a": [1]}), json!([{"op": "add", "path": "/a/1", "value": 2}]), json!({"a": [1, 2]}));
    check(json!({"a": [1]}), json!([{"op": "add", "path": "/a/-1", "value": 2}]), json!({"a": [1, 2]}));
    check(json!({"a": [1]}), json!([{"op": "add", "path": "/a/-2", "value": 2}]), json!({"a": [2, 1]}));
    check(json!({}), json!([{"op": "add", "path": "/a~1b~0c~01", "value": 1}]), json!({"a/b~c~1": 1}));
    check(json!({}), json!([{"op": "add", "path": "/", "value": 1}]), json!({"": 1}));
    check(json!({}), json!([{"op": "add", "path": "/a"}]), json!({"a": null}));
    check(json!({}), json!([{"op": "add", "path": "ignored/a", "value": 1}]), json!({"a": 1}));
}

#[test]
fn add_refused() {
    refuse(
        json!({}),
        json!([{"op": "add", "path": "/a/b", "value": 1}]),
        "add operation does not apply: doc is missing path: \"/a/b\": missing value",
    );
    refuse(
        json!({"a": null}),
        json!([{"op": "add", "path": "/a/b", "value": 1}]),
        "add operation does not apply: doc is missing path: \"/a/b\": missing value",
    );
    refuse(
        json!({}),
        json!([{"op": "add", "path": "", "value": {}}]),
        "add operation does not apply: doc is missing path: \"\": missing value",
    );
    refuse(
        json!({}),
        json!([{"op": "add", "path": "a", "value": 1}]),
        "add operation does not apply: doc is missing path: \"a\": missing value",
    );
    refuse(
        json!({"a": [1]}),
        json!([{"op": "add", "path": "/a/2", "value": 1}]),
        "error in add for path: '/a/2': Unable to access invalid index: 2: invalid index referenced",
    );
    refuse(
        json!({"a": [1]}),
        json!([{"op": "add", "path": "/a/-3", "value": 1}]),
        "error in add for path: '/a/-3': Unable to access invalid index: -3: invalid index referenced",
    );
    refuse(
        json!({"a": [1]}),
        json!([{"op": "add", "path": "/a/x", "value": 1}]),
        "error in add for path: '/a/x': value was not a proper array index: 'x': strconv.Atoi: parsing \"x\": \
         invalid syntax",
    );
    refuse(json!({}), json!([{"op": "add"}]), "add operation failed to decode path: missing value");
}

#[test]
fn remove() {
    check(json!({"a": 1, "b": 2}), json!([{"op": "remove", "path": "/a"}]), json!({"b": 2}));
    check(json!({"a": [1, 2]}), json!([{"op": "remove", "path": "/a/0"}]), json!({"a": [2]}));
    check(json!({"a": [1, 2]}), json!([{"op": "remove", "path": "/a/-1"}]), json!({"a": [1]}));
    refuse(
        json!({}),
        json!([{"op": "remove", "path": "/a"}]),
        "error in remove for path: '/a': Unable to remove nonexistent key: a: missing value",
    );
    refuse(
        json!({}),
        json!([{"op": "remove", "path": "/a/b"}]),
        "remove operation does not apply: doc is missing path: \"/a/b\": missing value",
    );
    refuse(
        json!({"a": []}),
        json!([{"op": "remove", "path": "/a/-"}]),
        "error in remove for path: '/a/-': strconv.Atoi: parsing \"-\": invalid syntax",
    );
    refuse(
        json!({"a": []}),
        json!([{"op": "remove", "path": "/a/99999999999999999999"}]),
        "error in remove for path: '/a/99999999999999999999': strconv.Atoi: parsing \"99999999999999999999\": \
         value out of range",
    );
}

#[test]
fn replace() {
    check(json!({"a": 1}), json!([{"op": "replace", "path": "/a", "value": 2}]), json!({"a": 2}));
    check(json!({}), json!([{"op": "replace", "path": "/a", "value": 2}]), json!({"a": 2}));
    check(json!({"a": [1]}), json!([{"op": "replace", "path": "/a/0", "value": 2}]), json!({"a": [2]}));
    check(json!({"a": 1}), json!([{"op": "replace", "path": "", "value": {"b": 1}}]), json!({"b": 1}));
    refuse(
        json!({"a": [1]}),
        json!([{"op": "replace", "path": "/a/1", "value": 2}]),
        "replace operation does not apply: doc is missing key: /a/1: missing value",
    );
    refuse(
        json!({}),
        json!([{"op": "replace", "path": "/a/b", "value": 2}]),
        "replace operation does not apply: doc is missing path: /a/b: missing value",
    );
    refuse(
        json!({}),
        json!([{"op": "replace", "path": "", "value": 1}]),
        "replace operation value must be object or array: %!w(<nil>)",
    );
    refuse(
        json!({}),
        json!([{"op": "replace", "value": 1}]),
        "replace operation failed to decode path: operation missing path field: missing value",
    );
}

#[test]
fn move_and_copy() {
    check(json!({"a": 1}), json!([{"op": "move", "from": "/a", "path": "/b"}]), json!({"b": 1}));
    check(
        json!({"a": [1, 2]}),
        json!([{"op": "move", "from": "/a/0", "path": "/a/-"}]),
        json!({"a": [2, 1]}),
    );
    check(
        json!({"a": [1]}),
        json!([{"op": "copy", "from": "/a", "path": "/b"}]),
        json!({"a": [1], "b": [1]}),
    );
    check(json!({}), json!([{"op": "copy", "from": "/a", "path": "/b"}]), json!({"b": null}));
    refuse(
        json!({}),
        json!([{"op": "move", "from": "/a", "path": "/b"}]),
        "error in move for path: 'a': Unable to remove nonexistent key: a: missing value",
    );
    refuse(
        json!({"a": 1}),
        json!([{"op": "move", "path": "/b"}]),
        "move operation failed to decode from: operation, missing from field: missing value",
    );
    refuse(
        json!({"a": 1}),
        json!([{"op": "move", "from": "/a", "path": "/b/c"}]),
        "move operation does not apply: doc is missing destination path: /b/c: missing value",
    );
    refuse(
        json!({"a": []}),
        json!([{"op": "copy", "from": "/a/0", "path": "/b"}]),
        "error in copy for from: '/a/0': Unable to access invalid index: 0: invalid index referenced",
    );
    refuse(
        json!({"a": [1]}),
        json!([{"op": "copy", "from": "/a/0", "path": "/a/5"}]),
        "error while adding value during copy: Unable to access invalid index: 5: invalid index referenced",
    );
    refuse(
        json!({}),
        json!([{"op": "copy", "from": "/a/b", "path": "/b"}]),
        "copy operation does not apply: doc is missing from path: /a/b: missing value",
    );
}

#[test]
fn test() {
    check(json!({}), json!([{"op": "test", "path": "/a", "value": null}]), json!({}));
    check(json!({}), json!([{"op": "test", "path": "/a"}]), json!({}));
    check(json!({"a": null}), json!([{"op": "test", "path": "/a", "value": null}]), json!({"a": null}));
    check(
        json!({"a": {"b": 1}}),
        json!([{"op": "test", "path": "/a", "value": {"b": 1}}]),
        json!({"a": {"b": 1}}),
    );
    check(json!({"a": 1}), json!([{"op": "test", "path": "", "value": {"a": 1}}]), json!({"a": 1}));
    refuse(
        json!({"a": 1}),
        json!([{"op": "test", "path": "/a", "value": 1.0}]),
        "testing value /a failed: test failed",
    );
    refuse(json!({"a": 1}), json!([{"op": "test", "path": "/a"}]), "testing value /a failed: test failed");
    refuse(
        json!({}),
        json!([{"op": "test", "path": "/a/b", "value": null}]),
        "test operation does not apply: is missing path: /a/b: missing value",
    );
    refuse(
        json!({"a": [1]}),
        json!([{"op": "test", "path": "/a/1", "value": null}]),
        "error in test for path: '/a/1': Unable to access invalid index: 1: invalid index referenced",
    );
}

#[test]
fn malformed_patches() {
    check(json!({"a": 1}), json!(null), json!({"a": 1}));
    check(json!({"a": 1}), json!([]), json!({"a": 1}));
    refuse(
        json!({}),
        json!({}),
        "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
    );
    refuse(
        json!({}),
        json!(["x"]),
        "error decoding patch: json: cannot unmarshal string into Go value of type handlers.jsonPatchOp",
    );
    refuse(json!({}), json!([null]), "Unexpected kind: unknown");
    refuse(json!({}), json!([{"op": "merge"}]), "Unexpected kind: merge");
    refuse(
        json!({}),
        Value::Array(vec![json!({"op": "test", "path": "/a"}); MAX_OPERATIONS + 1]),
        "The allowed maximum operations in a JSON patch is 10000, got 10001",
    );
}

#[test]
fn growth_is_bounded() {
    let double = vec![json!({"op": "copy", "from": "/a", "path": "/a/-"}); 40];
    refuse(
        json!({"a": ["x".repeat(1000)]}),
        Value::Array(double),
        "Unable to complete the copy, the accumulated size increase of copy is 4115463, exceeding the limit 3145728",
    );
    let nest = vec![json!({"op": "copy", "from": "/a", "path": "/a/a"}); 300];
    refuse(json!({"a": {}}), Value::Array(nest), "nested more than 256 levels deep");
}
