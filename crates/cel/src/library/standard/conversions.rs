//! `bool()`, `bytes()`, `double()`, `duration()`, `int()`, `string()`, `timestamp()`, `uint()`.

use std::fmt::{self, Write as _};

use crate::error::{EvalError, EvalErrorKind};
use crate::function::{Library, Overload};
use crate::meter::Meter;
use crate::number::{format_double, parse_double, truncate_to_int, truncate_to_uint};
use crate::time::{Duration, TimeError, Timestamp};
use crate::types::Type;
use crate::value::Val;

pub(super) fn declare(library: Library) -> Library {
    library
        .function(
            "bool",
            [
                identity("bool_to_bool", Type::Bool),
                convert("string_to_bool", Type::String, Type::Bool, to_bool),
            ],
        )
        .function(
            "bytes",
            [
                identity("bytes_to_bytes", Type::Bytes),
                convert("string_to_bytes", Type::String, Type::Bytes, to_bytes),
            ],
        )
        .function(
            "double",
            [
                identity("double_to_double", Type::Double),
                convert("int64_to_double", Type::Int, Type::Double, to_double),
                convert("string_to_double", Type::String, Type::Double, to_double),
                convert("uint64_to_double", Type::Uint, Type::Double, to_double),
            ],
        )
        .function(
            "duration",
            [
                identity("duration_to_duration", Type::Duration),
                convert("string_to_duration", Type::String, Type::Duration, to_duration),
            ],
        )
        .function(
            "int",
            [
                identity("int64_to_int64", Type::Int),
                convert("double_to_int64", Type::Double, Type::Int, to_int),
                convert("duration_to_int64", Type::Duration, Type::Int, to_int),
                convert("string_to_int64", Type::String, Type::Int, to_int),
                convert("timestamp_to_int64", Type::Timestamp, Type::Int, to_int),
                convert("uint64_to_int64", Type::Uint, Type::Int, to_int),
            ],
        )
        .function(
            "string",
            [
                identity("string_to_string", Type::String),
                convert("bool_to_string", Type::Bool, Type::String, to_string),
                convert("bytes_to_string", Type::Bytes, Type::String, to_string),
                convert("double_to_string", Type::Double, Type::String, to_string),
                convert("duration_to_string", Type::Duration, Type::String, to_string),
                convert("int64_to_string", Type::Int, Type::String, to_string),
                convert("timestamp_to_string", Type::Timestamp, Type::String, to_string),
                convert("uint64_to_string", Type::Uint, Type::String, to_string),
            ],
        )
        .function(
            "timestamp",
            [
                identity("timestamp_to_timestamp", Type::Timestamp),
                convert("int64_to_timestamp", Type::Int, Type::Timestamp, to_timestamp),
                convert("string_to_timestamp", Type::String, Type::Timestamp, to_timestamp),
            ],
        )
        .function(
            "uint",
            [
                identity("uint64_to_uint64", Type::Uint),
                convert("double_to_uint64", Type::Double, Type::Uint, to_uint),
                convert("int64_to_uint64", Type::Int, Type::Uint, to_uint),
                convert("string_to_uint64", Type::String, Type::Uint, to_uint),
            ],
        )
}

fn identity(id: &'static str, ty: Type) -> Overload {
    Overload::function(id, [ty.clone()], ty, |_, args| Ok(args[0].clone()))
}

type Convert = for<'a> fn(&Val<'a>) -> Result<Val<'a>, EvalError>;

fn convert(id: &'static str, from: Type, to: Type, code: Convert) -> Overload {
    Overload::function(id, [from], to, move |meter: &Meter<'_>, args: &[Val<'_>]| {
        meter.charge_text(args[0].as_str().map_or(0, str::len))?;
        code(&args[0])
    })
}

fn to_bool<'a>(value: &Val<'a>) -> Result<Val<'a>, EvalError> {
    match value.text()? {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(Val::Bool(true)),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(Val::Bool(false)),
        _ => Err(no_conversion("string", "bool")),
    }
}

fn to_bytes<'a>(value: &Val<'a>) -> Result<Val<'a>, EvalError> {
    Ok(Val::bytes(value.text()?.as_bytes()))
}

#[expect(clippy::cast_precision_loss, reason = "CEL's conversion rounds")]
fn to_double<'a>(value: &Val<'a>) -> Result<Val<'a>, EvalError> {
    match value {
        Val::Int(value) => Ok(Val::Double(*value as f64)),
        Val::Uint(value) => Ok(Val::Double(*value as f64)),
        _ => parse_double(value.text()?).map(Val::Double).ok_or_else(|| no_conversion("string", "double")),
    }
}

fn to_duration<'a>(value: &Val<'a>) -> Result<Val<'a>, EvalError> {
    Duration::parse(value.text()?).map(Val::Duration).map_err(time_error)
}

fn to_int<'a>(value: &Val<'a>) -> Result<Val<'a>, EvalError> {
    let converted = match value {
        Val::Double(value) => truncate_to_int(*value),
        Val::Uint(value) => i64::try_from(*value).ok(),
        Val::Timestamp(value) => Some(value.epoch_seconds()),
        Val::Duration(value) => Some(value.whole_nanos()),
        _ => return parse(value.text()?).map(Val::Int).ok_or_else(|| no_conversion("string", "int")),
    };
    converted.map(Val::Int).ok_or_else(|| EvalError::overflow("integer"))
}

fn to_uint<'a>(value: &Val<'a>) -> Result<Val<'a>, EvalError> {
    let converted = match value {
        Val::Double(value) => truncate_to_uint(*value),
        Val::Int(value) => u64::try_from(*value).ok(),
        _ => {
            let digits = Some(value.text()?).filter(|it| !it.starts_with('+'));
            return digits.and_then(parse).map(Val::Uint).ok_or_else(|| no_conversion("string", "uint"));
        }
    };
    converted.map(Val::Uint).ok_or_else(|| EvalError::overflow("unsigned integer"))
}

fn parse<N: std::str::FromStr>(text: &str) -> Option<N> {
    text.parse().ok()
}

fn to_timestamp<'a>(value: &Val<'a>) -> Result<Val<'a>, EvalError> {
    let timestamp = match value {
        Val::Int(seconds) => Timestamp::from_epoch_seconds(*seconds),
        _ => Timestamp::parse(value.text()?),
    };
    timestamp.map(Val::Timestamp).map_err(time_error)
}

fn to_string<'a>(value: &Val<'a>) -> Result<Val<'a>, EvalError> {
    match value {
        Val::Bool(value) => Ok(Val::str(if *value { "true" } else { "false" })),
        Val::Int(value) => digits(value),
        Val::Uint(value) => digits(value),
        Val::Double(value) => Ok(Val::string(format_double(*value))),
        Val::Timestamp(value) => Ok(Val::string(value.to_string())),
        Val::Duration(value) => Ok(Val::string(value.to_string())),
        Val::Bytes(bytes) => match str::from_utf8(bytes) {
            Ok(text) => Ok(Val::string(text)),
            Err(_) => Err(EvalError::invalid("invalid UTF-8 in bytes, cannot convert to string")),
        },
        _ => Err(EvalError::no_such_overload()),
    }
}

/// An integer's digits on the stack, so that making text of it allocates once; twenty bytes hold any 64-bit integer.
#[derive(Default)]
struct Digits {
    buffer: [u8; 20],
    length: usize,
}

fn digits(number: impl fmt::Display) -> Result<Val<'static>, EvalError> {
    let mut digits = Digits::default();
    write!(digits, "{number}").map_err(|_| EvalError::overflow("integer"))?;
    Ok(Val::string(str::from_utf8(&digits.buffer[..digits.length]).unwrap_or_default()))
}

impl fmt::Write for Digits {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.length + text.len();
        let room = self.buffer.get_mut(self.length..end).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

#[cold]
fn no_conversion(from: &str, to: &str) -> EvalError {
    EvalError::invalid(format!("type conversion error from '{from}' to '{to}'"))
}

#[cold]
#[expect(clippy::needless_pass_by_value, reason = "passed to map_err")]
pub(super) fn time_error(error: TimeError) -> EvalError {
    let kind = match error {
        TimeError::TimestampOverflow | TimeError::DurationOverflow => EvalErrorKind::Overflow,
        _ => EvalErrorKind::InvalidArgument,
    };
    EvalError::new(kind, error.to_string())
}
