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
    /// Whoever was admitted before is late.
    late_before: Option<Timestamp>,
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
            late_before: None,
        };
        let paused = fleet.controls.paused.filter(|it| fleet.obeys_pause(*it)).map_or(now, |it| it.min(now));
        clock.late_before = clock.reach(paused, policy.deadline);
        clock
    }

    /// Whether something that began then and could not be helped for so long has taken longer than the deadline.
    pub(crate) fn is_late(&self, began: Timestamp, hindered: SignedDuration) -> bool {
        self.late_before
            .is_some_and(|limit| self.began(began).saturating_add(hindered).is_ok_and(|it| it <= limit))
    }

    /// When what began then can be late at the earliest.
    pub(crate) fn late_at(&self, began: Timestamp, hindered: SignedDuration) -> Timestamp {
        let began = self.began(began).saturating_add(hindered).unwrap_or(Timestamp::MAX);
        let ahead = self.late_before.map_or(self.policy.deadline, |limit| began.duration_since(limit));
        self.later(ahead)
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

    /// The last instant since which so much time has counted; nothing where that cannot be told.
    fn reach(&self, now: Timestamp, counted: SignedDuration) -> Option<Timestamp> {
        let mut left = counted;
        let always = Windows::default();
        let windows = if self.fleet.is_instant() { &always } else { &self.policy.windows };
        for (begun, ended) in windows.back_from(now).take(FARTHEST) {
            let mut end = ended;
            let within = |it: &&Standstill| it.to > begun && it.from < ended && self.stood_still(it);
            for standstill in self.standstills.iter().rev().filter(within) {
                if let Some(found) = take(&mut left, standstill.to.min(end), end) {
                    return Some(found);
                }
                end = standstill.from.min(end);
            }
            if let Some(found) = take(&mut left, begun.min(end), end) {
                return Some(found);
            }
        }
        None
    }
}

/// Takes a time that counts from what is left; tells where that ends, if it does.
fn take(left: &mut SignedDuration, from: Timestamp, to: Timestamp) -> Option<Timestamp> {
    let lasted = to.duration_since(from);
    if lasted >= *left {
        return to.checked_sub(*left).ok();
    }
    *left -= lasted;
    None
}
