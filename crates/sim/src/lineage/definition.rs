//! One process looks at the definition: observe, plan, one write at a time, publish.

use std::sync::Arc;

use krono_history::Digest;
use krono_history::retention::Freshness;
use krono_history::witness::Notes;
use krono_model::names;
use krono_planner::definition::{
    Action, Failure, Past, Plan, Serving as Served, Waiting, World, crd_name, plan,
};
use krono_planner::fleet::Census;
use krono_planner::instance::ObjectName;
use krono_planner::replacing;
use serde_json::{Value, json};

use super::library::Edit;
use super::revisions::{self, Revisions};
use super::{Failed, Governance, Mind, Serving, crd_kind, revision_kind};
use crate::cache::Cache;
use crate::server::{Answer, Refusal, Request};
use crate::simulation::Simulation;
use crate::text::{is_terminating, metadata};

/// What becomes of the words with which the server refuses a request.
type Complaint = fn(String) -> Failed;

/// What a plan is made from.
struct Observed {
    definition: Value,
    revisions: Arc<Revisions>,
    crd: Option<Value>,
    edit: Arc<Edit>,
    census: Census,
    instances: Vec<Value>,
    freshness: Freshness,
}

impl Simulation {
    /// The next thing to do for the definition.
    pub(crate) fn work_on_definition(&mut self, governance: &Governance) {
        match self.controller.mind.pending.pop_front() {
            Some(action) => self.act_on_definition(governance, action),
            None => self.think_of_definition(governance),
        }
    }

    fn think_of_definition(&mut self, governance: &Governance) {
        let live = std::mem::take(&mut self.controller.mind.live);
        (self.controller.mind.later, self.controller.mind.next_look) = (false, None);
        if live {
            self.show_revisions();
        }
        let Some(observed) = self.observe(governance, live) else {
            self.controller.mind.stop_serving();
            return self.controller.mind.ends(false);
        };
        let mind = &mut self.controller.mind;
        mind.keep_serving(&observed.revisions);
        let mut plan = observed.plan(mind, &self.server.now().to_string());
        if plan.needs_live_look {
            mind.live = true;
            return;
        }
        if let Some(sabotage) = governance.sabotage {
            let all = observed.revisions.objects(None);
            sabotage(&mut plan, &all.into_values().collect::<Vec<_>>());
        }
        self.broken.extend(self.chronicle.wrong_with(&plan.actions, governance, &self.server));
        if plan.actions.is_empty() {
            return self.publish_definition(governance, &observed, plan);
        }
        let mind = &mut self.controller.mind;
        mind.failed.take_if(|it| matches!(it, Failed::Rollback(_)));
        mind.pending = plan.actions.into();
        mind.kept = Some(observed.revisions);
    }

    /// What was read from the server is not forgotten because a watch has yet to tell it.
    fn show_revisions(&mut self) {
        let kind = revision_kind();
        if let Some(cache) = self.controller.caches.get_mut(&kind) {
            self.server.list(&kind).for_each(|(_, it)| cache.answer(it));
        }
    }

    fn observe(&self, governance: &Governance, live: bool) -> Option<Observed> {
        let known = self.controller.cached(&governance.definition)?.object.clone();
        let definition = if live { self.server.get(&governance.definition)?.clone() } else { known };
        let before = self.controller.mind.kept.as_deref();
        let read = |objects: Vec<&Value>| revisions::read(&governance.library, &definition, objects, before);
        let revisions = if live {
            read(self.server.list(&revision_kind()).map(|(_, it)| it).collect())
        } else {
            read(self.shown(&revision_kind()).collect())
        };
        let crd = crd_name(&definition).and_then(|it| self.server.get(&crd_named(it)).cloned());
        let is_unknown = self.controller.mind.serving.is_none();
        let is_doomed = || revisions.history.live().any(|it| it.unused_since.is_some());
        let counts_live = live && (is_doomed() || !revisions.deleted.is_empty());
        let (mut census, mut instances) = (Census::default(), Vec::new());
        let mut take = |instance: &Value| {
            census.take(instance);
            if is_terminating(&definition) {
                instances.push(instance.clone());
            }
        };
        if counts_live || is_unknown {
            self.server.list(&governance.instances).for_each(|(_, it)| take(it));
        } else {
            self.shown(&governance.instances).for_each(&mut take);
        }
        let edit = governance.library.edit(&definition);
        let freshness = if live { Freshness::Live } else { Freshness::Cached };
        Some(Observed { revisions: Arc::new(revisions), definition, crd, edit, census, instances, freshness })
    }

    /// The objects of a kind that this process knows of.
    fn shown<'s>(&'s self, kind: &krono_graph::KindName) -> impl Iterator<Item = &'s Value> {
        let entries = self.controller.caches.get(kind).into_iter().flat_map(Cache::entries);
        entries.map(|(_, it)| &it.object)
    }

    /// Nothing is left to do: what is known is told.
    fn publish_definition(&mut self, governance: &Governance, observed: &Observed, plan: Plan) {
        let mind = &mut self.controller.mind;
        mind.next_look = plan.next_look;
        mind.kept = Some(Arc::clone(&observed.revisions));
        let mut later = plan.waiting.is_some_and(Waiting::needs_another_look);
        if let Some(status) = plan.status {
            let version = &observed.definition["metadata"]["resourceVersion"];
            let status = replacing(&status, &observed.definition["status"]);
            let patch = json!({"metadata": {"resourceVersion": version}, "status": status});
            let request = merge(governance.definition.clone(), patch);
            match self.send(&request) {
                None => return,
                Some(Ok(answer)) => self.controller.take_answer(&request, &answer),
                Some(Err(_)) => later = true,
            }
        }
        self.controller.mind.ends(later);
    }

    fn act_on_definition(&mut self, governance: &Governance, action: Action) {
        let Some((request, failed)) = self.as_request(governance, action) else { return };
        match self.send(&request) {
            None => {}
            Some(Ok(answer)) => self.controller.take_answer(&request, &answer),
            Some(Err(Refusal::NotFound)) if request.name().kind == governance.instances => {}
            Some(Err(Refusal::Invalid(words))) => {
                let mind = &mut self.controller.mind;
                mind.pending.clear();
                mind.failed = Some(failed(words));
            }
            Some(Err(
                Refusal::NotFound
                | Refusal::Exists
                | Refusal::Conflict(_)
                | Refusal::TooMany
                | Refusal::Internal
                | Refusal::TimedOut,
            )) => self.controller.mind.ends(true),
        }
    }

    /// What an action asks of the server; what it asks of this process is done.
    fn as_request(&mut self, governance: &Governance, action: Action) -> Option<(Request, Complaint)> {
        let definition = || governance.definition.clone();
        let instance = |namespace, name| ObjectName { kind: governance.instances.clone(), namespace, name };
        Some(match action {
            Action::AddFinalizer(patch)
            | Action::RemoveFinalizer(patch)
            | Action::Reserve(patch)
            | Action::PatchDefinition(patch) => (merge(definition(), patch), Failed::Revision),
            Action::RestoreDefinition(patch) => (merge(definition(), patch), Failed::Rollback),
            Action::CreateCrd(crd) => {
                (create(crd_named(metadata(&crd, "name").to_owned()), crd), Failed::Crd)
            }
            Action::PatchCrd(patch) => (merge(self.own_crd(governance)?, patch), Failed::Crd),
            Action::DeleteCrd { uid } => (delete(self.own_crd(governance)?, uid), Failed::Crd),
            Action::CreateRevision(object) => {
                (create(revision_named(metadata(&object, "name").to_owned()), object), Failed::Revision)
            }
            Action::PatchRevision { name, patch } | Action::PatchRevisionStatus { name, patch } => {
                (merge(revision_named(name), patch), Failed::Revision)
            }
            Action::DeleteRevision { name, uid } => (delete(revision_named(name), uid), Failed::Revision),
            Action::DeleteInstance { namespace, name, uid } => {
                (delete(instance(namespace, name), uid), Failed::Controller)
            }
            Action::PatchInstance { namespace, name, patch } => {
                (merge(instance(namespace, name), patch), Failed::Controller)
            }
            Action::Serve(revision) => {
                let kept = self.controller.mind.kept.clone().unwrap_or_default();
                let gone = || Err(format!("revision {} is gone", revision.number));
                let graph = revisions::graph(&kept, revision.digest).cloned().unwrap_or_else(gone);
                self.serve(governance, Some(revision), graph, kept);
                return None;
            }
            Action::ServeWithoutGraph { reason } => {
                let kept = self.controller.mind.kept.clone().unwrap_or_default();
                self.serve(governance, None, Err(reason), kept);
                return None;
            }
            Action::StopServing => {
                self.controller.mind.stop_serving();
                return None;
            }
        })
    }

    fn own_crd(&self, governance: &Governance) -> Option<ObjectName> {
        crd_name(&self.controller.cached(&governance.definition)?.object).map(crd_named)
    }

    fn serve(
        &mut self,
        governance: &Governance,
        current: Option<krono_history::issue::Named>,
        graph: super::Compiled,
        revisions: Arc<Revisions>,
    ) {
        let definition = self.controller.cached(&governance.definition).map(|it| metadata(&it.object, "uid"));
        let uid = definition.unwrap_or_default().to_owned();
        let mind = &mut self.controller.mind;
        mind.serving = Some(Arc::new(Serving { uid, current, graph, revisions }));
        (mind.fleet.is_stale, mind.fleet.due) = (true, true);
        self.controller.look_at_all(&std::collections::BTreeSet::from([governance.instances.clone()]));
    }
}

impl crate::controller::Controller {
    /// Takes the answer to a request.
    pub(crate) fn take_answer(&mut self, request: &Request, answer: &Answer) {
        let name = request.name();
        let Some(cache) = self.caches.get_mut(&name.kind) else { return };
        match answer {
            Answer::Object(object) => cache.answer(object),
            Answer::Gone => cache.gone(name),
        }
    }
}

impl Mind {
    /// The revisions that are kept may have changed, and what is current has not.
    fn keep_serving(&mut self, revisions: &Arc<Revisions>) {
        if let Some(serving) = &mut self.serving
            && !serving.revisions.kept().eq(revisions.kept())
        {
            *serving = Arc::new(Serving {
                uid: serving.uid.clone(),
                current: serving.current.clone(),
                graph: serving.graph.clone(),
                revisions: Arc::clone(revisions),
            });
        }
    }
}

impl Observed {
    fn plan(&self, mind: &Mind, now: &str) -> Plan {
        let digest = Digest::of_definition(&self.definition["spec"]);
        let is_issued = self.revisions.history.latest().is_some_and(|it| it.digest == digest);
        let is_new = !is_issued && self.edit.compiled.is_ok();
        let asked = self.definition["metadata"]["annotations"][names::ROLLBACK_ANNOTATION].as_str();
        let whole = asked.and_then(|it| self.revisions.whole(it.parse().ok()?));
        let objects = self.revisions.objects(whole.as_ref());
        let instances: Vec<&Value> = self.instances.iter().collect();
        plan(&World {
            definition: &self.definition,
            compiled: self.edit.compiled.as_ref().map_err(Vec::as_slice),
            crd: self.crd.as_ref(),
            served: self.crd.as_ref().is_some_and(|it| !is_terminating(it)),
            serving: self.served(mind),
            past: Past {
                history: &self.revisions.history,
                objects: &objects,
                deleted: &self.revisions.deleted,
                graphs: &*self.revisions,
                uses: &self.census.uses,
                staying: &self.census.staying,
                following: &self.census.following,
                instances: &instances,
                statuses: self.census.statuses,
                claims: self.census.claims,
                counts: Some(&self.census.counts),
                interface: is_new.then_some(&self.edit.interface),
                left_by_kro: &[],
                freshness: self.freshness,
            },
            instances: self.census.sizes,
            failure: mind.failed.as_ref().map(Failed::as_failure),
            allow_crd_deletion: false,
            notes: Notes::Doubted,
            now,
        })
    }

    fn served(&self, mind: &Mind) -> Served {
        let Some(serving) = &mind.serving else { return Served::Nothing };
        let is_same = self.definition["metadata"]["uid"] == serving.uid;
        match &serving.current {
            Some(current) if is_same && serving.graph.is_ok() => Served::Revision(current.digest),
            Some(_) | None => Served::Graphless,
        }
    }
}

impl Failed {
    fn as_failure(&self) -> Failure<'_> {
        match self {
            Self::Crd(words) => Failure::Crd(words),
            Self::Revision(words) => Failure::Revision(words),
            Self::Rollback(words) => Failure::Rollback(words),
            Self::Controller(words) => Failure::Controller(words),
        }
    }
}

fn crd_named(name: String) -> ObjectName {
    ObjectName { kind: crd_kind(), namespace: String::new(), name }
}

fn revision_named(name: String) -> ObjectName {
    ObjectName { kind: revision_kind(), namespace: String::new(), name }
}

pub(super) fn merge(name: ObjectName, patch: Value) -> Request {
    Request::Merge { name, patch, manager: names::MANAGER_KRONO }
}

fn create(name: ObjectName, object: Value) -> Request {
    Request::Create { name, object }
}

fn delete(name: ObjectName, uid: String) -> Request {
    Request::Delete { name, uid: Some(uid) }
}
