//! Lists with one element set, inserted or removed.

use super::super::arity;
use crate::error::EvalError;
use crate::function::{Library, Overload};
use crate::meter::Meter;
use crate::types::Type::{self, Int, Param};
use crate::value::Val;

/// `lists.setAtIndex`, `lists.insertAtIndex` and `lists.removeAtIndex`.
pub fn lists() -> Library {
    let list = || Type::list(Param(0));
    let with_value = || [list(), Int, Param(0)];
    Library::new()
        .function(
            "lists.setAtIndex",
            [Overload::function("lists.setAtIndex_list_int_T", with_value(), list(), set)],
        )
        .function(
            "lists.insertAtIndex",
            [Overload::function("lists.insertAtIndex_list_int_T", with_value(), list(), insert)],
        )
        .function(
            "lists.removeAtIndex",
            [Overload::function("lists.removeAtIndex_list_int", [list(), Int], list(), remove)],
        )
}

fn set<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [list, index, value] = arity(args)?;
    let (mut elements, index) = opened(meter, list, index, "lists.setAtIndex", End::Excluded)?;
    elements[index] = value.clone();
    Ok(Val::list(elements))
}

fn insert<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [list, index, value] = arity(args)?;
    let (mut elements, index) = opened(meter, list, index, "lists.insertAtIndex", End::Included)?;
    elements.insert(index, value.clone());
    Ok(Val::list(elements))
}

fn remove<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [list, index] = arity(args)?;
    let (mut elements, index) = opened(meter, list, index, "lists.removeAtIndex", End::Excluded)?;
    elements.remove(index);
    Ok(Val::list(elements))
}

/// Whether the place behind the last element can be meant.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Excluded,
    Included,
}

/// The elements, and the place among them that is meant.
fn opened<'a>(
    meter: &Meter<'_>,
    list: &Val<'a>,
    index: &Val<'a>,
    function: &str,
    end: End,
) -> Result<(Vec<Val<'a>>, usize), EvalError> {
    let (list, index) = (list.elements()?, index.int()?);
    let size = list.len();
    let places = if end == End::Included { size + 1 } else { size };
    let Some(place) = usize::try_from(index).ok().filter(|place| *place < places) else {
        let close = if end == End::Included { ']' } else { ')' };
        return Err(EvalError::invalid(format!("{function}: index {index} out of bounds [0, {size}{close}")));
    };
    meter.charge(size as u64)?;
    Ok((list.iter().collect(), place))
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::check_expression;
    use super::lists;

    #[test]
    fn elements_change_in_a_copy() {
        let check = |expression: &str, expect: &str| check_expression([lists()], expression, expect);
        check("lists.setAtIndex([1, 2, 3], 1, 99)", "[1, 99, 3]");
        check("lists.setAtIndex(['a', 'b', 'c'], 0, 'z')", "['z', 'b', 'c']");
        check("lists.setAtIndex([1], 1, 9)", "! lists.setAtIndex: index 1 out of bounds [0, 1)");
        check("lists.setAtIndex([1], -1, 9)", "! lists.setAtIndex: index -1 out of bounds [0, 1)");
        check("lists.insertAtIndex([1, 2, 3], 1, 99)", "[1, 99, 2, 3]");
        check("lists.insertAtIndex([1, 2, 3], 3, 99)", "[1, 2, 3, 99]");
        check("lists.insertAtIndex([], 0, 99)", "[99]");
        check("lists.insertAtIndex([1], 2, 9)", "! lists.insertAtIndex: index 2 out of bounds [0, 1]");
        check("lists.removeAtIndex([1, 2, 3], 1)", "[1, 3]");
        check("lists.removeAtIndex([1, 2, 3], 2)", "[1, 2]");
        check("lists.removeAtIndex([], 0)", "! lists.removeAtIndex: index 0 out of bounds [0, 0)");
    }
}
