//! The end of a definition.

use krono_history::answered::Answered;
use krono_history::excerpt;
use krono_history::issue::Named;
use krono_history::retention::Freshness;
use krono_history::rollback::Refusal;
use krono_model::names;
use serde_json::{Value, json};

use super::{
    Action, Failure, Notice, Plan, Serving, Waiting, World, crd, finalizer_patch, has_finalizer,
    is_terminating, letting_go, lineage, metadata, status, steps, without_graph,
};

/// What becomes of the instances of a definition that goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Policy {
    /// Nobody has said it.
    Unknown,
    /// They stay, with all that was made for them, and belong to nobody.
    Orphan,
    /// They go first.
    Cascade,
}

impl Policy {
    fn of(definition: &Value) -> Self {
        match lineage::annotation(definition, names::DELETION_POLICY_ANNOTATION) {
            Some("Orphan") => Self::Orphan,
            Some("Cascade") => Self::Cascade,
            Some(_) | None => Self::Unknown,
        }
    }
}

/// A definition with instances stays, and goes on serving them, until it is known what becomes of them.
///
/// Instances that are on their way out are seen off; the CRD stays unless krono may take it away.
pub(super) fn plan(world: &World<'_>) -> Plan {
    if !has_finalizer(world.definition) {
        return Plan::default();
    }
    if let Some(plan) = without_request(world) {
        return plan;
    }
    let is_own = crd::own(world).is_some();
    let policy = Policy::of(world.definition);
    let takes_crd = world.allow_crd_deletion && is_own && policy != Policy::Orphan;
    let has_instances = is_own && world.instances.total > 0;
    let is_needed =
        takes_crd || world.instances.terminating > 0 || (has_instances && policy != Policy::Orphan);
    if is_needed && let Some(plan) = attended(world) {
        return plan;
    }
    if takes_crd && let Some(crd) = world.crd {
        return without_crd(world, crd);
    }
    match policy {
        Policy::Unknown if has_instances && stays(world) > 0 => {
            status::deletion_blocked(world, &blocked(world))
        }
        Policy::Cascade if has_instances => cascade(world),
        Policy::Orphan | Policy::Unknown | Policy::Cascade if world.instances.terminating > 0 && is_own => {
            waiting(world)
        }
        Policy::Orphan if has_instances => orphan(world),
        Policy::Unknown | Policy::Cascade | Policy::Orphan => ending(world),
    }
}

/// The answer to a request to roll back; one that a tool has put back is left alone.
fn without_request(world: &World<'_>) -> Option<Plan> {
    let is_refused = matches!(world.failure, Some(Failure::Revision(_)));
    let request = lineage::request(world).filter(|_| !is_refused)?;
    if world.past.freshness == Freshness::Cached {
        return Some(Plan { needs_live_look: true, ..Plan::default() });
    }
    if Answered::of(world.definition).put_back(request.text, request.writer.as_ref()).is_some() {
        return None;
    }
    let name = metadata(world.definition, "name").to_owned();
    steps::refuse(world, request.text, Refusal::Ending { name })
}

/// Somebody looks after instances until the end: with the graph that they had, if there is one.
fn attended(world: &World<'_>) -> Option<Plan> {
    if world.serving != Serving::Nothing || !world.served || crd::own(world).is_none() {
        return None;
    }
    if let Some(Failure::Controller(words)) = world.failure {
        return Some(status::deleting(world, words, Waiting::Failure));
    }
    let current = current(world);
    let has_graph = current.as_ref().is_some_and(|it| matches!(world.past.graph_of(it.digest), Some(Ok(_))));
    let action = current.filter(|_| has_graph).map_or_else(|| without_graph(world, None), Action::Serve);
    Some(Plan::of(action))
}

/// What was current last: edits of a definition on its way out issue nothing.
fn current(world: &World<'_>) -> Option<Named> {
    let name = world.definition["status"]["currentRevisionName"].as_str();
    let history = world.past.history;
    let published = history.live().find(|it| Some(it.object.name.as_str()) == name);
    let revision = published.or_else(|| history.latest())?;
    Some(Named { number: revision.number, digest: revision.digest, name: revision.object.name.clone() })
}

/// How many instances are there to stay.
fn stays(world: &World<'_>) -> usize {
    world.instances.total.saturating_sub(world.instances.terminating)
}

fn blocked(world: &World<'_>) -> String {
    let count = stays(world);
    let (are, them, they_are) =
        if count == 1 { ("instance is", "it", "it is") } else { ("instances are", "them", "they are") };
    let policy = lineage::annotation(world.definition, names::DELETION_POLICY_ANNOTATION);
    let nonsense = policy.map(|it| format!("{:?} is no deletion policy; ", excerpt(it))).unwrap_or_default();
    format!(
        "{nonsense}{count} {are} left; delete {them}, or annotate the definition with {}: Cascade to have {them} deleted, or \
         Orphan to leave {them} as {they_are}",
        names::DELETION_POLICY_ANNOTATION
    )
}

/// Deletes instances, and waits for their end.
fn cascade(world: &World<'_>) -> Plan {
    let living = world.past.instances.iter().filter(|it| !is_terminating(it));
    let actions: Vec<Action> = living
        .map(|it| Action::DeleteInstance {
            namespace: metadata(it, "namespace").to_owned(),
            name: metadata(it, "name").to_owned(),
            uid: metadata(it, "uid").to_owned(),
        })
        .collect();
    if actions.is_empty() { waiting(world) } else { Plan { actions, ..Plan::default() } }
}

fn waiting(world: &World<'_>) -> Plan {
    let message = format!("waiting for {} instances that are being deleted", world.instances.terminating);
    status::deleting(world, &message, Waiting::InstancesGone)
}

/// Takes krono's finalizer off instances that nobody looks after any longer, and then ends.
fn orphan(world: &World<'_>) -> Plan {
    if world.serving != Serving::Nothing {
        return Plan::of(Action::StopServing);
    }
    let held = world.past.instances.iter().filter(|it| has_finalizer(it));
    let actions: Vec<Action> = held
        .map(|it| Action::PatchInstance {
            namespace: metadata(it, "namespace").to_owned(),
            name: metadata(it, "name").to_owned(),
            patch: finalizer_patch(it, false),
        })
        .collect();
    if !actions.is_empty() {
        return Plan { actions, ..Plan::default() };
    }
    let disowned: Vec<Action> = world.past.objects.values().filter_map(|it| disowned(it)).collect();
    if !disowned.is_empty() {
        return Plan { actions: disowned, ..Plan::default() };
    }
    Plan { notices: left_behind(world), ..end(world) }
}

/// Revisions outlive their definition for as long as there are instances.
fn disowned(revision: &Value) -> Option<Action> {
    let metadata = &revision["metadata"];
    metadata["ownerReferences"].as_array().filter(|it| !it.is_empty())?;
    let patch = json!({"metadata": {
        "ownerReferences": null,
        "annotations": {names::ORPHANED_ANNOTATION: "true"},
        "uid": metadata["uid"],
        "resourceVersion": metadata["resourceVersion"],
    }});
    Some(Action::PatchRevision { name: super::metadata(revision, "name").to_owned(), patch })
}

/// Deleting the CRD deletes the instances, which takes somebody who looks after them: that ends last.
fn without_crd(world: &World<'_>, crd: &Value) -> Plan {
    if !is_terminating(crd) {
        return Plan::of(Action::DeleteCrd { uid: metadata(crd, "uid").to_owned() });
    }
    let message = format!("waiting for CRD {} and its instances to be deleted", metadata(crd, "name"));
    status::deleting(world, &message, Waiting::CrdGone)
}

/// Without instances nobody needs revisions either; the CRD remembers the last number. That there are none the server itself
/// has to say, which cannot while it does not serve a kind that may have some.
fn ending(world: &World<'_>) -> Plan {
    if world.past.freshness == Freshness::Cached {
        return Plan { needs_live_look: true, ..Plan::default() };
    }
    if !world.served && crd::own(world).is_some_and(crd::is_established) {
        let message = "waiting for the API server to tell whether there are instances";
        return status::deleting(world, message, Waiting::Served);
    }
    let gone: Vec<Action> = world.past.objects.values().filter_map(|it| without_revision(it)).collect();
    if gone.is_empty() { end(world) } else { Plan { actions: gone, ..Plan::default() } }
}

/// What is on its way out and held by others is theirs.
fn without_revision(revision: &Value) -> Option<Action> {
    let name = metadata(revision, "name").to_owned();
    if !is_terminating(revision) {
        return Some(Action::DeleteRevision { name, uid: metadata(revision, "uid").to_owned() });
    }
    letting_go(revision).map(|patch| Action::PatchRevision { name, patch })
}

fn end(world: &World<'_>) -> Plan {
    let stop = (world.serving != Serving::Nothing).then_some(Action::StopServing);
    let end = Action::RemoveFinalizer(finalizer_patch(world.definition, false));
    Plan { actions: stop.into_iter().chain([end]).collect(), ..Plan::default() }
}

fn left_behind(world: &World<'_>) -> Vec<Notice> {
    let kind = world.definition["spec"]["schema"]["kind"].as_str().unwrap_or_default();
    vec![Notice::InstancesLeftBehind { kind: kind.to_owned(), count: world.instances.total }]
}
