//! Actions become requests, and answers become knowledge.

use krono_model::names;
use krono_planner::digest::Digest;
use krono_planner::instance::{Action, Applied, ObjectName};
use serde_json::Value;

use super::Simulation;
use crate::cache::Entry;
use crate::faults::Outcome;
use crate::laws::Deed;
use crate::server::{Answer, Refusal, Request};
use crate::text::{part_of, version};

impl Simulation {
    /// Performs one action, unless what it was planned upon is no longer so.
    pub(super) fn act(&mut self, instance: &ObjectName, action: Action) {
        if !self.is_still_right(instance, &action) {
            return;
        }
        let wanted = if let Action::Apply { digest, .. } = &action { Some(*digest) } else { None };
        let request = request(instance, action);
        let Some(heard) = self.ask(instance, &request) else { return };
        let name = request.name();
        if let (Ok(Answer::Object(object)), Some(desired)) = (&heard, wanted)
            && let Some(live) = Digest::of_applied(object, names::MANAGER_RESOURCES)
        {
            self.controller.ledger.insert(name.clone(), Applied { desired, live });
        }
        self.learn(instance, name, heard);
    }

    /// Others may have made or claimed the object since the plan.
    fn is_still_right(&self, instance: &ObjectName, action: &Action) -> bool {
        let Action::Apply { name, object, force, .. } = action else { return true };
        let work = self.controller.work.get(instance);
        let glimpsed = || work.and_then(|it| it.glimpsed.get(name));
        let seen = self.controller.cached(name).or_else(glimpsed);
        let is_ours = |entry: &Entry| part_of(&entry.object).is_none_or(|it| Some(it) == part_of(object));
        seen.map_or(!*force, |entry| *force && is_ours(entry))
    }

    pub(super) fn publish(&mut self, instance: &ObjectName, status: Value) {
        let Some(entry) = self.controller.cached(instance) else { return };
        let version = Some(version(&entry.object));
        let request = Request::Status { name: instance.clone(), status, version };
        let Some(heard) = self.ask(instance, &request) else { return };
        if let (Err(refusal), Some(work)) = (&heard, self.controller.work.get_mut(instance)) {
            work.later |= !matches!(refusal, Refusal::NotFound);
        }
        match heard {
            Err(Refusal::TooMany | Refusal::Internal | Refusal::Invalid(_)) => {}
            heard => self.learn(instance, instance, heard),
        }
    }

    /// Reads an object that nobody is sure about.
    pub(super) fn read(&mut self, instance: &ObjectName, name: &ObjectName) {
        if self.random.happens(self.faults.request) {
            return;
        }
        let found = self.server.get(name).cloned();
        self.learn(instance, name, found.clone().map(Answer::Object).ok_or(Refusal::NotFound));
        let is_cached = self.controller.cached(name).is_some();
        let Some(work) = self.controller.work.get_mut(instance) else { return };
        work.due = true;
        work.unsure.remove(name);
        if let Some(object) = found.filter(|_| !is_cached) {
            work.glimpsed.insert(name.clone(), Entry::of(&object));
        }
    }

    /// Asks the server, and watches that no law is broken; nothing when the controller dies of it.
    fn ask(&mut self, instance: &ObjectName, request: &Request) -> Option<Result<Answer, Refusal>> {
        let before = self.server.get(request.name()).cloned();
        self.requests += 1;
        let outcome = self.faults.perform(&mut self.server, request, &mut self.random);
        let ending = self.controller.work.get(instance).is_some_and(|it| it.ending);
        let (server, guarded) = (&self.server, &self.guarded);
        let deed = Deed { instance, request, before: before.as_ref(), server, ending, guarded };
        self.broken.extend(deed.wrong());
        match outcome {
            Outcome::Heard(heard) => Some(heard),
            Outcome::Killed => {
                self.restart();
                None
            }
        }
    }

    fn learn(&mut self, instance: &ObjectName, name: &ObjectName, heard: Result<Answer, Refusal>) {
        let cache = self.controller.caches.get_mut(&name.kind);
        if let Some(work) = self.controller.work.get_mut(instance) {
            work.glimpsed.remove(name);
        }
        match heard {
            Ok(Answer::Object(object)) => {
                if let Some(cache) = cache {
                    cache.answer(&object);
                }
            }
            Ok(Answer::Gone) | Err(Refusal::NotFound) => {
                if let Some(cache) = cache {
                    cache.gone(name);
                }
            }
            Err(refusal) => self.suffer(instance, name, &refusal),
        }
    }

    fn suffer(&mut self, instance: &ObjectName, name: &ObjectName, refusal: &Refusal) {
        let Some(work) = self.controller.work.get_mut(instance) else { return };
        match refusal {
            Refusal::Conflict(_) | Refusal::Exists | Refusal::TimedOut => {
                work.unsure.insert(name.clone());
            }
            _ if name == instance => work.refused.instance = Some(refusal.to_string()),
            Refusal::Invalid(_) | Refusal::TooMany | Refusal::Internal | Refusal::NotFound => {
                work.refused.resources.insert(name.clone(), refusal.to_string());
            }
        }
        work.due = true;
    }
}

fn request(instance: &ObjectName, action: Action) -> Request {
    let of_instance = |object: Value, manager: &'static str| Request::Apply {
        name: instance.clone(),
        object,
        manager,
        force: true,
    };
    match action {
        Action::Manage(object) => of_instance(object, names::MANAGER_LABELLER),
        Action::Record(object) => of_instance(object, names::MANAGER_PARENT),
        Action::Apply { name, object, force, .. } => {
            Request::Apply { name, object, manager: names::MANAGER_RESOURCES, force }
        }
        Action::Delete { name, uid } => Request::Delete { name, uid: Some(uid) },
        Action::Release { name, patch } => Request::Merge { name, patch, manager: names::MANAGER_RESOURCES },
        Action::RemoveFinalizer(patch) => {
            Request::Merge { name: instance.clone(), patch, manager: names::MANAGER_LABELLER }
        }
    }
}
