//! From JSON, without conversion, and back to it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Number, Value};

use super::{Key, Val};
use crate::error::{EvalError, EvalErrorKind};
use crate::meter::Meter;
use crate::number::exact_int;
use crate::time::{Duration, Timestamp};
use crate::types::Type;

impl<'a> Val<'a> {
    /// JSON read as its type says: text in the format of a timestamp, duration or bytes becomes one.
    ///
    /// Text that is not in its declared format stays text, and whole numbers declared as doubles become doubles.
    pub fn from_json(json: &'a Value, ty: &'a Type) -> Self {
        match json {
            Value::String(text) => text_as(text, ty),
            Value::Object(_) | Value::Array(_) => Self::Json(json, ty),
            Value::Number(number) => number_as(number, ty),
            Value::Bool(value) => Self::Bool(*value),
            Value::Null => Self::Null,
        }
    }

    /// The value as JSON: optionals are unwrapped to the value or null, times are written in Kubernetes' format.
    ///
    /// Bytes, types and most library values have no JSON form, and neither have numbers JSON cannot hold. A whole double is
    /// written as Go writes it, without a fraction, so that it fits a field that wants an integer.
    pub fn to_json(&self) -> Result<Value, EvalError> {
        self.to_json_metered(&Meter::default())
    }

    /// [`Val::to_json`] within a budget: parts that a value shares are written out once for each use.
    pub fn to_json_metered(&self, meter: &Meter<'_>) -> Result<Value, EvalError> {
        meter.charge(NODE_PRICE)?;
        Ok(match self {
            // Kubernetes takes the first moment of the year 1 for no time at all.
            Self::Null | Self::Optional(None) | Self::Timestamp(Timestamp::MIN) => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(value) => Value::from(*value),
            Self::Uint(value) => Value::from(i64::try_from(*value).map_err(|_| too_large(*value))?),
            Self::Double(value) => double_to_json(*value)?,
            Self::String(text) => {
                meter.charge_text(text.len())?;
                Value::String(text.to_string())
            }
            Self::Bytes(_) => return Err(no_json("bytes", "; use base64.encode() or string()")),
            Self::Timestamp(value) => Value::String(value.to_whole_seconds().to_string()),
            Self::Duration(value) => Value::String(value.to_go_notation()),
            Self::Json(json, _) => {
                charge_json(json, meter)?;
                (*json).clone()
            }
            Self::List(elements) | Self::United(elements, _) => {
                let written = elements.iter().filter(|it| !it.is_absence());
                Value::Array(written.map(|it| it.to_json_metered(meter)).collect::<Result<_, _>>()?)
            }
            Self::Map(map) => {
                let entry =
                    |(key, value): &(Key<'a>, Val<'a>)| Ok((name(key)?, value.to_json_metered(meter)?));
                let written = map.entries().iter().filter(|(_, value)| !value.is_absence());
                Value::Object(written.map(entry).collect::<Result<_, EvalError>>()?)
            }
            Self::Optional(Some(value)) => value.to_json_metered(meter)?,
            Self::Type(ty) => return Err(no_json(ty.runtime_name(), "")),
            Self::Opaque(value) if value.is_absence() => {
                return Err(no_json(
                    value.type_of().runtime_name(),
                    ": it stands for a field that is left out",
                ));
            }
            Self::Opaque(value) => {
                value.to_json().ok_or_else(|| no_json(value.type_of().runtime_name(), "; use string()"))?
            }
        })
    }
}

/// The price of one value in JSON that is made: it takes an allocation or two.
const NODE_PRICE: u64 = 10;

/// Takes the price of copying JSON.
fn charge_json(json: &Value, meter: &Meter<'_>) -> Result<(), EvalError> {
    meter.charge(NODE_PRICE)?;
    match json {
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
        Value::String(text) => meter.charge_text(text.len()),
        Value::Array(elements) => elements.iter().try_for_each(|it| charge_json(it, meter)),
        Value::Object(map) => map.values().try_for_each(|it| charge_json(it, meter)),
    }
}

fn text_as<'a>(text: &'a str, ty: &Type) -> Val<'a> {
    let special = match ty {
        Type::Timestamp => moment(text).map(Val::Timestamp),
        Type::Duration => Duration::parse(text).ok().map(Val::Duration),
        Type::Bytes => STANDARD.decode(text).ok().map(Val::bytes),
        _ => None,
    };
    special.unwrap_or(Val::str(text))
}

/// A field of format `date-time`, or `date`: the start of that day.
fn moment(text: &str) -> Option<Timestamp> {
    Timestamp::parse(text).or_else(|_| Timestamp::parse(&format!("{text}T00:00:00Z"))).ok()
}

fn number_as<'a>(number: &Number, ty: &Type) -> Val<'a> {
    match number.as_i64() {
        Some(value) if !matches!(ty, Type::Double) => Val::Int(value),
        _ => Val::Double(number.as_f64().unwrap_or(f64::NAN)),
    }
}

fn name(key: &Key<'_>) -> Result<String, EvalError> {
    match key {
        Key::String(text) => Ok(text.to_string()),
        Key::Bool(_) | Key::Int(_) | Key::Uint(_) => {
            Err(no_json(&format!("the map key {key}"), "; use string()"))
        }
    }
}

fn too_large(value: u64) -> EvalError {
    EvalError::new(EvalErrorKind::Overflow, format!("{value} is too large for an integer in JSON"))
}

fn double_to_json(value: f64) -> Result<Value, EvalError> {
    if let Some(whole) = exact_int(value) {
        return Ok(Value::from(whole));
    }
    Number::from_f64(value).map(Value::Number).ok_or_else(|| no_json(&value.to_string(), ""))
}

fn no_json(what: &str, advice: &str) -> EvalError {
    EvalError::invalid(format!("{what} cannot be written as JSON{advice}"))
}
