//! What an instance is made with.

use std::sync::Arc;

use krono_planner::fleet::{Facts, Made as Decided, Revised, made};
use krono_planner::instance::Rollback;
use serde_json::Value;

use crate::engine::Engine;
use crate::graphs::Graph;
use crate::live::{TOO_DEEP, is_cut};
use crate::queue::{InstanceKey, Key};
use crate::serving::Serving;

/// What an instance is made with.
pub(super) struct Made {
    /// The graph, or what the instance is told instead.
    pub(super) graph: Result<Arc<Graph>, String>,
    /// The revision of that graph; nothing where the definition has none.
    pub(super) by: Option<(Arc<Facts>, Revised)>,
    /// Whether a request to roll back stands on the instance.
    pub(super) has_request: bool,
}

impl Made {
    fn plain(graph: Result<Arc<Graph>, String>) -> Self {
        Self { graph, by: None, has_request: false }
    }

    /// Nothing while the fleet has to decide first: it has been asked, and the instance is looked at afterwards.
    pub(super) fn of(
        engine: &Engine,
        serving: &Serving,
        key: &InstanceKey,
        instance: &Value,
    ) -> Option<Self> {
        if is_cut(instance) {
            return Some(Self::plain(Err(TOO_DEEP.to_owned())));
        }
        let facts = engine.fleets.facts(&key.definition);
        let (current, now) = (serving.current_revision(), crate::clock::timestamp());
        let Some(made) = made(instance, current, facts.as_deref(), serving.revisions(), now) else {
            engine.fleets.ask(key);
            engine.queue.add(Key::Fleet(Arc::clone(&key.definition)));
            return None;
        };
        Some(match (made, facts) {
            (Decided::Content(digest), _) => Self::plain(serving.graph_or_reason(digest)),
            (Decided::Nothing(words), _) => Self::plain(Err(words)),
            (Decided::Revision { by, problem }, Some(facts)) => {
                let graph = serving.graph_or_reason(by.definition.digest);
                let graph = graph.map_err(|reason| problem.unwrap_or(reason));
                Self { graph, by: Some((facts, by)), has_request: Rollback::is_asked(instance) }
            }
            (Decided::Current | Decided::Revision { .. }, _) => {
                Self::plain(serving.current().cloned().map_err(str::to_owned))
            }
        })
    }
}

/// The request to roll back that stands on an instance, as the server has it.
pub(super) async fn rollback(
    engine: &Engine,
    serving: &Serving,
    key: &InstanceKey,
) -> kube::Result<Option<Rollback>> {
    let live = engine.requests.get(&serving.instances.resource, &key.namespace, &key.name).await?;
    let rollback = live.as_ref().and_then(|it| Rollback::of(it, engine.options.notes));
    Ok(rollback.map(|it| Rollback { room: engine.rooms.of(key), ..it }))
}
