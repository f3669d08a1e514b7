//! One instance gets its assignment.

use std::collections::BTreeMap;
use std::sync::Arc;

use krono_history::writer::writer_of_annotation;
use krono_model::applyset::Inventory;
use krono_model::names;
use krono_planner::fleet::{Decision, Facts, Turn, World, decide, is_lost};
use krono_planner::instance::{Cluster, is_managed, may_have_objects};
use serde_json::Value;

use super::Round;
use crate::cache::KindCache;
use crate::engine::Engine;
use crate::queue::{InstanceKey, Key, Outcome};
use crate::refusal::Refusal;
use crate::requests::Subresource;
use crate::serving::Serving;
use crate::snapshot::Snapshot;

/// Decides about one instance and writes that down, if it is not there.
pub(super) async fn assign(
    engine: &Engine,
    serving: &Arc<Serving>,
    round: &Round<'_>,
    key: &InstanceKey,
) -> Outcome {
    let Some((instance, is_told)) = read(serving, key) else { return Outcome::Done };
    let instance = engine.fleets.assigned(key, instance);
    let (facts, turn) = (round.facts, round.turn(key));
    let decision = if is_lost(&instance, facts) {
        let Ok(caches) = all_caches(engine, serving, facts, &instance).await else { return Outcome::Retry };
        let beside = BTreeMap::new();
        match Snapshot::of(caches.iter().map(AsRef::as_ref), &beside) {
            Ok(cluster) => decided(serving, facts, &instance, turn, Some(&cluster)),
            Err(incomplete) => {
                engine.fleets.ask(key);
                return super::wait(engine, serving, caches.iter().find(|it| it.kind == incomplete.kind));
            }
        }
    } else {
        decided(serving, facts, &instance, turn, None)
    };
    match () {
        () if decision.is_settled() => {
            if round.concerns(key, &instance) {
                engine.queue.add(Key::Instance(key.clone()));
            }
            Outcome::Done
        }
        // What was not written down is decided anew.
        () if engine.fleets.end_waiting(key) => Outcome::Retry,
        // An input is issued from all of a spec; the next look has it. Who is made krono's first is told by the answer.
        () if !is_told && (is_managed(&instance) || !decision.can_wait(facts)) => {
            let name = (key.namespace.as_str(), key.name.as_str());
            let by = Key::Fleet(Arc::clone(&serving.name));
            drop(serving.instances.ask(&engine.requests, name, &by).await);
            Outcome::Retry
        }
        () => write(engine, serving, facts, key, decision).await,
    }
}

/// What is written of a decision together with the input that it leads to; nothing where resources cannot be looked at
/// yet, for then the instance issues its input later.
async fn with_input(
    engine: &Engine,
    serving: &Serving,
    facts: &Facts,
    decision: &Decision<'_>,
) -> Option<Value> {
    let graph = serving.graph_of(decision.verdict.assignment?.digest)?;
    let caches = graph.caches(&engine.catalogue, &engine.caches).await.ok()?;
    let beside = BTreeMap::new();
    let cluster = Snapshot::of(caches.iter().map(AsRef::as_ref), &beside).ok()?;
    Some(decision.patch_with_input(
        facts,
        serving.owner(),
        &cluster,
        serving.revisions(),
        &crate::clock::now(),
    ))
}

/// What the rules say about an instance now.
fn decided<'a>(
    serving: &'a Serving,
    facts: &'a Facts,
    instance: &'a Value,
    turn: Turn,
    cluster: Option<&dyn Cluster>,
) -> Decision<'a> {
    let now = crate::clock::timestamp();
    decide(&World { facts, instance, schemas: serving.revisions(), turn, now }, cluster)
}

/// The instance, and whether the server has told all of its spec.
fn read(serving: &Serving, key: &InstanceKey) -> Option<(Value, bool)> {
    let reading = serving.instances.read().ok()?;
    let entry = reading.objects().get(&key.namespace, &key.name)?;
    Some((entry.object(), entry.is_told()))
}

/// The caches of all kinds that any kept revision may have made resources of.
async fn all_caches(
    engine: &Engine,
    serving: &Arc<Serving>,
    facts: &Facts,
    instance: &Value,
) -> kube::Result<Vec<Arc<KindCache>>> {
    let inventory = Inventory::read(instance).ok().flatten().unwrap_or_default();
    let mut all: Vec<Arc<KindCache>> = Vec::new();
    if may_have_objects(instance, facts.keeping()) {
        all.push(Arc::clone(engine.inputs()));
    }
    for revision in facts.history.live() {
        let graph = serving.graph_of(revision.digest);
        let caches = serving.caches(graph.as_deref(), &inventory, &engine.catalogue, &engine.caches).await?;
        for cache in caches {
            if !all.iter().any(|it| it.kind == cache.kind) {
                all.push(cache);
            }
        }
    }
    Ok(all)
}

async fn write(
    engine: &Engine,
    serving: &Arc<Serving>,
    facts: &Facts,
    key: &InstanceKey,
    mut decision: Decision<'_>,
) -> Outcome {
    let name = (key.namespace.as_str(), key.name.as_str());
    let resource = &serving.instances.resource;
    if decision.is_newly_pinned() {
        // Caches do not know who wrote what.
        let Ok(live) = engine.requests.get(resource, name.0, name.1).await else { return Outcome::Retry };
        let writer = live.and_then(|it| writer_of_annotation(&it, names::RGD_REVISION));
        decision.pinned_by = writer.map(|it| it.manager);
    }
    let by = Key::Fleet(Arc::clone(&serving.name));
    let patch = match with_input(engine, serving, facts, &decision).await {
        Some(patch) if decision.can_wait(facts) => {
            engine.fleets.let_wait(key, decision.instance, &patch);
            engine.queue.add(Key::Instance(key.clone()));
            return Outcome::Done;
        }
        Some(patch) => patch,
        None => decision.patch(),
    };
    let answer = engine.requests.merge(resource, name, &patch, Subresource::Status).await;
    match answer {
        Ok(answer) if !decision.is_told_by(&answer) => {
            tracing::info!(definition = &*key.definition, name = key.name, "the server drops the assignment");
            Outcome::Retry
        }
        Ok(answer) => {
            for notice in decision.notices(&answer) {
                engine.events.note_wish(&answer, notice).await;
            }
            serving.instances.answer(answer, None, &by);
            Outcome::Done
        }
        Err(error) => match Refusal::of(&error) {
            Refusal::Absent(_) => Outcome::Done,
            Refusal::Stale => Outcome::Retry,
            Refusal::Transient(words) => {
                tracing::warn!(definition = &*key.definition, name = key.name, "assignment refused: {words}");
                Outcome::Retry
            }
            Refusal::Rejected(words) => {
                let words = format!("the revision of the instance is not written: {words}");
                engine.complain(by, (Key::Instance(key.clone()), decision.instance), words).await;
                Outcome::Retry
            }
        },
    }
}
