//! Actions become requests, and answers become knowledge.

use krono_model::names;
use krono_planner::digest::Digest;
use krono_planner::instance::{Action, Applied, InputAction, ObjectName, Subject};
use krono_planner::replacing;
use serde_json::{Value, json};

use super::Simulation;
use crate::cache::Entry;
use crate::laws::Deed;
use crate::server::{Answer, Refusal, Request};
use crate::text::{metadata, part_of};

impl Simulation {
    /// Performs one action and puts the answer where the next plan finds it.
    pub(super) fn act(&mut self, instance: &ObjectName, action: Action) {
        if self.leaves_something_behind(instance, &action) {
            return self.suffer(
                instance,
                Subject::Instance,
                &Refusal::Conflict("resources are left".to_owned()),
            );
        }
        if !self.is_still_right(instance, &action) {
            return;
        }
        let mut desired = None;
        let mut unseen = false;
        if let Action::Apply { digest, force, .. } = &action {
            (desired, unseen) = (Some(*digest), !force);
        }
        let answer = matches!(action, Action::Amend(_)).then_some(Subject::Answer);
        let of = matches!(action, Action::Restore(_)).then_some(Subject::Rollback).or(answer);
        let request = request(instance, action);
        let of = of.unwrap_or_else(|| subject(instance, request.name()));
        let Some(heard) = self.ask(instance, &request) else { return };
        if unseen && matches!(heard, Err(Refusal::Conflict(_))) {
            return self.look(instance, request.name());
        }
        if let (Ok(Answer::Object(object)), Some(desired)) = (&heard, desired)
            && let Some(live) = Digest::of_applied(object, names::MANAGER_RESOURCES)
        {
            self.controller.ledger.insert(request.name().clone(), Applied { desired, live });
        }
        self.learn(instance, of, &request, heard);
    }

    /// After some actions nobody would look for what is left, so the server itself is asked.
    fn leaves_something_behind(&self, instance: &ObjectName, action: &Action) -> bool {
        match action {
            Action::RemoveFinalizer(_) => self.has_members(instance, None),
            Action::Shrink { kinds, .. } => self.has_members(instance, Some(kinds)),
            Action::Manage(_)
            | Action::Record(_)
            | Action::Apply { .. }
            | Action::Delete { .. }
            | Action::Release { .. }
            | Action::Unmark { .. }
            | Action::Begin(_)
            | Action::Restore(_)
            | Action::Amend(_)
            | Action::Input(_) => false,
        }
    }

    /// Others may have made or claimed the object since the plan: all instances apply under one field manager, so the
    /// server would let them take it from each other.
    fn is_still_right(&self, instance: &ObjectName, action: &Action) -> bool {
        let Action::Apply { name, object, force, .. } = action else { return true };
        let glimpsed = || self.controller.work.get(instance).and_then(|it| it.glimpsed.get(name));
        let is_ours = |entry: &Entry| part_of(&entry.object).is_none_or(|it| Some(it) == part_of(object));
        let seen = self.controller.cached(name).or_else(glimpsed);
        seen.is_none_or(|entry| *force && is_ours(entry))
    }

    pub(super) fn publish(&mut self, instance: &ObjectName, status: Value) {
        let Some(entry) = self.controller.cached(instance) else { return };
        let request = if self.governance.is_some() {
            // Others write to the status too: nobody's words are overwritten unseen.
            let version = metadata(&entry.object, "resourceVersion");
            let status = replacing(&status, &entry.object["status"]);
            let patch = json!({"metadata": {"resourceVersion": version}, "status": status});
            Request::Merge { name: instance.clone(), patch, manager: names::MANAGER_KRONO }
        } else {
            let uid = Some(metadata(&entry.object, "uid").to_owned());
            Request::Status { name: instance.clone(), status, uid }
        };
        match self.ask(instance, &request) {
            None | Some(Err(Refusal::NotFound)) => {}
            Some(Ok(answer)) => self.learn(instance, Subject::Instance, &request, Ok(answer)),
            Some(Err(_)) => {
                if let Some(work) = self.controller.work.get_mut(instance) {
                    work.later = true;
                }
            }
        }
    }

    /// Reads an object that the caches do not show although it is there.
    fn look(&mut self, instance: &ObjectName, name: &ObjectName) {
        if self.random.happens(self.faults.request) {
            return self.suffer(instance, subject(instance, name), &Refusal::Internal);
        }
        let found = self.server.get(name).map(Entry::of);
        let Some(work) = self.controller.work.get_mut(instance) else { return };
        work.glimpsed.extend(found.map(|it| (name.clone(), it)));
    }

    /// Asks the server, and watches that no law is broken; nothing when the controller dies of it.
    fn ask(&mut self, instance: &ObjectName, request: &Request) -> Option<Result<Answer, Refusal>> {
        let before = self.server.get(request.name()).cloned();
        let ending = self.controller.work.get(instance).is_some_and(|it| it.ending);
        let heard = self.send(request);
        let (server, guarded) = (&self.server, &self.guarded);
        let deed = Deed { instance, request, before: before.as_ref(), server, ending, guarded };
        self.broken.extend(deed.wrong());
        heard
    }

    fn learn(
        &mut self,
        instance: &ObjectName,
        of: Subject,
        request: &Request,
        heard: Result<Answer, Refusal>,
    ) {
        let name = request.name();
        let Some(cache) = self.controller.caches.get_mut(&name.kind) else { return };
        match heard {
            Ok(Answer::Object(object)) => cache.answer(&object),
            Ok(Answer::Gone) => cache.gone(name),
            Err(Refusal::NotFound) if matches!(request, Request::Delete { .. }) => cache.gone(name),
            Err(refusal) => self.suffer(instance, of, &refusal),
        }
    }

    /// What is stale is looked at again later, and so is a server that fails; if it goes on failing, people are told.
    fn suffer(&mut self, instance: &ObjectName, of: Subject, refusal: &Refusal) {
        let goes_on = self.random.happens(300);
        let Some(work) = self.controller.work.get_mut(instance) else { return };
        work.unanswered |= matches!(refusal, Refusal::TimedOut);
        let is_stale = match refusal {
            Refusal::Conflict(_) | Refusal::Exists | Refusal::NotFound => true,
            Refusal::TooMany | Refusal::Internal | Refusal::TimedOut => !goes_on,
            Refusal::Invalid(_) => false,
        };
        if is_stale {
            work.stale = true;
        } else {
            work.refused.add(of, refusal.to_string(), matches!(refusal, Refusal::Invalid(_)));
        }
    }
}

fn subject(instance: &ObjectName, name: &ObjectName) -> Subject {
    if name == instance { Subject::Instance } else { Subject::Resource(name.clone()) }
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
        Action::Record(object) | Action::Shrink { object, .. } => of_instance(object, names::MANAGER_PARENT),
        Action::Apply { name, object, force, .. } => {
            Request::Apply { name, object, manager: names::MANAGER_RESOURCES, force }
        }
        Action::Delete { name, uid } | Action::Input(InputAction::Prune { name, uid }) => {
            Request::Delete { name, uid: Some(uid) }
        }
        Action::Release { name, patch } | Action::Unmark { name, patch } => {
            Request::Merge { name, patch, manager: names::MANAGER_RESOURCES }
        }
        Action::RemoveFinalizer(patch) => {
            Request::Merge { name: instance.clone(), patch, manager: names::MANAGER_LABELLER }
        }
        Action::Begin(patch) | Action::Restore(patch) | Action::Amend(patch) => {
            Request::Merge { name: instance.clone(), patch, manager: names::MANAGER_KRONO }
        }
        Action::Input(InputAction::Create { name, object }) => Request::Create { name, object },
        Action::Input(InputAction::Adopt { name, patch } | InputAction::Tell { name, patch }) => {
            Request::Merge { name, patch, manager: names::MANAGER_KRONO }
        }
    }
}
