//! Objects read: one, or many at a consistent version.

use std::sync::Arc;
use std::time::Duration;

use krono_schema::{BadValue, ErrorKind, FieldError};

use super::{Api, Call};
use crate::continue_token::ContinueToken;
use crate::conversion;
use crate::filter::Filter;
use crate::object::Object;
use crate::query::{Query, VersionMatch};
use crate::render::ListMeta;
use crate::reply::Reply;
use crate::status::{Status, Subject};
use crate::storage::Page;
use crate::stored::Stored;

/// How long a reader waits for a version that is not there yet.
const FUTURE_WAIT: Duration = Duration::from_secs(3);
/// Objects looked at in one go when a selector leaves out many.
const SELECTED_CHUNK: usize = 1000;

/// What a list reads.
#[derive(Debug)]
pub(super) struct Listing {
    pub(super) items: Vec<Stored>,
    pub(super) meta: ListMeta,
}

impl Api {
    pub(crate) async fn get(self: &Arc<Self>, call: &Call) -> Result<Reply, Status> {
        if let Some(version) = read_version(&call.query.resource_version)? {
            self.wait_for(version).await?;
        }
        let stored = self.stored(call)?;
        self.object_reply(call, 200, &stored).await
    }

    /// The object a call names, as it is stored.
    pub(crate) fn stored(&self, call: &Call) -> Result<Stored, Status> {
        let found = self.storage.get(&call.key())?;
        found.ok_or_else(|| Status::not_found(Subject::resource(&call.resource.kind), &call.name))
    }

    /// A namespace, if it is there.
    pub(crate) fn namespace(&self, name: &str) -> Result<Option<Object>, Status> {
        let stored = self.storage.get(&format!("/namespaces/{name}"))?;
        stored.map(|stored| stored.decode().map_err(Status::internal)).transpose()
    }

    pub(crate) async fn list(self: &Arc<Self>, call: &Call) -> Result<Reply, Status> {
        let filter = Filter::new(&call.resource, &call.query)?;
        let listing = self.listing(call, &filter).await?;
        Ok(Reply::stream(call.renderer().list(listing.items, &listing.meta)?))
    }

    pub(super) async fn listing(&self, call: &Call, filter: &Filter) -> Result<Listing, Status> {
        let (mut at, start) = self.list_start(call).await?;
        let limit = usize::try_from(call.query.limit).ok().filter(|limit| *limit > 0);
        let prefix = call.collection();
        let mut place = format!("{prefix}{start}");
        let mut items = Vec::new();
        loop {
            let chunk = chunk_size(limit, filter);
            let page = self.storage.range(&prefix, &place, chunk, at)?;
            let (version, after) = (page.version, page.remaining);
            let last = page.items.last().map(|(key, _)| Arc::clone(key));
            let full = self.take_page(call, filter, page, limit, &mut items).await?;
            if let Some((key, unread)) = full {
                let next = Some((key, unread + after)).filter(|(_, left)| *left > 0);
                return Ok(finish(items, version, &prefix, next, filter));
            }
            let Some(last) = last.filter(|_| after > 0) else {
                return Ok(finish(items, version, &prefix, None, filter));
            };
            (at, place) = (Some(version), format!("{last}\0"));
        }
    }

    /// Takes what matches; gives the last key taken and how many were not looked at, once the limit is reached.
    async fn take_page(
        &self,
        call: &Call,
        filter: &Filter,
        page: Page,
        limit: Option<usize>,
        items: &mut Vec<Stored>,
    ) -> Result<Option<(Arc<str>, usize)>, Status> {
        let count = page.items.len();
        let (keys, stored): (Vec<_>, Vec<_>) = page.items.into_iter().unzip();
        let served = conversion::serve_all(&call.resource, stored).await?;
        for (index, (key, served)) in keys.into_iter().zip(served).enumerate() {
            if !filter.matches(&served)? {
                continue;
            }
            items.push(served);
            if limit.is_some_and(|limit| items.len() >= limit) {
                return Ok(Some((key, count - index - 1)));
            }
        }
        Ok(None)
    }

    /// The version to read at, and where in the collection to begin.
    async fn list_start(&self, call: &Call) -> Result<(Option<u64>, String), Status> {
        let query = &call.query;
        if !query.continue_token.is_empty() {
            if !matches!(query.resource_version.as_str(), "" | "0") {
                let message = "specifying resource version is not allowed when using continue";
                return Err(Status::bad_request(message));
            }
            let token = ContinueToken::decode(&query.continue_token)?;
            let at = (token.version > 0).then_some(token.version);
            return Ok((at, token.start));
        }
        check_no_initial_events(query)?;
        let version = read_version(&query.resource_version)?;
        match (version, query.version_match) {
            (None, VersionMatch::Exact | VersionMatch::NotOlderThan) if query.resource_version.is_empty() => {
                let message = "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided";
                Err(Status::list_options_invalid(message))
            }
            (None, VersionMatch::Exact) => {
                let message = "resourceVersionMatch: Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"";
                Err(Status::list_options_invalid(message))
            }
            (None, _) => Ok((None, String::new())),
            (Some(version), VersionMatch::Exact) => {
                self.wait_for(version).await?;
                Ok((Some(version), String::new()))
            }
            (Some(version), VersionMatch::Unset | VersionMatch::NotOlderThan) => {
                self.wait_for(version).await?;
                Ok((None, String::new()))
            }
        }
    }

    /// Waits a moment for a version that lies in the future.
    pub(crate) async fn wait_for(&self, version: u64) -> Result<(), Status> {
        let arrived = tokio::time::timeout(FUTURE_WAIT, self.storage.reached(version)).await;
        match arrived {
            Ok(result) => result,
            Err(_) => Err(Status::version_too_large(version, self.storage.version())),
        }
    }
}

/// Initial events are for watches.
fn check_no_initial_events(query: &Query) -> Result<(), Status> {
    if query.send_initial_events.is_none() {
        return Ok(());
    }
    let forbidden = |path: &str, detail: &str| {
        let (path, detail) = (path.to_owned(), detail.to_owned());
        FieldError { kind: ErrorKind::Forbidden, path, value: BadValue::Omitted, detail }
    };
    let unversioned = query.version_match != VersionMatch::Unset && query.resource_version.is_empty();
    let detail = "resourceVersionMatch is forbidden unless resourceVersion is provided";
    let mut errors: Vec<_> =
        unversioned.then(|| forbidden("resourceVersionMatch", detail)).into_iter().collect();
    errors.push(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
    Err(Status::invalid_options("ListOptions", &errors))
}

fn chunk_size(limit: Option<usize>, filter: &Filter) -> usize {
    match limit {
        None => usize::MAX,
        Some(limit) if filter.is_empty() => limit,
        Some(limit) => limit.max(SELECTED_CHUNK),
    }
}

/// `next` is the last key of this page and how many come after it.
fn finish(
    items: Vec<Stored>,
    version: u64,
    prefix: &str,
    next: Option<(Arc<str>, usize)>,
    filter: &Filter,
) -> Listing {
    let remaining = next.as_ref().map(|(_, left)| *left).filter(|_| filter.is_empty());
    let token = next.map(|(key, _)| {
        let start = format!("{}\0", key.strip_prefix(prefix).unwrap_or(&key));
        ContinueToken { version, start }.encode()
    });
    Listing { items, meta: ListMeta { version, continue_token: token.unwrap_or_default(), remaining } }
}

/// A version that must be reached; "0" and nothing mean any.
pub(super) fn read_version(text: &str) -> Result<Option<u64>, Status> {
    if text.is_empty() || text == "0" {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| {
        Status::bad_request(format!(
            "invalid resource version: resourceVersion: Invalid value: {text:?}: strconv.ParseUint: parsing {text:?}: \
             invalid syntax"
        ))
    })
}
