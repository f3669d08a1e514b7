//! The revision that an instance is made with, and what the instance asks of it.

mod answer;
mod home;
mod objects;
mod seen;
mod stamps;
mod tell;
mod waiting;

use std::collections::BTreeSet;

use krono_graph::{CompiledGraph, KindName};
use krono_history::answered::Answered;
use krono_history::input::{self, Decision, Definition, Input, Inputs, Limit, Origin};
use krono_history::number::{Traces, highest_claim};
use krono_history::revision::History;
use krono_history::witness::Notes;
use krono_history::{Digest, RevisionNumber};
use krono_model::names;
use krono_propagation::fleet::Movement;
use krono_propagation::limits::Policy;
use serde_json::{Map, Value, json};

use super::{Action, PropagationGates, World};
use crate::fleet::Schemas;
use seen::{Seen, seen, standing_for};

pub(super) use answer::Answer;
pub use answer::{Notice, Rollback, Room};
pub use home::assignment;
pub(super) use home::put_generation;
pub(crate) use home::{
    ASSIGNMENT, ERROR_SINCE, INPUT_HISTORY, PROPAGATION, assignment_patch, observed_content, observed_since,
    of_krono,
};
pub(crate) use objects::known;
pub use objects::{kind as input_kind, may_have_objects};
pub(super) use stamps::{Stamps, revision_of};
pub(super) use tell::{Progress, Trouble};

/// The revision that an instance is assigned to, and the rules that its definition has about revisions.
pub struct Assigned<'a> {
    /// The newest revision with the assigned content.
    pub definition: Definition,
    /// The revisions of the definition that are kept.
    pub kept: &'a History,
    /// The content that instances move to.
    pub current: Option<Digest>,
    /// Whether the instance is to be left alone, in krono's words.
    pub is_paused: bool,
    /// Where inputs are kept.
    pub keeping: Keeping<'a>,
    /// How many inputs are kept.
    pub input_limit: usize,
    /// When revisions are written on resources.
    pub stamping: Stamping,
    /// Whether users are who the instance says they are.
    pub notes: Notes,
    /// Whether what is no longer wanted is left in place until somebody approves.
    pub leaves_surplus: bool,
    /// Whether instances may be pinned.
    pub may_pin: bool,
    /// The policies that instances may choose from; nothing when they may choose freely.
    pub policies: Option<&'a BTreeSet<Policy>>,
    /// The lowest number that anybody may run.
    pub minimum: Option<RevisionNumber>,
    /// Whether objects of a kind are themselves instances of a definition.
    pub is_defined: &'a (dyn Fn(&KindName) -> bool + Sync),
    /// A request to roll back that stands on the instance.
    pub rollback: Option<&'a Rollback>,
    /// What holds changes of single resources back.
    pub gates: &'a PropagationGates,
    /// Whether what instances move to is a step forward; a way back may wait for nothing.
    pub way: Movement,
    /// The graphs and schemas of the revisions that are kept.
    pub schemas: &'a dyn Schemas,
}

/// Where the inputs of instances are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping<'a> {
    /// In the status of the instance.
    Inline,
    /// As objects of their own.
    Objects {
        /// The name of the definition.
        definition: &'a str,
    },
}

/// When revisions are written on resources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stamping {
    /// When a resource is written anyway.
    #[default]
    OnChange,
    /// At every revision.
    Always,
}

/// What an instance asks for, through the revision that it is assigned to.
pub(super) struct Asked<'p> {
    world: &'p World<'p>,
    assigned: &'p Assigned<'p>,
    /// The instance as that revision sees it.
    pub(super) instance: Value,
    ignored: Vec<String>,
    /// Its inputs as the status tells them.
    told: Inputs,
    /// Its inputs, the new one included.
    inputs: Inputs,
    is_new: bool,
    limit: Limit,
    /// The input that it is held at.
    held: Option<RevisionNumber>,
    /// Whether it is to be held at an input, and nobody knows the spec that its resources were made with.
    is_lost: bool,
    /// Why the revision refuses what the spec says now, which is why the input before stands.
    refusal: Option<String>,
}

impl<'p> Asked<'p> {
    pub(super) fn of(
        world: &'p World<'p>,
        graph: &CompiledGraph,
        assigned: &'p Assigned<'p>,
        applyset: &str,
    ) -> Self {
        let status = &world.instance["status"];
        let told = input::read(home::own(status, graph, home::INPUT_HISTORY));
        let known = known(told.clone(), world.instance, assigned.keeping, world.cluster);
        let Seen { spec, ignored, held, is_lost } = seen(world, graph, assigned, &known, applyset);
        let observed = home::own(status, graph, home::OBSERVED_INPUT).as_i64();
        let observed = observed.and_then(RevisionNumber::from_wire);
        let needed = waiting::needed(world, assigned, &known, applyset, held.into_iter().chain(observed));
        let limit = match assigned.keeping {
            Keeping::Inline => Limit::inline(assigned.input_limit),
            Keeping::Objects { .. } => Limit::objects(assigned.input_limit),
        };
        let decision = input::issue(&input::World {
            spec: &spec,
            definition: assigned.definition,
            inputs: &known,
            traces: traces(world, graph, applyset, &known),
            limit,
            origin: &Origin::of(world.instance, assigned.notes),
            held: &needed,
            now: world.now,
        });
        let is_paused = is_lost || super::suspended_by(world, None).is_some();
        let stands = match decision {
            Decision::Issue(_) => standing_for(&spec, assigned, &known),
            Decision::Same(_) | Decision::Refused(_) => None,
        };
        let (spec, refusal) = match stands {
            Some((spec, refusal)) => (spec, Some(refusal)),
            None => (spec, None),
        };
        let (inputs, is_new) = match decision {
            Decision::Issue(inputs) if !is_paused && refusal.is_none() => (inputs, true),
            Decision::Issue(_) | Decision::Same(_) | Decision::Refused(_) => {
                (known.limited(limit, &needed), false)
            }
        };
        let mut instance = world.instance.clone();
        instance["spec"] = spec;
        Self { world, assigned, instance, ignored, told, inputs, is_new, limit, held, is_lost, refusal }
    }

    /// Whether it is left alone until its hold can be had or is gone.
    pub(super) fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// The stamps of its resources; nothing before the first input is issued.
    pub(super) fn stamps(&self) -> Option<Stamps<'p>> {
        let input = self.inputs.current()?;
        Some(Stamps::new(self.assigned, input))
    }

    /// The issue of a new input revision, which comes before any resource is written for it.
    pub(super) fn begin(&self, graph: &CompiledGraph) -> Vec<Action> {
        let kept = self.keep();
        if !kept.is_empty() {
            return kept;
        }
        self.begun(graph).into_iter().collect()
    }

    fn begun(&self, graph: &CompiledGraph) -> Option<Action> {
        let status = self.news(graph)?;
        let version = &self.world.instance["metadata"]["resourceVersion"];
        Some(Action::Begin(json!({"metadata": {"resourceVersion": version}, "status": status})))
    }

    /// What the status does not tell yet of a new input; where that waits for an object, only that it is to come.
    pub(super) fn next(&self, graph: &CompiledGraph) -> Option<Map<String, Value>> {
        let news = self.news(graph)?;
        if self.is_inline() {
            return Some(news);
        }
        let mut coming = Map::new();
        home::put(&mut coming, graph, home::PROPAGATION, self.pending(graph));
        Some(coming)
    }

    /// `status.propagation` while nothing was done yet.
    fn pending(&self, graph: &CompiledGraph) -> Value {
        self.propagation(graph, input::Standing::Pending, None)
    }

    fn news(&self, graph: &CompiledGraph) -> Option<Map<String, Value>> {
        let is_told = |it: &&Input| self.told.current().is_some_and(|told| told.number == it.number);
        let current = self.inputs.current().filter(|it| self.is_new || !is_told(it))?;
        let mut status = Map::new();
        let fields = [
            (home::CURRENT_INPUT, json!(current.number.to_wire())),
            (home::CURRENT_REVISION, json!(current.definition.number.to_wire())),
            (home::INPUT_HISTORY, self.summaries(&self.inputs)),
            (home::PROPAGATION, self.pending(graph)),
        ];
        for (name, value) in fields {
            home::put(&mut status, graph, name, value);
        }
        Some(status)
    }
}

/// Where numbers of inputs have been seen: in the status, else on resources and in what somebody has asked the instance for.
fn traces(world: &World<'_>, graph: &CompiledGraph, applyset: &str, known: &Inputs) -> Traces {
    let status = &world.instance["status"];
    let number = home::own(status, graph, home::CURRENT_INPUT).as_i64().and_then(RevisionNumber::from_wire);
    let stamps = || {
        let members = world.cluster.members(applyset);
        let stamps = members.iter().filter_map(|it| stamps::input_of(it.object));
        // Anybody may write annotations: they count where nothing is left that carries a number.
        highest_claim(stamps.chain(named(world.instance).filter(|_| known.current().is_none())))
    };
    let claims = if number.is_some() { None } else { stamps() };
    Traces { last_issued: number, claims, ..Traces::default() }
}

/// The inputs that annotations of an instance name: what one of these numbers means must not change.
fn named(instance: &Value) -> impl Iterator<Item = RevisionNumber> {
    let held = instance["metadata"]["annotations"][names::HOLD_INPUT_ANNOTATION].as_str();
    let held = held.and_then(|it| it.parse().ok());
    held.into_iter().chain(Answered::of(instance).numbers())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v9_inputs_that_annotations_name_are_known() {
        let check = |annotations: Value, expected: &[u64]| {
            let instance = json!({"metadata": {"annotations": annotations}});
            let found: Vec<u64> = named(&instance).map(RevisionNumber::get).collect();
            assert_eq!(found, expected, "{instance}");
        };
        check(Value::Null, &[]);
        check(json!({"krono.dev/hold-input-revision": "7"}), &[7]);
        check(json!({"krono.dev/hold-input-revision": "x", "krono.dev/answered-rollback": "4"}), &[4]);
        check(json!({"krono.dev/answered-rollback": r#"[["argocd","3"],["","z"]]"#}), &[3]);
    }
}
