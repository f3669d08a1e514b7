//! Tables of defaults and rules.

use serde_json::{Value, json};

use super::{CONFIG_MAP, SECRET};
use crate::builtin::testing::{changes, complaints, defaulted};

#[test]
fn secrets_are_filled_in() {
    let secret = json!({"data": {"a": "eA=="}, "stringData": {"a": "y", "b": "z"}});
    assert_eq!(defaulted(SECRET, secret), json!({"type": "Opaque", "data": {"a": "eQ==", "b": "eg=="}}));
    assert_eq!(defaulted(SECRET, json!({})), json!({"type": "Opaque"}));
}

#[test]
fn contents() {
    let check = |secret: Value, expect: &[&str]| assert_eq!(complaints(SECRET, secret), expect);
    check(json!({"data": {"a": "eA=="}}), &[]);
    check(json!({"type": "kubernetes.io/tls", "data": {"tls.crt": ""}}), &["data[tls.key]: Required value"]);
    check(
        json!({"type": "kubernetes.io/basic-auth"}),
        &["data[username]: Required value", "data[password]: Required value"],
    );
    check(
        json!({"data": {"a/b": ""}}),
        &[
            "data[a/b]: Invalid value: \"a/b\": a valid config key must consist of alphanumeric characters, '-', '_' or \
           '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
        ],
    );
    let map = json!({"data": {"a": "1"}, "binaryData": {"a": "MQ=="}});
    assert_eq!(
        complaints(CONFIG_MAP, map),
        ["data[a]: Invalid value: \"a\": duplicate of key present in binaryData"]
    );
    let large = json!({"data": {"a": "x".repeat(1024 * 1024 + 1)}});
    assert_eq!(complaints(CONFIG_MAP, large), ["<nil>: Too long: may not be more than 1048576 bytes"]);
}

#[test]
fn what_is_immutable_stays_so() {
    let old = json!({"immutable": true, "data": {"a": "1"}});
    let check = |new: Value, expect: &[&str]| assert_eq!(changes(CONFIG_MAP, old.clone(), new), expect);
    check(json!({"immutable": true, "data": {"a": "1"}, "metadata": {"labels": {"a": "b"}}}), &[]);
    check(
        json!({"immutable": true, "data": {"a": "2"}}),
        &["data: Forbidden: field is immutable when `immutable` is set"],
    );
    check(
        json!({"data": {"a": "1"}, "binaryData": {"b": ""}}),
        &[
            "immutable: Forbidden: field is immutable when `immutable` is set",
            "binaryData: Forbidden: field is immutable when `immutable` is set",
        ],
    );
    assert_eq!(
        changes(SECRET, json!({}), json!({"type": "other"})),
        ["type: Invalid value: \"other\": field is immutable"]
    );
}
