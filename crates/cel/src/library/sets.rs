//! Lists as sets: cel-go's `sets` extension.

use super::arity;
use crate::error::EvalError;
use crate::function::{Library, Overload};
use crate::meter::Meter;
use crate::types::Type::{self, Bool, Param};
use crate::value::{ListView, Val};

/// `sets.contains`, `sets.equivalent` and `sets.intersects`.
pub fn sets() -> Library {
    let relation = |id, holds: Relation| {
        let list = || Type::list(Param(0));
        Overload::function(id, [list(), list()], Bool, move |meter, args| {
            let [left, right] = arity(args)?;
            holds(left.elements()?, right.elements()?, meter).map(Val::Bool)
        })
    };
    Library::new()
        .function("sets.contains", [relation("list_sets_contains_list", contains)])
        .function("sets.equivalent", [relation("list_sets_equivalent_list", equivalent)])
        .function("sets.intersects", [relation("list_sets_intersects_list", intersects)])
}

type Relation = for<'v, 'w> fn(ListView<'v, '_>, ListView<'w, '_>, &Meter<'_>) -> Result<bool, EvalError>;

/// Whether the first list has all elements of the second.
fn contains(list: ListView<'_, '_>, part: ListView<'_, '_>, meter: &Meter<'_>) -> Result<bool, EvalError> {
    for element in part.iter() {
        if list.position(&element, meter)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

fn equivalent(left: ListView<'_, '_>, right: ListView<'_, '_>, meter: &Meter<'_>) -> Result<bool, EvalError> {
    Ok(contains(left, right, meter)? && contains(right, left, meter)?)
}

fn intersects(left: ListView<'_, '_>, right: ListView<'_, '_>, meter: &Meter<'_>) -> Result<bool, EvalError> {
    for element in left.iter() {
        if right.position(&element, meter)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::super::testing::check_expression;
    use super::sets;

    #[test]
    fn lists_relate_as_sets() {
        let check =
            |expression: &str, expect: bool| check_expression([sets()], expression, &expect.to_string());
        check("sets.contains([], [])", true);
        check("sets.contains([], [1])", false);
        check("sets.contains([1, 2, 3], [3, 1])", true);
        check("sets.contains([1, 2, 3], dyn([3u, 1.0]))", true);
        check("sets.contains([1], [1, 2])", false);
        check("sets.equivalent([1, 1, 2], [2, 1])", true);
        check("sets.equivalent([1, 2], [1])", false);
        check("sets.intersects([1], [1, 2])", true);
        check("sets.intersects([1], [2])", false);
        check("sets.intersects([], [])", false);
        check("sets.intersects([[1]], [[1], [2]])", true);
    }
}
