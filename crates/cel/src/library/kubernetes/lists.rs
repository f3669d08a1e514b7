//! What lists add up to, and where their elements are.

use crate::error::EvalError;
use crate::function::{Library, Overload};
use crate::library::arity;
use crate::meter::Meter;
use crate::types::Type::{self, Bool, Bytes, Double, Int, Param, String, Timestamp, Uint};
use crate::value::{ListView, Val};

/// `isSorted`, `sum`, `min`, `max`, `indexOf` and `lastIndexOf`.
#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the methods are less general in their lifetimes"
)]
pub fn lists() -> Library {
    let list = Type::list;
    let search = |id, find: Search| {
        Overload::method(id, [list(Param(0)), Param(0)], Int, move |meter, args| {
            let [list, element] = arity(args)?;
            let found = find(list.elements()?, element, meter)?;
            Ok(Val::Int(found.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1)))
        })
    };
    Library::new()
        .function(
            "isSorted",
            ORDERED.map(|it| Overload::method(it.is_sorted, [list(it.ty)], Bool, is_sorted)),
        )
        .function("min", ORDERED.map(|it| Overload::method(it.min, [list(it.ty.clone())], it.ty, min)))
        .function("max", ORDERED.map(|it| Overload::method(it.max, [list(it.ty.clone())], it.ty, max)))
        .function(
            "sum",
            SUMMABLE.map(|(id, zero, ty)| {
                Overload::method(id, [list(ty.clone())], ty, move |meter, args| sum(meter, args, &zero))
            }),
        )
        .function(
            "indexOf",
            [search("list_a_index_of_int", |list, element, meter| list.position(element, meter))],
        )
        .function(
            "lastIndexOf",
            [search("list_a_last_index_of_int", |list, element, meter| list.last_position(element, meter))],
        )
}

type Search = for<'v> fn(ListView<'v, '_>, &Val<'_>, &Meter<'_>) -> Result<Option<usize>, EvalError>;

/// A type with an order, and the names of the overloads for lists of it.
struct Ordered {
    ty: Type,
    is_sorted: &'static str,
    min: &'static str,
    max: &'static str,
}

impl Ordered {
    const fn new(ty: Type, is_sorted: &'static str, min: &'static str, max: &'static str) -> Self {
        Self { ty, is_sorted, min, max }
    }
}

const ORDERED: [Ordered; 8] = [
    Ordered::new(Int, "list_int_is_sorted_bool", "list_int_min_int", "list_int_max_int"),
    Ordered::new(Uint, "list_uint_is_sorted_bool", "list_uint_min_uint", "list_uint_max_uint"),
    Ordered::new(Double, "list_double_is_sorted_bool", "list_double_min_double", "list_double_max_double"),
    Ordered::new(Bool, "list_bool_is_sorted_bool", "list_bool_min_bool", "list_bool_max_bool"),
    Ordered::new(
        Type::Duration,
        "list_duration_is_sorted_bool",
        "list_duration_min_duration",
        "list_duration_max_duration",
    ),
    Ordered::new(
        Timestamp,
        "list_timestamp_is_sorted_bool",
        "list_timestamp_min_timestamp",
        "list_timestamp_max_timestamp",
    ),
    Ordered::new(String, "list_string_is_sorted_bool", "list_string_min_string", "list_string_max_string"),
    Ordered::new(Bytes, "list_bytes_is_sorted_bool", "list_bytes_min_bytes", "list_bytes_max_bytes"),
];

const SUMMABLE: [(&str, Val<'static>, Type); 4] = [
    ("list_int_sum_int", Val::Int(0), Int),
    ("list_uint_sum_uint", Val::Uint(0), Uint),
    ("list_double_sum_double", Val::Double(0.0), Double),
    ("list_duration_sum_duration", Val::Duration(crate::time::Duration::ZERO), Type::Duration),
];

fn is_sorted<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [list] = arity(args)?;
    let list = list.elements()?;
    meter.charge(list.len() as u64)?;
    for (left, right) in list.iter().zip(list.iter().skip(1)) {
        check_comparable(&left, &right)?;
        if left.compare(&right).is_some_and(std::cmp::Ordering::is_gt) {
            return Ok(Val::Bool(false));
        }
    }
    Ok(Val::Bool(true))
}

fn check_comparable(left: &Val<'_>, right: &Val<'_>) -> Result<(), EvalError> {
    if left.comparable(right) { Ok(()) } else { Err(EvalError::no_such_overload()) }
}

fn min<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    extreme(meter, args, "min", std::cmp::Ordering::Greater)
}

fn max<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    extreme(meter, args, "max", std::cmp::Ordering::Less)
}

/// The element that no other beats; an element is beaten by one it compares to in this way.
fn extreme<'a>(
    meter: &Meter<'_>,
    args: &[Val<'a>],
    name: &str,
    beaten: std::cmp::Ordering,
) -> Result<Val<'a>, EvalError> {
    let [list] = arity(args)?;
    let list = list.elements()?;
    meter.charge(list.len() as u64)?;
    let mut elements = list.iter();
    let Some(first) = elements.next() else {
        return Err(EvalError::invalid(format!("{name} called on empty list")));
    };
    elements.try_fold(first, |found, next| {
        check_comparable(&found, &next)?;
        Ok(if found.compare(&next) == Some(beaten) { next } else { found })
    })
}

fn sum<'a>(meter: &Meter<'_>, args: &[Val<'a>], zero: &Val<'static>) -> Result<Val<'a>, EvalError> {
    let [list] = arity(args)?;
    let list = list.elements()?;
    meter.charge(list.len() as u64)?;
    let mut elements = list.iter();
    // In a list of unknown type only the elements tell which zero is meant.
    let first = elements.next().map_or_else(|| Ok(zero.clone()), |first| add(&zero_like(&first)?, &first))?;
    elements.try_fold(first, |sum, next| add(&sum, &next))
}

fn zero_like(value: &Val<'_>) -> Result<Val<'static>, EvalError> {
    let same_kind = |zero: &&Val<'static>| std::mem::discriminant(*zero) == std::mem::discriminant(value);
    let zeros = SUMMABLE.map(|(_, zero, _)| zero);
    zeros.iter().find(same_kind).cloned().ok_or_else(EvalError::no_such_overload)
}

fn add<'a>(left: &Val<'a>, right: &Val<'a>) -> Result<Val<'a>, EvalError> {
    match (left, right) {
        (Val::Int(left), Val::Int(right)) => {
            left.checked_add(*right).map(Val::Int).ok_or_else(|| EvalError::overflow("integer"))
        }
        (Val::Uint(left), Val::Uint(right)) => {
            left.checked_add(*right).map(Val::Uint).ok_or_else(|| EvalError::overflow("unsigned integer"))
        }
        (Val::Double(left), Val::Double(right)) => Ok(Val::Double(left + right)),
        (Val::Duration(left), Val::Duration(right)) => {
            left.checked_add(*right).map(Val::Duration).map_err(|_| EvalError::overflow("integer"))
        }
        _ => Err(EvalError::no_such_overload()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::check_expression;
    use super::lists;

    #[test]
    fn lists_add_up() {
        let check = |expression: &str, expect: &str| check_expression([lists()], expression, expect);
        check("[1, 3].sum()", "4");
        check("[1.0, 3.5].sum()", "4.5");
        check("[1u, 3u].sum()", "4u");
        check("[duration('1m'), duration('1s')].sum() == duration('61s')", "true");
        check("[].sum()", "0");
        check("[9223372036854775807, 1].sum()", "! integer overflow");
        check("[18446744073709551615u, 1u].sum()", "! unsigned integer overflow");
        check("dyn([1.5, 2.5]).sum()", "4.0");
        check("dyn([1, 'a']).sum()", "! no such overload: sum(list)");
    }

    #[test]
    fn lists_have_ends() {
        let check = |expression: &str, expect: &str| check_expression([lists()], expression, expect);
        check("[3, 1, 2].min()", "1");
        check("[3, 1, 2].max()", "3");
        check("['b', 'a'].min()", "'a'");
        check("[true, false].max()", "true");
        check("[].min()", "! min called on empty list");
        check("[].max()", "! max called on empty list");
        check("dyn([1, 2.5]).max()", "2.5");
        check("dyn([1, 'a']).max()", "! no such overload: max(list)");
    }

    #[test]
    fn elements_are_found() {
        let check = |expression: &str, expect: &str| check_expression([lists()], expression, expect);
        check("[1, 2, 2, 3].indexOf(2)", "1");
        check("[1, 2, 2, 3].lastIndexOf(2)", "2");
        check("['a'].indexOf('b')", "-1");
        check("[].lastIndexOf('b')", "-1");
        check("[[1], [2]].indexOf([2])", "1");
        check(
            "[[1, 2, 2].isSorted(), [2, 1].isSorted(), [].isSorted(), ['a', 'b'].isSorted()]",
            "[true, false, true, true]",
        );
    }
}
