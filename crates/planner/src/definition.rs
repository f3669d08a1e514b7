//! One definition: what to do next so that its kind is served as it says.

pub(crate) mod crd;
mod deletion;
mod marks;
mod plain;
mod status;
#[cfg(test)]
mod tests;
mod verdict;

use std::fmt;

use krono_graph::{CompiledGraph, Diagnostic};
use krono_model::metadata::Owner;
use krono_model::names;
use krono_schema::crd::pluralize;
use serde_json::{Value, json};

use crd::Standing;

/// All that a plan for one definition is made from.
#[derive(Clone, Copy, Debug)]
pub struct World<'a> {
    /// The definition as it is.
    pub definition: &'a Value,
    /// The graph of the definition as it is, or what is wrong with it.
    pub compiled: Result<&'a CompiledGraph, &'a [Diagnostic]>,
    /// The CRD called [`crd_name`], as it is.
    pub crd: Option<&'a Value>,
    /// Whether the API server answers for the kind, which comes a while after the CRD is established.
    pub served: bool,
    /// What the instances are looked after with.
    pub serving: Serving,
    /// The instances there are.
    pub instances: Instances,
    /// What went wrong since the world was last observed.
    pub failure: Option<Failure<'a>>,
    /// Whether the CRD goes with the definition.
    pub allow_crd_deletion: bool,
    /// The time, as Kubernetes writes it.
    pub now: &'a str,
}

/// What instances are looked after with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Serving {
    /// Nobody looks after them.
    Nothing,
    /// No graph: they are told so, and those that are being deleted are seen off.
    Graphless,
    /// A graph of an earlier form of the definition.
    Older,
    /// The graph of the definition as it is.
    Current,
}

/// How many instances there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instances {
    /// All of them.
    pub total: usize,
    /// Those of them that are being deleted.
    pub terminating: usize,
}

/// What went wrong, in the words of whoever refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure<'a> {
    /// A change of the CRD.
    Crd(&'a str),
    /// The start of the instance controller.
    Controller(&'a str),
}

/// One step; the steps of one plan do not depend on each other unless they say so.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// A merge patch of the definition that names the version seen.
    AddFinalizer(Value),
    /// Creation of the CRD, if there is still none.
    CreateCrd(Value),
    /// A merge patch of the CRD that names the version seen.
    PatchCrd(Value),
    /// Deletion of the CRD, if it is still the one that was seen.
    DeleteCrd {
        /// The one that was seen.
        uid: String,
    },
    /// Look after instances with the graph of the definition as it is.
    Serve,
    /// Look after instances without a graph, so that they hear why and can be deleted.
    ServeWithoutGraph {
        /// What to tell instances.
        reason: String,
    },
    /// Look after nobody; comes before the end of the definition.
    StopServing,
    /// The end of the definition: a merge patch that names the version seen.
    RemoveFinalizer(Value),
}

/// What a definition waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Waiting {
    /// A better edit, or kinds that it names.
    ValidGraph,
    /// Whoever owns the CRD of that name to give it up.
    Ownership,
    /// A compatible edit, or leave for a breaking one.
    CompatibleChange,
    /// A CRD on its way out to be gone.
    CrdGone,
    /// The API server to establish the CRD.
    Established,
    /// The API server to answer for the kind; nothing tells when it does.
    Served,
    /// Instances on their way out to be gone.
    InstancesGone,
    /// Whatever failed to go right.
    Failure,
}

impl Waiting {
    /// Whether no watch tells of the end, so that somebody has to look again after a while.
    pub fn needs_another_look(self) -> bool {
        match self {
            Self::ValidGraph | Self::Served | Self::InstancesGone | Self::Failure => true,
            Self::Ownership | Self::CompatibleChange | Self::CrdGone | Self::Established => false,
        }
    }
}

/// Something that people should hear of once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The definition goes, and nobody will look after these instances until there is one of that name again.
    InstancesLeftBehind {
        /// Their kind.
        kind: String,
        /// How many.
        count: usize,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InstancesLeftBehind { kind, count } => write!(
                f,
                "{count} instances of {kind} stay without a definition and keep the finalizer {}; create the \
                 definition again to have them looked after or deleted",
                names::FINALIZER
            ),
        }
    }
}

/// What to do next.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// To be done at once and in order, and then planned again; nothing when all is done that can be done now.
    pub actions: Vec<Action>,
    /// All of the status to publish; nothing while there are actions, and when it is published already.
    pub status: Option<Value>,
    /// What is waited for, if anything.
    pub waiting: Option<Waiting>,
    /// What people should hear of.
    pub notices: Vec<Notice>,
}

impl Plan {
    fn of(action: Action) -> Self {
        Self { actions: vec![action], ..Self::default() }
    }
}

/// The name of the CRD that a definition is about, valid or not; nothing if it names no kind.
pub fn crd_name(definition: &Value) -> Option<String> {
    let schema = &definition["spec"]["schema"];
    let kind = schema["kind"].as_str().filter(|it| !it.is_empty())?;
    let group = schema["group"].as_str().filter(|it| !it.is_empty()).unwrap_or("kro.run");
    Some(format!("{}.{group}", pluralize(&kind.to_lowercase())))
}

/// What to do next for a definition.
///
/// Nothing is served with a graph before the CRD is what that graph needs: a change that is refused reaches nobody.
pub fn plan(world: &World<'_>) -> Plan {
    if is_terminating(world.definition) {
        return deletion::plan(world);
    }
    if !has_finalizer(world.definition) {
        return Plan::of(Action::AddFinalizer(finalizer_patch(world.definition, true)));
    }
    match world.compiled {
        Ok(graph) => serve(world, graph),
        Err(_) if is_unattended(world) => without_graph(world),
        Err(diagnostics) => status::invalid(world, diagnostics),
    }
}

fn serve(world: &World<'_>, graph: &CompiledGraph) -> Plan {
    let standing = match world.failure {
        Some(Failure::Crd(words)) => Standing::Refused(words.to_owned()),
        Some(Failure::Controller(_)) | None => crd::standing(world, graph),
    };
    match standing {
        Standing::Absent(crd) => Plan::of(Action::CreateCrd(crd)),
        Standing::Different(patch) => Plan::of(Action::PatchCrd(patch)),
        Standing::OfAnother(_) if world.serving != Serving::Nothing => Plan::of(Action::StopServing),
        Standing::Good if world.serving != Serving::Current && world.failure.is_none() => {
            Plan::of(Action::Serve)
        }
        Standing::Good => status::served(world, graph),
        Standing::Breaking(_) | Standing::Refused(_) | Standing::Terminating if is_unattended(world) => {
            without_graph(world)
        }
        Standing::Foreign(_)
        | Standing::OfAnother(_)
        | Standing::Breaking(_)
        | Standing::Refused(_)
        | Standing::Terminating
        | Standing::NotEstablished
        | Standing::NotServed => status::blocked(world, graph, &standing),
    }
}

/// Whether there may be instances and nobody to look after them.
fn is_unattended(world: &World<'_>) -> bool {
    let can_start = !matches!(world.failure, Some(Failure::Controller(_)));
    world.serving == Serving::Nothing && world.served && can_start && crd::own(world).is_some()
}

fn without_graph(world: &World<'_>) -> Plan {
    let name = metadata(world.definition, "name");
    let reason = format!("definition {name} has no graph that may be served; its conditions say why");
    Plan::of(Action::ServeWithoutGraph { reason })
}

fn owner(definition: &Value) -> Owner<'_> {
    Owner { definition_name: metadata(definition, "name"), definition_uid: metadata(definition, "uid") }
}

fn metadata<'v>(object: &'v Value, field: &str) -> &'v str {
    object["metadata"][field].as_str().unwrap_or_default()
}

fn is_terminating(object: &Value) -> bool {
    !object["metadata"]["deletionTimestamp"].is_null()
}

fn finalizers(definition: &Value) -> &[Value] {
    definition["metadata"]["finalizers"].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn has_finalizer(definition: &Value) -> bool {
    finalizers(definition).iter().any(|it| it == names::FINALIZER)
}

/// The list of finalizers with or without krono's; others keep theirs because the patch names the version seen.
fn finalizer_patch(definition: &Value, with: bool) -> Value {
    let others = finalizers(definition).iter().filter(|it| **it != names::FINALIZER).cloned();
    let own = with.then(|| json!(names::FINALIZER));
    let finalizers: Vec<Value> = others.chain(own).collect();
    let version = &definition["metadata"]["resourceVersion"];
    json!({"metadata": {"finalizers": finalizers, "resourceVersion": version}})
}
