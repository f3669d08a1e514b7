//! Amounts of resources: `quantity("1.5Gi")`.

mod amount;
mod parse;

use std::cmp::Ordering;

pub use amount::Quantity;
pub use parse::ParseQuantityError;

use super::super::arity;
use crate::error::EvalError;
use crate::function::{Library, Overload};
use crate::meter::Meter;
use crate::types::Type::{self, Bool, Double, Int, String};
use crate::value::{Opaque, Val};

/// `quantity`, `isQuantity`, comparisons and arithmetic of quantities.
pub fn quantity() -> Library {
    let quantity = Quantity::cel_type;
    Library::new()
        .function("quantity", [Overload::function("string_to_quantity", [String], quantity(), parse)])
        .function("isQuantity", [Overload::function("is_quantity_string", [String], Bool, is_quantity)])
        .function("sign", [Overload::function("quantity_sign", [quantity()], Int, sign)])
        .function(
            "isGreaterThan",
            [Overload::method("quantity_is_greater_than", [quantity(), quantity()], Bool, greater)],
        )
        .function(
            "isLessThan",
            [Overload::method("quantity_is_less_than", [quantity(), quantity()], Bool, less)],
        )
        .function(
            "compareTo",
            [Overload::method("quantity_compare_to", [quantity(), quantity()], Int, compare_to)],
        )
        .function(
            "asApproximateFloat",
            [Overload::method("quantity_get_float", [quantity()], Double, as_double)],
        )
        .function("asInteger", [Overload::method("quantity_get_int", [quantity()], Int, as_integer)])
        .function("isInteger", [Overload::method("quantity_is_integer", [quantity()], Bool, is_integer)])
        .function(
            "add",
            [
                Overload::method("quantity_add", [quantity(), quantity()], quantity(), add),
                Overload::method("quantity_add_int", [quantity(), Int], quantity(), add),
            ],
        )
        .function(
            "sub",
            [
                Overload::method("quantity_sub", [quantity(), quantity()], quantity(), sub),
                Overload::method("quantity_sub_int", [quantity(), Int], quantity(), sub),
            ],
        )
        .type_name("kubernetes.Quantity", quantity())
}

impl Quantity {
    /// The type of quantities in expressions.
    pub fn cel_type() -> Type {
        Type::object("kubernetes.Quantity", [])
    }
}

impl Opaque for Quantity {
    fn type_of(&self) -> Type {
        Self::cel_type()
    }

    fn equals(&self, other: &dyn Opaque) -> bool {
        (other as &dyn std::any::Any).downcast_ref::<Self>().is_some_and(|other| self == other)
    }
}

fn parse<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [text] = arity(args)?;
    meter.charge_text(text.text()?.len())?;
    let parsed = Quantity::parse(text.text()?);
    parsed.map(Val::opaque).map_err(|error| EvalError::invalid(error.to_string()))
}

fn is_quantity<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [text] = arity(args)?;
    meter.charge_text(text.text()?.len())?;
    Ok(Val::Bool(Quantity::parse(text.text()?).is_ok()))
}

fn sign<'a>(_: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [it] = arity(args)?;
    Ok(Val::Int(it.library::<Quantity>()?.sign()))
}

fn order(args: &[Val<'_>]) -> Result<Ordering, EvalError> {
    let [left, right] = arity(args)?;
    Ok(left.library::<Quantity>()?.cmp(right.library()?))
}

fn greater<'a>(_: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    Ok(Val::Bool(order(args)?.is_gt()))
}

fn less<'a>(_: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    Ok(Val::Bool(order(args)?.is_lt()))
}

fn compare_to<'a>(_: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    Ok(Val::Int(order(args)? as i64))
}

fn as_double<'a>(_: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [it] = arity(args)?;
    Ok(Val::Double(it.library::<Quantity>()?.as_approximate_double()))
}

fn as_integer<'a>(_: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [it] = arity(args)?;
    let integer = it.library::<Quantity>()?.as_integer();
    integer.map(Val::Int).ok_or_else(|| EvalError::invalid("cannot convert value to integer"))
}

fn is_integer<'a>(_: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [it] = arity(args)?;
    Ok(Val::Bool(it.library::<Quantity>()?.as_integer().is_some()))
}

fn add<'a>(_: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [left, right] = arity(args)?;
    let sum = left.library::<Quantity>()?.checked_add(operand(right)?);
    sum.map(Val::opaque).ok_or_else(|| EvalError::overflow("quantity"))
}

fn sub<'a>(_: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [left, right] = arity(args)?;
    let difference = left.library::<Quantity>()?.checked_sub(operand(right)?);
    difference.map(Val::opaque).ok_or_else(|| EvalError::overflow("quantity"))
}

fn operand(value: &Val<'_>) -> Result<Quantity, EvalError> {
    match value {
        Val::Int(value) => Ok(Quantity::from_integer(*value)),
        _ => value.library().copied(),
    }
}
