//! What happens by itself: dependents follow their owners, namespaces and definitions end once they are empty.

mod graph;

use std::sync::{Arc, Weak};

use serde_json::Value;
use tokio::sync::watch;

use crate::api::Api;
use crate::status::Status;
use crate::storage::{Change, Changes};
use graph::{Graph, Task};

/// Follows all changes until the server is gone.
pub(crate) async fn run(api: Weak<Api>, mut alive: watch::Receiver<()>) {
    loop {
        let Some((mut graph, mut changes)) = begin(&api).await else { return };
        loop {
            let change = tokio::select! {
                change = changes.next() => change,
                _ = alive.changed() => return,
            };
            // A janitor that fell behind what the store remembers looks at everything again.
            let Ok(change) = change else { break };
            let Some(api) = api.upgrade() else { return };
            let tasks = follow(&mut graph, &change);
            perform(&api, tasks).await;
        }
    }
}

/// Looks at everything there is.
async fn begin(api: &Weak<Api>) -> Option<(Graph, Changes)> {
    let api = api.upgrade()?;
    let page = api.storage.range("", "", usize::MAX, None).ok()?;
    let mut graph = Graph::default();
    for (key, stored) in &page.items {
        if let Ok(metadata) = stored.decode_metadata() {
            graph.insert(key, &metadata);
        }
    }
    let changes = api.storage.changes(String::new(), page.version);
    perform(&api, graph.review()).await;
    Some((graph, changes))
}

fn follow(graph: &mut Graph, change: &Change) -> Vec<Task> {
    let metadata = change.current.as_ref().and_then(|stored| stored.decode_metadata().ok());
    match metadata {
        Some(metadata) => graph.changed(&change.key, &metadata),
        None => graph.removed(&change.key),
    }
}

/// Tasks are safe to repeat and to lose races: each names the object by uid and changes nothing that is done already.
async fn perform(api: &Arc<Api>, tasks: Vec<Task>) {
    for task in tasks {
        let done: Result<(), Status> = match &task {
            Task::Delete { key, uid, foreground } => api.collect(key, uid, *foreground).await,
            Task::Disown { key, owner } => api.change_by_key(key, |object| disown(object, owner)).await,
            Task::Release { key, finalizer } => {
                api.change_by_key(key, |object| object.remove_finalizer(finalizer)).await
            }
            Task::FinishNamespace { name } => api.finish_namespace(name).await,
        };
        // Whatever went wrong shows again with the next change of the object.
        drop(done);
    }
}

fn disown(object: &mut crate::object::Object, owner: &str) {
    let kept: Vec<Value> =
        object.owners().filter(|it| it.get("uid").and_then(Value::as_str) != Some(owner)).cloned().collect();
    object.set_meta("ownerReferences", (!kept.is_empty()).then_some(Value::Array(kept)));
}
