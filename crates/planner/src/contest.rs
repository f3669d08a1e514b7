//! Others who change a resource again and again after it was put right.
//!
//! Nobody wins such a contest, and the cluster pays for it: who corrects waits longer each time.

use std::time::Duration;

/// How often a resource is put right at once: people try things, and controllers take turns now and then.
const FREE: u32 = 4;
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_mins(5);
/// A correction that held for so much longer than the last pause was the end of the contest.
const PEACE: Duration = Duration::from_secs(10);

/// The corrections of one resource; times are since any moment that stays the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contest {
    corrections: u32,
    last: Duration,
}

impl Contest {
    /// The resource is put right.
    pub fn correct(&mut self, now: Duration) {
        if self.is_over(now) {
            self.corrections = 0;
        }
        self.corrections = self.corrections.saturating_add(1);
        self.last = now;
    }

    /// Until when the resource is left as others want it; nothing when it may be put right at once.
    pub fn rests_until(&self, now: Duration) -> Option<Duration> {
        let until = self.last.saturating_add(self.pause());
        (until > now).then_some(until)
    }

    /// Whether the last correction has held.
    pub fn is_over(&self, now: Duration) -> bool {
        now > self.last.saturating_add(self.pause()).saturating_add(PEACE)
    }

    fn pause(&self) -> Duration {
        match self.corrections.checked_sub(FREE) {
            None => Duration::ZERO,
            Some(times) => FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(times)).min(LONGEST_PAUSE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pauses in seconds after corrections at these seconds, each made as soon as it may.
    fn pauses(times: u32) -> Vec<u64> {
        let (mut contest, mut now) = (Contest::default(), Duration::from_secs(100));
        let mut pauses = Vec::new();
        for _ in 0..times {
            contest.correct(now);
            let until = contest.rests_until(now).unwrap_or(now);
            pauses.push(until.saturating_sub(now).as_secs());
            now = until;
        }
        pauses
    }

    #[test]
    fn some_corrections_are_free_and_then_each_waits_longer() {
        assert_eq!(pauses(14), [0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
        assert_eq!(pauses(100).last(), Some(&300));
    }

    #[test]
    fn a_correction_that_holds_ends_the_contest() {
        let seconds = Duration::from_secs;
        let mut contest = Contest::default();
        (0..5).for_each(|_| contest.correct(seconds(100)));
        let check = |now: u64, rests: Option<u64>, over: bool| {
            let now = seconds(now);
            assert_eq!(
                (contest.rests_until(now), contest.is_over(now)),
                (rests.map(seconds), over),
                "{now:?}"
            );
        };
        check(100, Some(102), false);
        check(102, None, false);
        check(112, None, false);
        check(113, None, true);
        contest.correct(seconds(113));
        assert_eq!(contest.rests_until(seconds(113)), None);
    }
}
