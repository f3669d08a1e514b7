//! Messages whose JSON is not an object of their fields.

use jiff::Timestamp;
use serde_json::{Number, Value};

use super::DecodeError;
use super::wire::{self, Wire};

/// Go's zero time, 1 January of the year 1, in seconds since 1970; JSON has `null` for it.
const GO_ZERO_TIME: i64 = -62_135_596_800;

const NANOS_PER_SECOND: i128 = 1_000_000_000;

/// `metav1.Time`: RFC 3339 in whole seconds.
pub(super) fn time(message: &[u8]) -> Result<Value, DecodeError> {
    let Some((seconds, _)) = seconds_and_nanos(message)? else { return Ok(Value::Null) };
    let time = Timestamp::from_second(seconds).map_err(|error| malformed(&error))?;
    Ok(time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string().into())
}

/// `metav1.MicroTime`: RFC 3339 with microseconds.
pub(super) fn micro_time(message: &[u8]) -> Result<Value, DecodeError> {
    let Some((seconds, nanos)) = seconds_and_nanos(message)? else { return Ok(Value::Null) };
    let nanos = nanos / 1000 * 1000;
    let nanos = i128::from(seconds) * NANOS_PER_SECOND + i128::from(nanos);
    let time = Timestamp::from_nanosecond(nanos).map_err(|error| malformed(&error))?;
    Ok(time.strftime("%Y-%m-%dT%H:%M:%S%.6fZ").to_string().into())
}

/// None for the zero time.
fn seconds_and_nanos(message: &[u8]) -> Result<Option<(i64, i32)>, DecodeError> {
    let (mut seconds, mut nanos) = (0, 0);
    for field in wire::fields(message) {
        match field? {
            (1, Wire::Varint(number)) => seconds = number.cast_signed(),
            (2, Wire::Varint(number)) => nanos = int32(number),
            _ => {}
        }
    }
    let is_zero = message.is_empty() || (seconds == GO_ZERO_TIME && nanos == 0);
    Ok((!is_zero).then_some((seconds, nanos)))
}

/// `resource.Quantity`: its canonical text, which every Go client writes.
pub(super) fn quantity(message: &[u8]) -> Result<Value, DecodeError> {
    match last_bytes(message, 1)? {
        None => Ok("0".into()),
        Some(b"") => Err(DecodeError::Malformed("a quantity is empty".to_owned())),
        Some(text) => Ok(string(text)),
    }
}

/// `intstr.IntOrString`.
pub(super) fn int_or_string(message: &[u8]) -> Result<Value, DecodeError> {
    let (mut variant, mut number, mut text) = (0, 0, Value::String(String::new()));
    for field in wire::fields(message) {
        match field? {
            (1, Wire::Varint(it)) => variant = it,
            (2, Wire::Varint(it)) => number = int32(it),
            (3, Wire::Bytes(it)) => text = string(it),
            _ => {}
        }
    }
    match variant {
        0 => Ok(number.into()),
        1 => Ok(text),
        other => Err(DecodeError::Malformed(format!("an integer or string of the unknown type {other}"))),
    }
}

/// `runtime.RawExtension`, `metav1.FieldsV1` and `apiextensions.JSON`: JSON text in the first field.
pub(super) fn json(message: &[u8]) -> Result<Value, DecodeError> {
    let raw = last_bytes(message, 1)?.unwrap_or_default();
    if raw.is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_slice(raw).map_err(|error| DecodeError::Malformed(format!("embedded JSON: {error}")))
}

/// A list of text that is a message of its own.
pub(super) fn strings(message: &[u8]) -> Result<Value, DecodeError> {
    let mut items = Vec::new();
    for field in wire::fields(message) {
        if let (1, Wire::Bytes(text)) = field? {
            items.push(string(text));
        }
    }
    Ok(Value::Array(items))
}

/// Text; what is not UTF-8 is replaced, as Go does when it writes JSON.
pub(super) fn string(bytes: &[u8]) -> Value {
    String::from_utf8_lossy(bytes).into_owned().into()
}

/// The low 32 bits; negative numbers are on the wire with 64.
#[expect(clippy::cast_possible_truncation, reason = "protobuf defines 32-bit integers by truncation")]
pub(super) fn int32(varint: u64) -> i32 {
    varint as i32
}

/// A number as Go writes it: whole ones without a fraction.
#[expect(clippy::cast_possible_truncation, reason = "whole and in range")]
pub(super) fn double(bits: u64) -> Result<Value, DecodeError> {
    /// Up to here every whole number is exact.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let number = f64::from_bits(bits);
    if number.fract() == 0.0 && number.abs() <= EXACT {
        return Ok((number as i64).into());
    }
    let number = Number::from_f64(number).ok_or_else(|| malformed(&"a number is not finite"))?;
    Ok(Value::Number(number))
}

fn last_bytes(message: &[u8], wanted: u32) -> Result<Option<&[u8]>, DecodeError> {
    let mut last = None;
    for field in wire::fields(message) {
        if let (number, Wire::Bytes(bytes)) = field?
            && number == wanted
        {
            last = Some(bytes);
        }
    }
    Ok(last)
}

fn malformed(error: &impl ToString) -> DecodeError {
    DecodeError::Malformed(error.to_string())
}
