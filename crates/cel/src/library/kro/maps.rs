//! Maps made of two.

use super::super::arity;
use crate::error::EvalError;
use crate::function::{Library, Overload};
use crate::meter::Meter;
use crate::types::Type::{self, Dyn, Param};
use crate::value::{Map, MapView, Val};

/// `merge` and `deepMerge`.
pub fn maps() -> Library {
    let map = || Type::map(Param(0), Param(1));
    Library::new()
        .function(
            "merge",
            [Overload::method("map_merge", [map(), map()], map(), |meter, args| {
                let [left, right] = arity(args)?;
                merge(left.entries()?, right.entries()?, meter, |_, value, _| Ok(value))
            })],
        )
        .function(
            "deepMerge",
            [Overload::method("dyn_deepmerge_dyn", [Dyn, Dyn], Dyn, |meter, args| {
                let [left, right] = arity(args)?;
                deep_merge(left.entries()?, right.entries()?, meter)
            })],
        )
}

/// Maps are merged key by key; of other values the second counts.
fn deep_merge<'a>(
    left: MapView<'_, 'a>,
    right: MapView<'_, 'a>,
    meter: &Meter<'_>,
) -> Result<Val<'a>, EvalError> {
    merge(left, right, meter, |ours, theirs, meter| match (ours.as_map(), theirs.as_map()) {
        (Some(ours), Some(theirs)) => deep_merge(ours, theirs, meter),
        _ => Ok(theirs),
    })
}

/// The entries of both maps; `combine` decides about keys that both have.
fn merge<'a>(
    left: MapView<'_, 'a>,
    right: MapView<'_, 'a>,
    meter: &Meter<'_>,
    combine: impl Fn(Val<'a>, Val<'a>, &Meter<'_>) -> Result<Val<'a>, EvalError>,
) -> Result<Val<'a>, EvalError> {
    // Each entry is copied and put in its place.
    meter.charge(2 * (left.len() + right.len()) as u64)?;
    let mut entries = left.entries();
    for (key, value) in right.entries() {
        let merged = match left.get(&key) {
            Some(ours) => combine(ours, value, meter)?,
            None => value,
        };
        entries.push((key, merged));
    }
    Ok(Val::map(Map::last_wins(entries)))
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::check_expression;
    use super::maps;

    #[test]
    fn the_second_map_wins() {
        let check = |expression: &str, expect: &str| check_expression([maps()], expression, expect);
        check("{}.merge({})", "{}");
        check("{}.merge({'a': 1})", "{'a': 1}");
        check("{'a': 1}.merge({})", "{'a': 1}");
        check("{'a': 1}.merge({'b': 2})", "{'a': 1, 'b': 2}");
        check("{'a': 1}.merge({'a': 2, 'b': 2})", "{'a': 2, 'b': 2}");
        check("{'a': {'x': 1}}.merge({'a': {'y': 2}})", "{'a': {'y': 2}}");
        check("{1: 'a'}.merge({2: 'b'})", "{1: 'a', 2: 'b'}");
    }

    #[test]
    fn inner_maps_are_merged_too() {
        let check = |expression: &str, expect: &str| check_expression([maps()], expression, expect);
        check("{'a': {'x': 1}}.deepMerge({'a': {'y': 2}})", "{'a': {'x': 1, 'y': 2}}");
        check("{'a': {'x': 1}}.deepMerge({'a': {'x': 9}})", "{'a': {'x': 9}}");
        check(
            "{'a': {'x': {'p': 1, 'q': 2}}}.deepMerge({'a': {'x': {'q': 3}}, 'b': 4})",
            "{'a': {'x': {'p': 1, 'q': 3}}, 'b': 4}",
        );
        check("{'a': [1, 2]}.deepMerge({'a': [3]})", "{'a': [3]}");
        check("{'a': {'x': 1}}.deepMerge({'a': 5})", "{'a': 5}");
        check("{'a': 5}.deepMerge({'a': {'x': 1}})", "{'a': {'x': 1}}");
        check("{'a': {'x': 1}}.deepMerge({'a': null})", "{'a': null}");
        check("dyn(1).deepMerge({})", "! no such overload: deepMerge(int, map)");
    }
}
