//! JSON as text, written as Go's `encoding/json` writes it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Number, Value};

use crate::error::EvalError;
use crate::meter::Meter;
use crate::time::Timestamp;
use crate::value::{Key, Map, MapView, Text, Val};

/// How values that JSON does not have are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// As protobuf does: large integers as text, durations in seconds.
    Protobuf,
    /// As Kubernetes does: durations in Go's notation, times without fractions.
    Kubernetes,
}

/// The value as JSON text without spaces, its keys in order.
pub(super) fn to_text(value: &Val<'_>, style: Style, meter: &Meter<'_>) -> Result<String, EvalError> {
    let mut writer = Writer { out: String::new(), style, meter };
    writer.value(value)?;
    Ok(writer.out)
}

struct Writer<'w, 'm> {
    out: String,
    style: Style,
    meter: &'w Meter<'m>,
}

impl Writer<'_, '_> {
    fn value(&mut self, value: &Val<'_>) -> Result<(), EvalError> {
        self.meter.charge(1)?;
        match value {
            Val::Null => self.out.push_str("null"),
            Val::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Val::Int(value) => self.integer(&value.to_string(), value.unsigned_abs()),
            Val::Uint(value) => self.integer(&value.to_string(), *value),
            Val::Double(value) => self.double(*value)?,
            Val::String(text) => self.string(text)?,
            Val::Bytes(bytes) => {
                self.meter.charge_text(bytes.len())?;
                self.string(&STANDARD.encode(bytes))?;
            }
            Val::Timestamp(value) => self.timestamp(*value)?,
            Val::Duration(value) if self.style == Style::Kubernetes => {
                self.string(&value.to_go_notation())?;
            }
            Val::Duration(value) => self.string(&value.to_string())?,
            Val::Json(json, _) => self.raw(json)?,
            Val::List(elements) | Val::United(elements, _) => self.list(elements.iter(), Self::value)?,
            Val::Map(map) => self.map(MapView::Made(map))?,
            Val::Optional(Some(value)) => self.value(value)?,
            Val::Optional(None) if self.style == Style::Kubernetes => self.out.push_str("null"),
            Val::Optional(None) => return Err(EvalError::invalid("optional.none() dereference")),
            Val::Type(_) | Val::Opaque(_) => return Err(self.unsupported(value)),
        }
        Ok(())
    }

    fn unsupported(&self, value: &Val<'_>) -> EvalError {
        let ty = value.type_of();
        EvalError::invalid(match self.style {
            Style::Protobuf => format!("type conversion not supported for '{}'", ty.runtime_name()),
            Style::Kubernetes => format!("unsupported type: {}", ty.runtime_name()),
        })
    }

    /// JSON that was lent is written as it is, whatever its declared type.
    fn raw(&mut self, json: &Value) -> Result<(), EvalError> {
        self.meter.charge(1)?;
        match json {
            Value::Null => self.out.push_str("null"),
            Value::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Value::Number(number) => self.number(number)?,
            Value::String(text) => self.string(text)?,
            Value::Array(elements) => self.list(elements.iter(), Self::raw)?,
            Value::Object(map) => {
                let mut entries: Vec<_> = map.iter().collect();
                entries.sort_by(|a, b| a.0.cmp(b.0));
                self.object(entries.into_iter().map(|(key, value)| (key.as_str(), value)), Self::raw)?;
            }
        }
        Ok(())
    }

    fn number(&mut self, number: &Number) -> Result<(), EvalError> {
        if let Some(value) = number.as_i64() {
            self.integer(&value.to_string(), value.unsigned_abs());
            return Ok(());
        }
        match number.as_u64() {
            Some(value) => self.integer(&value.to_string(), value),
            None => self.double(number.as_f64().unwrap_or(f64::NAN))?,
        }
        Ok(())
    }

    /// In protobuf's style, what a double cannot hold exactly becomes text.
    fn integer(&mut self, digits: &str, magnitude: u64) {
        const LARGEST: u64 = (1 << 53) - 1;
        let quote = if self.style == Style::Protobuf && magnitude > LARGEST { "\"" } else { "" };
        self.out.extend([quote, digits, quote]);
    }

    fn double(&mut self, value: f64) -> Result<(), EvalError> {
        if !value.is_finite() {
            let name = if value.is_nan() {
                "NaN"
            } else if value > 0.0 {
                "+Inf"
            } else {
                "-Inf"
            };
            return Err(EvalError::invalid(match self.style {
                Style::Protobuf => format!("proto: google.protobuf.Value.number_value: invalid {name} value"),
                Style::Kubernetes => format!("json: unsupported value: {name}"),
            }));
        }
        self.out.push_str(&double_to_text(value));
        Ok(())
    }

    fn timestamp(&mut self, value: Timestamp) -> Result<(), EvalError> {
        match (self.style, value) {
            (Style::Protobuf, _) => self.string(&value.to_string()),
            // Kubernetes takes the first moment of the year 1 for no time at all.
            (Style::Kubernetes, Timestamp::MIN) => {
                self.out.push_str("null");
                Ok(())
            }
            (Style::Kubernetes, _) => self.string(&value.to_whole_seconds().to_string()),
        }
    }

    fn string(&mut self, text: &str) -> Result<(), EvalError> {
        self.meter.charge_text(text.len())?;
        self.out.push('"');
        for character in text.chars() {
            push_escaped(&mut self.out, character);
        }
        self.out.push('"');
        Ok(())
    }

    fn list<T>(
        &mut self,
        elements: impl Iterator<Item = T>,
        write: impl Fn(&mut Self, T) -> Result<(), EvalError>,
    ) -> Result<(), EvalError> {
        self.out.push('[');
        for (index, element) in elements.enumerate() {
            self.out.push_str(if index > 0 { "," } else { "" });
            write(self, element)?;
        }
        self.out.push(']');
        Ok(())
    }

    fn map(&mut self, map: MapView<'_, '_>) -> Result<(), EvalError> {
        let entries = map.entries();
        let named: Result<Vec<_>, EvalError> =
            entries.iter().map(|(key, value)| Ok((self.key_text(key)?, value))).collect();
        self.object(named?.into_iter(), Self::value)
    }

    fn object<'k, T>(
        &mut self,
        entries: impl Iterator<Item = (&'k str, T)>,
        write: impl Fn(&mut Self, T) -> Result<(), EvalError>,
    ) -> Result<(), EvalError> {
        self.out.push('{');
        for (index, (key, value)) in entries.enumerate() {
            self.out.push_str(if index > 0 { "," } else { "" });
            self.string(key)?;
            self.out.push(':');
            write(self, value)?;
        }
        self.out.push('}');
        Ok(())
    }

    fn key_text<'k>(&self, key: &'k Key<'_>) -> Result<&'k str, EvalError> {
        let (cel, go) = match key {
            Key::String(text) => return Ok(text),
            Key::Bool(_) => ("bool", "bool"),
            Key::Int(_) => ("int", "int64"),
            Key::Uint(_) => ("uint", "uint64"),
        };
        Err(EvalError::invalid(match self.style {
            Style::Protobuf => format!("unsupported type conversion from '{cel}' to string"),
            Style::Kubernetes => format!("map key must be string, got {go}"),
        }))
    }
}

/// The shortest digits that read back as the same double; very large and small ones with an exponent.
fn double_to_text(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude == 0.0 || (1e-6..1e21).contains(&magnitude) {
        return value.to_string();
    }
    let text = format!("{value:e}");
    if text.contains("e-") { text } else { text.replace('e', "e+") }
}

/// Besides what JSON demands, characters are escaped that HTML or JavaScript would take for their own.
fn push_escaped(out: &mut String, character: char) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\x08' => out.push_str("\\b"),
        '\x0c' => out.push_str("\\f"),
        '\0'..' ' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
            let escaped = format!("\\u{:04x}", u32::from(character));
            out.push_str(&escaped);
        }
        _ => out.push(character),
    }
}

/// The value of JSON text; all numbers are doubles, as Go reads them.
pub(super) fn from_text(text: &str, meter: &Meter<'_>) -> Result<Val<'static>, EvalError> {
    meter.charge_text(text.len())?;
    let json: Value = serde_json::from_str(text).map_err(|error| EvalError::invalid(error.to_string()))?;
    Ok(own(json))
}

fn own(json: Value) -> Val<'static> {
    match json {
        Value::Null => Val::Null,
        Value::Bool(value) => Val::Bool(value),
        Value::Number(number) => Val::Double(number.as_f64().unwrap_or(f64::NAN)),
        Value::String(text) => Val::string(text),
        Value::Array(elements) => Val::list(elements.into_iter().map(own).collect()),
        Value::Object(map) => {
            let entry = |(key, value): (String, Value)| (Key::String(Text::Shared(key.into())), own(value));
            Val::map(Map::last_wins(map.into_iter().map(entry).collect()))
        }
    }
}
