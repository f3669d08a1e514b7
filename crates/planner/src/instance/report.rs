//! What people are told about an instance.

use std::collections::BTreeSet;

use krono_graph::{Authored, CompiledGraph, Evaluation, NodeState, Observed, Readiness, Subject};
use krono_model::condition::{Condition, Conditions, Status, read_all};
use krono_model::instance::{
    DEPENDENTS, GRAPH_RESOLVED, INSTANCE_MANAGED, OCCASIONAL, RESOURCES_READY, Reason, STATUS_INVALID, State,
};
use serde_json::{Map, Value};

use super::assigned::{Asked, Progress as Travelled, Trouble, put_generation};
use super::desired::{Desired, Standing};
use super::{Action, Member, ObjectName, Plan, World, deletion, text};

/// How many resources that wait are told of by name.
const MOST_TOLD: usize = 3;

/// How far a node is.
pub(super) enum Progress {
    Done,
    Coming(String),
    Going(String),
    Failed(String),
    /// The API server does not want it.
    Refused(String),
    /// There and ready, as it was before: its change has to wait.
    Waiting,
}

/// Everything a status is computed from.
pub(super) struct Report<'p, 'a> {
    pub(super) world: &'p World<'a>,
    pub(super) graph: &'p CompiledGraph,
    pub(super) evaluation: &'p Evaluation,
    pub(super) desired: &'p [Desired<'a>],
    pub(super) observed: &'p dyn Observed,
    /// The id of the `ApplySet`.
    pub(super) id: &'p str,
    /// The input, where the definition has revisions.
    pub(super) asked: Option<&'p Asked<'p>>,
}

impl Report<'_, '_> {
    /// Whether trying again may help.
    pub(super) fn wants_retry(&self) -> bool {
        self.world.refused.hinders()
            || self.world.refused.answer.is_some()
            || self.desired.iter().any(|it| matches!(it.standing, Standing::Foreign(_)))
            || self.evaluation.nodes.iter().any(|it| matches!(it, NodeState::Failed(_)))
    }

    /// How far each node is.
    pub(super) fn nodes(&self) -> Vec<Progress> {
        (0..self.graph.nodes.len()).map(|it| self.progress(it)).collect()
    }

    /// The status to publish, nothing when it is published already; and what of it the author's expressions cannot say.
    ///
    /// It is the state that tells whether what has `travelled` is failing.
    pub(super) fn status(
        &self,
        nodes: &[Progress],
        travelled: &mut Travelled,
    ) -> (Option<Value>, Option<String>) {
        let mut conditions = conditions(self.world);
        self.set_managed(&mut conditions);
        let resolved = "runtime graph created and all resources resolved";
        set(&mut conditions, GRAPH_RESOLVED, Status::True, Reason::Resolved, resolved);
        self.set_ready(&mut conditions, nodes);
        let authored = self.authored(&conditions);
        let invalid = self.invalid(authored.as_ref());
        let is_wrong = authored.as_ref().is_some_and(|it| !it.errors.is_empty());
        let state = if is_wrong { State::Error } else { self.state(&conditions, nodes) };
        if state == State::Error && travelled.trouble != Trouble::Hindered {
            travelled.trouble = Trouble::Failing;
        }
        let conditions = match authored {
            Some(authored) => self.stamped(&authored, invalid.clone()),
            None => self.with_extras(conditions.into_values(), travelled, invalid.clone()),
        };
        let mut status = self.evaluation.status.clone();
        status.insert("conditions".to_owned(), conditions.into());
        status.insert("state".to_owned(), state.as_str().into());
        put_generation(&mut status, self.graph, self.world.instance);
        if let Some(asked) = self.asked {
            asked.tell(&mut status, self.graph, travelled);
        }
        (changed(self.world.instance, status), invalid)
    }

    /// What is said only when there is something to say; [`READY`](krono_model::condition::READY) stays last.
    fn with_extras(
        &self,
        mut usual: Vec<Value>,
        travelled: &Travelled,
        invalid: Option<String>,
    ) -> Vec<Value> {
        let ready = usual.pop();
        let previous = self.previous();
        let extras = self.asked.map(|it| it.conditions(travelled)).into_iter().flatten();
        let extras = extras.chain(invalid.map(status_invalid));
        usual.extend(extras.map(|it| self.timed(it, &previous).to_value()));
        usual.extend(ready);
        usual
    }

    fn previous(&self) -> Vec<Condition> {
        read_all(self.world.instance.pointer("/status/conditions"))
    }

    /// A condition with the time since when it says what it says.
    fn timed(&self, mut condition: Condition, previous: &[Condition]) -> Condition {
        let before = previous.iter().find(|it| it.condition_type == condition.condition_type);
        let since = before.filter(|it| it.status == condition.status);
        let since = since.and_then(|it| it.last_transition_time.clone());
        condition.last_transition_time = Some(since.unwrap_or_else(|| self.world.now.to_owned()));
        condition.observed_generation = generation(self.world.instance);
        condition
    }

    /// What of the status cannot be made, in one line; nothing when all can.
    fn invalid(&self, authored: Option<&Authored>) -> Option<String> {
        let of_conditions = authored.into_iter().flat_map(|it| &it.errors);
        let mut errors = self.evaluation.status_errors.iter().chain(of_conditions);
        let told: Vec<String> = errors.by_ref().take(MOST_TOLD).map(|it| format!("status.{it}")).collect();
        let others = errors.count();
        let rest = if others > 0 { format!("; and {others} more") } else { String::new() };
        (!told.is_empty()).then(|| told.join("; ") + &rest)
    }

    /// How far the resources have come towards the current input.
    pub(super) fn travelled(&self, nodes: &[Progress]) -> Travelled {
        let is_at = |it: &&Desired<'_>| self.asked.is_some_and(|asked| asked.is_at(it));
        let at = self.desired.iter().filter(is_at).count();
        let is_open = |index: &usize| {
            let node = &self.graph.nodes[*index];
            let state = &self.evaluation.nodes[*index];
            matches!(node.subject, Subject::Template(_))
                && !matches!(state, NodeState::Resolved(_) | NodeState::Excluded { .. })
        };
        let open = (0..self.graph.nodes.len()).filter(is_open).count();
        let is_done = nodes.iter().all(|it| matches!(it, Progress::Done));
        let refused = self.world.refused;
        let is_failed = nodes.iter().any(|it| matches!(it, Progress::Failed(_)));
        let is_only_hindered = refused.hinders() && !refused.is_lasting && !is_failed;
        let trouble = if is_only_hindered { Trouble::Hindered } else { Trouble::None };
        let total = self.desired.len() + open;
        let (waits, surplus, lags) = (self.waits(), self.surplus(), self.lags(nodes));
        Travelled { at, total, is_done, lags, waits, surplus, trouble }
    }

    /// Whether a resource that is at the current input already is what is not ready, whatever else has to wait.
    fn lags(&self, nodes: &[Progress]) -> bool {
        let is_at = |it: &Desired<'_>| self.asked.is_some_and(|asked| asked.is_at(it));
        let is_coming = |it: &Desired<'_>| matches!(nodes[it.node], Progress::Coming(_));
        self.desired.iter().any(|it| is_coming(it) && is_at(it))
    }

    /// Which resources are no longer wanted and are left in place nevertheless, in one line.
    fn surplus(&self) -> Option<String> {
        self.world.assigned.filter(|it| it.leaves_surplus)?;
        let mut left = super::resources::orphans(self.world, self.id, self.desired).into_iter();
        let words = |it: Member<'_>| named(&deletion::name_of(&it));
        let told: Vec<String> = left.by_ref().take(MOST_TOLD).map(words).collect();
        let others = left.count();
        let rest = if others > 0 { format!(" and {others} more") } else { String::new() };
        let names = told.join(", ");
        (!told.is_empty()).then(|| format!("{names}{rest} will go when somebody approves of that"))
    }

    /// Which resources have to wait and why, in one line; nothing when none has.
    fn waits(&self) -> Option<String> {
        let mut waiting = self.desired.iter().filter_map(|it| Some((it, it.waits.as_ref()?)));
        let words = |(desired, why): (&Desired<'_>, &String)| {
            format!(
                "node {:?}: {} stays as it is: {why}",
                self.graph.nodes[desired.node].id,
                named(&desired.name)
            )
        };
        let told: Vec<String> = waiting.by_ref().take(MOST_TOLD).map(words).collect();
        let others = waiting.count();
        let rest = if others > 0 { format!("; and {others} more") } else { String::new() };
        (!told.is_empty()).then(|| told.join("; ") + &rest)
    }

    fn set_managed(&self, conditions: &mut Conditions) {
        match &self.world.refused.instance {
            None => {
                let message = "instance is properly managed with finalizers and labels";
                set(conditions, INSTANCE_MANAGED, Status::True, Reason::Managed, message);
            }
            Some(words) => {
                let message = format!("finalizer/labeling failed: {words}");
                set(conditions, INSTANCE_MANAGED, Status::False, Reason::ManagementFailed, &message);
            }
        }
    }

    fn set_ready(&self, conditions: &mut Conditions, nodes: &[Progress]) {
        let (reason, message) = if let Some(by) = super::suspended_by(self.world, self.asked) {
            (Reason::ReconciliationSuspended, format!("reconciliation suspended via {by} annotation"))
        } else if let Some(words) = all(nodes, failure) {
            (Reason::NotReady, format!("resource reconciliation failed: {words}"))
        } else if let Some(words) = all(nodes, going) {
            (Reason::ResourceDeleting, words)
        } else if nodes.iter().all(|it| matches!(it, Progress::Done | Progress::Waiting)) {
            let message = "all resources are created and ready";
            return set(conditions, RESOURCES_READY, Status::True, Reason::AllResourcesReady, message);
        } else {
            let words = all(nodes, coming).unwrap_or_default();
            (Reason::NotReady, format!("awaiting resource readiness: {words}"))
        };
        set(conditions, RESOURCES_READY, Status::False, reason, &message);
    }

    fn state(&self, conditions: &Conditions, nodes: &[Progress]) -> State {
        let failed = nodes.iter().any(|it| matches!(it, Progress::Failed(_) | Progress::Refused(_)));
        match () {
            () if conditions.is_ready() => State::Active,
            () if failed || self.world.refused.instance.is_some() => State::Error,
            () => State::InProgress,
        }
    }

    fn progress(&self, index: usize) -> Progress {
        let node = &self.graph.nodes[index];
        let about = |words: String| format!("node {:?}: {words}", node.id);
        match &self.evaluation.nodes[index] {
            NodeState::Excluded { .. } => Progress::Done,
            NodeState::Waiting { on } => {
                let on = &self.graph.nodes[*on].id;
                Progress::Coming(about(format!("waiting for node {on:?} to be ready")))
            }
            NodeState::Pending(missing) => Progress::Coming(about(format!("waiting for data: {missing}"))),
            NodeState::Failed(error) => Progress::Failed(about(error.to_string())),
            NodeState::Resolved(resolved) => self
                .standing(index)
                .or_else(|| readiness(&resolved.readiness, &about))
                .unwrap_or_else(|| self.arrived(index)),
        }
    }

    /// Of a node whose resources are there and ready.
    fn arrived(&self, index: usize) -> Progress {
        let waits = self.desired.iter().any(|it| it.node == index && it.waits.is_some());
        if waits { Progress::Waiting } else { Progress::Done }
    }

    /// What is the worst about the resources of a node; nothing when all stand as they should.
    fn standing(&self, index: usize) -> Option<Progress> {
        let id = &self.graph.nodes[index].id;
        let mut worst = None;
        for desired in self.desired.iter().filter(|it| it.node == index) {
            let about = |words: &str| format!("node {id:?}: {}{words}", named(&desired.name));
            match &desired.standing {
                Standing::Refused(words) => return Some(Progress::Refused(about(&format!(": {words}")))),
                Standing::Foreign(other) => {
                    let words = format!(": resource belongs to a different ApplySet ({other})");
                    return Some(Progress::Failed(about(&words)));
                }
                Standing::Terminating => worst = Some(Progress::Going(about(" is being deleted"))),
                Standing::Different { .. } | Standing::Marked(_) if worst.is_none() => {
                    worst = Some(Progress::Coming(about(" is being applied")));
                }
                Standing::Different { .. } | Standing::Marked(_) | Standing::Contested | Standing::Live => {}
            }
        }
        worst
    }

    /// The author's conditions; nothing when the author wrote none (35).
    fn authored(&self, usual: &Conditions) -> Option<Authored> {
        if !self.graph.has_conditions() {
            return None;
        }
        let mut instance = self.asked.map_or(self.world.instance, |it| &it.instance).clone();
        instance["status"]["conditions"] = usual.clone().into_values().into();
        Some(self.graph.conditions(&instance, self.evaluation, self.observed))
    }

    /// Gives the author's conditions their times, and says where one is missing that cannot be made.
    fn stamped(&self, authored: &Authored, invalid: Option<String>) -> Vec<Value> {
        let previous = self.previous();
        let mut conditions: Vec<Condition> = Vec::new();
        for mut condition in authored.conditions.iter().filter_map(Condition::from_value) {
            condition.reason = condition.reason.filter(|it| !it.is_empty());
            condition.message = condition.message.filter(|it| !it.is_empty());
            conditions.push(self.timed(condition, &previous));
        }
        // What an expression cannot say at the moment, it still says; krono's own conditions never were its words.
        let types: BTreeSet<String> = conditions.iter().map(|it| it.condition_type.clone()).collect();
        let still_said = |it: &&Condition| {
            let of = it.condition_type.as_str();
            let is_of_krono = DEPENDENTS.contains(&of) || OCCASIONAL.contains(&of);
            !authored.is_complete && !types.contains(of) && !is_of_krono
        };
        conditions.extend(previous.iter().filter(still_said).cloned());
        let invalid = invalid.map(status_invalid).filter(|it| !types.contains(&it.condition_type));
        conditions.extend(invalid.map(|it| self.timed(it, &previous)));
        conditions.iter().map(Condition::to_value).collect()
    }
}

fn status_invalid(message: String) -> Condition {
    Condition::new(STATUS_INVALID, Status::True, STATUS_INVALID.to_owned(), message)
}

/// What keeps a node from being ready; nothing when it is.
fn readiness(readiness: &Readiness, about: &dyn Fn(String) -> String) -> Option<Progress> {
    Some(match readiness {
        Readiness::Ready => return None,
        Readiness::Absent => Progress::Coming(about("waiting for it to exist".to_owned())),
        Readiness::NotReady { expression } => {
            Progress::Coming(about(format!("waiting for readyWhen {expression:?}")))
        }
        Readiness::Failed { expression, error } => {
            Progress::Failed(about(format!("readyWhen {expression:?}: {error}")))
        }
    })
}

fn named(name: &ObjectName) -> String {
    let namespace = if name.namespace.is_empty() { String::new() } else { format!("{}/", name.namespace) };
    format!("{} {namespace}{}", name.kind.kind, name.name)
}

/// All that is to be said of some nodes, in one line; nothing when there are none.
fn all(nodes: &[Progress], words: impl Fn(&Progress) -> Option<&str>) -> Option<String> {
    let words: Vec<&str> = nodes.iter().filter_map(words).collect();
    (!words.is_empty()).then(|| words.join("; "))
}

fn failure(progress: &Progress) -> Option<&str> {
    if let Progress::Failed(words) | Progress::Refused(words) = progress { Some(words) } else { None }
}

fn going(progress: &Progress) -> Option<&str> {
    if let Progress::Going(words) = progress { Some(words) } else { None }
}

fn coming(progress: &Progress) -> Option<&str> {
    if let Progress::Coming(words) = progress { Some(words) } else { None }
}

/// The status of an instance whose definition has no graph to offer.
pub(super) fn unresolved(world: &World<'_>, why: &str) -> Plan {
    let mut conditions = conditions(world);
    set(&mut conditions, GRAPH_RESOLVED, Status::False, Reason::ResolutionFailed, why);
    kept(world, conditions, State::Error, Vec::new())
}

/// The status of an instance whose resources cannot be seen.
pub(super) fn unseen(world: &World<'_>, why: &str) -> Plan {
    let mut conditions = conditions(world);
    let message = format!("resource reconciliation failed: {why}");
    set(&mut conditions, RESOURCES_READY, Status::False, Reason::NotReady, &message);
    kept(world, conditions, State::Error, Vec::new())
}

/// The status of an instance whose inventory cannot be trusted.
pub(super) fn unmanaged(world: &World<'_>, why: &str) -> Plan {
    let mut conditions = conditions(world);
    let message = format!("finalizer/labeling failed: {why}");
    set(&mut conditions, INSTANCE_MANAGED, Status::False, Reason::ManagementFailed, &message);
    kept(world, conditions, State::Error, Vec::new())
}

/// The status of an instance that cannot be deleted.
pub(super) fn blocked(world: &World<'_>, why: &str) -> Plan {
    let mut conditions = conditions(world);
    set(&mut conditions, RESOURCES_READY, Status::Unknown, Reason::UnderDeletion, why);
    kept(world, conditions, State::Deleting, Vec::new())
}

/// The status of an instance that is being deleted.
pub(super) fn deleting(world: &World<'_>, actions: Vec<Action>) -> Plan {
    let refused = world.refused.resources.values().chain(&world.refused.instance);
    let refused: Vec<&str> = refused.map(String::as_str).collect();
    let message = if refused.is_empty() {
        "deleting resources".to_owned()
    } else {
        format!("deletion blocked: {}", refused.join("; "))
    };
    let mut conditions = conditions(world);
    set(&mut conditions, RESOURCES_READY, Status::Unknown, Reason::UnderDeletion, &message);
    kept(world, conditions, State::Deleting, actions)
}

/// The author's fields as they are, with other conditions.
fn kept(world: &World<'_>, conditions: Conditions, state: State, actions: Vec<Action>) -> Plan {
    let mut status = world.instance["status"].as_object().cloned().unwrap_or_default();
    status.insert("conditions".to_owned(), conditions.into_values().into());
    status.insert("state".to_owned(), state.as_str().into());
    // Only a graph tells whether the field is the author's; without one the instance is not ready, whatever stands there.
    if let Ok(graph) = world.graph {
        put_generation(&mut status, graph, world.instance);
    }
    Plan {
        actions,
        status: changed(world.instance, status),
        status_can_wait_until: None,
        interests: Vec::new(),
        resting: Vec::new(),
        retry: world.refused.hinders(),
        notices: Vec::new(),
        room: None,
    }
}

fn conditions(world: &World<'_>) -> Conditions {
    let instance = world.instance;
    let created = text(instance, "creationTimestamp");
    let conditions = instance.pointer("/status/conditions");
    Conditions::read(conditions, DEPENDENTS, generation(instance), created, world.now)
}

fn generation(instance: &Value) -> i64 {
    instance["metadata"]["generation"].as_i64().unwrap_or_default()
}

fn set(conditions: &mut Conditions, of: &str, status: Status, reason: Reason, message: &str) {
    conditions.set(of, status, reason.as_str(), message);
}

/// A status, if it is not what the instance has.
fn changed(instance: &Value, status: Map<String, Value>) -> Option<Value> {
    let status = Value::Object(status);
    let same = instance.get("status").is_some_and(|it| is_same(it, &status));
    (!same).then_some(status)
}

/// Whether two values are one on the wire: 1 and 1.0 are.
fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, it)| right.get(key).is_some_and(|other| is_same(it, other)))
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_same(left, right))
        }
        (Value::Number(left), Value::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        (_, _) => left == right,
    }
}
