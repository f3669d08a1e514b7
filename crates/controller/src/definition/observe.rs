//! What a plan for one definition is made from.

use std::sync::Arc;

use krono_graph::{CompiledGraph, Diagnostic, Interface, compile};
use krono_history::retention::Freshness;
use krono_history::{Digest, RevisionNumber};
use krono_model::names;
use krono_planner::definition::{Failure, Past, Serving, World, crd_name};
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::fleet::Fleet;
use super::{crd_resource, takeover};
use crate::catalogue::Served;
use crate::engine::Engine;
use crate::queue::InstanceKey;
use crate::revisions::Revisions;

/// The world of one definition.
pub(super) struct Observed {
    pub(super) name: Arc<str>,
    pub(super) definition: Value,
    pub(super) revisions: Arc<Revisions>,
    pub(super) crd: Option<Value>,
    /// The kind of its instances, if the API server answers for it.
    pub(super) served: Option<Served>,
    compiled: Result<CompiledGraph, Vec<Diagnostic>>,
    interface: Option<Map<String, Value>>,
    /// The revision whose content somebody wants back.
    asked: Option<Value>,
    left_by_kro: Vec<Value>,
    serving: Serving,
    fleet: Fleet,
    /// What instances wait for that are to be rolled back.
    pub(super) rooms: Vec<(InstanceKey, Digest)>,
    /// Whether it is time to tell again how many instances there are.
    counts: bool,
    freshness: Freshness,
}

/// A definition and its revisions, as they were read.
pub(super) struct Read {
    pub(super) definition: Value,
    pub(super) revisions: Arc<Revisions>,
    pub(super) freshness: Freshness,
}

impl Observed {
    pub(super) async fn of(engine: &Engine, name: &Arc<str>, read: Read, counts: bool) -> kube::Result<Self> {
        let Read { definition, revisions, freshness } = read;
        let mentioned = engine.catalogue.mentioned(&definition).await?;
        let began = Instant::now();
        let compiled = compile(&definition, &mentioned, engine.options.graph);
        engine.metrics.compiled(name, began.elapsed(), compiled.is_err());
        let crd = match crd_name(&definition) {
            Some(name) => engine.requests.get(&crd_resource(), "", &name).await?,
            None => None,
        };
        let served = served(engine, crd.as_ref(), &definition).await?;
        let digest = Digest::of_definition(&definition["spec"]);
        let is_issued = revisions.history.latest().is_some_and(|it| it.digest == digest);
        let interface = || Interface::of(&definition, &mentioned).to_value();
        let rooms = engine.rooms.asked(name);
        // Of a kind that is not served nobody tells who is there.
        let must_know = if is_ending(&definition) { served.is_some() } else { dooms(&revisions) };
        let live = freshness == Freshness::Live && must_know;
        let fleet = Fleet::of(engine, &definition, served.as_ref(), live).await?;
        Ok(Self {
            name: Arc::clone(name),
            interface: (!is_issued && compiled.is_ok()).then(interface),
            asked: asked(&definition).and_then(|it| revisions.whole(it)),
            left_by_kro: takeover::left_by_kro(engine, &definition, &revisions.history, freshness).await?,
            serving: serving(engine, name, &definition).await?,
            fleet: fleet.expecting(rooms.iter().map(|(_, content)| *content)),
            rooms,
            definition,
            revisions,
            crd,
            served,
            compiled,
            counts,
            freshness,
        })
    }

    /// What is planned for it.
    pub(super) fn plan(
        &self,
        engine: &Engine,
        failure: Option<Failure<'_>>,
        now: &str,
    ) -> krono_planner::definition::Plan {
        let instances: Vec<&Value> =
            self.fleet.instances.iter().filter(|_| is_ending(&self.definition)).collect();
        krono_planner::definition::plan(&World {
            definition: &self.definition,
            compiled: self.compiled.as_ref().map_err(Vec::as_slice),
            crd: self.crd.as_ref(),
            served: self.served.is_some(),
            serving: self.serving,
            past: Past {
                history: &self.revisions.history,
                objects: &self.revisions.objects(self.asked.as_ref()),
                deleted: &self.revisions.deleted,
                graphs: &*self.revisions,
                uses: &self.fleet.census.uses,
                staying: &self.fleet.census.staying,
                following: &self.fleet.census.following,
                instances: &instances,
                statuses: self.fleet.census.statuses,
                claims: self.fleet.census.claims,
                counts: self.counts.then_some(&self.fleet.census.counts),
                interface: self.interface.as_ref(),
                left_by_kro: &self.left_by_kro,
                freshness: self.freshness,
            },
            instances: self.fleet.census.sizes,
            failure,
            allow_crd_deletion: engine.options.allow_crd_deletion,
            notes: engine.options.notes,
            now,
        })
    }
}

/// Whether any is about to be deleted, which must not be in use anywhere.
fn dooms(revisions: &Revisions) -> bool {
    !revisions.deleted.is_empty() || revisions.history.live().any(|it| it.unused_since.is_some())
}

/// The revision whose content somebody wants back.
fn asked(definition: &Value) -> Option<RevisionNumber> {
    definition["metadata"]["annotations"][names::ROLLBACK_ANNOTATION].as_str()?.parse().ok()
}

/// What is served of its kind. A definition that goes may be of a kind or version that its CRD never had: its instances are
/// of another.
async fn served(engine: &Engine, crd: Option<&Value>, definition: &Value) -> kube::Result<Option<Served>> {
    let Some(crd) = crd else { return Ok(None) };
    let group = crd["spec"]["group"].as_str().unwrap_or_default();
    let schema = &definition["spec"]["schema"];
    let own = schema["apiVersion"].as_str();
    let kind = if is_ending(definition) { &crd["spec"]["names"]["kind"] } else { &schema["kind"] };
    let others = crd["spec"]["versions"].as_array().filter(|_| is_ending(definition)).into_iter().flatten();
    let mut versions = others.filter(|it| it["served"] == true).map(|it| it["name"].as_str());
    let version = versions.clone().find(|it| *it == own).or_else(|| versions.next()).unwrap_or(own);
    let api_version = format!("{group}/{}", version.unwrap_or_default());
    engine.catalogue.find(&api_version, kind.as_str().unwrap_or_default()).await
}

pub(super) fn is_ending(definition: &Value) -> bool {
    !definition["metadata"]["deletionTimestamp"].is_null()
}

/// A graph whose kinds have changed, or that was served for a definition of that name before, counts as none.
async fn serving(engine: &Engine, name: &str, definition: &Value) -> kube::Result<Serving> {
    let Some(serving) = engine.serving(name) else { return Ok(Serving::Nothing) };
    let Some(current) = serving.current_revision().filter(|_| serving.current().is_ok()) else {
        return Ok(Serving::Graphless);
    };
    let mentioned = engine.catalogue.kinds(serving.kinds()).await?;
    let is_same = serving.is_of(definition) && serving.mentioned.is_same(&mentioned);
    Ok(if is_same { Serving::Revision(current.digest) } else { Serving::Graphless })
}
