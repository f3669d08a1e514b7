//! List functions: cel-go's `lists` extension.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::arity;
use crate::error::EvalError;
use crate::function::{Library, Overload};
use crate::macros;
use crate::meter::Meter;
use crate::types::Type::{self, Bool, Bytes, Double, Duration, Dyn, Int, Param, String, Timestamp, Uint};
use crate::value::{Key, ListView, Val};

/// The longest list that `lists.range` makes.
const MAX_RANGE: i64 = 1_000_000;

/// `slice`, `flatten`, `sort`, `sortBy`, `distinct`, `reverse` and `lists.range`.
pub fn lists() -> Library {
    let list = || Type::list(Param(0));
    Library::new()
        .with_macros(macros::LISTS)
        .function("slice", [Overload::method("list_slice", [list(), Int, Int], list(), slice)])
        .function(
            "flatten",
            [
                Overload::method("list_flatten", [Type::list(list())], list(), flatten),
                Overload::method("list_flatten_int", [Type::list(Dyn), Int], Type::list(Dyn), flatten),
            ],
        )
        .function(
            "sort",
            SORTABLE.map(|(id, _, ty)| Overload::method(id, [Type::list(ty.clone())], Type::list(ty), sort)),
        )
        .function(
            "@sortByAssociatedKeys",
            SORTABLE.map(|(_, id, ty)| Overload::method(id, [list(), Type::list(ty)], list(), sort_by_keys)),
        )
        .function("lists.range", [Overload::function("lists_range", [Int], Type::list(Int), range)])
        .function("reverse", [Overload::method("list_reverse", [list()], list(), reverse)])
        .function("distinct", [Overload::method("list_distinct", [list()], list(), distinct)])
}

/// The types with an order, and the names of the overloads that sort them.
const SORTABLE: [(&str, &str, Type); 8] = [
    ("list_int_sort", "list_int_sortByAssociatedKeys", Int),
    ("list_uint_sort", "list_uint_sortByAssociatedKeys", Uint),
    ("list_double_sort", "list_double_sortByAssociatedKeys", Double),
    ("list_bool_sort", "list_bool_sortByAssociatedKeys", Bool),
    ("list_google.protobuf.Duration_sort", "list_google.protobuf.Duration_sortByAssociatedKeys", Duration),
    ("list_google.protobuf.Timestamp_sort", "list_google.protobuf.Timestamp_sortByAssociatedKeys", Timestamp),
    ("list_string_sort", "list_string_sortByAssociatedKeys", String),
    ("list_bytes_sort", "list_bytes_sortByAssociatedKeys", Bytes),
];

fn slice<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [list, start, end] = arity(args)?;
    let (list, start, end) = (list.elements()?, start.int()?, end.int()?);
    let refuse = |reason: &str| EvalError::invalid(format!("cannot slice({start}, {end}), {reason}"));
    let (Ok(from), Ok(to)) = (usize::try_from(start), usize::try_from(end)) else {
        return Err(refuse("negative indexes not supported"));
    };
    if from > to {
        return Err(refuse("start index must be less than or equal to end index"));
    }
    if to > list.len() {
        return Err(refuse(&format!("list is length {}", list.len())));
    }
    meter.charge((to - from) as u64)?;
    Ok(Val::list(list.iter().take(to).skip(from).collect()))
}

fn flatten<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let (list, depth) = match args {
        [list] => (list.elements()?, 1),
        [list, depth] => (list.elements()?, depth.int()?),
        _ => return Err(EvalError::no_such_overload()),
    };
    if depth < 0 {
        return Err(EvalError::invalid("level must be non-negative"));
    }
    let mut flat = Vec::new();
    flatten_into(&mut flat, list, depth, meter)?;
    Ok(Val::list(flat))
}

fn flatten_into<'a>(
    flat: &mut Vec<Val<'a>>,
    list: ListView<'_, 'a>,
    depth: i64,
    meter: &Meter<'_>,
) -> Result<(), EvalError> {
    meter.charge(list.len() as u64)?;
    for element in list.iter() {
        match element.as_list() {
            Some(inner) if depth > 0 => flatten_into(flat, inner, depth - 1, meter)?,
            _ => flat.push(element),
        }
    }
    Ok(())
}

fn sort<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [list] = arity(args)?;
    sorted(list.elements()?, list.elements()?, meter)
}

fn sort_by_keys<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [list, keys] = arity(args)?;
    sorted(list.elements()?, keys.elements()?, meter)
}

/// The elements of the list in the order of their keys.
fn sorted<'a>(
    list: ListView<'_, 'a>,
    keys: ListView<'_, 'a>,
    meter: &Meter<'_>,
) -> Result<Val<'a>, EvalError> {
    meter.charge((list.len() as u64).saturating_mul(u64::from(list.len().max(1).ilog2()) + 1))?;
    let mut pairs: Vec<(Val<'a>, Val<'a>)> = keys.iter().zip(list.iter()).collect();
    if let Some((first, _)) = pairs.first() {
        check_comparable(first, &pairs)?;
    }
    pairs.sort_by(|left, right| total_order(&left.0, &right.0));
    Ok(Val::list(pairs.into_iter().map(|(_, element)| element).collect()))
}

fn check_comparable(first: &Val<'_>, pairs: &[(Val<'_>, Val<'_>)]) -> Result<(), EvalError> {
    if !first.comparable(first) {
        return Err(EvalError::invalid("list elements must be comparable"));
    }
    let kind = std::mem::discriminant(first);
    if pairs.iter().any(|(key, _)| std::mem::discriminant(key) != kind) {
        return Err(EvalError::invalid("list elements must have the same type"));
    }
    Ok(())
}

/// The order of two values of the same type; NaN comes last, so that there is one order.
fn total_order(left: &Val<'_>, right: &Val<'_>) -> Ordering {
    let is_nan = |value: &Val<'_>| matches!(value, Val::Double(value) if value.is_nan());
    left.compare(right).unwrap_or_else(|| is_nan(left).cmp(&is_nan(right)))
}

fn range<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [size] = arity(args)?;
    let size = size.int()?;
    let Ok(units) = u64::try_from(size) else {
        return Err(EvalError::invalid(format!("lists.range: size must be non-negative, got {size}")));
    };
    if size > MAX_RANGE {
        let message = format!("lists.range: size {size} exceeds maximum allowed ({MAX_RANGE})");
        return Err(EvalError::invalid(message));
    }
    meter.charge(units)?;
    Ok(Val::list((0..size).map(Val::Int).collect()))
}

fn reverse<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [list] = arity(args)?;
    let list = list.elements()?;
    meter.charge(list.len() as u64)?;
    Ok(Val::list(list.iter().rev().collect()))
}

fn distinct<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [list] = arity(args)?;
    let list = list.elements()?;
    meter.charge(list.len() as u64)?;
    let mut keys = BTreeSet::new();
    let mut unique = Vec::new();
    // Those of the unique elements that cannot be keys; only they must be looked through one by one.
    let mut keyless = Vec::new();
    for element in list.iter() {
        let new = if let Some(key) = Key::new(&element) {
            keys.insert(key) && ListView::Made(&keyless).position(&element, meter)?.is_none()
        } else {
            let new = ListView::Made(&unique).position(&element, meter)?.is_none();
            keyless.extend(new.then(|| element.clone()));
            new
        };
        unique.extend(new.then_some(element));
    }
    Ok(Val::list(unique))
}

#[cfg(test)]
mod tests {
    use super::super::testing::check_expression;
    use super::*;

    #[test]
    fn lists_are_taken_apart() {
        let check = |expression: &str, expect: &str| check_expression([lists()], expression, expect);
        check("[1, 2, 3, 4].slice(1, 3)", "[2, 3]");
        check("[1].slice(1, 1)", "[]");
        check("[1].slice(0, 2)", "! cannot slice(0, 2), list is length 1");
        check("[1].slice(1, 0)", "! cannot slice(1, 0), start index must be less than or equal to end index");
        check("[1].slice(-1, 0)", "! cannot slice(-1, 0), negative indexes not supported");
        check("[[1], [2, 3], []].flatten()", "[1, 2, 3]");
        check("dyn([1, [2, [3, [4]]]]).flatten()", "[1, 2, [3, [4]]]");
        check("[dyn(1), [2, [dyn(3), [4]]]].flatten(2)", "[1, 2, 3, [4]]");
        check("[[1]].flatten(0)", "[[1]]");
        check("[[1]].flatten(-1)", "! level must be non-negative");
        check("[1, 2, 3].reverse()", "[3, 2, 1]");
        check("lists.range(4)", "[0, 1, 2, 3]");
        check("lists.range(0)", "[]");
        check("lists.range(-1)", "! lists.range: size must be non-negative, got -1");
        check("lists.range(1000001)", "! lists.range: size 1000001 exceeds maximum allowed (1000000)");
    }

    #[test]
    fn lists_are_sorted() {
        let check = |expression: &str, expect: &str| check_expression([lists()], expression, expect);
        check("[4, 3, 2, 1].sort()", "[1, 2, 3, 4]");
        check("['d', 'a'].sort()", "['a', 'd']");
        check("[2.0, double('NaN'), 1.0].sort()", "[1.0, 2.0, NaN]");
        check("[b'b', b'a'].sort()", "[b'a', b'b']");
        check("[duration('2s'), duration('1s')].sort() == [duration('1s'), duration('2s')]", "true");
        check("dyn([1, 'a']).sort()", "! list elements must have the same type");
        check("dyn([[1], [2]]).sort()", "! list elements must be comparable");
        check("[].sort()", "[]");
        check("['bb', 'a', 'ccc'].sortBy(it, size(it))", "['a', 'bb', 'ccc']");
        check("['bb', 'a', 'cc'].sortBy(it, -size(it))", "['bb', 'cc', 'a']");
    }

    #[test]
    fn duplicates_are_dropped() {
        let check = |expression: &str, expect: &str| check_expression([lists()], expression, expect);
        check("[1, 2, 2, 1].distinct()", "[1, 2]");
        check("['b', 'a', 'b'].distinct()", "['b', 'a']");
        check("dyn([1, 1.0, 1u, 2.0, 2, 'a', 2u]).distinct()", "[1, 2.0, 'a']");
        check("[[1], [1], [2]].distinct()", "[[1], [2]]");
        check("[double('NaN'), double('NaN')].distinct().size()", "2");
        check("[].distinct()", "[]");
    }
}
