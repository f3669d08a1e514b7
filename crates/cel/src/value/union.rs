//! `+` on the lists that Kubernetes treats as sets and maps.

use std::sync::Arc;

use super::equality::{same_keys, semantics};
use super::{ListView, Val};
use crate::error::EvalError;
use crate::meter::Meter;
use crate::types::ListSemantics;

/// Two lists as one: appended, or united as the list type of the first says.
pub(crate) fn append_lists<'a>(a: &Val<'a>, b: &Val<'a>, meter: &Meter<'_>) -> Result<Val<'a>, EvalError> {
    let (left, right) = (a.elements()?, b.elements()?);
    meter.charge((left.len() + right.len()) as u64)?;
    let Some(semantics) = semantics(a) else {
        return Ok(Val::list(left.iter().chain(right.iter()).collect()));
    };
    let united = match semantics {
        ListSemantics::Atomic => left.iter().chain(right.iter()).collect(),
        ListSemantics::Set => unite(left, right, meter, |old, new| old.equals(new, meter), |_, _| {})?,
        ListSemantics::Map(keys) => {
            let same = |old: &Val<'a>, new: &Val<'a>| Ok(same_keys(old, new, keys));
            unite(left, right, meter, same, |old, new| *old = new)?
        }
    };
    Ok(Val::United(Arc::new(united), semantics))
}

/// The elements of `left` in their places, then those of `right` that are not the same as one of them.
fn unite<'a>(
    left: ListView<'_, 'a>,
    right: ListView<'_, 'a>,
    meter: &Meter<'_>,
    same: impl Fn(&Val<'a>, &Val<'a>) -> Result<bool, EvalError>,
    replace: impl Fn(&mut Val<'a>, Val<'a>),
) -> Result<Vec<Val<'a>>, EvalError> {
    let mut made: Vec<Val<'a>> = left.iter().collect();
    for new in right.iter() {
        meter.charge(made.len() as u64)?;
        match position(&made, |old| same(old, &new))? {
            Some(found) => replace(&mut made[found], new),
            None => made.push(new),
        }
    }
    Ok(made)
}

fn position<T>(
    items: &[T],
    holds: impl Fn(&T) -> Result<bool, EvalError>,
) -> Result<Option<usize>, EvalError> {
    for (index, item) in items.iter().enumerate() {
        if holds(item)? {
            return Ok(Some(index));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::types::{ListType, Type};

    fn check(semantics: ListSemantics, a: &Value, b: &Value, expected: &Value) {
        let ty = Type::List(Arc::new(ListType { element: Type::Dyn, semantics }));
        let sum = append_lists(&Val::from_json(a, &ty), &Val::from_json(b, &ty), &Meter::default());
        assert_eq!(sum.unwrap().to_json().unwrap(), *expected);
    }

    #[test]
    fn plain_lists_are_appended() {
        check(ListSemantics::Atomic, &json!([1, 2]), &json!([2]), &json!([1, 2, 2]));
    }

    #[test]
    fn sets_are_united() {
        check(ListSemantics::Set, &json!([1, 2]), &json!([3, 2]), &json!([1, 2, 3]));
    }

    #[test]
    fn what_was_united_is_still_a_set() {
        let ty = Type::List(Arc::new(ListType { element: Type::Int, semantics: ListSemantics::Set }));
        let env = crate::Env::builder().library(crate::library::standard()).variable("set", ty).build();
        let set = json!([1, 2]);
        let check = |expression: &str| {
            let program = env.compile(expression).unwrap();
            let value = program.eval(&env.bindings().with("set", &set)).unwrap();
            assert_eq!(value, Val::Bool(true), "{expression}");
        };
        check("set + [3] == [3, 2, 1]");
        check("!([3, 2, 1] == set + [3])");
        check("(set + [3] + [3, 1]).size() == 3");
        check("(set + [3]).map(x, x * 2) == [2, 4, 6]");
        check("!([3] + set == [2, 1, 3])");
    }

    #[test]
    fn list_maps_are_merged_by_key() {
        let (a, b) = (json!([{"k": 1, "v": 1}, {"k": 2}]), json!([{"k": 1, "v": 9}, {"k": 3}]));
        let expected = json!([{"k": 1, "v": 9}, {"k": 2}, {"k": 3}]);
        check(ListSemantics::Map(vec!["k".into()]), &a, &b, &expected);
    }
}
