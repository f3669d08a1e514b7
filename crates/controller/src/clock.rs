//! The time.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

/// Now, as Kubernetes writes it: in UTC, to the second.
pub(crate) fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH).to_string()
}
