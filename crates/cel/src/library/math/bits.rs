//! Bitwise functions.

use crate::error::EvalError;
use crate::function::{Library, Overload};
use crate::library::arity;
use crate::types::Type::{Int, Uint};
use crate::value::Val;

pub(super) fn declare(library: Library) -> Library {
    library
        .function(
            "math.bitAnd",
            [ints("math_bitAnd_int_int", |a, b| a & b), uints("math_bitAnd_uint_uint", |a, b| a & b)],
        )
        .function(
            "math.bitOr",
            [ints("math_bitOr_int_int", |a, b| a | b), uints("math_bitOr_uint_uint", |a, b| a | b)],
        )
        .function(
            "math.bitXor",
            [ints("math_bitXor_int_int", |a, b| a ^ b), uints("math_bitXor_uint_uint", |a, b| a ^ b)],
        )
        .function(
            "math.bitNot",
            [
                Overload::function("math_bitNot_int_int", [Int], Int, |_, args| not(args)),
                Overload::function("math_bitNot_uint_uint", [Uint], Uint, |_, args| not(args)),
            ],
        )
        .function(
            "math.bitShiftLeft",
            [
                Overload::function("math_bitShiftLeft_int_int", [Int, Int], Int, |_, args| {
                    shift(args, &LEFT)
                }),
                Overload::function("math_bitShiftLeft_uint_int", [Uint, Int], Uint, |_, args| {
                    shift(args, &LEFT)
                }),
            ],
        )
        .function(
            "math.bitShiftRight",
            [
                Overload::function("math_bitShiftRight_int_int", [Int, Int], Int, |_, args| {
                    shift(args, &RIGHT)
                }),
                Overload::function("math_bitShiftRight_uint_int", [Uint, Int], Uint, |_, args| {
                    shift(args, &RIGHT)
                }),
            ],
        )
}

fn ints(id: &'static str, code: fn(i64, i64) -> i64) -> Overload {
    Overload::function(id, [Int, Int], Int, move |_, args| {
        let [left, right] = arity(args)?;
        Ok(Val::Int(code(left.int()?, right.int()?)))
    })
}

fn uints(id: &'static str, code: fn(u64, u64) -> u64) -> Overload {
    Overload::function(id, [Uint, Uint], Uint, move |_, args| match args {
        [Val::Uint(left), Val::Uint(right)] => Ok(Val::Uint(code(*left, *right))),
        _ => Err(EvalError::no_such_overload()),
    })
}

fn not<'a>(args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    match args {
        [Val::Int(value)] => Ok(Val::Int(!value)),
        [Val::Uint(value)] => Ok(Val::Uint(!value)),
        _ => Err(EvalError::no_such_overload()),
    }
}

struct Direction {
    name: &'static str,
    shift: fn(u64, u32) -> Option<u64>,
}

const LEFT: Direction = Direction { name: "math.bitShiftLeft()", shift: u64::checked_shl };
/// Zeros come in from the left, even for negative integers.
const RIGHT: Direction = Direction { name: "math.bitShiftRight()", shift: u64::checked_shr };

fn shift<'a>(args: &[Val<'a>], direction: &Direction) -> Result<Val<'a>, EvalError> {
    let [value, places] = arity(args)?;
    let places = places.int()?;
    if places < 0 {
        return Err(EvalError::invalid(format!("{} negative offset: {places}", direction.name)));
    }
    // Shifted by all of its bits or more, nothing is left.
    let shifted = |bits: u64| {
        u32::try_from(places).ok().and_then(|places| (direction.shift)(bits, places)).unwrap_or(0)
    };
    match value {
        Val::Int(value) => Ok(Val::Int(shifted(value.cast_unsigned()).cast_signed())),
        Val::Uint(value) => Ok(Val::Uint(shifted(*value))),
        _ => Err(EvalError::no_such_overload()),
    }
}
