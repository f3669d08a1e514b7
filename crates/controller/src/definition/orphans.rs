//! Revisions that outlived their definition.

use std::collections::BTreeMap;

use krono_model::applyset::GroupKind;
use krono_model::names;
use krono_planner::definition::{Fate, Left, crd_name, fate};
use serde_json::{Value, json};

use crate::engine::Engine;
use crate::queue::{Key, Outcome};
use crate::requests::Subresource;
use crate::revisions;

/// Lets go of revisions that somebody deletes, and deletes those that a definition left for its instances once those are gone.
///
/// Others are left alone: they may be the first part of a backup to be restored.
pub(super) async fn look_after(engine: &Engine, definition: &str) -> kube::Result<Outcome> {
    let mut outcome = Outcome::Done;
    let mut kinds = BTreeMap::new();
    let orphans = orphans(engine, definition);
    for orphan in &orphans {
        if !orphan["metadata"]["deletionTimestamp"].is_null() {
            release(engine, definition, orphan).await?;
        } else if orphan["metadata"]["annotations"][names::ORPHANED_ANNOTATION] == "true" {
            let schema = &orphan["spec"]["schema"];
            let kind = ["group", "kind"].map(|it| schema[it].as_str().unwrap_or_default());
            let instances = match kinds.get(&kind) {
                Some(known) => *known,
                None => *kinds.entry(kind).or_insert(instances(engine, kind).await?),
            };
            match fate(orphan, instances, crate::clock::timestamp()) {
                Fate::Goes => delete(engine, definition, orphan).await?,
                Fate::Stays => outcome = Outcome::Retry,
                Fate::Noted(patch) => {
                    note(engine, definition, orphan, &patch).await?;
                    outcome = Outcome::Retry;
                }
            }
        }
    }
    Ok(outcome)
}

fn orphans(engine: &Engine, definition: &str) -> Vec<Value> {
    let Ok(reading) = engine.revisions().read() else { return Vec::new() };
    let own = reading.objects().within(None).filter(|(_, it, _)| revisions::may_be_of(it, definition));
    let own = own.map(|(_, _, entry)| entry.object());
    let own = own.filter(|it| revisions::definition_of(it) == definition);
    own.map(|it| {
        let spec = json!({"createdAt": it["spec"]["createdAt"], "schema": it["spec"]["schema"]});
        json!({"metadata": it["metadata"], "spec": spec})
    })
    .collect()
}

/// Instances are the same in each API version.
async fn instances(engine: &Engine, [group, kind]: [&str; 2]) -> kube::Result<Left> {
    let group = if group.is_empty() { "kro.run" } else { group };
    let of = GroupKind { group: group.to_owned(), kind: kind.to_owned() };
    if let Some(served) = engine.catalogue.find_any_version(&of).await? {
        let is_there = engine.requests.has_some(&served.resource).await?;
        return Ok(if is_there { Left::Some } else { Left::None });
    }
    let crd = crd_name(&json!({"spec": {"schema": {"group": group, "kind": kind}}})).unwrap_or_default();
    let crd = engine.requests.get(&super::crd_resource(), "", &crd).await?;
    Ok(if crd.is_some() { Left::Unknown } else { Left::Gone })
}

async fn note(engine: &Engine, definition: &str, orphan: &Value, patch: &Value) -> kube::Result<()> {
    let of = ("", orphan["metadata"]["name"].as_str().unwrap_or_default());
    let answer = engine.requests.merge(&revisions::resource(), of, patch, Subresource::None).await?;
    engine.revisions().answer(answer, None, &Key::Definition(definition.into()));
    Ok(())
}

async fn release(engine: &Engine, definition: &str, orphan: &Value) -> kube::Result<()> {
    let metadata = &orphan["metadata"];
    let finalizers = metadata["finalizers"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !finalizers.iter().any(|it| it == names::FINALIZER) {
        return Ok(());
    }
    let others: Vec<&Value> = finalizers.iter().filter(|it| **it != names::FINALIZER).collect();
    let patch = json!({"metadata": {"finalizers": others, "resourceVersion": metadata["resourceVersion"]}});
    let name = metadata["name"].as_str().unwrap_or_default();
    engine.requests.merge(&revisions::resource(), ("", name), &patch, Subresource::None).await?;
    if others.is_empty() {
        let uid = metadata["uid"].as_str().unwrap_or_default();
        engine.revisions().bury(("", name), uid, &Key::Definition(definition.into()));
    }
    Ok(())
}

async fn delete(engine: &Engine, definition: &str, orphan: &Value) -> kube::Result<()> {
    let metadata = &orphan["metadata"];
    let name = super::perform::object_name(revisions::kind(), metadata["name"].as_str().unwrap_or_default());
    let uid = metadata["uid"].as_str().unwrap_or_default();
    match engine.requests.delete(&revisions::resource(), &name, uid).await? {
        // Its finalizer is taken off when the watch shows it.
        Some(_) => engine.queue.add(Key::Definition(definition.into())),
        None => engine.revisions().bury(("", &name.name), uid, &Key::Definition(definition.into())),
    }
    Ok(())
}
