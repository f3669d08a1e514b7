//! One instance gets its assignment.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use krono_history::input;
use krono_model::applyset::Inventory;
use krono_model::metadata::is_suspended;
use krono_model::names;
use krono_planner::instance::{Refused, World, assignment, assignment_patch};
use krono_propagation::assignment::{
    self as rules, Assignment, Because, Evidence, HeldInput, Instance, Life, Open, Remark, Verdict, Wishes,
};
use serde_json::{Value, json};

use super::evidence::Thorough;
use super::{Facts, Quick};
use crate::cache::{Entry, KindCache};
use crate::engine::Engine;
use crate::events::Told;
use crate::queue::{InstanceKey, Key, Outcome};
use crate::refusal::Refusal;
use crate::requests::Subresource;
use crate::serving::Serving;
use crate::snapshot::Snapshot;

/// What the rules say about an instance.
pub(crate) fn decided(facts: &Facts, instance: &Value, evidence: &dyn Evidence) -> Verdict {
    let inputs = input::read(&instance["status"]["inputRevisionHistory"]);
    let inputs = if inputs.current().is_some() {
        inputs
    } else {
        input::read(&instance["status"]["krono"]["inputRevisionHistory"])
    };
    let note = |key: &str| instance["metadata"]["annotations"][key].as_str();
    let hold = note(names::HOLD_INPUT_ANNOTATION).map(|it| input::hold(it, &inputs, &facts.history));
    let problem = hold.as_ref().and_then(|it| it.as_ref().err()).map(ToString::to_string);
    let hold = hold.map(|it| match it {
        Ok((input, _)) => HeldInput::Of(input.definition.digest),
        Err(_) => HeldInput::Unusable(problem.as_deref().unwrap_or_default()),
    });
    let is_ending = !instance["metadata"]["deletionTimestamp"].is_null();
    let about = Instance {
        assigned: assignment(instance).map(|(number, digest, _)| Assignment { number, digest }),
        life: if is_ending { Life::Ending } else { Life::Living },
        wishes: Wishes {
            suspended: is_suspended(instance),
            policy: note(names::UPDATE_POLICY_ANNOTATION),
            pin: note(names::RGD_REVISION),
            approval: note(names::APPROVE_REVISION_ANNOTATION),
            hold,
        },
        evidence,
    };
    let stopped = facts.stopped();
    rules::decide(&facts.fleet(&stopped, crate::clock::timestamp()), &about, &Open)
}

/// Whether the status of an instance says what a verdict does; equal contents are the same assignment.
pub(crate) fn is_settled(instance: &Value, verdict: &Verdict) -> bool {
    if verdict.because == Because::Ending {
        return true;
    }
    let known = recorded(instance);
    let wanted = record(verdict);
    let fields = ["digest", "because", "reason", "message"];
    fields.iter().all(|it| known[it] == wanted[it])
}

fn recorded(instance: &Value) -> &Value {
    let status = &instance["status"];
    let own = &status["krono"]["assignment"];
    if own.is_null() { &status["assignment"] } else { own }
}

/// `status.assignment`.
fn record(verdict: &Verdict) -> Value {
    let mut record = json!({"because": verdict.because.as_str()});
    if let Some(assignment) = verdict.assignment {
        record["revision"] = json!(assignment.number.to_wire());
        record["digest"] = json!(assignment.digest.to_string());
    }
    let told: Vec<&Remark> = verdict.remarks.iter().filter(|it| it.is_of_instance()).collect();
    if let Some(first) = told.first() {
        let words: Vec<String> = told.iter().map(ToString::to_string).collect();
        record["reason"] = json!(first.reason());
        record["message"] = json!(words.join("; "));
    }
    record
}

/// Decides about one instance and writes that down, if it is not there.
pub(super) async fn assign(
    engine: &Engine,
    serving: &Arc<Serving>,
    facts: &Facts,
    key: &InstanceKey,
) -> Outcome {
    let Some(instance) = read(serving, key) else { return Outcome::Done };
    let verdict = match verdict(engine, serving, facts, &instance).await {
        Ok(verdict) => verdict,
        Err(outcome) => return outcome,
    };
    if is_settled(&instance, &verdict) {
        return Outcome::Done;
    }
    write(engine, serving, key, &instance, &verdict).await
}

fn read(serving: &Serving, key: &InstanceKey) -> Option<Value> {
    let reading = serving.instances.read().ok()?;
    reading.objects().get(&key.namespace, &key.name).map(Entry::object)
}

/// Resources are looked at only for an instance that had an assignment and lost it.
async fn verdict(
    engine: &Engine,
    serving: &Arc<Serving>,
    facts: &Facts,
    instance: &Value,
) -> Result<Verdict, Outcome> {
    let quick = Quick { serving, instance };
    let inventory = Inventory::read(instance).ok().flatten().unwrap_or_default();
    if assignment(instance).is_some() || inventory.group_kinds.is_empty() {
        return Ok(decided(facts, instance, &quick));
    }
    let caches = all_caches(engine, serving, facts, &inventory).await.map_err(|_| Outcome::Retry)?;
    let beside = BTreeMap::new();
    let cluster = Snapshot::of(caches.iter().map(AsRef::as_ref), &beside).map_err(|_| Outcome::Retry)?;
    let (refused, resting) = (Refused::default(), BTreeSet::new());
    let world = World {
        instance,
        graph: Err(""),
        owner: serving.owner(),
        assigned: None,
        cluster: &cluster,
        refused: &refused,
        resting: &resting,
        now: "",
    };
    Ok(decided(facts, instance, &Thorough { quick, world }))
}

/// The caches of all kinds that any kept revision may have made resources of.
async fn all_caches(
    engine: &Engine,
    serving: &Arc<Serving>,
    facts: &Facts,
    inventory: &Inventory,
) -> kube::Result<Vec<Arc<KindCache>>> {
    let mut all: Vec<Arc<KindCache>> = Vec::new();
    for revision in facts.history.live() {
        let graph = serving.graph_of(revision.digest);
        let caches = serving.caches(graph.as_deref(), inventory, &engine.catalogue, &engine.caches).await?;
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
    key: &InstanceKey,
    instance: &Value,
    verdict: &Verdict,
) -> Outcome {
    let graph = verdict.assignment.and_then(|it| serving.graph_of(it.digest));
    let patch = assignment_patch(instance, graph.as_deref().map(|it| &it.compiled), &record(verdict));
    let name = (key.namespace.as_str(), key.name.as_str());
    let resource = &serving.instances.resource;
    let answer = engine.requests.merge(resource, name, &patch, Subresource::Status).await;
    match answer {
        Ok(answer) => {
            for told in news(instance, verdict) {
                engine.events.note(&answer, told).await;
            }
            serving.instances.answer(answer, None, &Key::Fleet(Arc::clone(&serving.name)));
            Outcome::Done
        }
        Err(error) => match Refusal::of(&error) {
            Refusal::Absent => Outcome::Done,
            Refusal::Stale => Outcome::Retry,
            Refusal::Transient(words) | Refusal::Rejected(words) => {
                tracing::warn!(definition = &*key.definition, name = key.name, "assignment refused: {words}");
                Outcome::Retry
            }
        },
    }
}

/// What people should hear of when an instance is assigned otherwise than before.
fn news(instance: &Value, verdict: &Verdict) -> Vec<Told> {
    let (before, now) = (recorded(instance), record(verdict));
    let turn = (before["because"] != now["because"])
        .then(|| turn(before["because"].as_str().unwrap_or_default(), verdict))
        .flatten();
    let problem = now["message"].as_str().filter(|it| before["message"] != **it);
    let first = verdict.remarks.iter().find(|it| it.is_of_instance());
    let warning = first.zip(problem).map(|(first, words)| Told {
        reason: first.reason(),
        note: words.to_owned(),
        is_warning: true,
    });
    turn.into_iter().chain(warning).collect()
}

/// What is told when something else decides about an instance than before.
fn turn(before: &str, verdict: &Verdict) -> Option<Told> {
    let at = verdict.assignment.map_or_else(String::new, |it| format!(" at revision {}", it.number));
    let (reason, note, is_warning) = match verdict.because {
        Because::Pinned => ("Pinned", format!("pinned{at}"), false),
        Because::InputHeld => ("Held", format!("held{at}"), false),
        Because::Minimum => ("MinimumRevision", format!("moved to what is allowed{at}"), true),
        Because::Ending
        | Because::Paused
        | Because::Approved
        | Because::Manual
        | Because::Following
        | Because::AwaitingAdmission => match before {
            _ if before == Because::Pinned.as_str() => {
                ("Unpinned", "follows its definition again".to_owned(), false)
            }
            _ if before == Because::InputHeld.as_str() => {
                ("Released", "follows its own spec again".to_owned(), false)
            }
            _ => return None,
        },
    };
    Some(Told { reason, note, is_warning })
}
