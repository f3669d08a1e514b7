//! Values that may be absent: `optional.of`, `orValue`, `optMap`, …

use crate::error::EvalError;
use crate::function::{Library, Overload};
use crate::macros;
use crate::meter::Meter;
use crate::time::{Duration, Timestamp};
use crate::types::Type;
use crate::value::Val;

/// Optional values; the syntax `a.?b`, `a[?b]`, `[?a]` needs no library.
pub fn optionals() -> Library {
    let (value, optional) = (Type::Param(0), Type::optional(Type::Param(0)));
    let list = Type::list(value.clone());
    let list_of_optional = Type::list(optional.clone());
    Library::new()
        .with_macros(macros::OPTIONAL)
        .type_name("optional_type", Type::optional(Type::Dyn))
        .function(
            "optional.of",
            [Overload::function("optional_of", [value.clone()], optional.clone(), |_, args| {
                Ok(Val::some(args[0].clone()))
            })],
        )
        .function(
            "optional.ofNonZeroValue",
            [Overload::function("optional_ofNonZeroValue", [value.clone()], optional.clone(), |_, args| {
                Ok(if is_zero(&args[0]) { Val::Optional(None) } else { Val::some(args[0].clone()) })
            })],
        )
        .function(
            "optional.none",
            [Overload::function("optional_none", [], optional.clone(), |_, _| Ok(Val::Optional(None)))],
        )
        .function(
            "value",
            [Overload::method("optional_value", [optional.clone()], value.clone(), |_, args| {
                contents(&args[0])?.cloned().ok_or_else(|| EvalError::invalid("optional.none() dereference"))
            })],
        )
        .function(
            "hasValue",
            [Overload::method("optional_hasValue", [optional.clone()], Type::Bool, |_, args| {
                Ok(Val::Bool(contents(&args[0])?.is_some()))
            })],
        )
        .function(
            "or",
            [Overload::method(OR, [optional.clone(), optional.clone()], optional.clone(), |_, args| {
                let present = contents(&args[0])?.is_some();
                Ok(args[usize::from(!present)].clone())
            })],
        )
        .function(
            "orValue",
            [Overload::method(OR_VALUE, [optional.clone(), value.clone()], value, |_, args| {
                Ok(contents(&args[0])?.unwrap_or(&args[1]).clone())
            })],
        )
        .function(
            "first",
            [Overload::method("list_first", [list.clone()], optional.clone(), |_, args| {
                Ok(present(args[0].elements()?.get(0)))
            })],
        )
        .function(
            "last",
            [Overload::method("list_last", [list.clone()], optional, |_, args| {
                let list = args[0].elements()?;
                Ok(present(list.len().checked_sub(1).and_then(|last| list.get(last))))
            })],
        )
        .function(
            "optional.unwrap",
            [Overload::function("optional_unwrap", [list_of_optional.clone()], list.clone(), unwrap)],
        )
        .function("unwrapOpt", [Overload::method("optional_unwrapOpt", [list_of_optional], list, unwrap)])
}

/// Evaluated only as far as needed, which the evaluator sees to by these names.
pub(crate) const OR: &str = "optional_or_optional";
/// Evaluated only as far as needed, which the evaluator sees to by these names.
pub(crate) const OR_VALUE: &str = "optional_orValue_value";

fn contents<'v, 'a>(value: &'v Val<'a>) -> Result<Option<&'v Val<'a>>, EvalError> {
    match value {
        Val::Optional(contents) => Ok(contents.as_deref()),
        _ => Err(EvalError::no_such_overload()),
    }
}

fn present(value: Option<Val<'_>>) -> Val<'_> {
    value.map_or(Val::Optional(None), Val::some)
}

/// The values of those that have one.
fn unwrap<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let list = args[0].elements()?;
    meter.charge(list.len() as u64)?;
    let mut values = Vec::new();
    for element in list.iter() {
        values.extend(contents(&element)?.cloned());
    }
    Ok(Val::list(values))
}

fn is_zero(value: &Val<'_>) -> bool {
    match value {
        Val::Null => true,
        Val::Bool(value) => !value,
        Val::Int(value) => *value == 0,
        Val::Uint(value) => *value == 0,
        Val::Double(value) => *value == 0.0,
        Val::String(text) => text.is_empty(),
        Val::Bytes(bytes) => bytes.is_empty(),
        Val::Timestamp(value) => *value == Timestamp::MIN,
        Val::Duration(value) => *value == Duration::ZERO,
        Val::Optional(_) | Val::Type(_) | Val::Opaque(_) => false,
        Val::Json(..) | Val::List(_) | Val::United(..) | Val::Map(_) => {
            value.as_list().is_some_and(|it| it.is_empty()) || value.as_map().is_some_and(|it| it.is_empty())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::check_expression;
    use super::optionals;

    #[test]
    fn optionals_hold_values_or_none() {
        let check = |expression: &str, expect: &str| check_expression([optionals()], expression, expect);
        check("optional.of(1)", "some(1)");
        check("optional.none()", "none");
        check("optional.of(1).value()", "1");
        check("optional.none().value()", "! optional.none() dereference");
        check("[optional.of(0).hasValue(), optional.none().hasValue()]", "[true, false]");
        check("optional.none().or(optional.of(2)).orValue(3)", "2");
        check("optional.none().orValue(3)", "3");
        check("{'a': 1}[?'b'].orValue(7)", "7");
        check("optional.of(2).optMap(x, x * 2)", "some(4)");
        check("[[1, 2].first(), [1, 2].last(), [].first(), [].last()]", "[some(1), some(2), none, none]");
        check("optional.unwrap([optional.of(1), optional.none(), optional.of(2)])", "[1, 2]");
        check("[optional.of(1), optional.none()].unwrapOpt()", "[1]");
        check("optional.unwrap(dyn([1]))", "! no such overload: optional.unwrap(list)");
    }

    #[test]
    fn zero_values_are_none() {
        let check = |value: &str, expect: bool| {
            check_expression(
                [optionals()],
                &format!("optional.ofNonZeroValue({value}).hasValue()"),
                &expect.to_string(),
            );
        };
        for zero in ["null", "false", "0", "0u", "0.0", "-0.0", "''", "b''", "[]", "{}", "duration('0s')"] {
            check(zero, false);
        }
        check("timestamp('0001-01-01T00:00:00Z')", false);
        for other in [
            "true",
            "1",
            "1u",
            "0.1",
            "'a'",
            "b'a'",
            "[0]",
            "{0: 0}",
            "timestamp(0)",
            "type(0)",
            "optional.none()",
        ] {
            check(other, true);
        }
    }
}
