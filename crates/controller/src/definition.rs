//! One definition: observe, plan, apply, publish.

mod fleet;
mod observe;
mod orphans;
mod perform;
mod takeover;

use std::sync::Arc;
use std::time::Duration;

use krono_graph::KindName;
use krono_history::Digest;
use krono_history::retention::Freshness;
use krono_planner::definition::{Action, Failure, Plan, Waiting};
use krono_planner::replacing;
use kube::api::ApiResource;
use serde_json::{Value, json};

use crate::cache::KindCache;
use crate::engine::Engine;
use crate::live::is_cut;
use crate::metrics::Count;
use crate::queue::{InstanceKey, Key, Outcome};
use crate::refusal::Refusal;
use crate::requests::Subresource;
use crate::run::StartError;

use observe::{Observed, Read};

pub(crate) use takeover::Takeover;

/// Who installs the kinds that krono brings along.
const INSTALLER: &str = "krono";
/// How often a definition is planned in one go.
const MOST_ROUNDS: usize = 20;

/// The kind of definitions.
pub(crate) fn kind() -> KindName {
    KindName {
        api_version: "kro.run/v1alpha1".to_owned(),
        kind: "ResourceGraphDefinition".to_owned(),
        namespaced: false,
    }
}

/// The same, for requests.
pub(crate) fn resource() -> ApiResource {
    named("kro.run", "v1alpha1", "ResourceGraphDefinition", "resourcegraphdefinitions")
}

/// The kind of the definitions of kinds.
pub(crate) fn crd_resource() -> ApiResource {
    named("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions")
}

/// The kind of the announcements of other API servers.
pub(crate) fn api_service_resource() -> ApiResource {
    named("apiregistration.k8s.io", "v1", "APIService", "apiservices")
}

fn named(group: &str, version: &str, kind: &str, plural: &str) -> ApiResource {
    ApiResource {
        group: group.to_owned(),
        version: version.to_owned(),
        api_version: format!("{group}/{version}"),
        kind: kind.to_owned(),
        plural: plural.to_owned(),
    }
}

/// Makes the kinds that krono brings along known to the cluster.
pub(crate) async fn install(engine: &Engine) -> Result<(), StartError> {
    engine.requests.client.apiserver_version().await.map_err(StartError::Unreachable)?;
    for (_, definition) in krono_model::crd::all() {
        let applied = engine.requests.apply(&crd_resource(), &definition, INSTALLER, true).await;
        applied.map_err(StartError::Install)?;
    }
    engine.served(&kind()).await.map_err(StartError::Install)?;
    engine.served(&crate::revisions::kind()).await.map_err(StartError::Install)
}

/// Makes the kind of a definition known and serves it, as far as that is possible now.
pub(crate) async fn reconcile(engine: &Engine, name: &Arc<str>) -> Outcome {
    let outcome = rounds(engine, name).await;
    engine.fleets.doubt(name);
    engine.queue.add(Key::Fleet(Arc::clone(name)));
    outcome
}

async fn rounds(engine: &Engine, name: &Arc<str>) -> Outcome {
    let counts = engine.may_count(name);
    let mut pass = Pass { engine, name, failed: None, counts, freshness: Freshness::Cached };
    for _ in 0..MOST_ROUNDS {
        match pass.round().await {
            Ok(Some(outcome)) => return outcome,
            Ok(None) => {}
            Err(error) => match Refusal::of(&error) {
                Refusal::Stale | Refusal::Absent(_) | Refusal::Transient(_) => return Outcome::Retry,
                Refusal::Rejected(words) => {
                    tracing::warn!(definition = &**name, "refused: {words}");
                    if let Some(definition) = engine.definition(name) {
                        let words = format!("the work on the definition does not go on: {words}");
                        engine.complain(pass.key(), (pass.key(), &definition), words).await;
                    }
                    return Outcome::Retry;
                }
            },
        }
    }
    tracing::warn!(definition = &**name, "a definition does not come to rest");
    Outcome::Retry
}

/// What went wrong in this pass, in the words of whoever refused.
pub(super) enum Failed {
    Crd(String),
    Controller(String),
    Revision(String),
    Rollback(String),
}

impl Failed {
    fn as_failure(&self) -> Failure<'_> {
        match self {
            Self::Crd(words) => Failure::Crd(words),
            Self::Controller(words) => Failure::Controller(words),
            Self::Revision(words) => Failure::Revision(words),
            Self::Rollback(words) => Failure::Rollback(words),
        }
    }
}

/// One look at a definition, in one or more rounds.
struct Pass<'p> {
    engine: &'p Engine,
    name: &'p Arc<str>,
    failed: Option<Failed>,
    /// Whether it is time to tell how many instances there are.
    counts: bool,
    freshness: Freshness,
}

impl Pass<'_> {
    fn key(&self) -> Key {
        Key::Definition(Arc::clone(self.name))
    }

    /// One round; nothing when another is due at once.
    async fn round(&mut self) -> kube::Result<Option<Outcome>> {
        let (engine, name) = (self.engine, self.name);
        for cache in [engine.definitions(), engine.revisions()] {
            if cache.read().is_err() {
                return Ok(Some(self.wait_for(cache)));
            }
        }
        let Some(definition) = engine.definition(name) else {
            engine.stop_serving(name);
            return orphans::look_after(engine, name).await.map(Some);
        };
        if is_cut(&definition) && definition["metadata"]["deletionTimestamp"].is_null() {
            // It goes on being served as it was when it could be read.
            self.settle(&engine.rooms.asked(name));
            return Ok(Some(Outcome::Done));
        }
        let read = match self.read(definition).await? {
            Ok(read) => read,
            Err(outcome) => return Ok(Some(outcome)),
        };
        self.freshness = Freshness::Cached;
        let observed = Observed::of(engine, name, read, self.counts).await?;
        engine.keep_serving(name, &observed.revisions);
        let failure = self.failed.as_ref().map(Failed::as_failure);
        let plan = observed.plan(engine, failure, &crate::clock::now());
        if plan.needs_live_look {
            self.freshness = Freshness::Live;
            return Ok(None);
        }
        if plan.actions.is_empty() {
            return self.publish(&observed, plan).await.map(Some);
        }
        self.perform(&observed, plan).await?;
        Ok(None)
    }

    /// The definition and its revisions, from caches or from the server; or why there is nothing to be done yet.
    async fn read(&self, definition: Value) -> kube::Result<Result<Read, Outcome>> {
        let freshness = self.freshness;
        if freshness == Freshness::Live {
            let Some(definition) = self.engine.requests.get(&resource(), "", self.name).await? else {
                return Ok(Err(Outcome::Retry));
            };
            let revisions = self.engine.live_revisions_of(&definition).await?;
            return Ok(Ok(Read { definition, revisions, freshness }));
        }
        match self.engine.revisions_of(&definition) {
            Ok(revisions) => Ok(Ok(Read { definition, revisions, freshness })),
            Err(_) => Ok(Err(self.wait_for(self.engine.revisions()))),
        }
    }

    /// The cache says when it is complete; unless it has become so meanwhile.
    fn wait_for(&self, cache: &KindCache) -> Outcome {
        self.engine.metrics.revision(Count::RevisionAwaited, Some(("reason", "warming_up")));
        self.engine.router.wait(&cache.kind, self.key());
        if cache.read().is_ok() {
            self.engine.queue.add(self.key());
        }
        Outcome::Done
    }

    async fn perform(&mut self, observed: &Observed, plan: Plan) -> kube::Result<()> {
        // The plan has answered it.
        self.failed.take_if(|it| matches!(it, Failed::Rollback(_)));
        for action in plan.actions {
            if matches!(action, Action::PatchRevisionStatus { .. }) && self.counts {
                self.engine.counted(self.name);
            }
            if let Err(failure) = perform::perform(self.engine, observed, action).await? {
                self.failed = Some(failure);
                return Ok(());
            }
        }
        for notice in &plan.notices {
            self.engine.events.notice(&observed.definition, notice).await;
        }
        Ok(())
    }

    /// Nothing is left to do: what is known is told.
    async fn publish(&self, observed: &Observed, plan: Plan) -> kube::Result<Outcome> {
        let engine = self.engine;
        let told = plan.status.as_ref().unwrap_or(&observed.definition["status"]);
        engine.metrics.propagation().counted(self.name, &told["revisionHistory"]);
        if let Some(status) = plan.status {
            self.publish_status(observed, &status).await?;
        }
        self.settle(&observed.rooms);
        let words: Vec<String> = plan.notices.iter().map(ToString::to_string).collect();
        if engine.is_news(&self.key(), &words) {
            for notice in &plan.notices {
                engine.events.notice(&observed.definition, notice).await;
            }
        }
        if let Some(at) = plan.next_look {
            let seconds = at.as_second().saturating_sub(crate::clock::timestamp().as_second());
            let pause = Duration::from_secs(u64::try_from(seconds).unwrap_or_default().max(1));
            engine.queue.add_later(self.key(), pause);
        }
        let result = match plan.waiting {
            None => "serve",
            Some(Waiting::ValidGraph | Waiting::Failure) => "failed",
            Some(_) => "wait",
        };
        engine.metrics.revision(Count::RevisionResolution, Some(("result", result)));
        let again = plan.waiting.is_some_and(Waiting::needs_another_look);
        Ok(if again { Outcome::Retry } else { Outcome::Done })
    }

    /// The CRD serves what instances wait for, or never will.
    fn settle(&self, rooms: &[(InstanceKey, Digest)]) {
        for key in self.engine.rooms.settle(rooms) {
            self.engine.queue.add(Key::Instance(key.clone()));
        }
    }

    async fn publish_status(&self, observed: &Observed, status: &Value) -> kube::Result<()> {
        let (engine, name) = (self.engine, self.name);
        let before = &observed.definition["status"];
        let state = |status: &Value| status["state"].as_str().unwrap_or_default().to_owned();
        let (from, to) = (state(before), state(status));
        if from != to {
            engine.metrics.definition_state_changed(name, &from, &to);
        }
        if self.counts && before["revisionHistory"] != status["revisionHistory"] {
            engine.counted(name);
        }
        // The answer to a patch of any version might hide somebody's edit, which nobody would look at.
        let version = &observed.definition["metadata"]["resourceVersion"];
        let patch = json!({"metadata": {"resourceVersion": version}, "status": replacing(status, before)});
        let answer = engine.requests.merge(&resource(), ("", name), &patch, Subresource::Status).await?;
        engine.events.tell_notes(before, &answer).await;
        engine.definitions().answer(answer, None, &self.key());
        Ok(())
    }
}
