//! The time.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

/// Now.
pub(crate) fn timestamp() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let microseconds = i64::try_from(since.as_micros()).unwrap_or(i64::MAX);
    Timestamp::from_microsecond(microseconds).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Now, as Kubernetes writes it: in UTC, to the second.
pub(crate) fn now() -> String {
    Timestamp::from_second(timestamp().as_second()).unwrap_or(Timestamp::UNIX_EPOCH).to_string()
}
