//! One controller at work on one server, a step at a time.

mod perform;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use krono_graph::{CompiledGraph, KindName};
use krono_model::applyset::GroupKind;
use krono_model::metadata::{InstanceRef, Owner};
use krono_planner::instance::{Action, DeletionPolicies, ObjectName, Plan, World, input_kind, plan};
use serde_json::Value;

use crate::controller::{Controller, Work, group_kind, searched};
use crate::faults::Faults;
use crate::laws;
use crate::lineage::{Chronicle, Governance, When};
use crate::random::Random;
use crate::server::{Server, name_of};
use crate::text::{is_terminating, part_of};

/// What a kind of instances is made from.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Its UID.
    pub uid: String,
    /// The graph, or why there is none.
    pub graph: Result<Arc<CompiledGraph>, String>,
}

/// What has become of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Killed,
    Spared,
}

/// A world that can be played.
#[derive(Debug)]
pub struct Simulation {
    /// The truth.
    pub server: Server,
    /// What goes wrong.
    pub faults: Faults,
    /// Where the story comes from.
    pub random: Random,
    /// Objects that the controller may not touch.
    pub guarded: BTreeSet<ObjectName>,
    /// Laws that were broken.
    pub broken: Vec<String>,
    /// Requests the controller made that could change something.
    pub requests: usize,
    /// How often a watch tells something, in a thousand steps.
    pub deliveries: usize,
    /// How often what went wrong is tried again, in a thousand steps.
    pub retries: usize,
    /// The write at which a process dies: the count of requests, and the side of it.
    pub kill_at: Option<(usize, When)>,
    /// All revisions there ever were.
    pub chronicle: Chronicle,
    pub(crate) controller: Controller,
    /// Processes whose turn it is not.
    pub(crate) others: Vec<Controller>,
    pub(crate) governance: Option<Arc<Governance>>,
    pub(crate) steps: usize,
    definitions: BTreeMap<KindName, Definition>,
    /// Kinds whose every object is watched.
    pub(crate) whole: BTreeSet<KindName>,
}

/// A world that does not come to rest.
#[derive(Clone, Debug, thiserror::Error)]
#[error("still busy after {steps} steps: {busy}")]
pub struct Restless {
    steps: usize,
    busy: String,
}

impl Restless {
    pub(crate) fn after(steps: usize, busy: String) -> Self {
        Self { steps, busy }
    }
}

/// How many steps one controller may need until it has nothing to do.
const PATIENCE: usize = 200_000;

impl Simulation {
    /// Nothing is there yet but the kinds of the server.
    pub fn new(server: Server, seed: u64) -> Self {
        Self {
            server,
            faults: Faults::default(),
            random: Random::new(seed),
            guarded: BTreeSet::new(),
            broken: Vec::new(),
            requests: 0,
            deliveries: 300,
            retries: 20,
            kill_at: None,
            chronicle: Chronicle::default(),
            controller: Controller::default(),
            others: Vec::new(),
            governance: None,
            steps: 0,
            definitions: BTreeMap::new(),
            whole: BTreeSet::new(),
        }
    }

    /// Watches every object of a kind, for references to objects of others.
    pub fn watch_whole(&mut self, kind: KindName) {
        self.whole.insert(kind);
        self.restart();
    }

    /// Gives a kind of instances a definition; all of its instances are looked at.
    pub fn define(&mut self, kind: KindName, definition: Definition) {
        let is_new = self.definitions.insert(kind.clone(), definition).is_none();
        if is_new {
            self.restart();
        } else {
            self.controller.look_at_all(&BTreeSet::from([kind]));
        }
    }

    /// Kills the controller and starts another.
    pub fn restart(&mut self) {
        if self.governance.is_some() {
            return self.restart_governed();
        }
        self.controller = Controller::started(&self.server, &self.whole, &self.instances());
    }

    pub(crate) fn instances(&self) -> BTreeSet<KindName> {
        let governed = self.governance.as_ref().map(|it| &it.instances);
        self.definitions.keys().chain(governed).cloned().collect()
    }

    /// What befalls a process before each step.
    pub(crate) fn suffer_chance(&mut self) -> Fate {
        if self.random.happens(self.faults.kill) {
            self.restart();
            return Fate::Killed;
        }
        if self.random.happens(self.faults.watch) {
            self.drop_watch();
        }
        if self.random.happens(self.deliveries) {
            self.deliver();
        }
        if self.random.happens(self.retries) {
            self.try_again();
        }
        Fate::Spared
    }

    /// One step, of whatever chance chooses.
    pub fn step(&mut self) {
        if let Some(governance) = self.governance.clone() {
            return self.step_governed(&governance);
        }
        self.server.tick();
        if self.suffer_chance() == Fate::Killed {
            return;
        }
        let busy: Vec<_> = self.busy().cloned().collect();
        if let Some(instance) = self.random.pick(&busy) {
            self.work_on(instance);
        }
    }

    /// Steps until nothing is left to do: every event delivered, every failure tried again in vain.
    pub fn settle(&mut self) -> Result<(), Restless> {
        let mut fruitless = 0;
        let mut version = self.server.version();
        for _ in 0..PATIENCE {
            if self.busy().next().is_some() || self.deliver() {
                self.step();
                continue;
            }
            fruitless = if version == self.server.version() { fruitless + 1 } else { 0 };
            version = self.server.version();
            if fruitless > 2 || !self.try_again() {
                return Ok(());
            }
        }
        let busy: Vec<_> = self.busy().map(|it| it.name.as_str()).collect();
        Err(Restless { steps: PATIENCE, busy: busy.join(", ") })
    }

    pub(crate) fn busy(&self) -> impl Iterator<Item = &ObjectName> {
        self.controller.work.iter().filter(|(_, work)| work.is_busy()).map(|(name, _)| name)
    }

    /// Lets one watch tell one thing; false when all is told.
    pub fn deliver(&mut self) -> bool {
        let caches = self.controller.caches.iter();
        let behind = caches.filter(|(_, cache)| cache.is_behind(&self.server)).map(|(kind, _)| kind.clone());
        let behind: Vec<KindName> = behind.collect();
        let kind = self.random.pick(&behind);
        kind.is_some_and(|kind| self.deliver_from(kind))
    }

    /// Lets the watch of a kind tell one thing; false when it has told all.
    pub fn deliver_from(&mut self, kind: &KindName) -> bool {
        let instances = self.instances();
        let told = self.controller.caches.get_mut(kind).and_then(|it| it.next(&self.server));
        let Some((before, object)) = told else { return false };
        for object in before.iter().chain([&object]) {
            self.controller.look_at_concerned(kind, object, &instances);
        }
        if let Some(governance) = self.governance.clone() {
            self.look_at_definition(&governance, before.as_ref(), &object);
        }
        true
    }

    pub(crate) fn drop_watch(&mut self) {
        // Inputs are watched only once there are some.
        let is_watched = |it: &&KindName| **it != input_kind() || !self.server.events(it).is_empty();
        let kinds: Vec<KindName> = self.controller.caches.keys().filter(is_watched).cloned().collect();
        let Some(kind) = self.random.pick(&kinds) else { return };
        let instances = self.instances();
        let whole = self.whole.contains(kind) || instances.contains(kind);
        let cache = crate::cache::Cache::listed(&self.server, kind, whole);
        self.controller.caches.insert(kind.clone(), cache);
        self.controller.mind.due = true;
        self.controller.look_at_all(&instances);
    }

    /// Those who wait for better times try again; false when there are none.
    pub(crate) fn try_again(&mut self) -> bool {
        let mind = &mut self.controller.mind;
        let mut any = mind.later || mind.fleet.later;
        mind.due |= mind.later;
        mind.fleet.due |= mind.fleet.later;
        for work in self.controller.work.values_mut().filter(|it| it.later) {
            (work.due, any) = (true, true);
        }
        any
    }

    /// The next thing to do for one instance.
    pub(crate) fn work_on(&mut self, instance: &ObjectName) {
        let Some(work) = self.controller.work.get_mut(instance) else { return };
        let Some(action) = work.pending.pop_front() else { return self.think(instance) };
        self.act(instance, action);
        let Some(work) = self.controller.work.get_mut(instance) else { return };
        if work.pending.is_empty() && work.stale {
            work.due = false;
            work.end(true);
        }
    }

    fn think(&mut self, instance: &ObjectName) {
        if let Some(work) = self.controller.work.get_mut(instance) {
            work.begin();
        }
        let Some(plan) = self.plan(instance) else {
            self.controller.work.remove(instance);
            return;
        };
        let ending = self.controller.cached(instance).is_some_and(|it| is_terminating(&it.object));
        let is_blind = ending && !self.sees_all(instance);
        let Some(work) = self.controller.work.get_mut(instance) else { return };
        if is_blind && work.unanswered {
            work.due = false;
            return work.end(true);
        }
        work.ending = ending;
        work.interests.clone_from(&plan.interests);
        work.due = !plan.actions.is_empty();
        if work.due {
            work.refused.end_answered();
            work.pending = shuffled(plan.actions, &mut self.random).into();
            return;
        }
        // Who is told of a refusal is not done: what was asked for may have been heard all the same.
        work.unanswered &= work.refused.hinders();
        work.end(plan.retry);
        if let Some(status) = plan.status {
            self.publish(instance, status);
        }
    }

    /// What the planner says about an instance now; nothing when there is no such instance as far as is known.
    pub fn plan(&mut self, name: &ObjectName) -> Option<Plan> {
        if let Some(governance) = self.governance.clone().filter(|it| it.instances == name.kind) {
            return self.plan_assigned(&governance, name);
        }
        let entry = self.controller.cached(name)?;
        let definition = self.definitions.get(&name.kind)?;
        let work = self.controller.work.get(name);
        let none = Work::default();
        let work = work.unwrap_or(&none);
        let view = self.controller.view(work, searched(&entry.object, definition.graph.as_deref().ok()));
        let plan = plan(&World {
            instance: &entry.object,
            graph: definition.graph.as_deref().map_err(String::as_str),
            owner: Owner { definition_name: &definition.name, definition_uid: &definition.uid },
            assigned: None,
            policies: &DeletionPolicies::default(),
            cluster: &view,
            refused: &work.refused,
            resting: &BTreeSet::new(),
            now: &self.server.now().to_string(),
        });
        let prunes =
            plan.actions.iter().any(|it| matches!(it, Action::Delete { .. } | Action::Release { .. }));
        if let (true, false, Ok(graph)) = (prunes, is_terminating(&entry.object), &definition.graph) {
            self.broken.extend(laws::not_settled(graph, &entry.object, &view, &self.server));
        }
        Some(plan)
    }

    /// Whether the server itself has resources of an instance: of some kinds, or of all where they are looked for.
    fn has_members(&self, name: &ObjectName, kinds: Option<&[GroupKind]>) -> bool {
        let Some(entry) = self.controller.cached(name) else { return false };
        let id = InstanceRef::from_object(&entry.object).applyset_id();
        let kinds =
            kinds.map_or_else(|| self.searched(name, &entry.object), |it| it.iter().cloned().collect());
        let mut objects = self.server.objects();
        objects.any(|(name, it)| part_of(it) == Some(&*id) && kinds.contains(&group_kind(&name.kind)))
    }

    /// Whether the controller sees all resources of an instance that the server has.
    fn sees_all(&self, name: &ObjectName) -> bool {
        let Some(entry) = self.controller.cached(name) else { return true };
        let id = InstanceRef::from_object(&entry.object).applyset_id();
        let mut members = self.server.objects().filter(|(_, it)| part_of(it) == Some(&*id));
        members.all(|(name, _)| self.controller.cached(name).is_some())
    }

    fn searched(&self, name: &ObjectName, instance: &Value) -> BTreeSet<GroupKind> {
        if let Some(definition) = self.definitions.get(&name.kind) {
            return searched(instance, definition.graph.as_deref().ok());
        }
        let graph = self.made(instance).and_then(|it| it.graph.ok());
        searched(instance, graph.as_ref().map(|it| &it.compiled))
    }

    /// The instances that the controller knows of.
    pub fn known_instances(&self) -> Vec<ObjectName> {
        let kinds = self.instances();
        let caches = kinds.iter().filter_map(|kind| self.controller.caches.get(kind));
        caches.flat_map(|it| it.entries().map(|(name, _)| name.clone())).collect()
    }

    /// Performs a request of somebody else than the controller.
    pub fn create(&mut self, kind: &KindName, object: Value) -> Result<crate::Answer, crate::Refusal> {
        self.server.perform(&crate::Request::Create { name: name_of(kind, &object), object })
    }
}

fn shuffled(mut actions: Vec<Action>, random: &mut Random) -> Vec<Action> {
    for index in (1..actions.len()).rev() {
        actions.swap(index, random.below(index + 1));
    }
    actions
}
