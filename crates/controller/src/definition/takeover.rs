//! Revisions that kro left.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use krono_graph::Interface;
use krono_history::import::{GRAPH_REVISION_API_VERSION, GRAPH_REVISION_KIND, graph_revisions};
use krono_history::retention::Freshness;
use krono_history::revision::History;
use krono_model::{label, names};
use serde_json::{Value, json};

use super::crd_resource;
use crate::catalogue::Served;
use crate::engine::Engine;
use crate::refusal::Refusal;

/// The name of the definition of kro's kind of revisions.
const CRD: &str = "graphrevisions.internal.kro.run";

/// What is known of kro's revisions.
#[derive(Default)]
pub(crate) struct Takeover(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// How often their kind changed: an answer that was on its way meanwhile may be out of date.
    changes: usize,
    /// Whether there is no such kind, until it changes.
    is_absent: bool,
    /// By the name of a definition, the UID of the one that has none left.
    done: HashMap<String, String>,
}

impl Takeover {
    /// A kind changed: `plural.group`. Tells whether every definition has to be looked at for its sake.
    pub(crate) fn kind_changed(&self, kind: &str) -> bool {
        let is_meant = kind == CRD;
        if is_meant {
            let mut known = self.lock();
            *known = Known { changes: known.changes + 1, ..Known::default() };
        }
        is_meant
    }

    async fn kind(&self, engine: &Engine) -> kube::Result<Option<Served>> {
        let changes = {
            let known = self.lock();
            if known.is_absent {
                return Ok(None);
            }
            known.changes
        };
        let kind = engine.catalogue.find(GRAPH_REVISION_API_VERSION, GRAPH_REVISION_KIND).await?;
        // The server may not answer yet for a kind that is there.
        let is_absent = kind.is_none() && engine.requests.get(&crd_resource(), "", CRD).await?.is_none();
        let mut known = self.lock();
        if known.changes == changes {
            known.is_absent = is_absent;
        }
        Ok(kind)
    }

    fn is_done(&self, definition: &Value) -> bool {
        let (name, uid) = identity(definition);
        self.lock().done.get(name).is_some_and(|it| it == uid)
    }

    fn finish(&self, definition: &Value) {
        let (name, uid) = identity(definition);
        self.lock().done.insert(name.to_owned(), uid.to_owned());
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What kro left of a definition and krono has not taken over yet, oldest first.
///
/// It is looked for once, and whenever the definition is read from the server. Nobody knows any longer which kinds kro compiled
/// it against, so it is those of today.
pub(super) async fn left_by_kro(
    engine: &Engine,
    definition: &Value,
    own: &History,
    freshness: Freshness,
) -> kube::Result<Vec<Value>> {
    let is_terminating = !definition["metadata"]["deletionTimestamp"].is_null();
    if is_terminating || (freshness == Freshness::Cached && engine.takeover.is_done(definition)) {
        return Ok(Vec::new());
    }
    let Some(kind) = engine.takeover.kind(engine).await? else { return Ok(Vec::new()) };
    let found = found(engine, definition, &kind).await?;
    let mut left = Vec::new();
    for revision in graph_revisions(&found, definition, own) {
        let mut revision = serde_json::to_value(revision).map_err(kube::Error::SerdeError)?;
        let content = json!({"spec": revision["spec"]});
        let mentioned = engine.catalogue.mentioned(&content).await?;
        revision["spec"]["interface"] = Interface::of(&content, &mentioned).to_value().into();
        left.push(revision);
    }
    if left.is_empty() {
        engine.takeover.finish(definition);
    }
    Ok(left)
}

/// Where krono may not read them there are none.
async fn found(engine: &Engine, definition: &Value, kind: &Served) -> kube::Result<Vec<Value>> {
    let (name, _) = identity(definition);
    let selector = format!("{}={}", names::DEFINITION_NAME_LABEL, label::value(name));
    match engine.requests.list(&kind.resource, Some(selector)).await {
        Ok(mut found) => {
            for object in &mut found {
                object["kind"] = GRAPH_REVISION_KIND.into();
            }
            Ok(found)
        }
        Err(error) => match Refusal::of(&error) {
            Refusal::Rejected(words) => {
                tracing::warn!(definition = name, "revisions of kro are not taken over: {words}");
                Ok(Vec::new())
            }
            Refusal::Stale | Refusal::Absent(_) | Refusal::Transient(_) => Err(error),
        },
    }
}

fn identity(definition: &Value) -> (&str, &str) {
    let text = |field: &str| definition["metadata"][field].as_str().unwrap_or_default();
    (text("name"), text("uid"))
}
