//! What is the same for all instances of a definition.

use jiff::Timestamp;
use krono_graph::KindName;
use krono_history::hold::{self, Hold, Place};
use krono_history::input::{self, Definition};
use krono_history::issue::Named;
use krono_history::retention::Uses;
use krono_history::revision::{History, Revision};
use krono_history::witness::Notes;
use krono_history::{Digest, RevisionNumber};
use krono_model::names;
use krono_propagation::assignment::{Assignment, Because, Fleet, Movement, Verdict};
use krono_propagation::fleet::{Movement as Way, RollbackBy};
use krono_propagation::limits::{Allowance, Limits};
use krono_propagation::mark;
use krono_propagation::policy::RollbackMode;
use serde_json::Value;

use super::Schemas;
use super::census::Census;
use super::deletions;
use super::waves::Waves;
use crate::instance::{
    Assigned, DeletionPolicies, INPUT_HISTORY, Keeping, PropagationGates, Rollback, Stamping, of_krono,
};

/// The revisions of a definition, and its policy about them.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// The revisions that are kept, without what instances do not care about.
    pub history: History,
    /// What instances move to.
    pub current: Assignment,
    /// What the platform owner allows.
    pub limits: Limits,
    /// How many inputs of each instance are kept.
    pub input_limit: usize,
    /// When revisions are written on resources.
    pub stamping: Stamping,
    /// What becomes of resources that are no longer wanted.
    pub policies: DeletionPolicies,
    /// What holds changes of single resources back.
    pub gates: PropagationGates,
    /// Whether users are who instances say they are.
    pub notes: Notes,
    /// Whether instances that follow their definition wait for their turn.
    pub is_gated: bool,
    /// Whether what instances no longer want is left in place until somebody approves.
    pub leaves_surplus: bool,
    /// Whether what instances move to is a step forward.
    way: Way,
    /// The definition, where inputs are objects of their own.
    keeping: Option<String>,
    pub(super) hold: Hold,
    highest: Option<RevisionNumber>,
}

/// The revision that an instance is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revised {
    /// The newest with the assigned content.
    pub definition: Definition,
    /// Whether the instance is to be left alone.
    pub is_paused: bool,
}

impl Facts {
    /// `current` is what instances move to.
    pub fn of(definition: &Value, current: &Named, history: &History, notes: Notes) -> Self {
        let policy = &definition["spec"]["revisionManagement"];
        let limits = Limits::read(&policy["instances"]).limits;
        let annotations = &definition["metadata"]["annotations"];
        let hold = hold_of(definition, history);
        let target = Assignment { number: current.number, digest: current.digest };
        let mode = rollback_mode(definition, RollbackMode::Instant);
        let way = way_to(target, &hold, history, mode);
        let last = definition["status"]["lastIssuedRevision"].as_i64().and_then(RevisionNumber::from_wire);
        Self {
            leaves_surplus: deletions::leaves_surplus(definition, &hold),
            current: target,
            way,
            is_gated: Waves::are_wanted(definition)
                || is_bounded(way)
                || annotations.get(names::PROPAGATION_ANNOTATION).is_some()
                || mark::mark_of(history, current.digest).is_some(),
            hold,
            highest: history.highest().max(last),
            input_limit: input_limit(policy),
            stamping: stamping(policy),
            policies: DeletionPolicies::of(definition),
            gates: PropagationGates::of(definition),
            notes,
            keeping: keeps_objects(definition)
                .then(|| definition["metadata"]["name"].as_str().unwrap_or_default().to_owned()),
            limits,
            history: without_versions(history),
        }
    }

    /// The same, for a decision now.
    pub(super) fn fleet<'f>(&'f self, stopped: &'f str, now: Timestamp) -> Fleet<'f> {
        Fleet {
            history: &self.history,
            current: Some(self.current),
            movement: match &self.hold {
                Hold::Released => Movement::Free,
                Hold::Held { .. } => Movement::Held,
                Hold::Invalid(_) => Movement::Stopped(stopped),
            },
            highest: self.highest,
            limits: &self.limits,
            now,
        }
    }

    /// Why nobody moves, if nobody does.
    pub(super) fn stopped(&self) -> String {
        if matches!(self.hold, Hold::Invalid(_)) { self.hold.to_string() } else { String::new() }
    }

    /// Whether an instance is made in another way than before, or tells other things of its past, at the same revision.
    pub fn is_other_for(&self, instance: &Value, before: &Self) -> bool {
        let policy = |it: &Self| (it.stamping, it.input_limit, it.keeping.is_some(), it.leaves_surplus);
        let inputs = input::read(of_krono(&instance["status"], INPUT_HISTORY));
        let is_kept = |it: &Self, content: Digest| it.history.newest_with(content).is_some();
        policy(self) != policy(before)
            || self.policies != before.policies
            || self.gates != before.gates
            || inputs.iter().map(|it| it.definition.digest).any(|it| is_kept(self, it) != is_kept(before, it))
    }

    /// Whether nothing is different for instances like these: revisions came or went that they do not mention.
    pub fn is_same_for(&self, instances: &Census, before: &Self) -> bool {
        let latest = self.history.latest().map(|it| it.number);
        let is_mentioned = |it: &&Revision| {
            let Uses { named, contents, .. } = &instances.uses;
            Some(it.number) == latest
                || named.contains(&it.number)
                || contents.contains(&it.digest)
                || instances.inputs.contains(&it.digest)
        };
        let mentioned = |facts: &Self| {
            let history = History::new(facts.history.all().filter(is_mentioned).cloned().collect());
            Self { history, ..facts.clone() }
        };
        mentioned(self) == mentioned(before)
    }

    /// Whether what instances move to is what marks and holds say: before that is served, nobody may move to what was given up.
    pub fn is_in_step(&self) -> bool {
        let wanted = match &self.hold {
            Hold::Released => self.history.latest(),
            Hold::Held { number, .. } => self.history.find(*number),
            Hold::Invalid(_) => return true,
        };
        wanted.is_some_and(|it| it.digest == self.current.digest)
    }

    /// When the next pin ends, if any does; instances that are pinned are to be looked at then.
    pub fn next_end_of_pins(&self, now: Timestamp) -> Option<Timestamp> {
        self.fleet("", now).next_end_of_pins()
    }

    /// What an instance with this verdict is made with; nothing while it has no assignment.
    pub fn made(&self, verdict: &Verdict) -> Option<Revised> {
        let assignment = verdict.assignment?;
        let newest = self.history.newest_with(assignment.digest);
        let number = newest.map_or(assignment.number, |it| it.number);
        let definition = Definition { number, digest: assignment.digest };
        Some(Revised { definition, is_paused: verdict.because == Because::Paused })
    }

    /// The same, with all that its plan needs.
    pub fn assigned<'a>(
        &'a self,
        by: Revised,
        is_defined: &'a (dyn Fn(&KindName) -> bool + Sync),
        rollback: Option<&'a Rollback>,
        schemas: &'a dyn Schemas,
    ) -> Assigned<'a> {
        Assigned {
            definition: by.definition,
            kept: &self.history,
            current: Some(self.current.digest),
            is_paused: by.is_paused,
            keeping: self.keeping(),
            input_limit: self.input_limit,
            stamping: self.stamping,
            notes: self.notes,
            may_pin: self.may_pin(),
            policies: self.limits.policies.as_ref(),
            leaves_surplus: self.leaves_surplus,
            minimum: self.limits.minimum,
            is_defined,
            rollback,
            gates: &self.gates,
            way: self.way,
            schemas,
        }
    }

    /// Where inputs are kept.
    pub fn keeping(&self) -> Keeping<'_> {
        match &self.keeping {
            Some(definition) => Keeping::Objects { definition },
            None => Keeping::Inline,
        }
    }

    /// Whether instances may be pinned.
    pub fn may_pin(&self) -> bool {
        self.limits.pins == Allowance::Allowed
    }
}

/// What a definition is held at: by people, or since a revision was given up.
pub(super) fn hold_of(definition: &Value, history: &History) -> Hold {
    let policy = &definition["spec"]["revisionManagement"];
    let wish = hold::Wish {
        annotation: definition["metadata"]["annotations"][names::ACTIVE_REVISION_ANNOTATION].as_str(),
        field: policy["activeRevision"].as_i64(),
        minimum: Limits::read(&policy["instances"]).limits.minimum,
        automatic: mark::way_back(history),
    };
    hold::hold(wish, history)
}

/// How moving to a revision is meant. Content that was given up is a way back only for whoever holds it: else it waits for
/// somebody to have it tried again.
pub(super) fn way_to(target: Assignment, hold: &Hold, history: &History, mode: RollbackMode) -> Way {
    let is_latest = history.latest().is_some_and(|it| it.digest == target.digest);
    let is_restored = history.find(target.number).is_some_and(|it| it.is_rollback);
    let is_marked = mark::mark_of(history, target.digest).is_some();
    match hold {
        Hold::Held { by: Place::Mark { .. }, .. } => {
            Way::Back { mode: RollbackMode::Instant, by: RollbackBy::Failures }
        }
        Hold::Held { .. } if !is_latest || is_marked => Way::Back { mode, by: RollbackBy::Person },
        Hold::Held { .. } | Hold::Released | Hold::Invalid(_) if is_restored && !is_marked => {
            Way::Back { mode, by: RollbackBy::Person }
        }
        Hold::Held { .. } | Hold::Released | Hold::Invalid(_) => Way::Forward,
    }
}

/// Whether instances take turns though the definition says nothing of waves.
fn is_bounded(way: Way) -> bool {
    matches!(way, Way::Back { mode: RollbackMode::Instant, .. })
}

/// As an annotation of the definition says, or else its policy.
pub(super) fn rollback_mode(definition: &Value, usual: RollbackMode) -> RollbackMode {
    let wish = definition["metadata"]["annotations"][names::ROLLBACK_MODE_ANNOTATION].as_str();
    let policy = definition["spec"]["propagation"]["rollbackMode"].as_str();
    wish.into_iter().chain(policy).find_map(read_mode).unwrap_or(usual)
}

/// From the text of an annotation or a policy; nothing for a text that is no mode.
pub(super) fn read_mode(text: &str) -> Option<RollbackMode> {
    match () {
        () if text.eq_ignore_ascii_case("Instant") => Some(RollbackMode::Instant),
        () if text.eq_ignore_ascii_case("Controlled") => Some(RollbackMode::Controlled),
        () => None,
    }
}

/// What is written on a revision beside its content is no news for instances.
fn without_versions(history: &History) -> History {
    let plain = history.live().cloned().map(|mut it| {
        it.object.resource_version = String::new();
        (it.superseded, it.unused_since) = (None, None);
        // That it is noted is no news either.
        (it.issued_at, it.replaced_at) = (None, history.replaced_at(it.number));
        it
    });
    History::new(plain.collect())
}

fn input_limit(policy: &Value) -> usize {
    let limit = policy["inputHistoryLimit"].as_u64().and_then(|it| usize::try_from(it).ok());
    limit.unwrap_or(input::HISTORY_LIMIT)
}

/// Instances that belong to no namespace have no objects beside them.
fn keeps_objects(definition: &Value) -> bool {
    let spec = &definition["spec"];
    spec["revisionManagement"]["inputRevisions"] == "Objects" && spec["schema"]["scope"] != "Cluster"
}

fn stamping(policy: &Value) -> Stamping {
    if policy["stampResources"] == "Always" { Stamping::Always } else { Stamping::OnChange }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn number(number: u64) -> RevisionNumber {
        RevisionNumber::new(number).unwrap_or(RevisionNumber::FIRST)
    }

    fn content(number: u64) -> Digest {
        Digest::of_definition(&json!({"schema": {"kind": number.to_string()}}))
    }

    fn facts(kept: &[u64]) -> Facts {
        let history = History::new(kept.iter().map(|it| Revision::new(number(*it), content(*it))).collect());
        let current = Named { name: String::new(), number: number(9), digest: content(9) };
        Facts::of(&json!({}), &current, &history, Notes::Doubted)
    }

    #[test]
    fn v04_cluster_wide_kinds_keep_their_inputs_inline() {
        let check = |keeping: &str, scope: &str, expected: bool| {
            let management = json!({"inputRevisions": keeping});
            let spec = json!({"revisionManagement": management, "schema": {"scope": scope}});
            assert_eq!(keeps_objects(&json!({"spec": spec})), expected, "{keeping} {scope}");
        };
        check("Objects", "Namespaced", true);
        check("Objects", "Cluster", false);
        check("Inline", "Namespaced", false);
        assert!(!keeps_objects(&json!({"spec": {"schema": {}}})));
    }

    #[test]
    fn v30_what_nobody_mentions_comes_and_goes_unnoticed() {
        let before = facts(&[1, 2, 3, 4, 9]);
        let mut census = Census::default();
        census.uses.named.insert(number(2));
        census.uses.contents.insert(content(3));
        census.inputs.insert(content(4));
        let check = |kept: &[u64], expected: bool| {
            assert_eq!(facts(kept).is_same_for(&census, &before), expected, "{kept:?}");
        };
        check(&[1, 2, 3, 4, 9], true);
        check(&[2, 3, 4, 9], true);
        check(&[1, 3, 4, 9], false);
        check(&[1, 2, 4, 9], false);
        check(&[1, 2, 3, 9], false);
        check(&[1, 2, 3, 4], false);
        check(&[1, 2, 3, 4, 9, 10], false);
    }
}
