//! Laws that hold for every object and every configuration.

use proptest::collection::{btree_map, btree_set, vec};
use proptest::option::of;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::thing::{Shared, object, versions};

fn letter() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "d"]).prop_map(str::to_owned)
}

fn texts() -> impl Strategy<Value = Value> {
    btree_map(letter(), letter(), 1..3).prop_map(|it| json!(it))
}

fn keyed() -> impl Strategy<Value = Value> {
    let item = (of(0..3_i64), of(texts()));
    btree_map(letter(), item, 1..3).prop_map(|items| {
        let items = items.into_iter().map(|(name, (value, map))| {
            fields([("name", Some(json!(name))), ("value", value.map(Into::into)), ("map", map)])
        });
        items.collect()
    })
}

fn fields<const N: usize>(fields: [(&str, Option<Value>); N]) -> Value {
    let present = fields.into_iter().filter_map(|(name, value)| value.map(|value| (name.to_owned(), value)));
    Value::Object(present.collect())
}

/// A spec with some of the fields; what is empty is nobody's, and has laws of its own.
fn spec() -> impl Strategy<Value = Value> {
    let simple = (of(0..3_i64), of(letter()), of(texts()), of(keyed()));
    let lists = (of(btree_set(letter(), 1..3)), of(vec(letter(), 1..3)), of(texts()));
    (simple, lists).prop_map(|((numeric, string, map, list), (set, atomic_list, atomic_map))| {
        fields([
            ("numeric", numeric.map(Into::into)),
            ("string", string.map(Into::into)),
            ("map", map),
            ("list", list),
            ("set", set.map(|it| json!(it))),
            ("atomicList", atomic_list.map(|it| json!(it))),
            ("atomicMap", atomic_map),
        ])
    })
}

/// Halves of a spec that share no field: two managers who have nothing to quarrel about.
fn halves() -> impl Strategy<Value = (Value, Value)> {
    spec().prop_flat_map(|spec| {
        let fields: Vec<(String, Value)> =
            spec.as_object().cloned().unwrap_or_default().into_iter().collect();
        let count = fields.len();
        vec(any::<bool>(), count).prop_map(move |sides| {
            let (mut left, mut right) = (Map::new(), Map::new());
            for ((name, value), side) in fields.iter().cloned().zip(sides) {
                if side { &mut left } else { &mut right }.insert(name, value);
            }
            (Value::Object(left), Value::Object(right))
        })
    })
}

/// Who manages what, in no order.
fn ownership(shared: &Shared<'_>) -> Vec<String> {
    let mut told: Vec<String> =
        shared.managed_fields().into_iter().map(|it| Value::Object(it).to_string()).collect();
    told.sort();
    told
}

proptest! {
    #[test]
    fn applying_again_changes_nothing(first in spec(), second in spec()) {
        let versions = versions();
        let mut shared = Shared::new(&versions);
        shared.apply("other", &object(&first), false).unwrap();
        shared.apply("me", &object(&second), true).unwrap();
        let once = shared.live.clone();
        shared.apply("me", &object(&second), true).unwrap();
        prop_assert_eq!(shared.live, once);
    }

    #[test]
    fn who_has_nothing_in_common_may_apply_in_any_order((left, right) in halves()) {
        let versions = versions();
        let run = |order: [(&str, &Value); 2]| {
            let mut shared = Shared::new(&versions);
            for (manager, spec) in order {
                shared.apply(manager, &object(spec), false).unwrap();
            }
            (shared.spec(), ownership(&shared))
        };
        let (one, two) = (("left", &left), ("right", &right));
        prop_assert_eq!(run([one, two]), run([two, one]));
    }

    #[test]
    fn what_is_applied_is_there(first in spec(), second in spec()) {
        let versions = versions();
        let mut shared = Shared::new(&versions);
        shared.apply("other", &object(&first), false).unwrap();
        shared.apply("me", &object(&second), true).unwrap();
        for name in ["numeric", "string", "atomicList", "atomicMap"] {
            if let Some(value) = second.get(name) {
                prop_assert_eq!(&shared.spec()[name], value);
            }
        }
    }

    #[test]
    fn what_is_applied_no_longer_goes(first in spec()) {
        let versions = versions();
        let mut shared = Shared::new(&versions);
        shared.apply("keeper", &object(&json!({"struct": {"a": "x"}})), false).unwrap();
        let before = (shared.spec(), ownership(&shared));
        shared.apply("me", &object(&first), false).unwrap();
        shared.apply("me", &object(&json!({})), false).unwrap();
        let kept: Vec<String> = ownership(&shared).into_iter().filter(|it| it.contains("keeper")).collect();
        prop_assert_eq!((shared.spec(), kept), before);
    }

    #[test]
    fn nobody_loses_a_field_without_force(first in spec(), second in spec()) {
        let versions = versions();
        let mut shared = Shared::new(&versions);
        shared.apply("first", &object(&first), false).unwrap();
        let before: Vec<_> = ownership(&shared).into_iter().filter(|it| it.contains("first")).collect();
        let refused = shared.apply("second", &object(&second), false).is_err();
        let after: Vec<_> = ownership(&shared).into_iter().filter(|it| it.contains("first")).collect();
        prop_assert_eq!(before, after);
        let mut forced = shared.clone();
        forced.apply("second", &object(&second), true).unwrap();
        prop_assert!(refused || forced.spec() == shared.spec());
    }

    #[test]
    fn managed_fields_are_read_as_they_are_written(first in spec(), second in spec()) {
        let versions = versions();
        let mut shared = Shared::new(&versions);
        shared.apply("first", &object(&first), false).unwrap();
        shared.update("second", object(&second)).unwrap();
        let entries = shared.live.as_ref().unwrap()["metadata"]["managedFields"].clone();
        prop_assert!(krono_patch::apply::validate_managed_fields(&entries).is_ok());
        // An update that changes nothing writes them anew.
        let written = shared.timeless();
        let same = shared.live.clone().unwrap();
        shared.update("third", same).unwrap();
        prop_assert_eq!(shared.timeless(), written);
    }
}
