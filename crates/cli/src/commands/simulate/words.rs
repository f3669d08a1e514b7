//! Times, shares and ends as people read them.

use jiff::SignedDuration;
use krono_propagation::Phase;
use krono_propagation::simulate::{Course, End};

const UNITS: [(i64, &str); 4] = [(86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")];

/// `1h 30m`, to the second.
pub(super) fn time(time: SignedDuration) -> String {
    let mut left = time.as_secs().max(0);
    let mut parts = Vec::new();
    for (seconds, unit) in UNITS {
        let count = left / seconds;
        left %= seconds;
        if count > 0 {
            parts.push(format!("{count}{unit}"));
        }
    }
    if parts.is_empty() { "0s".to_owned() } else { parts.join(" ") }
}

/// `6.3%`.
pub(super) fn percent(part: usize, of: usize) -> String {
    let tenths = if of == 0 { 0 } else { (part * 2_000 + of) / (2 * of) };
    format!("{}.{}%", tenths / 10, tenths % 10)
}

/// `instances`, or `instance` of one.
pub(super) fn instances(count: usize) -> String {
    format!("{count} {}", if count == 1 { "instance" } else { "instances" })
}

/// How a course ended: in one word, and in a sentence.
pub(super) struct Ending {
    pub(super) word: &'static str,
    pub(super) sentence: String,
}

impl Ending {
    pub(super) fn of(course: &Course) -> Self {
        let took = time(course.took);
        let (word, sentence) = match &course.end {
            End::Decided(Phase::Completed) => ("Completed", format!("completed after {took}")),
            End::Decided(Phase::Halted(reason)) => ("Halted", format!("halted after {took}: {reason}")),
            End::Decided(Phase::RolledBack(reason)) => {
                ("RolledBack", format!("rolled back after {took}: {reason}"))
            }
            End::Decided(Phase::Aborted) => ("Aborted", format!("aborted after {took}")),
            End::Decided(Phase::Propagating | Phase::Paused) | End::Stuck => {
                ("Stuck", format!("never ends: after {took} nothing happens any more by itself"))
            }
            End::TooLong => {
                ("TooLong", format!("goes on after {took}, in more steps than are played at a time"))
            }
        };
        Self { word, sentence }
    }
}

/// `reached 63 of 1000 instances (6.3%), at most 32 at once; 2 failed`.
pub(super) fn reach(course: &Course) -> String {
    let counts = course.counts;
    let excused = if counts.excused == 0 { String::new() } else { format!(", {} excused", counts.excused) };
    let reached = course.blast_radius();
    format!(
        "reached {reached} of {} ({}){}; {} failed{excused}",
        instances(counts.eligible),
        percent(reached, counts.eligible),
        pace(reached, course.peak_in_flight),
        counts.failed,
    )
}

/// Who was broken before never counts as on its way.
fn pace(reached: usize, most_at_once: usize) -> String {
    match (reached, most_at_once) {
        (1.., 0) => ", all broken before, so that none counts as on its way".to_owned(),
        (_, most) => format!(", at most {most} at once"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        let check = |seconds: i64, expected: &str| {
            assert_eq!(time(SignedDuration::from_secs(seconds)), expected);
        };
        check(0, "0s");
        check(59, "59s");
        check(3_600, "1h");
        check(90_061, "1d 1h 1m 1s");
        check(-5, "0s");
    }

    #[test]
    fn v33_who_was_broken_before_is_not_held_up() {
        assert_eq!(pace(7, 3), ", at most 3 at once");
        assert_eq!(pace(0, 0), ", at most 0 at once");
        assert_eq!(pace(7, 0), ", all broken before, so that none counts as on its way");
    }

    #[test]
    fn shares_are_rounded_to_tenths() {
        let check = |part, of, expected: &str| assert_eq!(percent(part, of), expected);
        check(0, 0, "0.0%");
        check(1, 3, "33.3%");
        check(2, 3, "66.7%");
        check(1_000_000, 1_000_000, "100.0%");
    }
}
