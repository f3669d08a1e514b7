//! One action of a plan for a definition.

use std::sync::Arc;
use std::time::Duration;

use krono_history::issue::Named;
use krono_planner::definition::{Action, letting_go};
use krono_planner::instance::ObjectName;
use serde_json::Value;

use super::observe::Observed;
use super::{Failed, INSTALLER, crd_resource, resource};
use crate::engine::Engine;
use crate::metrics::Count;
use crate::queue::Key;
use crate::refusal::Refusal;
use crate::requests::Subresource;
use crate::revisions;
use crate::serving::{self, Current, Serving};

/// What became of an action: done, or refused by the server.
type Heard = kube::Result<Result<(), Failed>>;

/// Does one thing. What may go right when the world is looked at again is an error; what the server does not want is
/// told to the next plan.
pub(super) async fn perform(engine: &Engine, observed: &Observed, action: Action) -> Heard {
    let place = Place { engine, observed };
    match action {
        Action::AddFinalizer(patch) => place.patch_definition(&patch, Subresource::None).await?,
        Action::RemoveFinalizer(patch) => place.end(&patch).await?,
        Action::CreateCrd(crd) => {
            let created = engine.requests.create(&crd_resource(), &crd, INSTALLER).await;
            return heard(created.map(drop), Failed::Crd);
        }
        Action::PatchCrd(patch) => {
            let name = crd_of(observed);
            let patched =
                engine.requests.merge(&crd_resource(), ("", &name), &patch, Subresource::None).await;
            return heard(patched.map(drop), Failed::Crd);
        }
        Action::DeleteCrd { uid } => {
            let name = object_name(crate::catalogue::crd_kind(), &crd_of(observed));
            return heard(engine.requests.delete(&crd_resource(), &name, &uid).await.map(drop), Failed::Crd);
        }
        Action::Reserve(patch) => place.patch_definition(&patch, Subresource::Status).await?,
        Action::PatchDefinition(patch) => {
            return heard(place.patch_definition(&patch, Subresource::None).await, Failed::Revision);
        }
        Action::RestoreDefinition(patch) => {
            return heard(place.patch_definition(&patch, Subresource::None).await, Failed::Rollback);
        }
        Action::CreateRevision(object) => {
            let created = place.create_revision(&object).await;
            if created.is_ok() {
                place.issued();
            }
            return heard(created, Failed::Revision);
        }
        Action::PatchRevision { name, patch } => {
            return heard(place.patch_revision(&name, &patch, Subresource::None).await, Failed::Revision);
        }
        Action::PatchRevisionStatus { name, patch } => {
            return heard(place.patch_revision(&name, &patch, Subresource::Status).await, Failed::Revision);
        }
        Action::DeleteRevision { name, uid } => {
            let deleted = place.delete_revision(&name, &uid).await;
            let count = if deleted.is_ok() { Count::RevisionPruned } else { Count::RevisionNotPruned };
            engine.metrics.revision(count, None);
            return heard(deleted, Failed::Revision);
        }
        Action::DeleteInstance { namespace, name, uid } => {
            return heard(place.delete_instance(namespace, name, &uid).await, Failed::Controller);
        }
        Action::PatchInstance { namespace, name, patch } => {
            return heard(place.patch_instance((&namespace, &name), &patch).await, Failed::Controller);
        }
        Action::Serve(revision) => return place.serve(revision).await,
        Action::ServeWithoutGraph { reason } => return place.serve_current(None, Err(reason)).await,
        Action::StopServing => engine.stop_serving(&observed.name),
    }
    Ok(Ok(()))
}

struct Place<'p> {
    engine: &'p Engine,
    observed: &'p Observed,
}

impl Place<'_> {
    fn by(&self) -> Key {
        Key::Definition(Arc::clone(&self.observed.name))
    }

    async fn patch_definition(&self, patch: &Value, subresource: Subresource) -> kube::Result<()> {
        let of = ("", &*self.observed.name);
        let answer = self.engine.requests.merge(&resource(), of, patch, subresource).await?;
        self.engine.definitions().answer(answer, None, &self.by());
        Ok(())
    }

    async fn end(&self, patch: &Value) -> kube::Result<()> {
        let of = ("", &*self.observed.name);
        self.engine.requests.merge(&resource(), of, patch, Subresource::None).await?;
        self.engine.definitions().forget("", &self.observed.name, &self.by());
        let since = self.observed.definition["metadata"]["deletionTimestamp"].as_str();
        let since = since.and_then(|it| it.parse().ok());
        let took = since.map(|it| crate::clock::timestamp().duration_since(it));
        let took = took.and_then(|it| Duration::try_from(it).ok()).unwrap_or_default();
        self.engine.metrics.deleted_definition(&self.observed.name, took);
        Ok(())
    }

    async fn create_revision(&self, object: &Value) -> kube::Result<()> {
        let answer = self.engine.requests.create(&revisions::resource(), object, INSTALLER).await?;
        self.engine.revisions().answer(answer, None, &self.by());
        Ok(())
    }

    /// Counts a revision that was made.
    fn issued(&self) {
        let is_first = self.observed.revisions.history.latest().is_none();
        let reason = if is_first { "no_revision" } else { "spec_changed" };
        self.engine.metrics.revision(Count::RevisionIssued, Some(("reason", reason)));
        self.engine.metrics.revision(Count::RevisionResolution, Some(("result", "issue")));
    }

    async fn patch_revision(&self, name: &str, patch: &Value, subresource: Subresource) -> kube::Result<()> {
        let answer =
            self.engine.requests.merge(&revisions::resource(), ("", name), patch, subresource).await?;
        if is_gone(&answer) {
            let uid = answer["metadata"]["uid"].as_str().unwrap_or_default();
            self.engine.revisions().bury(("", name), uid, &self.by());
        } else {
            self.engine.revisions().answer(answer, None, &self.by());
        }
        Ok(())
    }

    async fn delete_revision(&self, name: &str, uid: &str) -> kube::Result<()> {
        let of = object_name(revisions::kind(), name);
        let left = self.engine.requests.delete(&revisions::resource(), &of, uid).await?;
        let Some(left) = left else {
            self.engine.revisions().bury(("", name), uid, &self.by());
            return Ok(());
        };
        if let Some(patch) = letting_go(&left) {
            return self.patch_revision(name, &patch, Subresource::None).await;
        }
        self.engine.revisions().answer(left, None, &self.by());
        Ok(())
    }

    async fn delete_instance(&self, namespace: String, name: String, uid: &str) -> kube::Result<()> {
        let Some(served) = &self.observed.served else { return Ok(()) };
        let of = ObjectName { kind: served.kind.clone(), namespace, name };
        match self.engine.requests.delete(&served.resource, &of, uid).await {
            Ok(Some(left)) => {
                if let Some(serving) = self.engine.serving(&self.observed.name) {
                    serving.instances.answer(left, None, &self.by());
                }
                Ok(())
            }
            Ok(None) => Ok(()),
            Err(error) if Refusal::is_absence(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn patch_instance(&self, of: (&str, &str), patch: &Value) -> kube::Result<()> {
        let Some(served) = &self.observed.served else { return Ok(()) };
        self.engine.requests.merge(&served.resource, of, patch, Subresource::None).await.map(drop)
    }

    async fn serve(&self, revision: Named) -> Heard {
        let graph = match revisions::graph(&self.observed.revisions, revision.digest) {
            Some(graph) => graph.clone(),
            None => Err(format!("revision {} is gone", revision.number)),
        };
        if let Ok(graph) = &graph {
            // While what was served before still holds the caches that both need.
            graph.find_caches(&self.engine.catalogue, &self.engine.caches).await?;
        }
        self.serve_current(Some(revision), graph).await
    }

    async fn serve_current(
        &self,
        revision: Option<Named>,
        graph: Result<Arc<crate::graphs::Graph>, String>,
    ) -> Heard {
        let Observed { definition, revisions, served, .. } = self.observed;
        let Some(served) = served else {
            let words = "the API server does not answer for the kind yet";
            return Ok(Err(Failed::Controller(words.to_owned())));
        };
        let kinds = revision.as_ref().map(|it| revisions::kinds(revisions, it.digest)).unwrap_or_default();
        let mentioned = self.engine.catalogue.kinds(kinds).await?;
        let current = Current { revision, graph };
        let instances = serving::instances(served, &self.engine.caches);
        let serving = Serving::new(definition, current, Arc::clone(revisions), mentioned, instances);
        self.engine.serve(serving);
        Ok(Ok(()))
    }
}

fn is_gone(object: &Value) -> bool {
    let metadata = &object["metadata"];
    !metadata["deletionTimestamp"].is_null() && metadata["finalizers"].as_array().is_none_or(Vec::is_empty)
}

pub(super) fn object_name(kind: krono_graph::KindName, name: &str) -> ObjectName {
    ObjectName { kind, namespace: String::new(), name: name.to_owned() }
}

fn heard(answer: kube::Result<()>, failed: fn(String) -> Failed) -> Heard {
    match answer {
        Ok(()) => Ok(Ok(())),
        Err(error) => match Refusal::of(&error) {
            Refusal::Rejected(words) => Ok(Err(failed(words))),
            Refusal::Stale | Refusal::Absent(_) | Refusal::Transient(_) => Err(error),
        },
    }
}

fn crd_of(observed: &Observed) -> String {
    krono_planner::definition::crd_name(&observed.definition).unwrap_or_default()
}
