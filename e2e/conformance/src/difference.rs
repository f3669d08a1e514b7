//! Where two answers differ.

use std::fmt;

use serde_json::Value;

/// One place where two values differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// A JSON pointer.
    pub at: String,
    /// What the real server says there, if anything.
    pub real: Option<Value>,
    /// What krono says there, if anything.
    pub krono: Option<Value>,
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |it: &Option<Value>| it.as_ref().map_or_else(|| "nothing".to_owned(), Value::to_string);
        write!(out, "{}\n      real:  {}\n      krono: {}", self.at, shown(&self.real), shown(&self.krono))
    }
}

/// All places where the values differ, in the order of the real one.
pub fn differences(real: &Value, krono: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    collect("", Some(real), Some(krono), &mut found);
    found
}

fn collect(at: &str, real: Option<&Value>, krono: Option<&Value>, found: &mut Vec<Difference>) {
    match (real, krono) {
        (Some(Value::Object(left)), Some(Value::Object(right))) => {
            for (key, value) in left {
                collect(&below(at, key), Some(value), right.get(key), found);
            }
            for (key, value) in right.iter().filter(|(key, _)| !left.contains_key(*key)) {
                collect(&below(at, key), None, Some(value), found);
            }
        }
        (Some(Value::Array(left)), Some(Value::Array(right))) => {
            for index in 0..left.len().max(right.len()) {
                collect(&below(at, &index.to_string()), left.get(index), right.get(index), found);
            }
        }
        (left, right) if left == right => {}
        (left, right) => {
            found.push(Difference { at: at.to_owned(), real: left.cloned(), krono: right.cloned() });
        }
    }
}

fn below(at: &str, key: &str) -> String {
    format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn places() {
        let check = |real: Value, krono: Value, expect: &[&str]| {
            let found: Vec<String> = differences(&real, &krono).into_iter().map(|it| it.at).collect();
            assert_eq!(found, expect);
        };
        check(json!({"a": [1, 2]}), json!({"a": [1, 2]}), &[]);
        check(json!({"a": [1, 2], "b/c": 1}), json!({"a": [1], "d": 1}), &["/a/1", "/b~1c", "/d"]);
        check(json!(1), json!("1"), &[""]);
    }
}
