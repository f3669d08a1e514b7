//! Number functions: cel-go's `math` extension.

mod bits;
mod extremes;

use crate::error::EvalError;
use crate::function::{Library, Overload};
use crate::library::arity;
use crate::macros;
use crate::types::Type::{Bool, Double, Int, Uint};
use crate::value::Val;

/// `math.greatest`, `math.least`, rounding, signs, bits and square roots.
pub fn math() -> Library {
    let library = Library::new()
        .with_macros(macros::MATH)
        .function("math.ceil", [rounding("math_ceil_double", f64::ceil)])
        .function("math.floor", [rounding("math_floor_double", f64::floor)])
        .function("math.round", [rounding("math_round_double", f64::round)])
        .function("math.trunc", [rounding("math_trunc_double", f64::trunc)])
        .function("math.isInf", [question("math_isInf_double", f64::is_infinite)])
        .function("math.isNaN", [question("math_isNaN_double", f64::is_nan)])
        .function("math.isFinite", [question("math_isFinite_double", f64::is_finite)])
        .function(
            "math.abs",
            [
                numeric("math_abs_double", Double, Double, absolute),
                numeric("math_abs_int", Int, Int, absolute),
                numeric("math_abs_uint", Uint, Uint, absolute),
            ],
        )
        .function(
            "math.sign",
            [
                numeric("math_sign_double", Double, Double, sign),
                numeric("math_sign_int", Int, Int, sign),
                numeric("math_sign_uint", Uint, Uint, sign),
            ],
        )
        .function(
            "math.sqrt",
            [
                numeric("math_sqrt_double", Double, Double, square_root),
                numeric("math_sqrt_int", Int, Double, square_root),
                numeric("math_sqrt_uint", Uint, Double, square_root),
            ],
        );
    bits::declare(extremes::declare(library))
}

type Unary = fn(&Val<'_>) -> Result<Val<'static>, EvalError>;

fn numeric(id: &'static str, param: crate::Type, result: crate::Type, code: Unary) -> Overload {
    Overload::function(id, [param], result, move |_, args| code(&arity::<1>(args)?[0]))
}

fn rounding(id: &'static str, code: fn(f64) -> f64) -> Overload {
    Overload::function(id, [Double], Double, move |_, args| {
        double(&arity::<1>(args)?[0]).map(|it| Val::Double(code(it)))
    })
}

fn question(id: &'static str, code: fn(f64) -> bool) -> Overload {
    Overload::function(id, [Double], Bool, move |_, args| {
        double(&arity::<1>(args)?[0]).map(|it| Val::Bool(code(it)))
    })
}

fn double(value: &Val<'_>) -> Result<f64, EvalError> {
    match value {
        Val::Double(value) => Ok(*value),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn absolute(value: &Val<'_>) -> Result<Val<'static>, EvalError> {
    match value {
        Val::Double(value) => Ok(Val::Double(value.abs())),
        Val::Int(value) => value.checked_abs().map(Val::Int).ok_or_else(|| EvalError::overflow("integer")),
        Val::Uint(value) => Ok(Val::Uint(*value)),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn sign(value: &Val<'_>) -> Result<Val<'static>, EvalError> {
    match value {
        // Unlike `signum`, zero has no sign.
        Val::Double(value) if *value == 0.0 => Ok(Val::Double(0.0)),
        Val::Double(value) => Ok(Val::Double(value.signum())),
        Val::Int(value) => Ok(Val::Int(value.signum())),
        Val::Uint(value) => Ok(Val::Uint((*value).min(1))),
        _ => Err(EvalError::no_such_overload()),
    }
}

#[expect(clippy::cast_precision_loss, reason = "the root of a large integer is approximate anyway")]
fn square_root(value: &Val<'_>) -> Result<Val<'static>, EvalError> {
    let number = match value {
        Val::Double(value) => *value,
        Val::Int(value) => *value as f64,
        Val::Uint(value) => *value as f64,
        _ => return Err(EvalError::no_such_overload()),
    };
    Ok(Val::Double(number.sqrt()))
}

#[cfg(test)]
mod tests {
    use super::super::testing::check_expression;
    use super::math;

    #[test]
    fn numbers_are_rounded_and_signed() {
        let check = |expression: &str, expect: &str| check_expression([math()], expression, expect);
        check(
            "[math.ceil(1.2), math.floor(-1.2), math.round(-1.5), math.trunc(-1.9)]",
            "[2.0, -2.0, -2.0, -1.0]",
        );
        check("math.isNaN(math.sign(0.0/0.0))", "true");
        check("[math.sign(-0.0), math.sign(-0.5), math.sign(7.0)]", "[0.0, -1.0, 1.0]");
        check("math.sign(-3)", "-1");
        check("math.sign(9u)", "1u");
        check("math.abs(-9223372036854775808)", "! integer overflow");
        check("math.sqrt(81)", "9.0");
        check("math.isNaN(math.sqrt(-1))", "true");
        check("[math.isInf(1.0/0.0), math.isFinite(1.0/0.0), math.isFinite(1.0)]", "[true, false, true]");
        check("math.ceil(dyn(1))", "! no such overload: math.ceil(int)");
    }

    #[test]
    fn bits_are_combined_and_shifted() {
        let check = |expression: &str, expect: &str| check_expression([math()], expression, expect);
        check("[math.bitAnd(6, 3), math.bitOr(6, 3), math.bitXor(6, 3), math.bitNot(6)]", "[2, 7, 5, -7]");
        check("[math.bitAnd(6u, 3u), math.bitNot(0u)]", "[2u, 18446744073709551615u]");
        check(
            "[math.bitShiftLeft(1, 2), math.bitShiftLeft(1, 64), math.bitShiftRight(-1024, 3)]",
            "[4, 0, 2305843009213693824]",
        );
        check("[math.bitShiftRight(-1, 200), math.bitShiftRight(8, 1)]", "[0, 4]");
        check("math.bitShiftLeft(1, -1)", "! math.bitShiftLeft() negative offset: -1");
        check("math.bitShiftRight(1u, -1)", "! math.bitShiftRight() negative offset: -1");
    }

    #[test]
    fn extremes_compare_across_types() {
        let check = |expression: &str, expect: &str| check_expression([math()], expression, expect);
        check("math.greatest(1, 2.0)", "2.0");
        check("math.greatest(1, 1.0)", "1");
        check("math.least(1u, -1)", "-1");
        check("math.greatest([1, 5, 3])", "5");
        check("math.least(3, 1u, 2.0)", "1u");
        check("math.greatest(4)", "4");
        check("math.greatest(dyn([]))", "! math.@max(list) argument must not be empty");
        check("math.least(dyn(['a']))", "! no such overload: math.@min");
        check("math.greatest(0.0/0.0, 1.0)", "! NaN values cannot be ordered: math.@max");
    }
}
