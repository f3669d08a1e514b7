//! Protobuf's wrapper and time messages, so that expressions which make them run without protobuf.

use std::sync::Arc;

use crate::error::EvalError;
use crate::function::{Build, Library, Message};
use crate::time::{Duration, Timestamp};
use crate::types::Type;
use crate::value::Val;

/// `google.protobuf.Int32Value{value: 1}` and its kin: each stands for the value it wraps; and the messages of a point and a length of time.
pub fn wrappers() -> Library {
    let kinds: [(&'static str, Type, Build); 9] = [
        ("google.protobuf.BoolValue", Type::Bool, |set| Ok(wrapped(set, Val::Bool(false)))),
        ("google.protobuf.BytesValue", Type::Bytes, |set| Ok(wrapped(set, Val::bytes([])))),
        ("google.protobuf.DoubleValue", Type::Double, |set| Ok(wrapped(set, Val::Double(0.0)))),
        ("google.protobuf.FloatValue", Type::Double, |set| Ok(rounded(&wrapped(set, Val::Double(0.0))))),
        ("google.protobuf.Int32Value", Type::Int, |set| in_32_bits(wrapped(set, Val::Int(0)))),
        ("google.protobuf.Int64Value", Type::Int, |set| Ok(wrapped(set, Val::Int(0)))),
        ("google.protobuf.StringValue", Type::String, |set| Ok(wrapped(set, Val::str("")))),
        ("google.protobuf.UInt32Value", Type::Uint, |set| in_32_bits(wrapped(set, Val::Uint(0)))),
        ("google.protobuf.UInt64Value", Type::Uint, |set| Ok(wrapped(set, Val::Uint(0)))),
    ];
    let library = kinds.into_iter().fold(Library::new(), |library, (name, ty, build)| {
        let result = Type::Wrapper(Arc::new(ty.clone()));
        library.message(Message { name, fields: vec![("value", ty)], result, build })
    });
    let library = library.message(json_value()).message(timestamp()).message(duration());
    library.constant("google.protobuf.NullValue.NULL_VALUE", Val::Int(0), Type::Int)
}

/// `google.protobuf.Value`, one field of which says what it is.
fn json_value() -> Message {
    let fields = vec![
        ("null_value", Type::Int),
        ("bool_value", Type::Bool),
        ("number_value", Type::Double),
        ("string_value", Type::String),
        ("list_value", Type::list(Type::Dyn)),
        ("struct_value", Type::map(Type::String, Type::Dyn)),
    ];
    let build: Build = |set| match set.last() {
        Some((name, value)) if &**name != "null_value" => Ok(value.clone()),
        _ => Ok(Val::Null),
    };
    Message { name: "google.protobuf.Value", fields, result: Type::Dyn, build }
}

fn timestamp() -> Message {
    let build: Build = |set| {
        let nanos = u32::try_from(number(set, "nanos")).map_err(|_| EvalError::overflow("timestamp"))?;
        let moment = Timestamp::new(number(set, "seconds"), nanos);
        moment.map(Val::Timestamp).map_err(|_| EvalError::overflow("timestamp"))
    };
    time_message("google.protobuf.Timestamp", Type::Timestamp, build)
}

fn duration() -> Message {
    let build: Build = |set| {
        let whole = Duration::from_seconds(number(set, "seconds"));
        let span = whole.and_then(|it| it.checked_add(Duration::from_nanos(number(set, "nanos"))));
        span.map(Val::Duration).map_err(|_| EvalError::overflow("duration"))
    };
    time_message("google.protobuf.Duration", Type::Duration, build)
}

fn time_message(name: &'static str, result: Type, build: Build) -> Message {
    Message { name, fields: vec![("seconds", Type::Int), ("nanos", Type::Int)], result, build }
}

/// The number that a field was set to, else zero.
fn number(set: &[(Arc<str>, Val<'_>)], name: &str) -> i64 {
    let field = set.iter().rfind(|(field, _)| **field == *name);
    field.and_then(|(_, value)| value.int().ok()).unwrap_or(0)
}

fn wrapped<'a>(set: &[(Arc<str>, Val<'a>)], zero: Val<'a>) -> Val<'a> {
    set.last().map_or(zero, |(_, value)| value.clone())
}

#[expect(clippy::cast_possible_truncation, reason = "a float is what the message holds")]
fn rounded<'a>(value: &Val<'a>) -> Val<'a> {
    match value {
        Val::Double(value) => Val::Double(f64::from(*value as f32)),
        other => other.clone(),
    }
}

fn in_32_bits(value: Val<'_>) -> Result<Val<'_>, EvalError> {
    let fits = match &value {
        Val::Int(value) => i32::try_from(*value).is_ok(),
        Val::Uint(value) => u32::try_from(*value).is_ok(),
        _ => false,
    };
    if fits { Ok(value) } else { Err(EvalError::overflow("integer")) }
}
