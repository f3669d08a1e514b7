//! The instances of one definition: which revision each should run.

mod census;
mod deletions;
mod evidence;
mod facts;
mod failures;
mod ledger;
mod look;
mod made;
mod member;
mod record;
mod step;
mod telling;
mod turn;
mod waves;

use jiff::Timestamp;
use krono_history::{Digest, input};
use krono_model::applyset::Inventory;
use krono_model::metadata::is_suspended;
use krono_model::names;
use krono_propagation::assignment::{self as rules, Assignment, HeldInput, Instance, Life, Wishes};
use serde_json::Value;

use crate::definition::Graphs;
use crate::instance::{Cluster, INPUT_HISTORY, assignment, known, of_krono};
use evidence::Evidence;

pub use census::{Census, Needs};
pub(crate) use deletions::are_pending as are_deletions_pending;
pub use facts::{Facts, Revised};
pub use ledger::is_aborted;
pub use look::{Leading, Look, Scene, Told, look};
pub use made::{Made, made};
pub use record::Decision;
pub use step::Step;
pub use telling::counts;
pub use turn::Turn;
pub(crate) use turn::admission;
pub use waves::{Rules, Waves, gate_problems};
pub(crate) use waves::{approval_problems, closed_gate, problems};

/// The graphs of revisions, and what their schemas say about specs.
pub trait Schemas: Graphs + Sync {
    /// Why the schema of the revision with some content refuses a spec, if it does.
    fn refusal(&self, content: Digest, spec: &Value) -> Option<String>;
}

/// All that the decision about one instance is made from.
#[derive(Clone, Copy)]
pub struct World<'a> {
    /// What is the same for all instances.
    pub facts: &'a Facts,
    /// The instance, as it is in the cluster.
    pub instance: &'a Value,
    /// The revisions that are kept.
    pub schemas: &'a dyn Schemas,
    /// Whether it may move.
    pub turn: Turn,
    /// The time.
    pub now: Timestamp,
}

/// Whether an instance has resources and does not say which of the revisions that are kept they were made with.
pub fn is_lost(instance: &Value, facts: &Facts) -> bool {
    let is_kept = |(_, digest, _)| facts.history.newest_with(digest).is_some();
    let has_resources =
        || Inventory::read(instance).ok().flatten().is_some_and(|it| !it.group_kinds.is_empty());
    !assignment(instance).is_some_and(is_kept) && has_resources()
}

/// Decides which revision an instance should run; its resources are looked at only when it [is lost](is_lost).
pub fn decide<'a>(world: &World<'a>, cluster: Option<&dyn Cluster>) -> Decision<'a> {
    let instance = world.instance;
    let told = input::read(of_krono(&instance["status"], INPUT_HISTORY));
    let inputs = match cluster {
        Some(cluster) => known(told, instance, world.facts.keeping(), cluster),
        None => told,
    };
    let note = |key: &str| instance["metadata"]["annotations"][key].as_str();
    let hold = note(names::HOLD_INPUT_ANNOTATION).map(|it| input::held(it, &inputs, &world.facts.history));
    let problem = hold.as_ref().and_then(|it| it.as_ref().err()).map(ToString::to_string);
    let hold = hold.map(|it| match it {
        Ok(input) => HeldInput::Of(input.definition.digest),
        Err(_) => HeldInput::Unusable(problem.as_deref().unwrap_or_default()),
    });
    let is_ending = !instance["metadata"]["deletionTimestamp"].is_null();
    let about = Instance {
        assigned: assignment(instance).map(|(number, digest, _)| Assignment { number, digest }),
        life: if is_ending { Life::Ending } else { Life::Living },
        wishes: Wishes {
            suspended: is_suspended(instance),
            policy: note(names::UPDATE_POLICY_ANNOTATION),
            pin: note(names::RGD_REVISION),
            approval: note(names::APPROVE_REVISION_ANNOTATION),
            hold,
            order: note(names::PROPAGATION_ORDER_ANNOTATION),
        },
        evidence: &Evidence { world, cluster, inputs: &inputs },
    };
    let stopped = world.facts.stopped();
    let mut fleet = world.facts.fleet(&stopped, world.now);
    fleet.current = world.turn.leads_to().or(fleet.current);
    let verdict = rules::decide(&fleet, &about, world.turn.gate());
    let graph = verdict.assignment.and_then(|it| world.schemas.graph_of(it.digest)?.ok());
    let unpinned = note(names::UNPINNED_ANNOTATION).and_then(|it| it.parse().ok());
    let unpinned = unpinned.and_then(|it| fleet.history.find(it)).map(|it| it.digest);
    Decision { instance, graph, verdict, admission: world.turn.admission(), pinned_by: None, unpinned }
}
