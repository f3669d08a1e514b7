//! The plans for one instance, carried out on an imagined world.

use std::collections::{BTreeMap, BTreeSet};

use krono_graph::CompiledGraph;
use krono_model::metadata::Owner;
use serde_json::{Map, Value};

use super::imagined::Imagined;
use super::{Premise, Server};
use crate::digest::Digest;
use crate::instance::{
    Action, Cluster as _, DeletionPolicies, ObjectName, Plan, Refused, Wanted, World, outlook, plan,
};

/// More rounds than any graph has levels.
const MOST_ROUNDS: usize = 200;

/// Nobody contests an imagined world.
static NOBODY: BTreeSet<ObjectName> = BTreeSet::new();

/// What became of an instance.
pub(super) struct Played<'o> {
    pub(super) world: Imagined<'o>,
    pub(super) touched: BTreeMap<ObjectName, Touched>,
    /// All that the graph wants, now or later.
    pub(super) wanted: Vec<Wanted>,
    /// What would keep the instance from being as it should.
    pub(super) failure: Option<String>,
}

/// What was done to a resource.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Touched {
    Applied { object: Value, digest: Digest },
    Refused { object: Value, words: String },
    Deleted,
    Released,
}

/// What a definition says.
#[derive(Clone, Copy)]
pub(super) struct Script<'a> {
    pub(super) graph: &'a CompiledGraph,
    pub(super) owner: Owner<'a>,
    pub(super) policies: &'a DeletionPolicies,
}

/// Plans and performs until nothing is left to do; from another world than the observed one where one is given.
pub(super) fn play<'o>(
    script: Script<'_>,
    instance: &Value,
    premise: &Premise<'o>,
    start: Option<&Imagined<'o>>,
) -> Played<'o> {
    let mut stage = Stage {
        instance: instance.clone(),
        world: start.cloned().unwrap_or_else(|| Imagined::of(premise.objects)),
        refused: Refused::default(),
        touched: BTreeMap::new(),
        server: premise.server,
    };
    let mut last = Plan::default();
    for _ in 0..MOST_ROUNDS {
        last = plan(&stage.world(script, premise.now));
        if last.actions.is_empty() {
            break;
        }
        for action in std::mem::take(&mut last.actions) {
            stage.perform(action);
        }
    }
    let failure = failure(last.status.as_ref().unwrap_or(&stage.instance["status"]));
    let outlook = outlook(&stage.world(script, premise.now), script.graph);
    outlook.removals.into_iter().for_each(|it| stage.perform(it));
    Played { world: stage.world, touched: stage.touched, wanted: outlook.wanted, failure }
}

struct Stage<'p, 'o> {
    instance: Value,
    world: Imagined<'o>,
    refused: Refused,
    touched: BTreeMap<ObjectName, Touched>,
    server: &'p dyn Server,
}

impl Stage<'_, '_> {
    fn world<'s>(&'s self, script: Script<'s>, now: &'s str) -> World<'s> {
        World {
            instance: &self.instance,
            graph: Ok(script.graph),
            owner: script.owner,
            assigned: None,
            policies: script.policies,
            cluster: &self.world,
            refused: &self.refused,
            resting: &NOBODY,
            now,
        }
    }

    fn perform(&mut self, action: Action) {
        match action {
            Action::Manage(object) | Action::Record(object) | Action::Shrink { object, .. } => {
                merge_metadata(&mut self.instance, &object);
            }
            Action::RemoveFinalizer(patch) => {
                self.instance["metadata"]["finalizers"] = patch["metadata"]["finalizers"].clone();
            }
            Action::Apply { name, object, digest, .. } => self.apply(name, object, digest),
            Action::Delete { name, .. } => {
                self.world.remove(name.clone());
                self.touched.insert(name, Touched::Deleted);
            }
            Action::Release { name, patch } => self.release(name, &patch),
            Action::Unmark { name, patch } => {
                let live = self.world.seen(&name.kind, &name.namespace, &name.name).and_then(|it| it.live);
                self.merge_metadata(&name, &patch, live);
            }
            // A preview has no assignment, so no input is issued and no request answered.
            Action::Begin(_) | Action::Restore(_) | Action::Amend(_) | Action::Input(_) => {}
        }
    }

    fn apply(&mut self, name: ObjectName, object: Value, digest: Digest) {
        let live = self.world.whole(&name);
        match self.server.applied(&name.kind, live, &object) {
            Ok(mut after) => {
                count_generation(live, &mut after);
                self.world.put(name.clone(), after, Some(digest));
                self.touched.insert(name, Touched::Applied { object, digest });
            }
            Err(words) => {
                self.refused.resources.insert(name.clone(), words.clone());
                self.touched.insert(name, Touched::Refused { object, words });
            }
        }
    }

    fn release(&mut self, name: ObjectName, patch: &Value) {
        self.merge_metadata(&name, patch, None);
        self.touched.insert(name, Touched::Released);
    }

    fn merge_metadata(&mut self, name: &ObjectName, patch: &Value, live: Option<Digest>) {
        let Some(mut whole) = self.world.whole(name).cloned() else { return };
        for field in ["labels", "annotations"] {
            let Some(target) = whole["metadata"][field].as_object_mut() else { continue };
            merge(target, patch["metadata"][field].as_object());
        }
        self.world.put(name.clone(), whole, live);
    }
}

/// Labels, annotations and finalizers of an apply to the instance.
fn merge_metadata(instance: &mut Value, applied: &Value) {
    for field in ["labels", "annotations"] {
        let Some(metadata) = instance.get_mut("metadata").and_then(Value::as_object_mut) else { return };
        let target = metadata.entry(field).or_insert_with(|| Value::Object(Map::new()));
        if let Some(target) = target.as_object_mut() {
            merge(target, applied["metadata"][field].as_object());
        }
    }
    if let Some(new) = applied["metadata"]["finalizers"].as_array() {
        let mut all = instance["metadata"]["finalizers"].as_array().cloned().unwrap_or_default();
        all.extend(new.iter().filter(|it| !all.contains(it)).cloned().collect::<Vec<_>>());
        instance["metadata"]["finalizers"] = all.into();
    }
}

fn merge(target: &mut Map<String, Value>, patch: Option<&Map<String, Value>>) {
    for (key, value) in patch.into_iter().flatten() {
        if value.is_null() {
            target.remove(key);
        } else {
            target.insert(key.clone(), value.clone());
        }
    }
}

/// Whoever compares an observed generation with it is not deceived by a status of earlier.
fn count_generation(live: Option<&Value>, after: &mut Value) {
    let Some(live) = live else { return };
    let (Some(generation), true) = (live["metadata"]["generation"].as_i64(), live["spec"] != after["spec"])
    else {
        return;
    };
    after["metadata"]["generation"] = (generation + 1).into();
}

/// What the status of an instance says is wrong.
fn failure(status: &Value) -> Option<String> {
    if status["state"] != "ERROR" {
        return None;
    }
    let conditions = status["conditions"].as_array().into_iter().flatten();
    let wrong = conditions.into_iter().filter(|it| it["status"] == "False" && it["type"] != "Ready");
    let messages: Vec<&str> = wrong.filter_map(|it| it["message"].as_str()).collect();
    Some(messages.join("; "))
}
