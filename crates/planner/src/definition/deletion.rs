//! The end of a definition.

use serde_json::Value;

use super::{
    Action, Failure, Notice, Plan, Serving, Waiting, World, crd, finalizer_patch, has_finalizer,
    is_terminating, is_unattended, metadata, status, without_graph,
};

/// Instances that are on their way out are seen off; the CRD stays unless krono may take it away.
pub(super) fn plan(world: &World<'_>) -> Plan {
    if !has_finalizer(world.definition) {
        return Plan::default();
    }
    let takes_crd = world.allow_crd_deletion && crd::own(world).is_some();
    if world.instances.terminating > 0 || takes_crd {
        match world.failure {
            Some(Failure::Controller(words)) => return status::deleting(world, words, Waiting::Failure),
            Some(Failure::Crd(_)) | None if is_unattended(world) => return without_graph(world),
            Some(Failure::Crd(_)) | None => {}
        }
    }
    if takes_crd && let Some(crd) = world.crd {
        return without_crd(world, crd);
    }
    if world.instances.terminating > 0 && world.serving != Serving::Nothing {
        let message = format!("waiting for {} instances that are being deleted", world.instances.terminating);
        return status::deleting(world, &message, Waiting::InstancesGone);
    }
    Plan { notices: left_behind(world), ..ending(world) }
}

/// Deleting the CRD deletes the instances, which takes somebody who looks after them: that ends last.
fn without_crd(world: &World<'_>, crd: &Value) -> Plan {
    if !is_terminating(crd) {
        return Plan::of(Action::DeleteCrd { uid: metadata(crd, "uid").to_owned() });
    }
    let message = format!("waiting for CRD {} and its instances to be deleted", metadata(crd, "name"));
    status::deleting(world, &message, Waiting::CrdGone)
}

fn ending(world: &World<'_>) -> Plan {
    let stop = (world.serving != Serving::Nothing).then_some(Action::StopServing);
    let end = Action::RemoveFinalizer(finalizer_patch(world.definition, false));
    Plan { actions: stop.into_iter().chain([end]).collect(), ..Plan::default() }
}

fn left_behind(world: &World<'_>) -> Vec<Notice> {
    let kind = world.definition["spec"]["schema"]["kind"].as_str().unwrap_or_default();
    let notice = Notice::InstancesLeftBehind { kind: kind.to_owned(), count: world.instances.total };
    if world.instances.total > 0 && crd::own(world).is_some() { vec![notice] } else { Vec::new() }
}
