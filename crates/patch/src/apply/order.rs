//! When two values are the same, and which comes first, as structured-merge-diff sees it.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

/// Whether two values are the same; 1 and 1.0 are.
pub(crate) fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => compare_numbers(left, right).is_eq(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len() && left.iter().all(|(name, left)| has(right, name, left))
        }
        (left, right) => left == right,
    }
}

fn has(fields: &Map<String, Value>, name: &str, value: &Value) -> bool {
    fields.get(name).is_some_and(|found| same(found, value))
}

/// A total order: numbers, strings, booleans, lists, objects, null.
pub(super) fn compare(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => compare_numbers(left, right),
        (Value::String(left), Value::String(right)) => left.cmp(right),
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Array(left), Value::Array(right)) => compare_lists(left, right),
        (Value::Object(left), Value::Object(right)) => compare_objects(left, right),
        (left, right) => rank(left).cmp(&rank(right)),
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Number(_) => 0,
        Value::String(_) => 1,
        Value::Bool(_) => 2,
        Value::Array(_) => 3,
        Value::Object(_) => 4,
        Value::Null => 5,
    }
}

fn compare_numbers(left: &Number, right: &Number) -> Ordering {
    match (left.as_i64(), right.as_i64()) {
        (Some(left), Some(right)) => left.cmp(&right),
        (_, _) => double(left).partial_cmp(&double(right)).unwrap_or(Ordering::Equal),
    }
}

fn double(number: &Number) -> f64 {
    number.as_f64().unwrap_or_default()
}

fn compare_lists(left: &[Value], right: &[Value]) -> Ordering {
    let different = left.iter().zip(right).map(|(left, right)| compare(left, right)).find(|it| it.is_ne());
    different.unwrap_or_else(|| left.len().cmp(&right.len()))
}

/// By the smallest name in which they differ; the object that has it comes first.
fn compare_objects(left: &Map<String, Value>, right: &Map<String, Value>) -> Ordering {
    let mut names: Vec<_> = left.keys().chain(right.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let order = |name: &String| match (left.get(name), right.get(name)) {
        (Some(left), Some(right)) => compare(left, right),
        (Some(_), None) => Ordering::Less,
        (None, _) => Ordering::Greater,
    };
    names.into_iter().map(order).find(|it| it.is_ne()).unwrap_or(Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sameness() {
        let check = |left: Value, right: Value, expect: bool| {
            assert_eq!(same(&left, &right), expect, "{left} {right}");
            assert_eq!(compare(&left, &right).is_eq(), expect, "{left} {right}");
        };
        check(json!(1), json!(1.0), true);
        check(json!(u64::MAX), json!(18_446_744_073_709_551_615_f64), true);
        check(json!("1"), json!(1), false);
        check(json!([1, {"a": 2.0}]), json!([1.0, {"a": 2}]), true);
        check(json!({"a": null}), json!({}), false);
        check(json!({"a": 1}), json!({"b": 1}), false);
        check(json!(null), json!(false), false);
    }

    #[test]
    fn order() {
        let ascending = [
            json!(-1),
            json!(0.5),
            json!(1),
            json!("a"),
            json!("b"),
            json!(false),
            json!(true),
            json!([1]),
            json!([1, 2]),
            json!([2]),
            json!({"a": 1, "b": 1}),
            json!({"a": 2}),
            json!({"b": 0}),
            json!(null),
        ];
        for (at, left) in ascending.iter().enumerate() {
            for (other, right) in ascending.iter().enumerate() {
                assert_eq!(compare(left, right), at.cmp(&other), "{left} {right}");
            }
        }
    }
}
