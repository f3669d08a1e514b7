//! Instances that wait for their turn: who has it, and what is written down before they move.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use krono_planner::fleet::{Facts, Look, Scene, Step, Turn, look};
use krono_planner::instance::Notice;
use krono_propagation::assignment::Assignment;
use serde_json::Value;
use tokio::time::Instant;

use crate::definition::resource;
use crate::engine::Engine;
use crate::queue::{InstanceKey, Key, Outcome};
use crate::refusal::Refusal;
use crate::requests::Subresource;
use crate::revisions;
use crate::serving::Serving;

/// How often a fleet is looked at in one go.
const MOST_LOOKS: usize = 20;

/// Who has a turn, and what comes after it.
#[derive(Default)]
pub(super) struct Turns {
    pub(super) by_key: BTreeMap<InstanceKey, Turn>,
    notices: Vec<Notice>,
    pub(super) look_again: Option<Timestamp>,
    /// What those who have a turn move to.
    target: Option<Assignment>,
}

/// Looks at all instances of a definition, and writes down what comes before anybody moves.
pub(super) async fn turns(engine: &Engine, serving: &Arc<Serving>) -> Result<Turns, Outcome> {
    for _ in 0..MOST_LOOKS {
        let began = Instant::now();
        let namespaces = namespaces(engine, serving)?;
        let Some((definition, found, keys)) = observed(engine, serving, &namespaces) else {
            return Err(Outcome::Retry);
        };
        let took = began.elapsed();
        if !keys.is_empty() {
            engine.metrics.propagation().took(&serving.name, took);
        }
        if found.steps.is_empty() {
            engine.router.follow(&serving.name, found.progress.as_ref().map(|_| took));
            return ended(engine, serving, &definition, found, &keys).await;
        }
        for step in found.steps {
            perform(engine, serving, step).await?;
        }
        tell(engine, &definition, found.notices).await;
    }
    tracing::warn!(definition = &*serving.name, "a propagation does not come to rest");
    Err(Outcome::Retry)
}

/// What the world looks like now; nothing while that is not known.
fn observed(
    engine: &Engine,
    serving: &Serving,
    namespaces: &BTreeMap<String, Value>,
) -> Option<(Value, Look, Vec<InstanceKey>)> {
    let definition = engine.definition(&serving.name)?;
    let revisions = engine.revisions_of(&definition).ok()?;
    let current = serving.current_revision()?;
    let notes = engine.options.notes;
    let facts = Facts::of(&definition, current, &revisions.history, notes);
    if facts.is_gated && !facts.is_in_step() {
        return None;
    }
    let (keys, instances) = if facts.is_gated { instances(serving)? } else { Default::default() };
    let now = crate::clock::timestamp();
    let found = look(&Scene {
        facts: &facts,
        definition: &definition,
        graph: serving.current().ok().map(|it| &it.compiled),
        instances: &instances,
        namespaces,
        schemas: serving.revisions(),
        leading: engine.leading(),
        refused: &engine.hindrances.of(&serving.name),
        now,
    });
    Some((definition, found, keys))
}

/// The labels of all namespaces, where a stage asks for them.
fn namespaces(engine: &Engine, serving: &Serving) -> Result<BTreeMap<String, Value>, Outcome> {
    let definition = engine.definition(&serving.name).unwrap_or_default();
    let stages = definition["spec"]["propagation"]["stages"].as_array();
    let matter = stages.is_some_and(|all| all.iter().any(|it| !it["namespaceSelector"].is_null()));
    engine.router.follow_namespaces(&serving.name, matter);
    if !matter {
        return Ok(BTreeMap::new());
    }
    let cache = engine.namespaces();
    let Ok(reading) = cache.read() else { return Err(super::wait(engine, serving, Some(cache))) };
    let all = reading.objects().within(None);
    Ok(all.map(|(_, name, entry)| (name.to_owned(), entry.labels())).collect())
}

fn instances(serving: &Serving) -> Option<(Vec<InstanceKey>, Vec<Value>)> {
    let reading = serving.instances.read().ok()?;
    let all = reading.objects().within(None).map(|(namespace, name, entry)| {
        let (namespace, name) = (namespace.to_owned(), name.to_owned());
        (InstanceKey { definition: Arc::clone(&serving.name), namespace, name }, entry.object())
    });
    Some(all.unzip())
}

/// Nothing is left to be written before somebody moves.
async fn ended(
    engine: &Engine,
    serving: &Serving,
    definition: &Value,
    found: Look,
    keys: &[InstanceKey],
) -> Result<Turns, Outcome> {
    let metrics = engine.metrics.propagation();
    metrics.looked_at(&serving.name, found.progress.as_ref());
    if let Some(status) = found.status {
        patch_definition(engine, serving, &status, Subresource::Status).await?;
        found.progress.iter().for_each(|it| metrics.written_down(&serving.name, it));
    }
    let by_key: BTreeMap<InstanceKey, Turn> =
        found.turns.into_iter().filter_map(|(at, turn)| Some((keys.get(at)?.clone(), turn))).collect();
    let target = found.progress.map(|it| it.target);
    let mut turns = Turns { by_key, notices: found.notices, look_again: found.look_again, target };
    if turns.by_key.is_empty() {
        tell(engine, definition, std::mem::take(&mut turns.notices)).await;
    }
    Ok(turns)
}

impl Turns {
    /// Whether those who have a turn move to what others know of; else both are to be looked at again.
    pub(super) fn agrees_with(&self, facts: &Facts) -> bool {
        self.target.is_none_or(|it| it == facts.current)
    }

    /// Of those who had a turn, these have taken it; whoever has not is told of with the next wave.
    pub(super) async fn taken(self, engine: &Engine, definition: &str, by: &BTreeSet<InstanceKey>) {
        if let Some(definition) = engine.definition(definition)
            && self.by_key.keys().any(|it| by.contains(it))
        {
            tell(engine, &definition, self.notices).await;
        }
    }
}

async fn tell(engine: &Engine, definition: &Value, notices: Vec<Notice>) {
    let name = definition["metadata"]["name"].as_str().unwrap_or_default();
    for notice in notices {
        tracing::info!(definition = name, "{}", notice.note);
        engine.metrics.propagation().told(name, notice.reason);
        engine.events.note(definition, notice, None).await;
    }
}

async fn perform(engine: &Engine, serving: &Serving, step: Step) -> Result<(), Outcome> {
    match step {
        Step::PatchDefinition(patch) => patch_definition(engine, serving, &patch, Subresource::None).await,
        Step::PatchDefinitionStatus(patch) => {
            patch_definition(engine, serving, &patch, Subresource::Status).await
        }
        Step::PatchRevision { name, patch } => {
            let resource = revisions::resource();
            let answer = engine.requests.merge(&resource, ("", &name), &patch, Subresource::None).await;
            let answer = heard(engine, serving, answer).await?;
            engine.revisions().answer(answer, None, &by(serving));
            Ok(())
        }
    }
}

async fn patch_definition(
    engine: &Engine,
    serving: &Serving,
    patch: &Value,
    subresource: Subresource,
) -> Result<(), Outcome> {
    let answer = engine.requests.merge(&resource(), ("", &serving.name), patch, subresource).await;
    let answer = heard(engine, serving, answer).await?;
    engine.definitions().answer(answer, None, &by(serving));
    Ok(())
}

fn by(serving: &Serving) -> Key {
    Key::Fleet(Arc::clone(&serving.name))
}

/// What was written by others meanwhile comes with a watch, and what the server does not want now it may want later.
async fn heard(engine: &Engine, serving: &Serving, answer: kube::Result<Value>) -> Result<Value, Outcome> {
    let error = match answer {
        Ok(answer) => return Ok(answer),
        Err(error) => error,
    };
    match Refusal::of(&error) {
        Refusal::Stale | Refusal::Absent(_) => {}
        Refusal::Transient(words) => {
            tracing::warn!(definition = &*serving.name, "propagation refused: {words}");
        }
        Refusal::Rejected(words) => {
            if let Some(definition) = engine.definition(&serving.name) {
                let words = format!("the propagation does not go on: {words}");
                engine.complain(by(serving), (by(serving), &definition), words).await;
            }
        }
    }
    Err(Outcome::Retry)
}
