//! A rollback gives back what a revision first gave: as it is wanted, byte by byte, and as it is in the cluster.

use std::collections::BTreeMap;
use std::sync::Arc;

use krono_model::names;
use krono_sim::Simulation;
use krono_sim::lineage::Library;
use krono_testkit::{FIRST, Run, Story, Wish, definition, run_from, shared, stories_with, wishes};
use proptest::test_runner::TestCaseError;
use proptest::{prop_assert, prop_assert_eq};
use serde_json::{Map, Value};

use crate::kinds::{Known, config_map};
use crate::lineages::{Lineage, Manner, definition_name, instance};

#[test]
fn restored_revisions_are_what_they_were() {
    let suite = Run { name: "sim-restore", cases: 4, shrinks: 50 };
    run_from(1, suite, &(stories_with(5), wishes()), |(story, wish)| check(&story, &wish));
}

/// What a revision gives.
#[derive(Clone, Debug, PartialEq)]
struct Given {
    desired: Vec<String>,
    live: BTreeMap<String, Value>,
}

fn check(story: &Story, wish: &Wish) -> Result<(), TestCaseError> {
    let mut lineage = Lineage::with(Arc::new(Library::new(Known)), story.seed, Manner::default());
    lineage.simulation.create(&config_map(), shared()).expect("a new object");
    let mut given: BTreeMap<i64, Given> = BTreeMap::new();
    for (index, graph) in story.graphs.iter().enumerate() {
        lineage.define(&definition(graph)["spec"]).map_err(TestCaseError::fail)?;
        if index == 0 {
            let allow = Some("true");
            lineage
                .annotate(definition_name(), names::ALLOW_BREAKING_ANNOTATION, allow)
                .map_err(TestCaseError::fail)?;
            for (index, wish) in [&FIRST, wish].into_iter().enumerate() {
                lineage.create(index, &wish.spec()).map_err(TestCaseError::fail)?;
            }
        }
        let (number, found) = rest(&mut lineage)?;
        prop_assert_eq!(given.entry(number).or_insert_with(|| found.clone()), &found);
    }
    // Backwards, forwards again, and to whatever is left.
    let numbers: Vec<i64> = given.keys().copied().collect();
    for number in numbers.iter().rev().chain(&numbers) {
        let before = &given[number];
        lineage
            .annotate(definition_name(), names::ROLLBACK_ANNOTATION, Some(&number.to_string()))
            .map_err(TestCaseError::fail)?;
        let (_, found) = rest(&mut lineage)?;
        prop_assert_eq!(&found.desired, &before.desired, "desired by {}", number);
        prop_assert_eq!(&found.live, &before.live, "live of {}", number);
    }
    Ok(())
}

/// What is there when all is quiet, and by which revision.
fn rest(lineage: &mut Lineage) -> Result<(i64, Given), TestCaseError> {
    lineage.settle().map_err(TestCaseError::fail)?;
    let simulation = &lineage.simulation;
    prop_assert!(simulation.broken.is_empty(), "{:#?}", simulation.broken);
    let definition = simulation.server.get(&definition_name()).cloned().unwrap_or_default();
    let number = definition["status"]["currentRevision"].as_i64();
    prop_assert!(number.is_some(), "{:#}", definition["status"]);
    let desired: Option<Vec<_>> = (0..2).map(|it| simulation.desired(&instance(it))).collect();
    prop_assert!(desired.is_some(), "nothing is desired");
    let (number, desired) = (number.unwrap_or_default(), desired.unwrap_or_default().concat());
    Ok((number, Given { desired, live: live(simulation) }))
}

/// The numbers of revisions, and policy, which a rollback leaves as it is.
const NOT_RESTORED: [&str; 3] =
    [names::RGD_REVISION, names::INPUT_REVISION, names::DELETION_POLICY_ANNOTATION];

/// What the manager of resources owns in the cluster.
fn live(simulation: &Simulation) -> BTreeMap<String, Value> {
    let owned = simulation.server.objects().filter_map(|(name, object)| {
        // What was let go of is nobody's.
        object["metadata"]["labels"].get(names::APPLYSET_PART_OF_LABEL)?;
        let mut entries = object["metadata"]["managedFields"].as_array()?.iter();
        let own = entries.find(|it| it["manager"] == names::MANAGER_RESOURCES)?;
        let mut part = owned(object, own["fieldsV1"].as_object()?);
        if let Some(annotations) = part.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut) {
            annotations.retain(|key, _| !NOT_RESTORED.contains(&key.as_str()));
        }
        Some((format!("{name:?}"), part))
    });
    owned.collect()
}

fn owned(value: &Value, fields: &Map<String, Value>) -> Value {
    let mut below = fields.iter().filter_map(|(name, it)| Some((name.strip_prefix("f:")?, it.as_object()?)));
    match value.as_object() {
        Some(map) if fields.keys().any(|it| it.starts_with("f:")) => {
            let kept =
                below.by_ref().filter_map(|(name, it)| Some((name.to_owned(), owned(map.get(name)?, it))));
            Value::Object(kept.collect())
        }
        Some(_) | None => value.clone(),
    }
}
