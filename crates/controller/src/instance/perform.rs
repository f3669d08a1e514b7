//! One action of a plan for an instance.

use std::sync::Arc;

use krono_graph::KindName;
use krono_model::applyset::{self, GroupKind};
use krono_model::names;
use krono_planner::digest::Digest;
use krono_planner::instance::{Action, InputAction, ObjectName, Subject};
use kube::api::ApiResource;
use serde_json::Value;

use crate::cache::{Filter, KindCache};
use crate::engine::Engine;
use crate::live::Glimpse;
use crate::queue::{InstanceKey, Key};
use crate::refusal::Refusal;
use crate::requests::Subresource;
use crate::serving::Serving;

/// Where actions take place.
#[derive(Clone, Copy)]
pub(super) struct Place<'p> {
    pub(super) engine: &'p Engine,
    pub(super) serving: &'p Arc<Serving>,
    pub(super) key: &'p InstanceKey,
    pub(super) caches: &'p [Arc<KindCache>],
}

/// An action that had no effect.
pub(super) struct Failure {
    pub(super) of: Subject,
    pub(super) refusal: Refusal,
}

/// An object that the caches do not show.
pub(super) type Beside = Option<(ObjectName, Value)>;

/// Does one thing and puts the answer where the next plan finds it.
pub(super) async fn perform(place: Place<'_>, action: Action) -> Result<Beside, Failure> {
    match action {
        Action::Manage(object) => place.write_instance(&object, names::MANAGER_LABELLER).await,
        Action::Record(object) => place.write_instance(&object, names::MANAGER_PARENT).await,
        Action::Shrink { object, kinds } => place.shrink(&object, &kinds).await,
        Action::Apply { name, object, digest, force, again } => {
            let applied = place.apply(name.clone(), &object, digest, force).await;
            if again && applied.is_ok() {
                place.corrected(&name).await;
            }
            return applied;
        }
        Action::Delete { name, uid } | Action::Input(InputAction::Prune { name, uid }) => {
            place.delete(name, &uid).await
        }
        Action::Release { name, patch }
        | Action::Unmark { name, patch }
        | Action::Input(InputAction::Adopt { name, patch }) => {
            place.patch(name, &patch, Subresource::None).await
        }
        Action::RemoveFinalizer(patch) => place.remove_finalizer(&patch).await,
        Action::Begin(patch) => place.patch_instance(&patch, Subresource::Status).await,
        Action::Restore(patch) => place.restore(&patch).await,
        Action::Amend(patch) => place.amend(&patch).await,
        Action::Input(InputAction::Create { name, object }) => place.create(name, &object).await,
        Action::Input(InputAction::Tell { name, patch }) => {
            place.patch(name, &patch, Subresource::Status).await
        }
    }
    .map(|()| None)
}

impl Place<'_> {
    async fn write_instance(&self, object: &Value, manager: &str) -> Result<(), Failure> {
        let instances = &self.serving.instances;
        let answer = self.engine.requests.apply(&instances.resource, object, manager, true).await;
        instances.answer(answer.map_err(|error| failure(None, &error))?, None, &self.by());
        Ok(())
    }

    /// What nobody has seen is not taken from others; a conflict shows that there is something to be seen.
    async fn apply(
        &self,
        name: ObjectName,
        object: &Value,
        digest: Digest,
        force: bool,
    ) -> Result<Beside, Failure> {
        let Some(cache) = self.cache(&name.kind) else { return Err(unknown(name)) };
        let claim = self.engine.claims.hold(&name);
        if claim.is_none() || self.is_overtaken(cache.filter, &name, object, force) {
            return Err(Failure { of: Subject::Resource(name), refusal: Refusal::Stale });
        }
        let requests = &self.engine.requests;
        match requests.apply(&cache.resource, object, names::MANAGER_RESOURCES, force).await {
            Ok(answer) => {
                cache.answer(answer, Some(digest), &self.by());
                Ok(None)
            }
            Err(error) if !force && Refusal::of(&error) == Refusal::Stale => {
                let found = requests.get(&cache.resource, &name.namespace, &name.name).await;
                let found = found.map_err(|error| failure(Some(name.clone()), &error))?;
                Ok(found.map(|found| (name, found)))
            }
            Err(error) => Err(failure(Some(name), &error)),
        }
    }

    /// Whether somebody made or claimed an object since the plan: all instances apply as one field manager, so the API
    /// server lets them take it from each other. Another cache of its kind may have heard of that first.
    fn is_overtaken(&self, filter: Filter, name: &ObjectName, object: &Value, force: bool) -> bool {
        let ours = &object["metadata"]["labels"][names::APPLYSET_PART_OF_LABEL];
        let is_news = |labels: &Value| match labels.get(names::APPLYSET_PART_OF_LABEL) {
            Some(theirs) if force => theirs != ours,
            Some(_) | None => !force && filter.takes(labels),
        };
        self.engine.caches.labels_of(name).iter().any(is_news)
    }

    /// Others changed a resource that had been applied just so; if that goes on, they and people are told.
    async fn corrected(&self, name: &ObjectName) {
        let Some(pause) = self.engine.contests.correct(name) else { return };
        let note = format!(
            "others change {} {} again and again; if they do it once more, it is put right in {} s at the earliest",
            name.kind.kind,
            [name.namespace.as_str(), &name.name].join("/").trim_start_matches('/'),
            pause.as_secs().max(1)
        );
        tracing::warn!(definition = &*self.key.definition, name = self.key.name, "{note}");
        let instance = self.serving.instances.read().ok().and_then(|reading| {
            let entry = reading.objects().get(&self.key.namespace, &self.key.name)?;
            Some(entry.object())
        });
        if let Some(instance) = instance {
            self.engine.events.warn(&instance, "Contested", note).await;
        }
    }

    async fn delete(&self, name: ObjectName, uid: &str) -> Result<(), Failure> {
        let Some(cache) = self.cache(&name.kind) else { return Err(unknown(name)) };
        let of = (name.namespace.as_str(), name.name.as_str());
        match self.engine.requests.delete(&cache.resource, &name, uid).await {
            Ok(Some(left)) => cache.answer(left, None, &self.by()),
            Ok(None) => cache.bury(of, uid, &self.by()),
            Err(error) if Refusal::is_absence(&error) => cache.bury(of, uid, &self.by()),
            Err(error) => return Err(failure(Some(name), &error)),
        }
        Ok(())
    }

    async fn create(&self, name: ObjectName, object: &Value) -> Result<(), Failure> {
        let Some(cache) = self.cache(&name.kind) else { return Err(unknown(name)) };
        match self.engine.requests.create(&cache.resource, object, names::MANAGER_KRONO).await {
            Ok(answer) => cache.answer(answer, None, &self.by()),
            Err(error) => return Err(failure(Some(name), &error)),
        }
        Ok(())
    }

    async fn patch(&self, name: ObjectName, patch: &Value, part: Subresource) -> Result<(), Failure> {
        let Some(cache) = self.cache(&name.kind) else { return Err(unknown(name)) };
        let of = (name.namespace.as_str(), name.name.as_str());
        match self.engine.requests.merge(&cache.resource, of, patch, part).await {
            Ok(answer) => cache.answer(answer, None, &self.by()),
            Err(error) => return Err(failure(Some(name), &error)),
        }
        Ok(())
    }

    async fn shrink(&self, object: &Value, kinds: &[GroupKind]) -> Result<(), Failure> {
        let is_dropped = |resource: &ApiResource| {
            kinds.iter().any(|it| it.group == resource.group && it.kind == resource.kind)
        };
        self.check_nothing_left(self.caches.iter().filter(|it| is_dropped(&it.resource))).await?;
        self.write_instance(object, names::MANAGER_PARENT).await
    }

    /// Asks the server itself whether the caches show all resources of the instance.
    pub(super) async fn sees_all(&self) -> kube::Result<bool> {
        let label = format!("{}={}", names::APPLYSET_PART_OF_LABEL, self.applyset());
        for cache in self.caches {
            let live = match self.engine.requests.glance(&cache.resource, Some(label.clone())).await {
                // There are no objects of a kind that is gone.
                Err(kube::Error::Api(status)) if status.code == 404 => continue,
                live => live?,
            };
            let Ok(reading) = cache.read() else { return Ok(false) };
            let is_seen =
                |it: &Glimpse| reading.objects().get(&it.metadata.namespace, &it.metadata.name).is_some();
            if !live.iter().all(is_seen) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Asks the server itself whether anything is left where nobody will look any more.
    async fn check_nothing_left(&self, caches: impl Iterator<Item = &Arc<KindCache>>) -> Result<(), Failure> {
        for cache in caches {
            let members = self.engine.requests.has_members(&cache.resource, &self.applyset()).await;
            if members.map_err(|error| failure(None, &error))? {
                return Err(Failure { of: Subject::Instance, refusal: Refusal::Stale });
            }
        }
        Ok(())
    }

    async fn patch_instance(&self, patch: &Value, of: Subresource) -> Result<(), Failure> {
        let instances = &self.serving.instances;
        let name = (self.key.namespace.as_str(), self.key.name.as_str());
        let answer = self.engine.requests.merge(&instances.resource, name, patch, of).await;
        instances.answer(answer.map_err(|error| failure(None, &error))?, None, &self.by());
        Ok(())
    }

    async fn restore(&self, patch: &Value) -> Result<(), Failure> {
        let instances = &self.serving.instances;
        let name = (self.key.namespace.as_str(), self.key.name.as_str());
        let answer = self.engine.requests.merge_whole(&instances.resource, name, patch).await;
        let refused = |error| Failure { of: Subject::Rollback, refusal: Refusal::of(&error) };
        instances.answer(answer.map_err(refused)?, None, &self.by());
        self.engine.rooms.end(self.key);
        Ok(())
    }

    async fn amend(&self, patch: &Value) -> Result<(), Failure> {
        let patched = self.patch_instance(patch, Subresource::None).await;
        patched.map_err(|Failure { refusal, .. }| Failure { of: Subject::Answer, refusal })?;
        self.engine.rooms.end(self.key);
        Ok(())
    }

    async fn remove_finalizer(&self, patch: &Value) -> Result<(), Failure> {
        let instances = &self.serving.instances;
        self.check_nothing_left(self.caches.iter()).await?;
        let of = (self.key.namespace.as_str(), self.key.name.as_str());
        let answer = self.engine.requests.merge(&instances.resource, of, patch, Subresource::None).await;
        match answer {
            Ok(left) if left["metadata"]["finalizers"].as_array().is_some_and(|it| !it.is_empty()) => {
                instances.answer(left, None, &self.by());
            }
            Ok(gone) => instances.bury(of, gone["metadata"]["uid"].as_str().unwrap_or_default(), &self.by()),
            Err(error) => return Err(failure(None, &error)),
        }
        Ok(())
    }

    fn by(&self) -> Key {
        Key::Instance(self.key.clone())
    }

    fn applyset(&self) -> String {
        let ApiResource { group, kind, .. } = &self.serving.instances.resource;
        applyset::id(&self.key.name, &self.key.namespace, kind, group)
    }

    fn cache(&self, kind: &KindName) -> Option<&Arc<KindCache>> {
        Serving::cache(self.caches, kind)
    }
}

fn failure(of: Option<ObjectName>, error: &kube::Error) -> Failure {
    Failure { of: of.map_or(Subject::Instance, Subject::Resource), refusal: Refusal::of(error) }
}

fn unknown(name: ObjectName) -> Failure {
    let words = format!("the cluster serves no {} in {}", name.kind.kind, name.kind.api_version);
    Failure { of: Subject::Resource(name), refusal: Refusal::Rejected(words) }
}
