//! When to send a request again that the server could not serve.

use std::time::Duration;

use kube::core::Status;

/// When the server does not say.
const USUAL: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(200)];
/// How often a request is sent again because the server says when.
const MOST_ADVISED: usize = 5;
/// The longest that one request waits for its turn; after that, whoever sent it decides anew.
const LONGEST: Duration = Duration::from_secs(30);
/// What a server means that turns requests away before it reads them: it says so in words, and in a header that the
/// client does not show.
const TURNED_AWAY: Duration = Duration::from_secs(1);
/// The client's words for an answer in other words than those of the API.
const WORDLESS: &str = "Failed to parse error data";

/// The pauses of one request.
#[derive(Debug, Default)]
pub(crate) struct Pauses {
    usual: usize,
    advised: usize,
}

impl Pauses {
    /// How long to wait before the request is sent again; nothing when that would not help.
    pub(crate) fn after(&mut self, error: &kube::Error) -> Option<Duration> {
        let kube::Error::Api(status) = error else { return None };
        if let Some(advice) = advice(status) {
            self.advised += 1;
            return (self.advised <= MOST_ADVISED).then_some(advice.min(LONGEST));
        }
        let pause = USUAL.get(self.usual).filter(|_| is_passing(status));
        self.usual += 1;
        pause.copied()
    }
}

/// Whether the server has more to do than it can.
pub(crate) fn is_overload(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == 429 && !is_beginning(status))
}

/// Whether the same request may be answered a little later.
fn is_passing(status: &Status) -> bool {
    status.code == 429 || status.code >= 500
}

/// When the server wants to be asked again.
fn advice(status: &Status) -> Option<Duration> {
    if !is_passing(status) || is_beginning(status) {
        return None;
    }
    let told = status.details.as_ref().map_or(0, |it| it.retry_after_seconds);
    match told {
        0 => (status.code == 429 && status.reason == WORDLESS).then_some(TURNED_AWAY),
        seconds => Some(Duration::from_secs(seconds.into())),
    }
}

/// The first moments of a new kind: they are over in milliseconds, although the server speaks of a second.
fn is_beginning(status: &Status) -> bool {
    status.message.starts_with("storage is (re)initializing")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn error(code: u16, message: &str, reason: &str, seconds: u32) -> kube::Error {
        let status = json!({"code": code, "message": message, "reason": reason,
            "details": {"retryAfterSeconds": seconds}});
        kube::Error::Api(Box::new(serde_json::from_value(status).expect("a status")))
    }

    #[test]
    fn a_server_is_asked_again_when_it_says() {
        let check = |error: &kube::Error, milliseconds: &[u128]| {
            let mut pauses = Pauses::default();
            let found: Vec<_> = std::iter::from_fn(|| pauses.after(error)).map(|it| it.as_millis()).collect();
            assert_eq!(found, milliseconds, "{error}");
        };
        check(&error(429, "too many", "TooManyRequests", 3), &[3000; 5]);
        check(&error(503, "no", "ServiceUnavailable", 3600), &[30_000; 5]);
        check(&error(429, "Too many requests", WORDLESS, 0), &[1000; 5]);
        check(&error(429, "storage is (re)initializing", "TooManyRequests", 1), &[50, 200]);
        check(&error(500, "no", "InternalError", 0), &[50, 200]);
        check(&error(502, "<html>", WORDLESS, 0), &[50, 200]);
        check(&error(422, "no", "Invalid", 1), &[]);
        check(&error(409, "no", "Conflict", 0), &[]);
    }

    #[test]
    fn a_new_kind_is_no_overload() {
        assert!(is_overload(&error(429, "too many", "TooManyRequests", 1)));
        assert!(!is_overload(&error(429, "storage is (re)initializing", "TooManyRequests", 1)));
        assert!(!is_overload(&error(503, "no", "ServiceUnavailable", 1)));
    }
}
