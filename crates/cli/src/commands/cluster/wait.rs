//! Waiting for what a controller makes of a wish.

use std::time::Duration;

use futures_util::{StreamExt as _, TryStreamExt as _};
use kube::api::{WatchEvent, WatchParams};
use serde_json::Value;

use super::objects::{Objects, refused, value};
use super::types::Type;
use crate::command_error::CommandError;

/// How waiting ended.
pub(crate) enum Waited<T> {
    /// It was seen.
    Seen(T),
    /// The time is over; the object as it was last.
    TimedOut(Value),
}

/// Looks at an object whenever it changes until something is seen; `object` is how it was first.
pub(crate) async fn until<T>(
    objects: &Objects,
    kind: &Type,
    object: Value,
    limit: Duration,
    mut look: impl FnMut(&Value) -> Option<T>,
) -> Result<Waited<T>, CommandError> {
    let mut last = object;
    let seen = tokio::time::timeout(limit, async {
        loop {
            if let Some(seen) = look(&last) {
                return Ok(seen);
            }
            last = next(objects, kind, &last).await?;
        }
    });
    match seen.await {
        Ok(seen) => seen.map(Waited::Seen),
        Err(_) => Ok(Waited::TimedOut(last)),
    }
}

/// The next state of an object.
async fn next(objects: &Objects, kind: &Type, object: &Value) -> Result<Value, CommandError> {
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    let version = object["metadata"]["resourceVersion"].as_str().unwrap_or_default();
    let only = WatchParams::default().fields(&format!("metadata.name={name}"));
    let events = objects.api(kind).watch(&only, version).await.map_err(|error| refused(&error))?;
    let mut events = events.boxed();
    while let Some(event) = events.try_next().await.map_err(|error| refused(&error))? {
        match event {
            WatchEvent::Added(object) | WatchEvent::Modified(object) => {
                return Ok(value(object, &kind.resource));
            }
            WatchEvent::Deleted(_) => {
                return Err(CommandError::wrong(format!("{}/{name} was deleted meanwhile", kind.word())));
            }
            WatchEvent::Bookmark(_) => {}
            WatchEvent::Error(_) => break,
        }
    }
    // The server has forgotten what came after: what is there now is as good.
    objects.get(kind, name).await
}

/// Waits until an object of a kind changes that has these labels, or the watch ends.
pub(crate) async fn any_change(
    objects: &Objects,
    kind: &Type,
    only: &WatchParams,
    version: &str,
) -> Result<(), CommandError> {
    let events = objects.api(kind).watch(only, version).await.map_err(|error| refused(&error))?;
    let mut events = events.boxed();
    while let Some(event) = events.try_next().await.map_err(|error| refused(&error))? {
        if !matches!(event, WatchEvent::Bookmark(_)) {
            return Ok(());
        }
    }
    Ok(())
}
