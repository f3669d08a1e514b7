//! Which time counts.

use jiff::{SignedDuration, Timestamp};

use crate::fleet::{Cause, Fleet, Standstill};
use crate::policy::Policy;
use crate::policy::window::Windows;

/// How long an instance may be unwell before that is a failure.
pub(crate) const GRACE: SignedDuration = SignedDuration::from_secs(30);

/// The instant of a decision, and what of the time before it counts.
pub(crate) struct Clock<'c> {
    pub(crate) now: Timestamp,
    fleet: &'c Fleet<'c>,
    policy: &'c Policy,
    standstills: &'c [Standstill],
    leading_since: Timestamp,
    restarted: Timestamp,
    /// The last times that counted, as long together as the deadline.
    deadline: Reach,
}

/// The last times that counted, as long together as something lasts.
#[derive(Default)]
struct Reach {
    /// How much more there should be.
    left: SignedDuration,
    /// The latest first.
    spans: Vec<Span>,
}

/// A time that counted.
struct Span {
    from: Timestamp,
    to: Timestamp,
    /// With those after it.
    together: SignedDuration,
}

/// How many times of opening a deadline may go back through.
const FARTHEST: usize = 10_000;

impl<'c> Clock<'c> {
    pub(crate) fn new(fleet: &'c Fleet<'c>, policy: &'c Policy, now: Timestamp) -> Self {
        let mut clock = Self {
            now,
            fleet,
            policy,
            standstills: fleet.leadership.standstills,
            leading_since: fleet.leadership.since.min(now),
            restarted: fleet.progress.restarted.unwrap_or(Timestamp::MIN).min(now),
            deadline: Reach::default(),
        };
        let paused = fleet.controls.paused.filter(|it| fleet.obeys_pause(*it)).map_or(now, |it| it.min(now));
        clock.deadline = clock.reach(paused, policy.deadline);
        clock
    }

    /// Whether something that began then and could not be helped for so long has taken longer than the deadline.
    pub(crate) fn is_late(&self, began: Timestamp, hindered: SignedDuration) -> bool {
        self.deadline
            .begun()
            .is_some_and(|limit| self.began(began).saturating_add(hindered).is_ok_and(|it| it <= limit))
    }

    /// When what began then can be late at the earliest.
    pub(crate) fn late_at(&self, began: Timestamp, hindered: SignedDuration) -> Timestamp {
        let began = self.began(began).saturating_add(hindered).unwrap_or(Timestamp::MAX);
        let ahead = began.duration_since(began.min(self.now));
        self.later(self.policy.deadline.saturating_sub(self.deadline.since(began)).saturating_add(ahead))
    }

    /// Whether something has been wrong for longer than is forgiven.
    pub(crate) fn is_lasting(&self, since: Timestamp) -> bool {
        self.now.duration_since(self.noticed(since)) > GRACE
    }

    /// When what is wrong since then has lasted too long.
    pub(crate) fn lasting_at(&self, since: Timestamp) -> Timestamp {
        let over = GRACE + SignedDuration::from_secs(1);
        self.noticed(since).saturating_add(over).unwrap_or(Timestamp::MAX)
    }

    /// When the soak of what was observed then ends.
    pub(crate) fn soaked_at(&self, observed: Timestamp) -> Timestamp {
        self.after(observed, self.policy.soak)
    }

    /// So long after an instant; time without a leader does not count.
    pub(crate) fn after(&self, since: Timestamp, wait: SignedDuration) -> Timestamp {
        let since = since.min(self.now);
        let mut end = since.saturating_add(wait).unwrap_or(Timestamp::MAX);
        for standstill in self.standstills.iter().filter(|it| it.cause == Cause::NoLeader) {
            if standstill.to > since && standstill.from < end {
                let lost = standstill.to.duration_since(standstill.from.max(since));
                end = end.saturating_add(lost).unwrap_or(Timestamp::MAX);
            }
        }
        end
    }

    fn later(&self, by: SignedDuration) -> Timestamp {
        let by = by.max(SignedDuration::from_secs(1));
        self.now.saturating_add(by).unwrap_or(Timestamp::MAX)
    }

    fn began(&self, at: Timestamp) -> Timestamp {
        at.min(self.now).max(self.restarted)
    }

    fn noticed(&self, since: Timestamp) -> Timestamp {
        since.min(self.now).max(self.leading_since).max(self.restarted)
    }

    /// Nothing stood still in a pause that was passed over.
    fn stood_still(&self, standstill: &Standstill) -> bool {
        standstill.cause == Cause::NoLeader || self.fleet.obeys_pause(standstill.from)
    }

    fn reach(&self, now: Timestamp, lasts: SignedDuration) -> Reach {
        let mut reach = Reach { left: lasts, spans: Vec::new() };
        let always = Windows::default();
        let windows = if self.fleet.is_instant() { &always } else { &self.policy.windows };
        for (begun, ended) in windows.back_from(now).take(FARTHEST) {
            let mut end = ended;
            let within = |it: &&Standstill| it.to > begun && it.from < ended && self.stood_still(it);
            for standstill in self.standstills.iter().rev().filter(within) {
                reach.take(standstill.to.min(end), end);
                end = standstill.from.min(end);
            }
            reach.take(begun.min(end), end);
            if reach.left.is_zero() {
                break;
            }
        }
        reach
    }
}

impl Reach {
    /// Takes as much of a time that counts as is left.
    fn take(&mut self, from: Timestamp, to: Timestamp) {
        let lasted = to.duration_since(from).min(self.left);
        if lasted.is_zero() {
            return;
        }
        self.left -= lasted;
        let from = to.saturating_sub(lasted).unwrap_or(from);
        let after = self.spans.last().map_or(SignedDuration::ZERO, |it| it.together);
        self.spans.push(Span { from, to, together: after + lasted });
    }

    /// When it began; nothing where there is more left.
    fn begun(&self) -> Option<Timestamp> {
        self.spans.last().filter(|_| self.left.is_zero()).map(|it| it.from)
    }

    /// How much of it has counted since an instant.
    fn since(&self, at: Timestamp) -> SignedDuration {
        let later = self.spans.partition_point(|it| it.from >= at);
        let whole = later.checked_sub(1).map_or(SignedDuration::ZERO, |it| self.spans[it].together);
        let part = self.spans.get(later).map(|it| it.to.duration_since(at.min(it.to)));
        whole + part.unwrap_or_default()
    }
}
