//! The value of an expression as text.

use krono_cel::library::kubernetes::{Quantity, Semver, Url};
use krono_cel::library::{Cidr, Ip};
use krono_cel::{Key, Opaque, Val};

use crate::command_error::CommandError;
use crate::format::Format;

/// The value in this format; only `text` has a form for every value.
pub(super) fn render(value: &Val<'_>, format: Format) -> Result<String, CommandError> {
    match (value.to_json(), format) {
        (Ok(json), format) => Ok(format.render(&json)),
        (Err(_), Format::Text) => Ok(format!("{}\n", text(value))),
        (Err(error), Format::Json | Format::Yaml) => {
            Err(CommandError::wrong(error.message()).hint("`-o text` shows the value"))
        }
    }
}

/// As a literal or call of CEL would be written.
fn text(value: &Val<'_>) -> String {
    match value {
        Val::Null => "null".to_owned(),
        Val::Bool(value) => value.to_string(),
        Val::Int(value) => value.to_string(),
        Val::Uint(value) => value.to_string(),
        Val::Double(value) => double_text(*value),
        Val::String(text) => serde_json::Value::from(&**text).to_string(),
        Val::Bytes(bytes) => format!("b\"{}\"", bytes.escape_ascii()),
        Val::Timestamp(value) => value.to_string(),
        Val::Duration(value) => value.to_string(),
        Val::Json(json, _) => json.to_string(),
        Val::List(elements) | Val::United(elements, _) => format!("[{}]", joined(elements.iter().map(text))),
        Val::Map(map) => {
            let entry = |(key, value): &(Key<'_>, Val<'_>)| format!("{}: {}", key_text(key), text(value));
            format!("{{{}}}", joined(map.entries().iter().map(entry)))
        }
        Val::Optional(None) => "optional.none()".to_owned(),
        Val::Optional(Some(value)) => format!("optional.of({})", text(value)),
        Val::Type(ty) => ty.runtime_name().to_owned(),
        Val::Opaque(_) => opaque_text(value),
    }
}

fn double_text(value: f64) -> String {
    match value {
        f64::INFINITY => "+Inf".to_owned(),
        f64::NEG_INFINITY => "-Inf".to_owned(),
        value => value.to_string(),
    }
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

fn key_text(key: &Key<'_>) -> String {
    match key {
        Key::String(text) => serde_json::Value::from(&**text).to_string(),
        Key::Bool(_) | Key::Int(_) | Key::Uint(_) => key.to_string(),
    }
}

fn opaque_text(value: &Val<'_>) -> String {
    fn known<T: Opaque + ToString>(value: &Val<'_>) -> Option<String> {
        value.as_opaque::<T>().map(ToString::to_string)
    }
    let kinds = [known::<Quantity>, known::<Semver>, known::<Url>, known::<Ip>, known::<Cidr>];
    kinds.iter().find_map(|it| it(value)).unwrap_or_else(|| format!("<{}>", value.type_of()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_error::Finding;
    use crate::engine;

    fn rendered(expression: &str, format: Format) -> Result<String, CommandError> {
        let env = engine::environment().build();
        let program = env.compile(expression).unwrap();
        let value = program.eval(&env.bindings()).unwrap();
        render(&value, format)
    }

    #[test]
    fn every_value_has_a_text() {
        let check = |expression: &str, expected: &str| {
            assert_eq!(rendered(expression, Format::Text).unwrap(), format!("{expected}\n"), "{expression}");
        };
        check("'a b'", "a b");
        check("[1, 2u, 1.5, 'a', null]", "[1,2,1.5,\"a\",null]");
        check("b'a\\x00\"'", "b\"a\\x00\\\"\"");
        check("[{'k': b'a', 1: 'b', true: [1.5, null]}]", "[{true: [1.5, null], 1: \"b\", \"k\": b\"a\"}]");
        check("type(1)", "int");
        check("[type(optional.none())]", "[optional_type]");
        check("quantity('1Gi')", "1Gi");
        check("[ip('::1'), cidr('10.0.0.0/8')]", "[::1, 10.0.0.0/8]");
        check("[semver('1.2.3-rc.1+x'), semver('1.0.0')]", "[1.2.3-rc.1, 1.0.0]");
        check("url('https://krono.dev:443/a?b=c')", "https://krono.dev:443/a?b=c");
        check("omit()", "<kro.omit>");
        check("0.0 / 0.0", "NaN");
        check("[-1.0 / 0.0, 2.0 / 0.0]", "[-Inf, +Inf]");
        check("optional.none()", "null");
        check("[optional.of(b'a'), optional.none()]", "[optional.of(b\"a\"), optional.none()]");
        check("duration('90m')", "1h30m0s");
    }

    #[test]
    fn json_and_yaml_refuse_what_they_cannot_hold() {
        let check = |expression: &str, expected: &str| {
            for format in [Format::Json, Format::Yaml] {
                let error = rendered(expression, format).unwrap_err();
                assert!(matches!(&error.finding, Finding::Sentence(text) if text == expected), "{error:?}");
            }
        };
        check("b'a'", "bytes cannot be written as JSON; use base64.encode() or string()");
        check("type(1)", "int cannot be written as JSON");
    }
}
