//! What the API server said no to, and whether it may say yes later.

use kube::runtime::watcher;

/// Why a request had no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The world is not as it was seen.
    Stale,
    /// There is no such object.
    Absent,
    /// Nothing is wrong with the request; the server cannot serve it at the moment.
    Transient(String),
    /// The server does not want it.
    Rejected(String),
}

impl Refusal {
    pub(crate) fn of(error: &kube::Error) -> Self {
        let kube::Error::Api(status) = error else { return Self::Transient(error.to_string()) };
        match status.code {
            409 | 412 => Self::Stale,
            // Of a kind that is not served yet, the server says so without naming an object.
            404 if status.details.as_ref().is_some_and(|it| !it.name.is_empty()) => Self::Absent,
            404 | 429 | 500..=599 => Self::Transient(status.message.clone()),
            _ => Self::Rejected(status.message.clone()),
        }
    }
}

/// What the API server said about a watch.
pub(crate) fn words(error: &watcher::Error) -> String {
    match error {
        watcher::Error::InitialListFailed(kube::Error::Api(status))
        | watcher::Error::WatchStartFailed(kube::Error::Api(status))
        | watcher::Error::WatchFailed(kube::Error::Api(status))
        | watcher::Error::WatchError(status) => status.message.clone(),
        watcher::Error::InitialListFailed(error)
        | watcher::Error::WatchStartFailed(error)
        | watcher::Error::WatchFailed(error) => error.to_string(),
        watcher::Error::NoResourceVersion => error.to_string(),
    }
}
