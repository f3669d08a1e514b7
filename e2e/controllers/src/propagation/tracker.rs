//! What happens to instances, as a watch tells it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
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

impl Track {
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
}

type Tracks = BTreeMap<String, Track>;

/// Follows all instances of a kind until dropped.
pub(super) struct Tracker {
    tracks: Arc<Mutex<Tracks>>,
    following: JoinHandle<anyhow::Result<()>>,
}

impl Drop for Tracker {
    fn drop(&mut self) {
        self.following.abort();
    }
}

impl Tracker {
    pub(super) fn start(instances: Api<DynamicObject>) -> Self {
        let tracks = Arc::<Mutex<Tracks>>::default();
        let following = tokio::spawn(follow(instances, Arc::clone(&tracks)));
        Self { tracks, following }
    }

    /// Everything so far.
    pub(super) fn tracks(&self) -> Tracks {
        lock(&self.tracks).clone()
    }

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
            if self.following.is_finished() {
                bail!("the watch of instances has ended");
            }
            if Instant::now() > deadline {
                let found = self.count(&is);
                bail!("{found} instances are {what} after {} s, not {count}", patience.as_secs());
            }
            tokio::time::sleep(LOOK_AGAIN_AFTER).await;
        }
        Ok(())
    }
}

fn lock(tracks: &Mutex<Tracks>) -> MutexGuard<'_, Tracks> {
    tracks.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sees every version of every instance; a watch that has lost some is an error.
async fn follow(instances: Api<DynamicObject>, tracks: Arc<Mutex<Tracks>>) -> anyhow::Result<()> {
    let listed = instances.list(&ListParams::default()).await?;
    let mut version = listed.metadata.resource_version.clone().context("a list without a version")?;
    for object in listed {
        note(&tracks, &object)?;
    }
    loop {
        let mut events = instances.watch(&WatchParams::default(), &version).await?.boxed();
        while let Some(event) = events.try_next().await? {
            version = match event {
                WatchEvent::Added(object) | WatchEvent::Modified(object) => note(&tracks, &object)?,
                WatchEvent::Deleted(object) => {
                    let name = object.metadata.name.unwrap_or_default();
                    lock(&tracks).entry(name).or_default().is_gone = true;
                    object.metadata.resource_version.unwrap_or_default()
                }
                WatchEvent::Bookmark(bookmark) => bookmark.metadata.resource_version,
                WatchEvent::Error(status) => bail!("the watch of instances broke off: {}", status.message),
            };
        }
    }
}

fn note(tracks: &Mutex<Tracks>, object: &DynamicObject) -> anyhow::Result<String> {
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
}
