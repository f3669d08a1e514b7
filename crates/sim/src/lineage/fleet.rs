//! One process assigns instances, one at a time.

use std::sync::Arc;

use krono_history::witness::Notes;
use krono_model::metadata::Owner;
use krono_planner::fleet::{Facts, Turn, World, decide, is_lost};
use krono_planner::instance::ObjectName;

use super::definition::merge;
use super::{Governance, Serving};
use crate::cache::Cache;
use crate::controller::{Work, group_kind};
use crate::server::Refusal;
use crate::simulation::Simulation;

impl Simulation {
    /// The next thing to do for assignments.
    pub(crate) fn work_on_fleet(&mut self, governance: &Governance) {
        let fleet = &mut self.controller.mind.fleet;
        (fleet.due, fleet.later) = (false, false);
        let Some(serving) = self.controller.mind.serving.clone() else {
            self.controller.mind.fleet = super::Fleet::default();
            return;
        };
        if std::mem::take(&mut self.controller.mind.fleet.is_stale) {
            self.learn_facts(governance, &serving);
        }
        let fleet = &mut self.controller.mind.fleet;
        let Some(facts) = fleet.facts.clone() else { return fleet.asking.clear() };
        let Some(name) = fleet.asking.pop_first() else { return };
        fleet.due = true;
        self.assign(governance, &serving, &facts, name);
    }

    /// When what is the same for all has changed, all instances ask.
    fn learn_facts(&mut self, governance: &Governance, serving: &Serving) {
        let definition = self.controller.cached(&governance.definition);
        let facts = serving.current.as_ref().zip(definition).map(|(current, definition)| {
            let revisions = &serving.revisions;
            Facts::of(&definition.object, current, &revisions.history, Notes::Doubted)
        });
        if self.controller.mind.fleet.facts.as_deref() == facts.as_ref() {
            return;
        }
        let caches = self.controller.caches.get(&governance.instances).into_iter();
        let all: Vec<ObjectName> = caches.flat_map(Cache::entries).map(|(name, _)| name.clone()).collect();
        let fleet = &mut self.controller.mind.fleet;
        fleet.facts = facts.map(Arc::new);
        fleet.asking.extend(all.iter().cloned());
        for name in all {
            self.controller.work.entry(name).or_default().due = true;
        }
    }

    /// Decides about one instance and writes that down, if it is not there.
    fn assign(&mut self, governance: &Governance, serving: &Serving, facts: &Facts, name: ObjectName) {
        let Some(instance) = self.controller.cached(&name).map(|it| it.object.clone()) else { return };
        let now = self.server.now().to_string().parse().unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        let world = World { facts, instance: &instance, schemas: &*serving.revisions, turn: Turn::Free, now };
        let none = Work::default();
        let all = || self.controller.view(&none, self.server.kinds().map(group_kind).collect());
        let decision =
            if is_lost(&instance, facts) { decide(&world, Some(&all())) } else { decide(&world, None) };
        if decision.is_settled() {
            return;
        }
        let owner = Owner { definition_name: &governance.definition.name, definition_uid: &serving.uid };
        let now = self.server.now().to_string();
        let patch = decision.patch_with_input(facts, owner, &all(), world.schemas, &now);
        let request = merge(name.clone(), patch);
        match self.send(&request) {
            None | Some(Err(Refusal::NotFound)) => {}
            Some(Ok(answer)) => {
                self.controller.take_answer(&request, &answer);
                self.controller.work.entry(name).or_default().due = true;
            }
            Some(Err(_)) => {
                let fleet = &mut self.controller.mind.fleet;
                fleet.asking.insert(name);
                (fleet.due, fleet.later) = (fleet.asking.len() > 1, true);
            }
        }
    }
}
