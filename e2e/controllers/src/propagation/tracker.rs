//! What happens to instances and to their resources, as a watch tells it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use futures_util::{StreamExt as _, TryStreamExt as _};
use kube::api::{Api, DynamicObject, ListParams, WatchEvent, WatchParams};
use serde_json::Value;
use tokio::task::JoinHandle;

const LOOK_AGAIN_AFTER: Duration = Duration::from_millis(200);

/// One instance so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Track {
    /// The content it is assigned to.
    pub(super) content: String,
    /// How often that became another.
    pub(super) moves: usize,
    pub(super) is_ready: bool,
    pub(super) is_gone: bool,
}

/// One Deployment so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rollout {
    generation: i64,
    is_ready: bool,
    /// How often it was ready and then, unchanged, was not: a change that comes back while the one before is under way finds
    /// pods that are ready, before those that are to go are counted.
    pub(super) relapses: usize,
}

/// One object as far as it was followed.
pub(super) trait Followed: Clone + Default + Send + 'static {
    /// It is like this now.
    fn note(&mut self, object: &Value);

    /// It is deleted.
    fn end(&mut self) {}
}

impl Followed for Rollout {
    fn note(&mut self, object: &Value) {
        let generation = object["metadata"]["generation"].as_i64().unwrap_or_default();
        let status = &object["status"];
        let is_one = |field: &str| status[field] == 1;
        let is_ready = status["observedGeneration"] == generation
            && ["updatedReplicas", "replicas", "readyReplicas"].into_iter().all(is_one);
        self.relapses += usize::from(self.is_ready && !is_ready && self.generation == generation);
        (self.generation, self.is_ready) = (generation, is_ready);
    }
}

impl Followed for Track {
    fn note(&mut self, object: &Value) {
        let status = &object["status"];
        let content = status["assignment"]["digest"].as_str().unwrap_or_default();
        if self.content != content {
            self.moves += usize::from(!self.content.is_empty());
            content.clone_into(&mut self.content);
        }
        let conditions = status["conditions"].as_array().into_iter().flatten();
        let ready = conditions.filter(|it| it["type"] == "Ready").any(|it| it["status"] == "True");
        self.is_ready = ready;
    }

    fn end(&mut self) {
        self.is_gone = true;
    }
}

/// By name.
pub(super) type Tracks<T> = BTreeMap<String, T>;

/// Follows all objects of a kind until dropped.
pub(super) struct Tracker<T> {
    tracks: Arc<Mutex<Tracks<T>>>,
    following: JoinHandle<anyhow::Result<()>>,
}

impl<T> Drop for Tracker<T> {
    fn drop(&mut self) {
        self.following.abort();
    }
}

impl<T: Followed> Tracker<T> {
    pub(super) fn start(objects: Api<DynamicObject>) -> Self {
        let tracks = Arc::<Mutex<Tracks<T>>>::default();
        let following = tokio::spawn(follow(objects, Arc::clone(&tracks)));
        Self { tracks, following }
    }

    /// Everything so far.
    pub(super) fn tracks(&self) -> anyhow::Result<Tracks<T>> {
        self.is_following()?;
        Ok(lock(&self.tracks).clone())
    }

    fn is_following(&self) -> anyhow::Result<()> {
        ensure!(!self.following.is_finished(), "a watch has ended");
        Ok(())
    }
}

impl Tracker<Track> {
    /// So many instances are like this now.
    pub(super) fn count(&self, is: impl Fn(&Track) -> bool) -> usize {
        lock(&self.tracks).values().filter(|it| !it.is_gone && is(it)).count()
    }

    /// Waits until at least so many instances are like this.
    pub(super) async fn until(
        &self,
        what: &str,
        count: usize,
        patience: Duration,
        is: impl Fn(&Track) -> bool,
    ) -> anyhow::Result<()> {
        let deadline = Instant::now() + patience;
        while self.count(&is) < count {
            self.is_following()?;
            if Instant::now() > deadline {
                let found = self.count(&is);
                bail!("{found} instances are {what} after {} s, not {count}", patience.as_secs());
            }
            tokio::time::sleep(LOOK_AGAIN_AFTER).await;
        }
        Ok(())
    }
}

fn lock<T>(tracks: &Mutex<Tracks<T>>) -> MutexGuard<'_, Tracks<T>> {
    tracks.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sees every version of every object; a watch that has lost some is an error.
async fn follow<T: Followed>(
    objects: Api<DynamicObject>,
    tracks: Arc<Mutex<Tracks<T>>>,
) -> anyhow::Result<()> {
    let listed = objects.list(&ListParams::default()).await?;
    let mut version = listed.metadata.resource_version.clone().context("a list without a version")?;
    for object in listed {
        note(&tracks, &object)?;
    }
    loop {
        let mut events = objects.watch(&WatchParams::default(), &version).await?.boxed();
        while let Some(event) = events.try_next().await? {
            version = match event {
                WatchEvent::Added(object) | WatchEvent::Modified(object) => note(&tracks, &object)?,
                WatchEvent::Deleted(object) => {
                    let name = object.metadata.name.unwrap_or_default();
                    lock(&tracks).entry(name).or_default().end();
                    object.metadata.resource_version.unwrap_or_default()
                }
                WatchEvent::Bookmark(bookmark) => bookmark.metadata.resource_version,
                WatchEvent::Error(status) => bail!("a watch broke off: {}", status.message),
            };
        }
    }
}

fn note<T: Followed>(tracks: &Mutex<Tracks<T>>, object: &DynamicObject) -> anyhow::Result<String> {
    let name = object.metadata.name.clone().unwrap_or_default();
    lock(tracks).entry(name).or_default().note(&serde_json::to_value(object)?);
    Ok(object.metadata.resource_version.clone().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_another_content_is_a_move() {
        let mut track = Track::default();
        let seen = |digest: &str, ready: &str| {
            json!({"status": {"assignment": {"digest": digest},
            "conditions": [{"type": "Other", "status": "True"}, {"type": "Ready", "status": ready}]}})
        };
        track.note(&json!({}));
        for (digest, ready, moves) in
            [("a", "False", 0), ("a", "True", 0), ("b", "False", 1), ("b", "True", 1), ("a", "True", 2)]
        {
            track.note(&seen(digest, ready));
            assert_eq!((track.moves, track.is_ready), (moves, ready == "True"), "{digest} {ready}");
        }
    }
    #[test]
    fn a_rollout_falls_back_when_it_is_unready_without_a_change() {
        let mut rollout = Rollout::default();
        let seen = |generation: u8, replicas: u8| {
            let status = json!({"observedGeneration": 2, "replicas": replicas, "updatedReplicas": 1, "readyReplicas": 1});
            json!({"metadata": {"generation": generation}, "status": status})
        };
        for (generation, replicas, relapses) in
            [(1, 1, 0), (2, 2, 0), (2, 1, 0), (2, 2, 1), (2, 1, 1), (3, 1, 1), (3, 2, 1)]
        {
            rollout.note(&seen(generation, replicas));
            assert_eq!(rollout.relapses, relapses, "{generation} {replicas}");
        }
    }
}
