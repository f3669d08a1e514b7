//! What the real server does in the first moments of a new definition, for those who want to be tested by it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::api::not_found;
use crate::reply::Reply;
use crate::request::Verb;
use crate::resource::Resource;
use crate::status::Status;

/// How long requests still end at a server that has not heard of the definition.
const UNHEARD: Duration = Duration::from_millis(10);
/// How long after that reads find a cache that is not filled yet.
const UNFILLED: Duration = Duration::from_millis(15);
/// How young a definition must be for a creation to wait, and how long it waits.
const YOUNG: Duration = Duration::from_secs(2);

/// When definitions began to be served, where that is imitated.
#[derive(Debug, Default)]
pub(crate) struct Establishing {
    imitated: bool,
    since: Mutex<HashMap<String, Instant>>,
}

impl Establishing {
    /// Imitates the real server, or serves definitions at once.
    pub(crate) fn new(imitated: bool) -> Self {
        Self { imitated, since: Mutex::default() }
    }

    /// A definition is served from now on.
    pub(crate) fn begin(&self, definition: &str) {
        if self.imitated {
            let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
            since.retain(|_, began| began.elapsed() < YOUNG);
            since.insert(definition.to_owned(), Instant::now());
        }
    }

    /// Definitions that were there before the server started are known everywhere.
    pub(crate) fn settle(&self) {
        self.since.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn age(&self, resource: &Resource) -> Option<Duration> {
        let definition = &resource.custom_part()?.definition;
        let since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        since.get(definition).map(Instant::elapsed)
    }

    /// The answer of a server that is not ready for this kind yet; creations wait instead.
    pub(crate) async fn hold(&self, resource: &Resource, verb: Verb) -> Result<Option<Reply>, Status> {
        let Some(age) = self.age(resource) else { return Ok(None) };
        if age < UNHEARD {
            return Ok(Some(not_found()));
        }
        let reads = matches!(verb, Verb::Get | Verb::List | Verb::Watch);
        if reads && age < UNHEARD + UNFILLED {
            return Err(Status::too_many_requests("storage is (re)initializing", 1));
        }
        if verb == Verb::Create && age < YOUNG {
            sleep(YOUNG).await;
        }
        Ok(None)
    }
}
