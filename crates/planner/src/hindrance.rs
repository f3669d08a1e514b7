//! For how long something else has held an instance up on its way: gates of its resources, refusals of the API server (V37).

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// The field of `status.propagation`.
pub(crate) const HINDERED: &str = "hindered";
const SECONDS: &str = "seconds";
const SINCE: &str = "since";

/// For how long something else has held an instance up since it was assigned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hindrance {
    /// Without what goes on.
    over: SignedDuration,
    /// Since when something does.
    since: Option<Timestamp>,
}

impl Hindrance {
    pub(crate) fn read(written: &Value) -> Self {
        let over = SignedDuration::from_secs(written[SECONDS].as_i64().unwrap_or_default().max(0));
        Self { over, since: written[SINCE].as_str().and_then(|it| it.parse().ok()) }
    }

    /// Nothing when nothing ever held it up.
    pub(crate) fn written(self) -> Option<Value> {
        let over = self.over.as_secs();
        match self.since {
            Some(since) => Some(json!({SECONDS: over, SINCE: since.to_string()})),
            None => (over > 0).then(|| json!({SECONDS: over})),
        }
    }

    /// The same, when something is known to have held it up from some time on.
    pub(crate) fn from(self, known: Option<Timestamp>) -> Self {
        Self { since: self.since.into_iter().chain(known).min(), ..self }
    }

    /// The same now that something does hold it up.
    pub(crate) fn going_on(self, now: Timestamp) -> Self {
        Self { since: Some(self.since.unwrap_or(now)), ..self }
    }

    /// The same now that nothing does.
    pub(crate) fn ended(self, now: Timestamp) -> Self {
        Self { over: self.until(now), since: None }
    }

    /// All in all; a time in the future counts as now.
    pub(crate) fn until(self, now: Timestamp) -> SignedDuration {
        let lasts = self.since.map_or(SignedDuration::ZERO, |it| now.duration_since(it.min(now)));
        self.over.saturating_add(lasts)
    }

    /// Since when something holds it up.
    pub(crate) fn since(self) -> Option<Timestamp> {
        self.since
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("a time")
    }

    #[test]
    fn v37_times_of_hindrance_add_up() {
        let first = Hindrance::default().going_on(at(10)).going_on(at(15));
        assert_eq!(first.until(at(20)), SignedDuration::from_secs(10));
        let second = first.ended(at(30)).going_on(at(40));
        assert_eq!(second.until(at(45)), SignedDuration::from_secs(25));
        assert_eq!(second.until(at(35)), SignedDuration::from_secs(20), "a time in the future");
        assert_eq!(second.from(Some(at(38))).since(), Some(at(38)));
        assert_eq!(second.from(Some(at(42))).since(), Some(at(40)));
    }

    #[test]
    fn v37_what_is_written_is_read_again() {
        let check = |hindrance: Hindrance, expected: Value| {
            let written = hindrance.written().unwrap_or_default();
            assert_eq!(written, expected);
            assert_eq!(Hindrance::read(&written), hindrance);
        };
        check(Hindrance::default(), Value::Null);
        check(Hindrance::default().going_on(at(10)), json!({"seconds": 0, "since": "1970-01-01T00:00:10Z"}));
        check(Hindrance::default().going_on(at(10)).ended(at(25)), json!({"seconds": 15}));
        assert_eq!(Hindrance::read(&json!({"seconds": -5, "since": "soon"})), Hindrance::default());
    }
}
