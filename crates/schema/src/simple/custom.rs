//! The order in which custom types can be built.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Map, Value};

use super::type_name::TypeName;

/// The types in an order in which each comes after those it uses, and the cycles among the rest.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Order<'t> {
    pub(super) sorted: Vec<&'t str>,
    pub(super) cycles: Vec<Vec<&'t str>>,
}

/// Sorts the types by what they use; a cycle is broken up where it is met.
pub(super) fn order(types: &Map<String, Value>) -> Order<'_> {
    let mut sorter = Sorter::new(types);
    let mut order = Order::default();
    while let Some(next) = sorter.waiting.keys().next().copied() {
        let batch = if let Some(ready) = sorter.ready.pop_first() {
            vec![ready]
        } else {
            let cycle = sorter.cycle_from(next);
            order.cycles.push(cycle.clone());
            cycle
        };
        for name in batch {
            sorter.release(name);
            order.sorted.push(name);
        }
    }
    order
}

struct Sorter<'t> {
    /// What each unsorted type uses that is unsorted too.
    waiting: BTreeMap<&'t str, BTreeSet<&'t str>>,
    users: HashMap<&'t str, Vec<&'t str>>,
    ready: BTreeSet<&'t str>,
}

impl<'t> Sorter<'t> {
    fn new(types: &'t Map<String, Value>) -> Self {
        let waiting: BTreeMap<_, _> =
            types.iter().map(|(name, value)| (name.as_str(), uses(value, types))).collect();
        let mut users: HashMap<_, Vec<_>> = HashMap::new();
        for (name, uses) in &waiting {
            for used in uses {
                users.entry(*used).or_default().push(*name);
            }
        }
        let ready = waiting.iter().filter(|(_, uses)| uses.is_empty()).map(|(name, _)| *name).collect();
        Self { waiting, users, ready }
    }

    fn release(&mut self, name: &'t str) {
        self.waiting.remove(name);
        self.ready.remove(name);
        for user in self.users.get(name).into_iter().flatten() {
            let Some(uses) = self.waiting.get_mut(user) else { continue };
            uses.remove(name);
            if uses.is_empty() {
                self.ready.insert(user);
            }
        }
    }

    /// Follows the first use of each type until one repeats; with none ready, every type uses a waiting one.
    fn cycle_from(&self, start: &'t str) -> Vec<&'t str> {
        let (mut path, mut places) = (Vec::new(), HashMap::new());
        let mut next = Some(start);
        while let Some(name) = next {
            if let Some(place) = places.insert(name, path.len()) {
                return path.split_off(place);
            }
            path.push(name);
            next = self.waiting.get(name).and_then(|uses| uses.first().copied());
        }
        path
    }
}

/// The custom types a type uses, by the names that are defined.
fn uses<'t>(value: &'t Value, types: &'t Map<String, Value>) -> BTreeSet<&'t str> {
    let mut found = BTreeSet::new();
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Value::String(text) => {
                let written = text.split('|').next().unwrap_or_default();
                let name = TypeName::parse(written).ok().and_then(|it| it.custom());
                found.extend(name.filter(|name| types.contains_key(*name)));
            }
            Value::Object(fields) => pending.extend(fields.values()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(types: &Value, sorted: &[&str], cycles: &[&[&str]]) {
        let order = order(types.as_object().unwrap());
        assert_eq!(order.sorted, sorted);
        assert_eq!(order.cycles, cycles);
    }

    #[test]
    fn orders() {
        check(
            &json!({"A": {"x": "[]B"}, "B": "map[string]C | minItems=1", "C": "string"}),
            &["C", "B", "A"],
            &[],
        );
        check(&json!({"A": "B", "B": "A", "C": "A"}), &["A", "B", "C"], &[&["A", "B"]]);
        check(
            &json!({"A": "A", "B": {"x": {"y": "B"}}, "C": "Unknown"}),
            &["C", "A", "B"],
            &[&["A"], &["B"]],
        );
    }
}
