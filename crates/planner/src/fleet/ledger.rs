//! How far the propagation of one content has come, as the status of its definition keeps it.

use jiff::Timestamp;
use krono_history::Digest;
use krono_history::revision::History;
use krono_propagation::assignment::Assignment;
use krono_propagation::fleet::{Cause, Standstill};
use krono_propagation::mark::{Mark, Outcome, mark_of};
use serde_json::{Map, Value, json};

/// The field of a definition's status.
pub(crate) const PROPAGATION: &str = "propagation";
/// Standstills are kept for as long as they can matter; more than these never do.
const MOST_STANDSTILLS: usize = 50;
/// The reason on the mark of a propagation that somebody aborted.
pub(super) const ABORTED: &str = "aborted";

/// Whether somebody aborted the propagation of some content.
pub fn is_aborted(history: &History, content: Digest) -> bool {
    mark_of(history, content).is_some_and(|it| it.reason == ABORTED)
}

/// What of a propagation must outlive a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ledger {
    pub(super) content: Digest,
    pub(super) started: Timestamp,
    /// When everybody had settled, once.
    pub(super) completed: Option<Timestamp>,
    /// When somebody had it tried again.
    pub(super) restarted: Option<Timestamp>,
    /// Since when it is paused.
    pub(super) paused: Option<Timestamp>,
    /// What became of it and why, if it was given up when it was last told. Only this tells it of a way back, whose content
    /// is never marked.
    pub(super) given_up: Option<Mark>,
    pub(super) standstills: Vec<Standstill>,
}

impl Ledger {
    pub(super) fn new(target: Assignment, now: Timestamp) -> Self {
        Self {
            content: target.digest,
            started: now,
            completed: None,
            restarted: None,
            paused: None,
            given_up: None,
            standstills: Vec::new(),
        }
    }

    pub(super) fn read(definition: &Value) -> Option<Self> {
        let written = &definition["status"][PROPAGATION];
        let time = |field: &str| written[field].as_str()?.parse().ok();
        let standstills = written["standstills"].as_array().into_iter().flatten();
        Some(Self {
            content: written["digest"].as_str()?.parse().ok()?,
            started: time("startedAt")?,
            completed: time("completedAt"),
            restarted: time("restartedAt"),
            paused: time("pausedSince"),
            given_up: given_up(written),
            standstills: standstills.filter_map(standstill).collect(),
        })
    }

    /// All but what a look finds anew.
    pub(super) fn written(&self, target: Assignment) -> Map<String, Value> {
        let times = [
            ("startedAt", Some(self.started)),
            ("completedAt", self.completed),
            ("restartedAt", self.restarted),
            ("pausedSince", self.paused),
        ];
        let mut written = Map::new();
        written.insert("revision".to_owned(), json!(target.number.to_wire()));
        written.insert("digest".to_owned(), json!(target.digest.to_string()));
        for (field, time) in times {
            if let Some(time) = time {
                written.insert(field.to_owned(), json!(time.to_string()));
            }
        }
        if !self.standstills.is_empty() {
            let all: Vec<Value> = self.standstills.iter().map(told).collect();
            written.insert("standstills".to_owned(), json!(all));
        }
        written
    }

    /// Keeps a pause, or its end.
    pub(super) fn pause(&mut self, is_paused: bool, now: Timestamp) {
        match (self.paused, is_paused) {
            (None, true) => self.paused = Some(now),
            (Some(since), false) => {
                self.paused = None;
                self.stood_still(since, now, Cause::Paused);
            }
            (None, false) | (Some(_), true) => {}
        }
    }

    /// Keeps the time between the last sign of an earlier leader and the beginning of this one.
    pub(super) fn was_vacant(&mut self, to: Timestamp, last_sign: impl FnOnce() -> Option<Timestamp>) {
        let is_known = self.standstills.iter().any(|it| it.cause == Cause::NoLeader && it.to == to);
        if is_known || to <= self.started {
            return;
        }
        let Some(from) = last_sign().filter(|it| *it < to) else { return };
        if let Some(since) = self.paused {
            self.stood_still(since, from, Cause::Paused);
        }
        self.stood_still(from.max(self.started), to, Cause::NoLeader);
    }

    /// None overlaps another.
    fn stood_still(&mut self, from: Timestamp, to: Timestamp, cause: Cause) {
        let from = self.standstills.last().map_or(from, |it| from.max(it.to));
        if from < to {
            self.standstills.push(Standstill { from, to, cause });
        }
        let surplus = self.standstills.len().saturating_sub(MOST_STANDSTILLS);
        self.standstills.drain(..surplus);
    }
}

fn given_up(written: &Value) -> Option<Mark> {
    let mark = |outcome, reason: &str| Some(Mark { outcome, reason: reason.to_owned() });
    let reason = written["reason"].as_str().unwrap_or_default();
    match written["phase"].as_str()? {
        "Halted" => mark(Outcome::Halted, reason),
        "RolledBack" => mark(Outcome::RolledBack, reason),
        "Aborted" => mark(Outcome::Halted, ABORTED),
        _ => None,
    }
}

fn standstill(written: &Value) -> Option<Standstill> {
    let time = |field: &str| written[field].as_str()?.parse().ok();
    let cause = if written["cause"] == "Paused" { Cause::Paused } else { Cause::NoLeader };
    Some(Standstill { from: time("from")?, to: time("to")?, cause })
}

fn told(standstill: &Standstill) -> Value {
    let cause = match standstill.cause {
        Cause::NoLeader => "NoLeader",
        Cause::Paused => "Paused",
    };
    json!({"from": standstill.from.to_string(), "to": standstill.to.to_string(), "cause": cause})
}

#[cfg(test)]
mod tests {
    use krono_history::RevisionNumber;

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("a time")
    }

    fn ledger() -> Ledger {
        Ledger::new(target(), at(10))
    }

    fn target() -> Assignment {
        let digest = "a".repeat(40).parse().expect("a digest");
        Assignment { number: RevisionNumber::FIRST, digest }
    }

    #[test]
    fn v41_what_is_written_is_read_again() {
        let mut ledger = ledger();
        ledger.was_vacant(at(20), || Some(at(12)));
        ledger.pause(true, at(30));
        ledger.pause(false, at(40));
        ledger.pause(true, at(50));
        (ledger.completed, ledger.restarted) = (Some(at(60)), Some(at(61)));
        let definition = json!({"status": {"propagation": ledger.written(target())}});
        assert_eq!(Ledger::read(&definition), Some(ledger));
        assert_eq!(Ledger::read(&json!({})), None);
    }

    #[test]
    fn v39_times_without_a_leader_and_pauses_do_not_overlap() {
        let mut ledger = ledger();
        ledger.pause(true, at(15));
        ledger.was_vacant(at(30), || Some(at(20)));
        ledger.was_vacant(at(30), || Some(at(20)));
        ledger.pause(false, at(40));
        let spans: Vec<(i64, i64, Cause)> =
            ledger.standstills.iter().map(|it| (it.from.as_second(), it.to.as_second(), it.cause)).collect();
        assert_eq!(spans, [(15, 20, Cause::Paused), (20, 30, Cause::NoLeader), (30, 40, Cause::Paused)]);
    }

    #[test]
    fn v23_a_pause_begins_when_it_began_whoever_leads() {
        let mut ledger = ledger();
        ledger.pause(true, at(10));
        for (sign, to) in [(20, 30), (50, 60)] {
            ledger.was_vacant(at(to), || Some(at(sign)));
            assert_eq!(ledger.paused, Some(at(10)));
        }
        ledger.pause(false, at(70));
        let spans: Vec<(i64, i64)> =
            ledger.standstills.iter().map(|it| (it.from.as_second(), it.to.as_second())).collect();
        assert_eq!(spans, [(10, 20), (20, 30), (30, 50), (50, 60), (60, 70)]);
    }

    #[test]
    fn v39_what_was_before_the_start_does_not_matter() {
        let mut ledger = ledger();
        ledger.was_vacant(at(5), || Some(at(1)));
        assert_eq!(ledger.standstills, []);
        ledger.was_vacant(at(15), || Some(at(1)));
        assert_eq!((ledger.standstills[0].from, ledger.standstills[0].to), (at(10), at(15)));
    }
}
