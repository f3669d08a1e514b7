//! What happens by itself: dependents follow their owners, namespaces and definitions end once they are empty.

mod chores;
mod expiry;
mod graph;

use std::sync::{Arc, Weak};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::api::Api;
use crate::events;
use crate::status::Status;
use crate::storage::{Change, Changes};
use chores::Chores;
use expiry::Expiry;
use graph::{Graph, Task};

/// Follows all changes until the server is gone.
pub(crate) async fn run(api: Weak<Api>, mut alive: watch::Receiver<()>) {
    loop {
        let Some((mut watched, mut changes)) = begin(&api).await else { return };
        loop {
            let idle = Instant::now() + Duration::from_hours(1);
            let tasks = tokio::select! {
                change = changes.next() => match change {
                    Ok(change) => watched.follow(&change),
                    // A janitor that fell behind what the store remembers looks at everything again.
                    Err(_) => break,
                },
                () = sleep_until(watched.expiry.next().unwrap_or(idle)) => watched.expired(),
                _ = alive.changed() => return,
            };
            let Some(api) = api.upgrade() else { return };
            perform(&api, tasks).await;
        }
    }
}

/// Looks at everything there is.
async fn begin(api: &Weak<Api>) -> Option<(Watched, Changes)> {
    let api = api.upgrade()?;
    let page = api.storage.range("", "", usize::MAX, None).ok()?;
    let mut watched = Watched::default();
    let mut tasks = vec![Task::Gather];
    for (key, stored) in &page.items {
        if let Ok(metadata) = stored.decode_metadata() {
            watched.keep_for_a_while(key);
            watched.graph.insert(key, &metadata);
            let chores = watched.chores.notice(key, Some(&metadata));
            chores.into_iter().filter(|task| *task != Task::Gather).for_each(|task| tasks.push(task));
        }
    }
    let changes = api.storage.changes("", page.version);
    tasks.extend(watched.graph.review());
    perform(&api, tasks).await;
    Some((watched, changes))
}

/// What the janitor knows of all objects.
#[derive(Debug, Default)]
struct Watched {
    graph: Graph,
    expiry: Expiry,
    chores: Chores,
}

impl Watched {
    fn follow(&mut self, change: &Change) -> Vec<Task> {
        let metadata = change.current.as_ref().and_then(|stored| stored.decode_metadata().ok());
        let mut tasks = self.chores.notice(&change.key, metadata.as_ref());
        let Some(metadata) = metadata else {
            self.expiry.forget(&change.key);
            tasks.extend(self.graph.removed(&change.key));
            return tasks;
        };
        self.keep_for_a_while(&change.key);
        tasks.extend(self.graph.changed(&change.key, &metadata));
        tasks
    }

    /// Events go some time after their last change.
    fn keep_for_a_while(&mut self, key: &Arc<str>) {
        if key.starts_with(events::PREFIX) {
            self.expiry.set(key, Instant::now() + Duration::from_secs(events::LIFETIME));
        }
    }

    fn expired(&mut self) -> Vec<Task> {
        let ended = self.expiry.take(Instant::now());
        ended.iter().filter_map(|key| self.graph.delete_by_key(key)).collect()
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
            Task::Furnish { namespace } => api.furnish(namespace).await,
            Task::Gather => api.gather_roles().await,
            Task::Unprotect { key } => api.unprotect(key).await,
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
