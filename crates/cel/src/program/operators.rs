//! Operators on values.

use std::cmp::Ordering;

use crate::ast::BinaryOp;
use crate::error::{EvalError, EvalErrorKind};
use crate::meter::Meter;
use crate::time::TimeError;
use crate::types::Type;
use crate::value::{Key, Val, append_lists};

type Outcome<'a> = Result<Val<'a>, EvalError>;

/// `<`, `<=`, `>`, `>=`; comparisons with NaN are false.
pub(super) fn order<'a>(op: BinaryOp, a: &Val<'_>, b: &Val<'_>) -> Outcome<'a> {
    let Some(order) = a.compare(b) else {
        return if a.comparable(b) { Ok(Val::Bool(false)) } else { Err(mismatch(op, a, b)) };
    };
    Ok(Val::Bool(match op {
        BinaryOp::Less => order == Ordering::Less,
        BinaryOp::LessEqual => order != Ordering::Greater,
        BinaryOp::Greater => order == Ordering::Greater,
        _ => order != Ordering::Less,
    }))
}

/// `-x`.
pub(super) fn negate<'a>(value: &Val<'a>) -> Outcome<'a> {
    match value {
        Val::Int(value) => value.checked_neg().map(Val::Int).ok_or_else(|| EvalError::overflow("integer")),
        Val::Double(value) => Ok(Val::Double(-value)),
        _ => Err(EvalError::no_such_overload()),
    }
}

/// `+`, `-`, `*`, `/`, `%`.
pub(super) fn arithmetic<'a>(meter: &Meter<'_>, op: BinaryOp, a: &Val<'a>, b: &Val<'a>) -> Outcome<'a> {
    match (a, b) {
        (Val::Int(a), Val::Int(b)) => int(op, *a, *b).map(Val::Int),
        (Val::Uint(a), Val::Uint(b)) => uint(op, *a, *b).map(Val::Uint),
        (Val::Double(x), Val::Double(y)) => {
            double(op, *x, *y).map(Val::Double).ok_or_else(|| mismatch(op, a, b))
        }
        (Val::Timestamp(_) | Val::Duration(_), _) => time(op, a, b),
        _ if op == BinaryOp::Add => append(meter, a, b),
        _ => Err(mismatch(op, a, b)),
    }
}

/// Operands of types that the operator does not take.
#[cold]
pub(super) fn mismatch(op: BinaryOp, a: &Val<'_>, b: &Val<'_>) -> EvalError {
    let (a, b) = (a.type_of(), b.type_of());
    let message = format!("no such overload: {} {} {}", a.runtime_name(), op.symbol(), b.runtime_name());
    EvalError::new(EvalErrorKind::NoSuchOverload, message)
}

fn int(op: BinaryOp, a: i64, b: i64) -> Result<i64, EvalError> {
    let result = match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Subtract => a.checked_sub(b),
        BinaryOp::Multiply => a.checked_mul(b),
        _ if b == 0 => return Err(by_zero(op)),
        BinaryOp::Divide => a.checked_div(b),
        _ => a.checked_rem(b),
    };
    result.ok_or_else(|| EvalError::overflow("integer"))
}

fn uint(op: BinaryOp, a: u64, b: u64) -> Result<u64, EvalError> {
    let result = match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Subtract => a.checked_sub(b),
        BinaryOp::Multiply => a.checked_mul(b),
        _ if b == 0 => return Err(by_zero(op)),
        BinaryOp::Divide => a.checked_div(b),
        _ => a.checked_rem(b),
    };
    result.ok_or_else(|| EvalError::overflow("unsigned integer"))
}

/// Doubles have no modulus.
fn double(op: BinaryOp, a: f64, b: f64) -> Option<f64> {
    match op {
        BinaryOp::Add => Some(a + b),
        BinaryOp::Subtract => Some(a - b),
        BinaryOp::Multiply => Some(a * b),
        BinaryOp::Divide => Some(a / b),
        _ => None,
    }
}

fn time<'a>(op: BinaryOp, a: &Val<'_>, b: &Val<'_>) -> Outcome<'a> {
    let result = match (op, a, b) {
        (BinaryOp::Add, Val::Timestamp(a), Val::Duration(b))
        | (BinaryOp::Add, Val::Duration(b), Val::Timestamp(a)) => a.checked_add(*b).map(Val::Timestamp),
        (BinaryOp::Add, Val::Duration(a), Val::Duration(b)) => a.checked_add(*b).map(Val::Duration),
        (BinaryOp::Subtract, Val::Timestamp(a), Val::Duration(b)) => a.checked_sub(*b).map(Val::Timestamp),
        (BinaryOp::Subtract, Val::Timestamp(a), Val::Timestamp(b)) => a.since(*b).map(Val::Duration),
        (BinaryOp::Subtract, Val::Duration(a), Val::Duration(b)) => a.checked_sub(*b).map(Val::Duration),
        _ => return Err(mismatch(op, a, b)),
    };
    result.map_err(|error: TimeError| EvalError::new(EvalErrorKind::Overflow, error.to_string()))
}

/// `+` on text, bytes and lists.
fn append<'a>(meter: &Meter<'_>, a: &Val<'a>, b: &Val<'a>) -> Outcome<'a> {
    match (a, b) {
        (Val::String(a), Val::String(b)) => {
            meter.charge_text(a.len() + b.len())?;
            Ok(Val::string([&**a, &**b].concat()))
        }
        (Val::Bytes(a), Val::Bytes(b)) => {
            meter.charge_text(a.len() + b.len())?;
            Ok(Val::bytes([&**a, &**b].concat()))
        }
        _ if a.as_list().is_some() && b.as_list().is_some() => append_lists(a, b, meter),
        _ => Err(mismatch(BinaryOp::Add, a, b)),
    }
}

#[cold]
fn by_zero(op: BinaryOp) -> EvalError {
    let what = if op == BinaryOp::Divide { "division" } else { "modulus" };
    EvalError::new(EvalErrorKind::DivideByZero, format!("{what} by zero"))
}

/// Whether a value is of a type as far as that can be told without looking inside it.
pub(super) fn is_of_type(value: &Val<'_>, ty: &Type) -> bool {
    match ty {
        Type::Dyn | Type::Param(_) | Type::Var(_) | Type::Error => true,
        Type::List(_) => value.as_list().is_some(),
        Type::Map(_) => value.as_map().is_some(),
        Type::Wrapper(inner) => matches!(value, Val::Null) || is_of_type(value, inner),
        Type::Null
        | Type::Bool
        | Type::Int
        | Type::Uint
        | Type::Double
        | Type::String
        | Type::Bytes
        | Type::Timestamp
        | Type::Duration
        | Type::Optional(_)
        | Type::Type(_)
        | Type::Opaque(_)
        | Type::Object(_) => value.type_of().runtime_name() == ty.runtime_name(),
    }
}

/// A key as messages show it.
pub(super) fn display(key: &Val<'_>) -> String {
    match key {
        Val::Double(value) => value.to_string(),
        _ => Key::new(key).map_or_else(|| key.type_of().runtime_name().to_owned(), |key| key.to_string()),
    }
}
