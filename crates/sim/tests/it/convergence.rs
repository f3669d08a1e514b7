//! Whatever goes wrong, the world becomes what it would have become anyway.

use std::collections::BTreeMap;

use krono_model::names;
use krono_sim::Simulation;
use krono_testkit::{Run, Story, comparable, run_from, stories};
use proptest::test_runner::TestCaseError;
use proptest::{prop_assert, prop_assert_eq};
use serde_json::Value;

use crate::kinds::demo;
use crate::stories::{Pace, Play};

#[test]
fn convergence_under_faults() {
    let suite = Run { name: "sim-convergence", cases: 12, shrinks: u32::MAX };
    run_from(1, suite, &stories(), |story| check(&story));
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
