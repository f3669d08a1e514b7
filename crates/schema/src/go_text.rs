//! Values printed the way Go prints them, because the API server's messages are made by Go.

use std::fmt::Write as _;

use serde_json::Value;

pub use krono_cel::quote::quoted as quote;

/// Whether Go calls the character printable.
pub fn is_printable(character: char) -> bool {
    matches!(character, '"' | '\\') || !quote(&character.to_string()).contains('\\')
}

/// What Go's JSON decoder calls the kind of a value.
pub fn json_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// A double as `%v` prints it.
pub fn double(value: f64) -> String {
    scientific_outside(value, -4, 6)
}

/// The shortest digits of `value`, in plain notation for exponents in `low..high` and like `1e+21` outside.
fn scientific_outside(value: f64, low: i32, high: i32) -> String {
    if !value.is_finite() {
        return if value.is_nan() {
            "NaN"
        } else if value > 0.0 {
            "+Inf"
        } else {
            "-Inf"
        }
        .to_owned();
    }
    let scientific = format!("{value:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if value == 0.0 || (low..high).contains(&exponent) {
        return format!("{value}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

/// A value as `encoding/json` writes it: keys sorted, `<`, `>` and `&` escaped, whole doubles without a fraction.
pub fn json(value: &Value) -> String {
    let mut text = String::new();
    push_json(&mut text, value);
    text
}

fn push_json(text: &mut String, value: &Value) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => text.push_str(&json_number(number)),
        Value::String(string) => push_json_string(text, string),
        Value::Array(items) => push_list(text, ('[', ']'), items, push_json),
        Value::Object(fields) => push_list(text, ('{', '}'), fields, |text, (name, value)| {
            push_json_string(text, name);
            text.push(':');
            push_json(text, value);
        }),
    }
}

fn push_list<T>(
    text: &mut String,
    (open, close): (char, char),
    items: impl IntoIterator<Item = T>,
    push: impl Fn(&mut String, T),
) {
    text.push(open);
    for (position, item) in items.into_iter().enumerate() {
        if position > 0 {
            text.push(',');
        }
        push(text, item);
    }
    text.push(close);
}

fn json_number(number: &serde_json::Number) -> String {
    match number.as_f64() {
        Some(value) if number.is_f64() => {
            // Unlike `%v`, JSON drops the leading zero of a one-digit negative exponent.
            let text = scientific_outside(value, -6, 21);
            text.replace("e-0", "e-")
        }
        _ => number.to_string(),
    }
}

fn push_json_string(text: &mut String, string: &str) {
    text.push('"');
    for character in string.chars() {
        match character {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\x1f' => push_json_escape(text, character),
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            other => text.push(other),
        }
    }
    text.push('"');
}

fn push_json_escape(text: &mut String, character: char) {
    match character {
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        '\t' => text.push_str("\\t"),
        '\x08' => text.push_str("\\b"),
        '\x0c' => text.push_str("\\f"),
        other => {
            let written = write!(text, "\\u{:04x}", u32::from(other));
            debug_assert!(written.is_ok(), "writing to a string cannot fail");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn quoted() {
        let check = |text: &str, expect: &str| assert_eq!(quote(text), expect);
        check("a\"b\\c", r#""a\"b\\c""#);
        check("\n\t\x07\x01\x7f", r#""\n\t\a\x01\x7f""#);
        check("é e\u{301} \u{a0}\u{200b}😀\u{e000}", "\"é e\u{301} \\u00a0\\u200b😀\\ue000\"");
    }

    #[test]
    fn doubles() {
        let check = |value: f64, expect: &str| assert_eq!(double(value), expect);
        check(1.0, "1");
        check(1.5, "1.5");
        check(-0.0, "-0");
        check(0.0001, "0.0001");
        check(0.000_01, "1e-05");
        check(999_999.5, "999999.5");
        check(1_000_000.0, "1e+06");
        check(1.25e21, "1.25e+21");
    }

    #[test]
    fn json_text() {
        let check = |value: Value, expect: &str| assert_eq!(json(&value), expect);
        check(
            json!({"b": [1, 1.0, 1e21, 1e-7, null], "a": "<&>\n"}),
            r#"{"a":"\u003c\u0026\u003e\n","b":[1,1,1e+21,1e-7,null]}"#,
        );
    }
}
