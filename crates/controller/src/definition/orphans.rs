//! Revisions that outlived their definition.

use krono_model::names;
use serde_json::{Value, json};

use crate::engine::Engine;
use crate::queue::{Key, Outcome};
use crate::requests::Subresource;
use crate::revisions;

/// Lets go of revisions that somebody deletes, and deletes those that a definition left for its instances once those are gone.
///
/// Others are left alone: they may be the first part of a backup to be restored.
pub(super) async fn look_after(engine: &Engine, definition: &str) -> kube::Result<Outcome> {
    let orphans = orphans(engine, definition);
    let mut outcome = Outcome::Done;
    for orphan in &orphans {
        if !orphan["metadata"]["deletionTimestamp"].is_null() {
            release(engine, definition, orphan).await?;
        } else if orphan["metadata"]["annotations"][names::ORPHANED_ANNOTATION] == "true" {
            if is_needed(engine, orphan).await? {
                outcome = Outcome::Retry;
            } else {
                delete(engine, definition, orphan).await?;
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
    own.map(|it| json!({"metadata": it["metadata"], "schema": it["spec"]["schema"]})).collect()
}

/// Whether there are instances; nothing is known of those of a kind that is not served.
async fn is_needed(engine: &Engine, orphan: &Value) -> kube::Result<bool> {
    let schema = &orphan["schema"];
    let group = schema["group"].as_str().filter(|it| !it.is_empty()).unwrap_or("kro.run");
    let version = schema["apiVersion"].as_str().unwrap_or_default();
    let kind = schema["kind"].as_str().unwrap_or_default();
    match engine.catalogue.find(&format!("{group}/{version}"), kind).await? {
        Some(served) => Ok(!engine.requests.list(&served.resource, None).await?.is_empty()),
        None => Ok(true),
    }
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
        engine.revisions().bury("", name, &Key::Definition(definition.into()));
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
        None => engine.revisions().bury("", &name.name, &Key::Definition(definition.into())),
    }
    Ok(())
}
