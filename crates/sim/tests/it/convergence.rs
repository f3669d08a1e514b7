//! Whatever goes wrong, the world becomes what it would have become anyway.

use std::collections::BTreeMap;

use krono_model::names;
use krono_sim::Simulation;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use serde_json::Value;

use crate::kinds::demo;
use crate::stories::{Pace, Play, Story, stories};

/// Set by `xtask deep`.
fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|it| it.parse().ok())
}

#[test]
fn convergence_under_faults() {
    let cases = number("KRONO_RANDOM_CASES").unwrap_or(12);
    let config =
        Config { cases: u32::try_from(cases).unwrap(), failure_persistence: None, ..Config::default() };
    let mut runner = match number("KRONO_SEED") {
        Some(seed) => {
            let mut bytes = [0; 32];
            bytes[..8].copy_from_slice(&seed.to_le_bytes());
            TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
        }
        None => TestRunner::new(config),
    };
    if let Err(failure) = runner.run(&stories(), |story| check(&story)) {
        panic!("{failure}");
    }
    println!("sim-convergence: {cases}/{cases}");
}

fn check(story: &Story) -> Result<(), TestCaseError> {
    let (mut calm, mut wild) = (Play::new(story, Pace::Calm), Play::new(story, Pace::Wild));
    for play in [&mut calm, &mut wild] {
        play.run().map_err(TestCaseError::fail)?;
        prop_assert!(play.simulation.broken.is_empty(), "{:#?}", play.simulation.broken);
        check_rest(&mut play.simulation)?;
    }
    let (expected, found) = (state(&calm.simulation), state(&wild.simulation));
    for (name, object) in &expected {
        prop_assert_eq!(found.get(name), Some(object), "{}", name);
    }
    let more: Vec<_> = found.keys().filter(|it| !expected.contains_key(*it)).collect();
    prop_assert!(more.is_empty(), "left behind: {more:#?}");
    Ok(())
}

/// A quiet world stays quiet: another look writes nothing, and another process changes nothing.
fn check_rest(simulation: &mut Simulation) -> Result<(), TestCaseError> {
    for name in simulation.known_instances() {
        let plan = simulation.plan(&name).unwrap_or_default();
        prop_assert!(plan.actions.is_empty(), "{name:?}: {:#?}", plan.actions);
        prop_assert!(plan.status.is_none(), "{name:?}: {:#?}", plan.status);
        prop_assert!(!plan.retry, "{name:?} is still not well");
    }
    let version = simulation.server.version();
    simulation.restart();
    simulation.settle().map_err(|it| TestCaseError::fail(it.to_string()))?;
    prop_assert_eq!(simulation.server.version(), version, "another process changed something");
    Ok(())
}

/// What the controller is answerable for: instances and their resources.
fn state(simulation: &Simulation) -> BTreeMap<String, Value> {
    let answerable = simulation.server.objects().filter(|(name, object)| {
        let is_resource = object["metadata"]["labels"][names::NODE_ID_LABEL].is_string();
        name.kind == demo() || is_resource
    });
    let entry = |(name, object): (&krono_planner::instance::ObjectName, &Value)| {
        (format!("{} {}/{}", name.kind.kind, name.namespace, name.name), comparable(object))
    };
    answerable.map(entry).collect()
}

/// An object without what may differ: times, versions, what others added, and labels that ride along.
fn comparable(object: &Value) -> Value {
    let mut object = object.clone();
    for (place, field) in [
        ("/metadata", "uid"),
        ("/metadata", "resourceVersion"),
        ("/metadata", "generation"),
        ("/metadata", "creationTimestamp"),
        ("/metadata", "managedFields"),
        ("/metadata/labels", names::COLLECTION_SIZE_LABEL),
        ("/metadata/annotations", "krono.dev/retained-from"),
        ("/data", "extra"),
        ("/spec/values", "extra"),
    ] {
        if let Some(map) = object.pointer_mut(place).and_then(Value::as_object_mut) {
            map.remove(field);
        }
    }
    if let Some(conditions) = object.pointer_mut("/status/conditions").and_then(Value::as_array_mut) {
        for condition in conditions.iter_mut().filter_map(Value::as_object_mut) {
            condition.remove("lastTransitionTime");
        }
        conditions.sort_by_key(|it| it["type"].as_str().map(str::to_owned));
    }
    object
}
