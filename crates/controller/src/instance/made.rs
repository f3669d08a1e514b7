//! What an instance is made with.

use std::sync::Arc;

use krono_history::writer::{keeper_of_spec, writer_of_annotation};
use krono_model::names;
use krono_planner::fleet::{self, Facts, Turn};
use krono_planner::instance::{Rollback, assignment};
use serde_json::Value;

use crate::engine::Engine;
use crate::fleet::decided;
use crate::graphs::Graph;
use crate::queue::{InstanceKey, Key};
use crate::serving::Serving;

/// What an instance is made with.
pub(super) struct Made {
    /// The graph, or what the instance is told instead.
    pub(super) graph: Result<Arc<Graph>, String>,
    /// The revision of that graph; nothing where the definition has none.
    pub(super) by: Option<Revised>,
    /// Whether a request to roll back stands on the instance.
    pub(super) has_request: bool,
}

/// The revision that an instance is made with.
pub(super) struct Revised {
    pub(super) facts: Arc<Facts>,
    pub(super) made: fleet::Made,
}

impl Made {
    fn unrevised(serving: &Serving) -> Self {
        let graph = serving.current().cloned().map_err(str::to_owned);
        Self { graph, by: None, has_request: false }
    }

    /// Nothing while the fleet has to decide first: it has been asked, and the instance is looked at afterwards.
    pub(super) fn of(
        engine: &Engine,
        serving: &Serving,
        key: &InstanceKey,
        instance: &Value,
    ) -> Option<Self> {
        if serving.current_revision().is_none() {
            return Some(Self::unrevised(serving));
        }
        if !instance["metadata"]["deletionTimestamp"].is_null() {
            let graph = assignment(instance).and_then(|(_, digest, _)| serving.graph_of(digest));
            return Some(graph.map_or_else(
                || Self::unrevised(serving),
                |it| Self { graph: Ok(it), by: None, has_request: false },
            ));
        }
        let assigned =
            engine.fleets.facts(&key.definition).and_then(|it| Self::assigned(serving, it, instance));
        if assigned.is_none() {
            engine.fleets.ask(key);
            engine.queue.add(Key::Fleet(Arc::clone(&key.definition)));
        }
        assigned
    }

    fn assigned(serving: &Serving, facts: Arc<Facts>, instance: &Value) -> Option<Self> {
        // Who may move is for the fleet to say; the instance asks for whatever else has changed.
        let turn = if facts.is_gated { Turn::Waits } else { Turn::Free };
        let decision = decided(serving, &facts, instance, turn, None);
        if !decision.is_settled() {
            return None;
        }
        let verdict = decision.verdict;
        let has_request = !instance["metadata"]["annotations"][names::INPUT_ROLLBACK_ANNOTATION].is_null();
        let Some(made) = facts.made(&verdict) else {
            let words: Vec<String> = verdict.remarks.iter().map(ToString::to_string).collect();
            return Some(Self { graph: Err(words.join("; ")), by: None, has_request: false });
        };
        let graph = serving.graph_or_reason(made.definition.digest);
        let number = made.definition.number;
        let graph = graph.map_err(|reason| format!("revision {number} cannot be served: {reason}"));
        Some(Self { graph, by: Some(Revised { facts, made }), has_request })
    }
}

/// The request to roll back that stands on an instance, as the server has it: caches do not know who wrote what.
pub(super) async fn rollback(
    engine: &Engine,
    serving: &Serving,
    key: &InstanceKey,
) -> kube::Result<Option<Rollback>> {
    let live = engine.requests.get(&serving.instances.resource, &key.namespace, &key.name).await?;
    Ok(live.and_then(|live| {
        let text = live["metadata"]["annotations"][names::INPUT_ROLLBACK_ANNOTATION].as_str()?;
        Some(Rollback {
            text: text.to_owned(),
            writer: writer_of_annotation(&live, names::INPUT_ROLLBACK_ANNOTATION),
            keeper: keeper_of_spec(&live),
            version: live["metadata"]["resourceVersion"].as_str().unwrap_or_default().to_owned(),
        })
    }))
}
