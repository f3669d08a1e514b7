//! The one text of a value: what a digest is over.

use serde_json::{Map, Number, Value};

/// JSON with sorted keys and one spelling for each number, and without fields that are null.
///
/// This is a format: another text for the same value is another identity for all content there is.
pub fn text(value: &Value) -> String {
    let mut text = String::new();
    write_value(&mut text, value);
    text
}

fn write_value(text: &mut String, value: &Value) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Value::Number(value) => text.push_str(&number(value)),
        Value::String(value) => write_string(text, value),
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(text, index);
                write_value(text, item);
            }
            text.push(']');
        }
        Value::Object(fields) => write_object(text, fields),
    }
}

fn write_object(text: &mut String, fields: &Map<String, Value>) {
    let mut present: Vec<_> = fields.iter().filter(|(_, value)| !value.is_null()).collect();
    present.sort_unstable_by_key(|(name, _)| name.as_str());
    text.push('{');
    for (index, (name, value)) in present.into_iter().enumerate() {
        separate(text, index);
        write_string(text, name);
        text.push(':');
        write_value(text, value);
    }
    text.push('}');
}

fn separate(text: &mut String, index: usize) {
    if index > 0 {
        text.push(',');
    }
}

fn write_string(text: &mut String, value: &str) {
    text.push('"');
    for character in value.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            control if control < ' ' => text.extend(["\\u", &format!("{:04x}", u32::from(control))]),
            other => text.push(other),
        }
    }
    text.push('"');
}

/// `1.0`, `1e0` and `1` are one number, and so are `0` and `-0.0`.
pub fn number(number: &Number) -> String {
    match number.as_f64() {
        Some(value) if number.is_f64() && value.fract() == 0.0 => {
            let digits = format!("{value:.0}");
            if digits == "-0" { "0".to_owned() } else { digits }
        }
        Some(_) | None => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn v8_every_value_has_one_text() {
        let check = |written: &str, expected: &str| {
            let value: Value = serde_json::from_str(written).unwrap();
            assert_eq!(text(&value), expected, "{written}");
        };
        check(r#"{"b": 1, "a": [true, null, {"x": null}]}"#, r#"{"a":[true,null,{}],"b":1}"#);
        check("[1.0, 1e0, 10E-1, 1, -0.0, 0]", "[1,1,1,1,0,0]");
        check(
            "[1.5, 15e-1, 1e21, 1000000000000000000000]",
            "[1.5,1.5,1000000000000000000000,1000000000000000000000]",
        );
        check("[9007199254740993, -9223372036854775808]", "[9007199254740993,-9223372036854775808]");
        check(r#"["a\"\\\n\u0041é\u2028"]"#, "[\"a\\\"\\\\\\u000aAé\u{2028}\"]");
        check(r#"{"Z": 1, "a": 2, "é": 3, "B": 4}"#, r#"{"B":4,"Z":1,"a":2,"é":3}"#);
    }

    #[test]
    fn the_text_is_json_with_the_same_meaning() {
        let value = json!({"a": [1, "x\u{1}\t", {"b": -2.25}], "c": {"d": ""}});
        assert_eq!(serde_json::from_str::<Value>(&text(&value)).unwrap(), value);
    }
}
