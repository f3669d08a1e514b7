//! Several processes at work on one definition, a step at a time.

use std::sync::Arc;

use krono_planner::fleet::Needs;
use krono_planner::instance::input_kind;
use serde_json::Value;

use super::{Governance, Task, crd_kind, definition_kind, revision_kind};
use crate::controller::Controller;
use crate::faults::Outcome;
use crate::server::{Answer, Refusal, Request, name_of};
use crate::simulation::{Fate, Restless, Simulation};

/// On which side of a write a process dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// It is never sent.
    Before,
    /// It is performed, and nobody hears the answer.
    After,
}

/// Steps in a second.
const STEPS: usize = 10;
/// Seconds after which every cache knows what happened before: less than a revision stays marked before it is deleted.
const LAG: usize = 20;
/// How many steps a story may need to come to rest.
const PATIENCE: usize = 20_000;

impl Simulation {
    /// Looks after a definition from now on, with so many processes; the first leads.
    pub fn govern(&mut self, governance: Governance, processes: usize) {
        for kind in [definition_kind(), revision_kind(), crd_kind(), input_kind()] {
            self.whole.insert(kind);
        }
        self.governance = Some(Arc::new(governance));
        self.others = (1..processes).map(|_| self.another(false)).collect();
        self.controller = self.another(true);
    }

    fn another(&self, leads: bool) -> Controller {
        let mut controller = Controller::started(&self.server, &self.whole, &self.instances());
        (controller.mind.leads, controller.mind.due) = (leads, true);
        controller
    }

    /// The process whose turn it is dies, and another starts in its place; it may not lead any more.
    pub(crate) fn restart_governed(&mut self) {
        let mut leads = self.controller.mind.leads;
        if leads && !self.others.is_empty() && self.random.happens(500) {
            self.others[0] = self.another(true);
            leads = false;
        }
        self.controller = self.another(leads);
    }

    /// All processes die, and others start.
    pub fn restart_all(&mut self) {
        for other in 0..self.others.len() {
            self.others[other] = self.another(false);
        }
        self.controller = self.another(true);
    }

    /// It is somebody's turn.
    pub fn turn(&mut self) {
        let next = self.random.below(self.others.len() + 1);
        if let Some(other) = self.others.get_mut(next) {
            std::mem::swap(&mut self.controller, other);
        }
    }

    /// One step of some process.
    pub(crate) fn step_governed(&mut self, governance: &Governance) {
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS) {
            self.wait(1);
        }
        if self.steps.is_multiple_of(STEPS * LAG) {
            self.deliver_all();
        }
        self.turn();
        if self.suffer_chance() == Fate::Killed {
            return;
        }
        let tasks = self.tasks();
        match self.random.pick(&tasks) {
            Some(Task::Definition) => self.work_on_definition(governance),
            Some(Task::Fleet) => self.work_on_fleet(governance),
            Some(Task::Instance(name)) => self.work_on(name),
            None => {}
        }
    }

    /// Lets time pass.
    pub fn wait(&mut self, seconds: i64) {
        self.server.wait(seconds);
        let now = self.server.now().to_string().parse().unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        for controller in self.others.iter_mut().chain([&mut self.controller]) {
            let mind = &mut controller.mind;
            mind.due |= mind.next_look.take_if(|it| *it <= now).is_some();
        }
    }

    /// Every cache learns all that has happened.
    pub fn deliver_all(&mut self) {
        for other in 0..=self.others.len() {
            while self.deliver() {}
            if let Some(other) = self.others.get_mut(other) {
                std::mem::swap(&mut self.controller, other);
            }
        }
    }

    /// What the process whose turn it is could do.
    fn tasks(&self) -> Vec<Task> {
        let mind = &self.controller.mind;
        let definition = mind.is_busy().then_some(Task::Definition);
        let fleet = mind.fleet.due.then_some(Task::Fleet);
        let instances = self.busy().filter(|_| mind.leads).cloned().map(Task::Instance);
        definition.into_iter().chain(fleet).chain(instances).collect()
    }

    /// Steps until nothing is left to do, and until nothing is about to happen: marks have come of age.
    pub fn settle_governed(&mut self) -> Result<(), Restless> {
        let Some(governance) = self.governance.clone() else { return Ok(()) };
        let mut idle = 0;
        let mut fruitless = 0;
        let mut version = self.server.version();
        for _ in 0..PATIENCE {
            self.turn();
            if !self.tasks().is_empty() || self.deliver() {
                idle = 0;
                self.step_governed(&governance);
                continue;
            }
            idle += 1;
            if idle < 8 * (self.others.len() + 1) {
                continue;
            }
            if self.is_anyone_busy() {
                continue;
            }
            fruitless = if version == self.server.version() { fruitless + 1 } else { 0 };
            version = self.server.version();
            let tries = self.everybody_tries_again();
            let waits = self.wait_for_next_look();
            if !waits && (fruitless > 2 || !tries) {
                return Ok(());
            }
        }
        Err(Restless::after(PATIENCE, format!("{:?}", self.tasks())))
    }

    fn is_anyone_busy(&mut self) -> bool {
        (0..=self.others.len()).any(|other| {
            let is_behind = self.controller.caches.values().any(|it| it.is_behind(&self.server));
            let is_busy = is_behind || !self.tasks().is_empty();
            if let Some(other) = self.others.get_mut(other) {
                std::mem::swap(&mut self.controller, other);
            }
            is_busy
        })
    }

    fn everybody_tries_again(&mut self) -> bool {
        let mut any = false;
        for other in 0..=self.others.len() {
            any |= self.try_again();
            if let Some(other) = self.others.get_mut(other) {
                std::mem::swap(&mut self.controller, other);
            }
        }
        any
    }

    /// Lets time pass up to the next look that somebody wants; false when nobody does.
    fn wait_for_next_look(&mut self) -> bool {
        let all = self.others.iter().chain([&self.controller]);
        let Some(next) = all.filter_map(|it| it.mind.next_look).min() else { return false };
        let now: jiff::Timestamp =
            self.server.now().to_string().parse().unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        self.wait((next.as_second() - now.as_second()).max(1));
        true
    }

    /// Sends a request, and watches that no law about revisions is broken; nothing when the process dies of it.
    pub(crate) fn send(&mut self, request: &Request) -> Option<Result<Answer, Refusal>> {
        let before = self.server.get(request.name()).cloned();
        self.requests += 1;
        let outcome = match self.kill_at {
            Some((at, When::Before)) if at == self.requests => Outcome::Killed,
            Some((at, When::After)) if at == self.requests => {
                drop(self.server.perform(request));
                Outcome::Killed
            }
            Some(_) | None => self.faults.perform(&mut self.server, request, &mut self.random),
        };
        self.note(before.as_ref(), request);
        match outcome {
            Outcome::Heard(heard) => Some(heard),
            Outcome::Killed => {
                self.restart();
                None
            }
        }
    }

    fn note(&mut self, before: Option<&Value>, request: &Request) {
        let name = request.name();
        let Some(governance) = &self.governance else { return };
        let kinds = [&definition_kind(), &revision_kind(), &input_kind(), &governance.instances];
        if kinds.contains(&&name.kind) {
            let wrong = self.chronicle.note(before, self.server.get(name));
            self.broken.extend(wrong);
        }
    }

    /// The server is lost, and an empty one gets what a backup has.
    ///
    /// # Errors
    ///
    /// When the server does not take it.
    pub fn restore_backup(&mut self) -> Result<(), Refusal> {
        self.server = std::mem::take(&mut self.server).restored()?;
        self.restart_all();
        Ok(())
    }

    /// Something happened to an object: whom it concerns beside instances.
    pub(crate) fn look_at_definition(
        &mut self,
        governance: &Governance,
        before: Option<&Value>,
        object: &Value,
    ) {
        let kind = object["kind"].as_str().unwrap_or_default();
        let of_definition = [definition_kind(), revision_kind(), crd_kind()];
        let is_gone = || self.controller.cached(&name_of(&governance.instances, object)).is_none();
        let is_moved = kind == governance.instances.kind
            && (before.is_none_or(|before| Needs::of(before) != Needs::of(object)) || is_gone());
        self.controller.mind.due |= is_moved || of_definition.iter().any(|it| it.kind == kind);
    }
}
