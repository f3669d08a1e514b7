//! Values that later requests take from earlier answers.

use std::collections::BTreeMap;

use serde_json::Value;

/// Names and what they stand for.
pub(crate) type Variables = BTreeMap<String, Value>;

/// Replaces `${name}` by what it stands for; what has no value stays.
pub(crate) fn text(template: &str, variables: &Variables) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some(start) = rest.find("${") {
        let Some(length) = rest[start..].find('}') else { break };
        out.push_str(&rest[..start]);
        let name = &rest[start + 2..start + length];
        match variables.get(name) {
            Some(Value::String(value)) => out.push_str(value),
            Some(value) => out.push_str(&value.to_string()),
            None => out.push_str(&rest[start..=start + length]),
        }
        rest = &rest[start + length + 1..];
    }
    out + rest
}

/// As [`text`] in every string of a value; a string that is one name alone becomes the value itself.
pub(crate) fn value(template: &Value, variables: &Variables) -> Value {
    match template {
        Value::String(string) => whole(string, variables).unwrap_or_else(|| text(string, variables).into()),
        Value::Array(items) => items.iter().map(|item| value(item, variables)).collect(),
        Value::Object(fields) => {
            let filled = |(key, field): (&String, &Value)| (text(key, variables), value(field, variables));
            Value::Object(fields.iter().map(filled).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => template.clone(),
    }
}

fn whole(template: &str, variables: &Variables) -> Option<Value> {
    variables.get(template.strip_prefix("${")?.strip_suffix('}')?).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_are_replaced() {
        let variables = Variables::from([("a".to_owned(), json!("x")), ("n".to_owned(), json!([1]))]);
        let check = |template: Value, expect: Value| assert_eq!(value(&template, &variables), expect);
        check(json!("/${a}/${n}/${b}"), json!("/x/[1]/${b}"));
        check(json!({"k-${a}": ["${n}", "${", 1]}), json!({"k-x": [[1], "${", 1]}));
    }
}
