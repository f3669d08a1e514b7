//! The times at which instances may be admitted.

mod read;
#[cfg(test)]
mod tests;

use croner::Cron;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// A time that comes again and again: it begins when a cron schedule says so, and lasts.
#[derive(Clone, Debug)]
pub struct Window {
    schedule: Cron,
    zone: TimeZone,
    lasts: SignedDuration,
}

/// All windows of a policy; without any, it is always open.
#[derive(Clone, Debug, Default)]
pub struct Windows(Vec<Window>);

/// Whether instances may be admitted, and until when that is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// They may; with the end, where there is one.
    Open(Option<Timestamp>),
    /// They may not; with the next time they may, where there is one.
    Closed(Option<Timestamp>),
}

impl Window {
    /// The last beginning before an instant, or at it.
    fn begun(&self, at: Timestamp) -> Option<Timestamp> {
        let local = at.to_zoned(self.zone.clone());
        self.schedule.find_previous_occurrence(&local, true).ok().map(|it| it.timestamp())
    }

    /// The first beginning after an instant.
    fn begins(&self, after: Timestamp) -> Option<Timestamp> {
        let local = after.to_zoned(self.zone.clone());
        self.schedule.find_next_occurrence(&local, false).ok().map(|it| it.timestamp())
    }

    /// The last time before an instant at which it was open, with some of those before that it follows without a break.
    fn span_before(&self, at: Timestamp) -> Option<(Timestamp, Timestamp)> {
        let last = self.begun(at.checked_sub(SignedDuration::from_nanos(1)).ok()?)?;
        let open_since = last.checked_sub(self.lasts).ok()?;
        let first = self.begins(open_since.checked_sub(SignedDuration::from_nanos(1)).ok()?)?;
        Some((first.min(last), last.saturating_add(self.lasts).unwrap_or(Timestamp::MAX)))
    }
}

impl Windows {
    /// Whether there are none, so that it is always open.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it is open at an instant.
    pub fn at(&self, now: Timestamp) -> Opening {
        if self.0.is_empty() {
            return Opening::Open(None);
        }
        let begun = self.0.iter().filter_map(|it| Some((it.begun(now)?, it.lasts)));
        let ends = begun.filter_map(|(begun, lasts)| begun.saturating_add(lasts).ok());
        match ends.filter(|it| *it > now).max() {
            Some(end) => Opening::Open(Some(end)),
            None => Opening::Closed(self.0.iter().filter_map(|it| it.begins(now)).min()),
        }
    }

    /// The times at which it was open, the latest first; none overlaps another.
    pub(crate) fn back_from(&self, now: Timestamp) -> impl Iterator<Item = (Timestamp, Timestamp)> {
        let mut end = Some(now);
        std::iter::from_fn(move || {
            let (begun, ended) = self.last_before(end?)?;
            end = Some(begun);
            Some((begun, ended))
        })
    }

    /// The last time before an instant at which it was open; what is open at the instant ends there.
    fn last_before(&self, at: Timestamp) -> Option<(Timestamp, Timestamp)> {
        if self.0.is_empty() {
            return Some((Timestamp::MIN, at)).filter(|_| at > Timestamp::MIN);
        }
        let spans: Vec<_> = self.0.iter().filter_map(|it| it.span_before(at)).collect();
        let end = spans.iter().map(|(_, end)| *end).max()?.min(at);
        let covering = spans.iter().filter(|(_, it)| *it >= end).map(|(begun, _)| *begun);
        covering.min().map(|begun| (begun, end))
    }
}
