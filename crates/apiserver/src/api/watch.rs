//! Objects watched: a stream of changes that is made while it is read.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::list::read_version;
use super::{Api, Call};
use crate::accept::Form;
use crate::body::Body;
use crate::conversion;
use crate::filter::Filter;
use crate::query::VersionMatch;
use crate::registry::Registry;
use crate::render::Renderer;
use crate::reply::Reply;
use crate::resource::Resource;
use crate::status::Status;
use crate::storage::{Change, Changes};
use crate::stored::Stored;

/// How often a client is told how far the watch has come.
const BOOKMARK_EVERY: Duration = Duration::from_mins(1);
/// How long a watch lasts when the client does not say.
const DEFAULT_TIMEOUT: Duration = Duration::from_mins(30);
/// Longest watch.
const MAX_TIMEOUT: u64 = 24 * 60 * 60;
/// Changes put into one piece of the body, when more than one waits.
const PIECE_SIZE: usize = 64 * 1024;

/// What happened to an object, as the watcher sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Added,
    Modified,
    Deleted,
}

impl Seen {
    fn name(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }
}

/// One watch under way.
struct Watch {
    call: Call,
    filter: Filter,
    changes: Changes,
    /// Objects that were there when the watch began, still to be told.
    initial: VecDeque<Stored>,
    /// The version to tell once the initial objects are told.
    initial_end: Option<u64>,
    deadline: Instant,
    next_bookmark: Instant,
    first: bool,
    over: bool,
    kinds: watch::Receiver<Arc<Registry>>,
}

impl Api {
    pub(crate) async fn watch(self: &Arc<Self>, call: Call) -> Result<Reply, Status> {
        let mut filter = Filter::new(&call.resource, &call.query)?;
        if !call.name.is_empty() {
            filter = filter.named(&call.name)?;
        }
        check_initial_events(&call)?;
        let (initial, from, end) = self.watch_start(&call, &filter).await?;
        let changes = self.storage.changes(&watched_keys(&call), from);
        let timeout = call.query.timeout_seconds.filter(|seconds| *seconds > 0);
        let timeout =
            timeout.map_or(DEFAULT_TIMEOUT, |seconds| Duration::from_secs(seconds.min(MAX_TIMEOUT)));
        let now = Instant::now();
        let watch = Watch {
            call,
            filter,
            changes,
            initial: initial.into(),
            initial_end: end,
            deadline: now + timeout,
            next_bookmark: now + BOOKMARK_EVERY,
            first: true,
            over: false,
            kinds: self.registry.subscribe(),
        };
        let pieces =
            stream::unfold(watch, |mut watch| async { watch.next_piece().await.map(|piece| (piece, watch)) });
        Ok(Reply::stream(Body::pieces(pieces)))
    }

    /// Objects to tell first, the version to go on from, and the version of the bookmark after them.
    async fn watch_start(
        &self,
        call: &Call,
        filter: &Filter,
    ) -> Result<(Vec<Stored>, u64, Option<u64>), Status> {
        let asked = read_version(&call.query.resource_version)?;
        match (asked, call.query.send_initial_events) {
            (_, Some(true)) => {
                if let Some(version) = asked {
                    self.wait_for(version).await?;
                }
                let listing = self.all_now(call, filter).await?;
                Ok((listing.0, listing.1, Some(listing.1)))
            }
            (None, Some(false)) => Ok((Vec::new(), self.storage.version(), None)),
            (None, None) => {
                let listing = self.all_now(call, filter).await?;
                Ok((listing.0, listing.1, None))
            }
            (Some(version), _) => Ok((Vec::new(), version, None)),
        }
    }

    async fn all_now(&self, call: &Call, filter: &Filter) -> Result<(Vec<Stored>, u64), Status> {
        let page = self.storage.range(&watched_keys(call), "", usize::MAX, None)?;
        let mut items = Vec::with_capacity(page.items.len());
        for (_, stored) in page.items {
            let served = conversion::serve(&call.resource, &stored).await?;
            if filter.matches(&served)? {
                items.push(served);
            }
        }
        Ok((items, page.version))
    }
}

/// What the keys begin with that a watch may be about: those who watch one object are not woken by the others.
fn watched_keys(call: &Call) -> String {
    let selected = call.query.field_selector.strip_prefix("metadata.name=").unwrap_or_default();
    let name = if call.name.is_empty() { selected } else { &call.name };
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    let one = !name.is_empty() && name.bytes().all(plain);
    if one && call.resource.is_namespaced() == call.namespace.is_some() {
        call.collection() + name
    } else {
        call.collection()
    }
}

fn check_initial_events(call: &Call) -> Result<(), Status> {
    let query = &call.query;
    if query.send_initial_events.is_some() && query.version_match != VersionMatch::NotOlderThan {
        let message = "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
        return Err(Status::list_options_invalid(message));
    }
    if query.send_initial_events.is_none() && query.version_match != VersionMatch::Unset {
        let message = "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
        return Err(Status::list_options_invalid(message));
    }
    Ok(())
}

/// What woke the watch up.
enum Woken {
    Change(Result<Change, Status>),
    Bookmark,
    Deadline,
    /// The kind is served in another way, or no longer: whoever watches begins anew, as at a real server.
    Outdated,
}

impl Watch {
    async fn next_piece(&mut self) -> Option<Bytes> {
        if self.over {
            return None;
        }
        let mut piece = Vec::new();
        if self.write_initial(&mut piece) {
            return Some(piece.into());
        }
        while piece.is_empty() && !self.over {
            match self.wake().await {
                Woken::Deadline | Woken::Outdated => return None,
                Woken::Bookmark => self.write_bookmark(self.changes.version(), false, &mut piece),
                Woken::Change(Ok(change)) => {
                    self.write_change(&change, &mut piece).await;
                    self.write_waiting(&mut piece).await;
                }
                Woken::Change(Err(status)) => self.write_error(&status, &mut piece),
            }
        }
        (!piece.is_empty()).then(|| piece.into())
    }

    async fn wake(&mut self) -> Woken {
        let bookmark = if self.call.query.bookmarks { self.next_bookmark } else { self.deadline };
        let timer = bookmark.min(self.deadline);
        tokio::select! {
            biased;
            change = self.changes.next() => Woken::Change(change),
            () = outdated(&mut self.kinds, &self.call.resource) => Woken::Outdated,
            () = sleep_until(timer) => {
                if timer >= self.deadline {
                    return Woken::Deadline;
                }
                self.next_bookmark = Instant::now() + BOOKMARK_EVERY;
                Woken::Bookmark
            }
        }
    }

    /// Writes objects that were there at the start; says whether anything was written.
    fn write_initial(&mut self, piece: &mut Vec<u8>) -> bool {
        while piece.len() < PIECE_SIZE {
            let Some(stored) = self.initial.pop_front() else {
                if let Some(version) = self.initial_end.take().filter(|_| self.call.query.bookmarks) {
                    self.write_bookmark(version, true, piece);
                }
                break;
            };
            self.write_event(Seen::Added, &stored, piece);
        }
        !piece.is_empty()
    }

    /// Writes changes that are there already, so that a burst of them is few pieces.
    async fn write_waiting(&mut self, piece: &mut Vec<u8>) {
        while !self.over && piece.len() < PIECE_SIZE {
            match self.changes.try_next() {
                Ok(Some(change)) => self.write_change(&change, piece).await,
                Ok(None) => return,
                Err(status) => self.write_error(&status, piece),
            }
        }
    }

    async fn write_change(&mut self, change: &Change, piece: &mut Vec<u8>) {
        // What comes after a change of the kind is not shown as the kind was before.
        if served_as(&self.kinds, &self.call.resource) == ServedAs::Another {
            self.over = true;
            return;
        }
        match self.seen(change).await {
            Ok(Some((seen, stored))) => self.write_event(seen, &stored, piece),
            Ok(None) => {}
            Err(status) => self.write_error(&status, piece),
        }
    }

    /// What the change means to a watcher that sees only what its selectors match.
    async fn seen(&self, change: &Change) -> Result<Option<(Seen, Stored)>, Status> {
        let before = self.matching(change.previous.as_ref()).await?;
        let after = self.matching(change.current.as_ref()).await?;
        Ok(match (before, after) {
            (None, None) => None,
            (None, Some(after)) => Some((Seen::Added, after)),
            (Some(_), Some(after)) => Some((Seen::Modified, after)),
            (Some(before), None) => Some((Seen::Deleted, before.at_version(change.version))),
        })
    }

    async fn matching(&self, stored: Option<&Stored>) -> Result<Option<Stored>, Status> {
        let Some(stored) = stored else { return Ok(None) };
        let served = conversion::serve(&self.call.resource, stored).await?;
        Ok(self.filter.matches(&served)?.then_some(served))
    }

    fn renderer(&self) -> Renderer<'_> {
        self.call.renderer()
    }

    fn write_event(&mut self, seen: Seen, stored: &Stored, piece: &mut Vec<u8>) {
        let start = piece.len();
        piece.extend_from_slice(br#"{"type":""#);
        piece.extend_from_slice(seen.name().as_bytes());
        piece.extend_from_slice(br#"","object":"#);
        match self.renderer().write_object(stored, self.first, piece) {
            Ok(()) => {
                piece.extend_from_slice(b"}\n");
                self.first = false;
            }
            Err(status) => {
                piece.truncate(start);
                self.write_error(&status, piece);
            }
        }
    }

    fn write_bookmark(&self, version: u64, initial_end: bool, piece: &mut Vec<u8>) {
        let object = self.renderer().bookmark(version, initial_end);
        write_line("BOOKMARK", &object, piece);
    }

    /// Tells what went wrong and ends the watch.
    fn write_error(&mut self, status: &Status, piece: &mut Vec<u8>) {
        let mut object = status.to_value();
        if self.call.form == Form::Metadata {
            object["metadata"] = json!({});
        }
        write_line("ERROR", &object, piece);
        self.over = true;
    }
}

/// Waits until a kind is served in another way.
async fn outdated(kinds: &mut watch::Receiver<Arc<Registry>>, resource: &Resource) {
    while served_as(kinds, resource) == ServedAs::Before {
        if kinds.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// How a kind is served now.
#[derive(PartialEq, Eq)]
enum ServedAs {
    Before,
    Another,
    Nothing,
}

fn served_as(kinds: &watch::Receiver<Arc<Registry>>, resource: &Resource) -> ServedAs {
    let kind = &resource.kind;
    let registry = kinds.borrow();
    match registry.find(&kind.group, &kind.version, &kind.plural) {
        _ if !resource.is_custom() => ServedAs::Before,
        Some(now) if now.fingerprint() == resource.fingerprint() => ServedAs::Before,
        Some(_) => ServedAs::Another,
        None => ServedAs::Nothing,
    }
}

fn write_line(event: &str, object: &Value, piece: &mut Vec<u8>) {
    let line = json!({"type": event, "object": object});
    piece.extend_from_slice(line.to_string().as_bytes());
    piece.push(b'\n');
}
