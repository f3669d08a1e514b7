//! One definition: what to do next so that its kind is served as it says.

mod behind;
pub(crate) mod crd;
mod deletion;
mod lineage;
mod marks;
mod notice;
mod orphans;
mod own_status;
mod past;
mod plain;
mod propagation_status;
mod restore;
mod revision_status;
mod status;
mod steps;
mod takeover;
#[cfg(test)]
mod tests;
mod verdict;

use krono_graph::{CompiledGraph, Diagnostic};
use krono_history::issue::{Issue, Judgement, Named, Standing as Issuance};
use krono_history::witness::Notes;
use krono_history::{Digest, RevisionNumber};
use krono_model::metadata::Owner;
use krono_model::names;
use krono_schema::crd::pluralize;
use krono_schema::names::subdomain_complaints;
use serde_json::{Value, json};

use crd::Standing;

pub use notice::Notice;
pub use orphans::{Fate, Left, fate};
pub use past::{Counts, Graphs, Past};

/// All that a plan for one definition is made from.
#[derive(Clone, Copy, Debug)]
pub struct World<'a> {
    /// The definition as it is; with managed fields when it was read just now.
    pub definition: &'a Value,
    /// The graph of the definition as it is, or what is wrong with it.
    pub compiled: Result<&'a CompiledGraph, &'a [Diagnostic]>,
    /// The CRD called [`crd_name`], as it is.
    pub crd: Option<&'a Value>,
    /// Whether the API server answers for the kind, which comes a while after the CRD is established.
    pub served: bool,
    /// What the instances are looked after with.
    pub serving: Serving,
    /// Its revisions, and what is known of their use.
    pub past: Past<'a>,
    /// The instances there are.
    pub instances: Instances,
    /// What went wrong since the world was last observed.
    pub failure: Option<Failure<'a>>,
    /// Whether the CRD goes with the definition.
    pub allow_crd_deletion: bool,
    /// Whether users are who objects say they are.
    pub notes: Notes,
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
    /// The graph of a revision with this content.
    Revision(Digest),
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
    /// A change of a revision, or of the definition for the sake of one.
    Revision(&'a str),
    /// The spec that a rollback would have written; the request for it stands.
    Rollback(&'a str),
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
    /// A merge patch of the definition's status that takes a number; it names the version seen.
    Reserve(Value),
    /// A merge patch of the definition that names the version seen.
    PatchDefinition(Value),
    /// The same, which writes the spec of an older revision back and answers the request for it.
    RestoreDefinition(Value),
    /// Creation of a revision, if there is still none of that name.
    CreateRevision(Value),
    /// A merge patch of a revision that names the version seen.
    PatchRevision {
        /// Which.
        name: String,
        /// What to change.
        patch: Value,
    },
    /// A merge patch of a revision's status that names the object seen.
    PatchRevisionStatus {
        /// Which.
        name: String,
        /// What to change.
        patch: Value,
    },
    /// Deletion of a revision that nothing needs, if it is still the one that was seen. Who does that may [let it
    /// go](letting_go) at once, or at the next look.
    DeleteRevision {
        /// Which.
        name: String,
        /// The one that was seen.
        uid: String,
    },
    /// Deletion of an instance, if it is still the one that was seen.
    DeleteInstance {
        /// Where; empty for cluster-wide kinds.
        namespace: String,
        /// Which.
        name: String,
        /// The one that was seen.
        uid: String,
    },
    /// A merge patch of an instance that names the version seen.
    PatchInstance {
        /// Where; empty for cluster-wide kinds.
        namespace: String,
        /// Which.
        name: String,
        /// What to change.
        patch: Value,
    },
    /// Look after instances with the graph of a revision.
    Serve(Named),
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

/// What to do next.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// To be done at once and in order, and then planned again; nothing when all is done that can be done now.
    pub actions: Vec<Action>,
    /// All of the status to publish; nothing while there are actions, and when it is published already.
    pub status: Option<Value>,
    /// What is waited for, if anything.
    pub waiting: Option<Waiting>,
    /// What people should hear of: once the actions are done, or at once where there are none.
    pub notices: Vec<Notice>,
    /// Whether to observe again without caches, and plan again, before anything is done.
    pub needs_live_look: bool,
    /// When to look again though nothing changes.
    pub next_look: Option<jiff::Timestamp>,
}

impl Plan {
    fn of(action: Action) -> Self {
        Self { actions: vec![action], ..Self::default() }
    }
}

/// The name of the CRD that a definition is about, valid or not; nothing if it names no kind, or no CRD can have that name.
pub fn crd_name(definition: &Value) -> Option<String> {
    let schema = &definition["spec"]["schema"];
    let kind = schema["kind"].as_str().filter(|it| !it.is_empty())?;
    let group = schema["group"].as_str().filter(|it| !it.is_empty()).unwrap_or("kro.run");
    let name = format!("{}.{group}", pluralize(&kind.to_lowercase()));
    subdomain_complaints(&name).is_empty().then_some(name)
}

/// What to do next for a definition.
///
/// An edit is judged first, together with the CRD that it needs; then it gets a number; then its revision is served. What is
/// refused on the way reaches nobody.
pub fn plan(world: &World<'_>) -> Plan {
    if is_terminating(world.definition) {
        return deletion::plan(world);
    }
    if !has_finalizer(world.definition) {
        return Plan::of(Action::AddFinalizer(finalizer_patch(world.definition, true)));
    }
    if let Some(plan) = takeover::plan(world) {
        return plan;
    }
    let standing = world.compiled.ok().map(|graph| stands(world, lineage::graph(world, graph)));
    let issue = lineage::issue(world, judgement(world, standing.as_ref()).as_judgement());
    if lineage::needs_live_look(world, &issue) {
        return Plan { needs_live_look: true, ..Plan::default() };
    }
    let done = steps::steps(world, &issue).or_else(|| kind(world, &issue, standing.as_ref()));
    let plan = done.or_else(|| attended(world, &issue).map(Plan::of)).or_else(|| numbered(world));
    Plan { next_look: issue.report.next_look, ..plan.unwrap_or_else(|| told(world, &issue, standing)) }
}

/// What instances would move to.
pub(crate) fn current(world: &World<'_>, judgement: Judgement<'_>) -> Option<Named> {
    lineage::issue(world, judgement).report.current
}

/// Whether an edit would wait for somebody to ask for its revision.
pub(crate) fn is_pending(world: &World<'_>, judgement: Judgement<'_>) -> bool {
    matches!(lineage::issue(world, judgement).report.standing, Issuance::Pending { .. })
}

/// How the CRD stands to what a graph needs.
fn stands(world: &World<'_>, graph: &CompiledGraph) -> Standing {
    match world.failure {
        Some(Failure::Crd(words)) => Standing::Refused(words.to_owned()),
        Some(Failure::Controller(_) | Failure::Revision(_) | Failure::Rollback(_)) | None => {
            crd::standing(world, graph)
        }
    }
}

/// What was found out about an edit.
enum Verdict {
    Accepted,
    Awaited,
    Refused(String),
}

impl Verdict {
    fn as_judgement(&self) -> Judgement<'_> {
        match self {
            Self::Accepted => Judgement::Accepted,
            Self::Awaited => Judgement::Awaited,
            Self::Refused(words) => Judgement::Refused(words),
        }
    }
}

fn judgement(world: &World<'_>, standing: Option<&Standing>) -> Verdict {
    match (world.compiled, standing) {
        (Err(diagnostics), _) => Verdict::Refused(status::listed(diagnostics)),
        (Ok(_), Some(Standing::Good)) => Verdict::Accepted,
        (
            Ok(_),
            Some(
                Standing::Foreign(words)
                | Standing::OfAnother(words)
                | Standing::Breaking(words)
                | Standing::Refused(words),
            ),
        ) => Verdict::Refused(words.clone()),
        (
            Ok(_),
            Some(
                Standing::Absent(_)
                | Standing::Different(_)
                | Standing::Terminating
                | Standing::NotEstablished
                | Standing::NotServed,
            )
            | None,
        ) => Verdict::Awaited,
    }
}

/// What the CRD needs: for the sake of an edit that gets a number, else for the sake of the latest that has one.
fn kind(world: &World<'_>, issue: &Issue, standing: Option<&Standing>) -> Option<Plan> {
    let of_latest = || {
        let latest = issue.report.latest.as_ref()?;
        Some(stands(world, world.past.graph_of(latest.digest)?.ok()?))
    };
    let standing = match (&issue.report.standing, standing) {
        (Issuance::Issued | Issuance::Due | Issuance::Issuing { .. }, Some(standing)) => standing.clone(),
        (_, Some(Standing::OfAnother(words))) => Standing::OfAnother(words.clone()),
        (_, _) => of_latest()?,
    };
    match standing {
        Standing::Absent(crd) => Some(Plan::of(Action::CreateCrd(crd))),
        Standing::Different(patch) => Some(Plan::of(Action::PatchCrd(patch))),
        Standing::OfAnother(_) if world.serving != Serving::Nothing => Some(Plan::of(Action::StopServing)),
        Standing::OfAnother(_)
        | Standing::Foreign(_)
        | Standing::Breaking(_)
        | Standing::Refused(_)
        | Standing::Terminating
        | Standing::NotEstablished
        | Standing::NotServed
        | Standing::Good => None,
    }
}

/// Whom instances should be looked after by, if it is not so.
fn attended(world: &World<'_>, issue: &Issue) -> Option<Action> {
    let can_start = !matches!(world.failure, Some(Failure::Controller(_)));
    if !can_start || !world.served || crd::own(world).is_none() {
        return None;
    }
    let Some(current) = &issue.report.current else {
        // What is in no history any more nobody else would serve: not the next process, and not the one beside it.
        return (world.serving != Serving::Graphless).then(|| without_graph(world, None));
    };
    match world.past.graph_of(current.digest) {
        Some(Ok(_)) => {
            (world.serving != Serving::Revision(current.digest)).then(|| Action::Serve(current.clone()))
        }
        Some(Err(_)) | None if world.serving == Serving::Graphless => None,
        Some(Err(words)) => Some(without_graph(world, Some((current.number, words)))),
        None => (world.serving == Serving::Nothing).then(|| without_graph(world, None)),
    }
}

/// Whether an edit gets no number for reasons of its own, so that the CRD is not made for it.
fn is_left_out(standing: &Issuance) -> bool {
    matches!(standing, Issuance::Pending { .. } | Issuance::Refused(_))
}

/// The CRD remembers the number of the newest revision, should all of them be lost.
fn numbered(world: &World<'_>) -> Option<Plan> {
    let is_refused = matches!(world.failure, Some(Failure::Crd(_)));
    crd::numbered(world).filter(|_| !is_refused).map(|patch| Plan::of(Action::PatchCrd(patch)))
}

/// Nothing is left to do now.
fn told(world: &World<'_>, issue: &Issue, standing: Option<Standing>) -> Plan {
    let plan = match (world.compiled, standing) {
        (Err(diagnostics), _) => status::invalid(world, issue, diagnostics),
        (Ok(graph), None | Some(Standing::Good)) => status::served(world, issue, graph),
        (Ok(graph), Some(standing)) if is_left_out(&issue.report.standing) && !standing.is_refusal() => {
            status::served(world, issue, graph)
        }
        (Ok(graph), Some(standing)) => status::blocked(world, issue, graph, &standing),
    };
    Plan { notices: issue.report.notices.iter().map(Notice::of).collect(), ..plan }
}

fn without_graph(world: &World<'_>, broken: Option<(RevisionNumber, &str)>) -> Action {
    let name = metadata(world.definition, "name");
    let reason = match broken {
        Some((number, words)) => format!("revision {number} of definition {name} makes no graph: {words}"),
        None => format!("definition {name} has no graph that may be served; its conditions say why"),
    };
    Action::ServeWithoutGraph { reason }
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

/// What lets a revision go that was deleted because nothing needs it; nothing when others hold it alone.
pub fn letting_go(revision: &Value) -> Option<Value> {
    has_finalizer(revision).then(|| finalizer_patch(revision, false))
}

/// The list of finalizers with or without krono's; others keep theirs because the patch names the version seen.
fn finalizer_patch(definition: &Value, with: bool) -> Value {
    let others = finalizers(definition).iter().filter(|it| **it != names::FINALIZER).cloned();
    let own = with.then(|| json!(names::FINALIZER));
    let finalizers: Vec<Value> = others.chain(own).collect();
    let version = &definition["metadata"]["resourceVersion"];
    json!({"metadata": {"finalizers": finalizers, "resourceVersion": version}})
}
