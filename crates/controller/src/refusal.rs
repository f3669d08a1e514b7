//! What the API server said no to, and whether it may say yes later.

use kube::core::Status;
use kube::runtime::watcher;

/// Why a request had no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The world is not as it was seen.
    Stale,
    /// There is no such object, or no such namespace for it.
    Absent(String),
    /// Nothing is wrong with the request; the server cannot serve it at the moment.
    Transient(String),
    /// The server does not want it.
    Rejected(String),
}

impl Refusal {
    pub(crate) fn of(error: &kube::Error) -> Self {
        // What cannot even be sent will not be at any other time.
        if matches!(error, kube::Error::BuildRequest(_) | kube::Error::HttpError(_)) {
            return Self::Rejected(error.to_string());
        }
        let kube::Error::Api(status) = error else { return Self::Transient(error.to_string()) };
        match status.code {
            409 | 412 => Self::Stale,
            // Of a kind that is not served yet, the server says so without naming an object.
            404 if status.details.as_ref().is_some_and(|it| !it.name.is_empty()) => {
                Self::Absent(status.message.clone())
            }
            404 | 429 | 500..=599 => Self::Transient(status.message.clone()),
            _ => Self::Rejected(status.message.clone()),
        }
    }

    pub(crate) fn is_absence(error: &kube::Error) -> bool {
        matches!(Self::of(error), Self::Absent(_))
    }
}

/// What the API server said about a watch.
pub(crate) fn words(error: &watcher::Error) -> String {
    match (status(error), error) {
        (Some(status), _) => status.message.clone(),
        (
            None,
            watcher::Error::InitialListFailed(error)
            | watcher::Error::WatchStartFailed(error)
            | watcher::Error::WatchFailed(error),
        ) => error.to_string(),
        (None, watcher::Error::WatchError(_) | watcher::Error::NoResourceVersion) => error.to_string(),
    }
}

/// Whether one may not watch.
pub(crate) fn is_forbidden(error: &watcher::Error) -> bool {
    status(error).is_some_and(|it| matches!(it.code, 401 | 403))
}

fn status(error: &watcher::Error) -> Option<&Status> {
    match error {
        watcher::Error::InitialListFailed(kube::Error::Api(status))
        | watcher::Error::WatchStartFailed(kube::Error::Api(status))
        | watcher::Error::WatchFailed(kube::Error::Api(status))
        | watcher::Error::WatchError(status) => Some(status),
        watcher::Error::InitialListFailed(_)
        | watcher::Error::WatchStartFailed(_)
        | watcher::Error::WatchFailed(_)
        | watcher::Error::NoResourceVersion => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_even_be_sent_is_not_sent_again_and_again() {
        let error = kube::core::request::Error::Validation("no address".to_owned());
        let refusal = Refusal::of(&kube::Error::BuildRequest(error));
        assert!(matches!(&refusal, Refusal::Rejected(words) if words.contains("no address")), "{refusal:?}");
        let lost = kube::Error::Service("the line is cut".into());
        assert!(matches!(Refusal::of(&lost), Refusal::Transient(_)));
    }
}
