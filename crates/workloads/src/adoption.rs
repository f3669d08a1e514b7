//! Which objects a controller calls its own.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, OwnerReference};
use serde_json::json;

use crate::action::Plan;
use crate::kind::{Kept, World};
use crate::{owner, selector};

/// What the owner controls. What matches and nobody controls is adopted, what no longer matches is let go.
pub(crate) fn claim<'a, O: Kept, T: Kept>(
    world: &'a World,
    owner: &O,
    selector: &LabelSelector,
    plan: &mut Plan,
) -> Vec<&'a Arc<T>> {
    let matches = |it: &Arc<T>| selector::matches(selector, it.meta().labels.as_ref());
    let table = T::table(world);
    let (kept, lost): (Vec<&Arc<T>>, Vec<&Arc<T>>) =
        table.owned_by(owner::uid(owner.meta())).partition(|it| matches(it));
    if owner.meta().deletion_timestamp.is_some() {
        return kept;
    }
    for lost in lost.into_iter().filter(|it| it.meta().deletion_timestamp.is_none()) {
        release(&**lost, owner::uid(owner.meta()), plan);
    }
    for orphan in table.owned_by("") {
        let here = orphan.meta().namespace == owner.meta().namespace;
        if here && orphan.meta().deletion_timestamp.is_none() && matches(orphan) {
            adopt(&**orphan, owner::reference(owner), plan);
        }
    }
    kept
}

fn adopt<T: Kept>(orphan: &T, reference: OwnerReference, plan: &mut Plan) {
    let mut references = orphan.meta().owner_references.clone().unwrap_or_default();
    references.push(reference);
    plan.patch(orphan, json!({"metadata": {"ownerReferences": references}}));
}

fn release<T: Kept>(object: &T, uid: &str, plan: &mut Plan) {
    let references = object.meta().owner_references.iter().flatten();
    let others: Vec<&OwnerReference> = references.filter(|it| it.uid != uid).collect();
    let others = if others.is_empty() { json!(null) } else { json!(others) };
    plan.patch(object, json!({"metadata": {"ownerReferences": others}}));
}
