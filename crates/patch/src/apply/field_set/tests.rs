use serde_json::{Value, json};

use super::FieldSet;

fn set(fields: &Value) -> FieldSet<'_> {
    FieldSet::from_fields_v1(fields).unwrap()
}

struct Expect {
    union: Value,
    intersection: Value,
    difference: Value,
    with_contents: Value,
}

fn check(left: &Value, right: &Value, expect: &Expect) {
    let (left, right) = (set(left), set(right));
    assert_eq!(left.union(&right).to_fields_v1(), expect.union, "union");
    assert_eq!(right.union(&left).to_fields_v1(), expect.union, "union");
    assert_eq!(left.intersection(&right).to_fields_v1(), expect.intersection, "intersection");
    assert_eq!(right.intersection(&left).to_fields_v1(), expect.intersection, "intersection");
    assert_eq!(left.difference(&right).to_fields_v1(), expect.difference, "difference");
    assert_eq!(left.difference_with_contents(&right).to_fields_v1(), expect.with_contents, "with contents");
}

#[test]
fn algebra() {
    check(
        &json!({"f:a": {}, "f:b": {"f:c": {}}}),
        &json!({"f:b": {"f:d": {}}, "f:e": {}}),
        &Expect {
            union: json!({"f:a": {}, "f:b": {"f:c": {}, "f:d": {}}, "f:e": {}}),
            intersection: json!({}),
            difference: json!({"f:a": {}, "f:b": {"f:c": {}}}),
            with_contents: json!({"f:a": {}, "f:b": {"f:c": {}}}),
        },
    );
    check(
        &json!({"f:a": {".": {}, "f:b": {}}, "f:c": {}}),
        &json!({"f:a": {}, "f:c": {}}),
        &Expect {
            union: json!({"f:a": {".": {}, "f:b": {}}, "f:c": {}}),
            intersection: json!({"f:a": {}, "f:c": {}}),
            difference: json!({"f:a": {"f:b": {}}}),
            with_contents: json!({}),
        },
    );
    check(
        &json!({"f:a": {"f:b": {"f:c": {}, "f:d": {}}}}),
        &json!({"f:a": {"f:b": {"f:c": {}}}}),
        &Expect {
            union: json!({"f:a": {"f:b": {"f:c": {}, "f:d": {}}}}),
            intersection: json!({"f:a": {"f:b": {"f:c": {}}}}),
            difference: json!({"f:a": {"f:b": {"f:d": {}}}}),
            with_contents: json!({"f:a": {"f:b": {"f:d": {}}}}),
        },
    );
    check(
        &json!({"f:l": {"k:{\"n\":1}": {".": {}, "f:n": {}}, "k:{\"n\":2}": {}, "v:1": {}, "i:0": {}}}),
        &json!({"f:l": {"k:{\"n\":1}": {}, "k:{\"n\":2.0}": {}, "v:1.0": {}, "i:1": {}}}),
        &Expect {
            union: json!({"f:l": {"k:{\"n\":1}": {".": {}, "f:n": {}}, "k:{\"n\":2}": {}, "v:1": {}, "i:0": {}, "i:1": {}}}),
            intersection: json!({"f:l": {"k:{\"n\":1}": {}, "k:{\"n\":2}": {}, "v:1": {}}}),
            difference: json!({"f:l": {"k:{\"n\":1}": {"f:n": {}}, "i:0": {}}}),
            with_contents: json!({"f:l": {"i:0": {}}}),
        },
    );
}

#[test]
fn membership() {
    let fields = json!({"f:a": {"f:b": {}}});
    let set = set(&fields);
    assert_eq!(set.len(), 1);
    let path = |names: &[&'static str]| FieldSet::of_fields([names]).paths().remove(0);
    assert!(set.contains(&path(&["a", "b"])));
    assert!(!set.contains(&path(&["a"])));
    assert!(!set.contains(&path(&["a", "b", "c"])));
    assert!(!set.contains(&[]));
    assert_eq!(set.clone().into_owned(), set);
    assert!(FieldSet::of([vec![]]).is_empty());
}
