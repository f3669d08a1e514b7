//! What people are told about a propagation.

use krono_history::RevisionNumber;
use krono_model::condition::READY;
use krono_propagation::assignment::{Assignment, Told};
use krono_propagation::fleet::Member;
use krono_propagation::mark::{Mark, Outcome};
use krono_propagation::{Counts, Decision, FailureTold, Phase, Waiting};
use serde_json::{Map, Value, json};

use super::census::is_blocked;
use super::failures::{self, Known, kept, name};
use crate::instance::Notice;

/// How many failures are told by Events of their own at once.
const NAMED: usize = 10;

/// The fields that each decision finds anew; all others must outlive it, and so must failures: an edit excuses none that counts.
pub(super) const FOUND: [&str; 4] = ["instances", "blocked", "waiting", "gateErrors"];

/// `status.propagation` of a definition.
pub(super) fn record(mut record: Map<String, Value>, members: &[Member<'_>], decision: &Decision) -> Value {
    let (phase, reason) = phase(&decision.phase);
    let mut put = |field: &str, value: Value| drop(record.insert(field.to_owned(), value));
    put("phase", json!(phase));
    if let Some(reason) = reason {
        put("reason", json!(reason));
    }
    put("wave", json!(decision.wave));
    put("instances", counts(&decision.counts));
    let blocked = blocked(members);
    if blocked.count > 0 {
        put("blocked", json!({"count": blocked.count, "first": blocked.first}));
    }
    let lists = [
        ("waiting", decision.waiting.iter().map(waiting).collect::<Vec<Value>>()),
        ("gateErrors", decision.gate_errors.iter().map(|it| json!(it)).collect()),
    ];
    for (field, list) in lists {
        if !list.is_empty() {
            put(field, json!(list));
        }
    }
    failures::put(&mut record, members, decision);
    Value::Object(record)
}

fn phase(phase: &Phase) -> (&'static str, Option<&str>) {
    match phase {
        Phase::Completed => ("Completed", None),
        Phase::Propagating => ("Propagating", None),
        Phase::Paused => ("Paused", None),
        Phase::Halted(reason) => ("Halted", Some(reason)),
        Phase::RolledBack(reason) => ("RolledBack", Some(reason)),
        Phase::Aborted => ("Aborted", None),
    }
}

/// Those on their way whose resources have to wait.
pub(super) fn blocked(members: &[Member<'_>]) -> Told {
    let mut told = Told::default();
    for member in members.iter().filter(|it| is_blocked(it.object)) {
        told.add_with(|| member.full_name());
    }
    told
}

/// How many instances stand how, as it is told everywhere.
pub fn counts(counts: &Counts) -> Value {
    json!({
        "total": counts.total,
        "eligible": counts.eligible,
        "admitted": counts.admitted,
        "settled": counts.settled,
        "inFlight": counts.in_flight,
        "failed": counts.failed,
        "excused": counts.excused,
        "ready": counts.ready,
        "updated": counts.at_target,
    })
}

fn waiting(waiting: &Waiting) -> Value {
    json!({
        "reason": waiting.wait.as_str(),
        "message": waiting.text,
        "count": waiting.told.count,
        "first": waiting.told.first,
    })
}

/// That a propagation was given up. Who failed is told now where everybody goes back: the way back knows nothing of it.
pub(super) fn given_up(
    target: Assignment,
    members: &[Member<'_>],
    decision: &Decision,
    mark: &Mark,
    published: &Value,
) -> Vec<Notice> {
    let number = target.number;
    let notice = |reason, note| Notice { reason, note, is_warning: true };
    match mark.outcome {
        Outcome::Halted => {
            let note = format!("revision {number} reaches nobody else: {}", mark.reason);
            vec![notice("PropagationHalted", note)]
        }
        Outcome::RolledBack => {
            let note = format!("revision {number} is rolled back: {}", mark.reason);
            let mut notices = new_failures(target, members, decision, published);
            notices.push(notice("PropagationRolledBack", note));
            notices
        }
    }
}

/// What people do with a propagation.
#[derive(Clone, Copy)]
pub(super) enum Deed {
    Aborted,
    Retried,
    /// What was given up is so no longer, though another revision is held.
    Forgiven,
    Paused {
        is_over: bool,
    },
    Resumed {
        is_over: bool,
    },
}

pub(super) fn steered(deed: Deed, number: RevisionNumber) -> Notice {
    let (reason, what) = match deed {
        Deed::Aborted => ("PropagationAborted", "was aborted: who is on the way to it goes back"),
        Deed::Retried => ("PropagationRetried", "is tried again"),
        Deed::Forgiven => {
            ("PropagationRetried", "is no longer given up: it is tried when no other revision is held")
        }
        Deed::Paused { is_over: false } => ("PropagationPaused", "reaches nobody else for now: it is paused"),
        Deed::Paused { is_over: true } => {
            ("PropagationPaused", "is paused: whoever is yet to move to it waits")
        }
        Deed::Resumed { is_over: false } => ("PropagationResumed", "goes on"),
        Deed::Resumed { is_over: true } => ("PropagationResumed", "is no longer paused"),
    };
    Notice { reason, note: format!("revision {number} {what}"), is_warning: false }
}

/// Those that the status does not tell of yet; of very many, most are told by their number.
pub(super) fn new_failures(
    target: Assignment,
    members: &[Member<'_>],
    decision: &Decision,
    published: &Value,
) -> Vec<Notice> {
    let known = Known::read(published);
    let is_new = |it: &&FailureTold| !known.tells_of(&name(members, it));
    let new: Vec<&FailureTold> = kept(decision).filter(is_new).collect();
    let (named, more) = new.split_at(new.len().min(NAMED));
    let more = (!more.is_empty()).then(|| {
        let instances = if more.len() == 1 { "instance" } else { "instances" };
        let note = format!("{} more {instances} failed at revision {}", more.len(), target.number);
        Notice { reason: "InstanceFailed", note, is_warning: true }
    });
    named.iter().map(|it| failed(members, it, target)).chain(more).collect()
}

/// Once per wave, per failure, and at the end.
pub(super) fn notices(
    target: Assignment,
    members: &[Member<'_>],
    decision: &Decision,
    published: &Value,
    is_done: bool,
) -> Vec<Notice> {
    let number = target.number;
    let mut notices: Vec<Notice> = Vec::new();
    if decision.moves.is_empty() {
        notices.extend(new_failures(target, members, decision, published));
    } else {
        let moving = decision.moves.len();
        let verb = if moving == 1 { "moves" } else { "move" };
        let note = format!("wave {}: {} {verb} to revision {number}", decision.wave, plural(moving));
        notices.push(Notice { reason: "PropagationWave", note, is_warning: false });
    }
    if is_done && decision.counts.eligible > 0 {
        let note = format!("revision {number} reached {}", plural(decision.counts.eligible));
        notices.push(Notice { reason: "PropagationCompleted", note, is_warning: false });
    }
    notices
}

fn failed(members: &[Member<'_>], told: &FailureTold, target: Assignment) -> Notice {
    let excuse = if told.is_excused { "; it does not count" } else { "" };
    let cause =
        members.get(told.member).and_then(|it| unready(it.object)).map(|it| format!("; it last said: {it}"));
    let note = format!(
        "{} failed at revision {}: {}{}{excuse}",
        name(members, told),
        target.number,
        told.failure.as_str(),
        cause.unwrap_or_default()
    );
    Notice { reason: "InstanceFailed", note, is_warning: true }
}

/// What an instance said last about why it is not ready, which may be over by now; an Event has room for so much.
fn unready(instance: &Value) -> Option<String> {
    const MOST: usize = 500;
    let conditions = instance["status"]["conditions"].as_array()?;
    let ready = conditions.iter().find(|it| it["type"] == READY && it["status"] != "True")?;
    ready["message"].as_str().map(|it| it.chars().take(MOST).collect())
}

fn plural(count: usize) -> String {
    if count == 1 { "1 instance".to_owned() } else { format!("{count} instances") }
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};
    use krono_propagation::Failure;
    use krono_propagation::fleet::{Health, Stance};

    use super::*;

    fn member(name: &str) -> Member<'_> {
        Member {
            namespace: "default",
            name,
            created: Timestamp::UNIX_EPOCH,
            assigned: None,
            admission: None,
            observed: None,
            health: Health::Ready,
            hindered: SignedDuration::ZERO,
            stance: Stance::Auto,
            order: 0,
            is_edited: false,
            has_failed: false,
            object: &Value::Null,
            namespace_labels: &Value::Null,
        }
    }

    /// Of so many who failed, the first few are excused.
    fn decision(failed: usize, excused: usize) -> Decision {
        let told = |member| FailureTold { member, failure: Failure::Error, is_excused: member < excused };
        Decision {
            phase: Phase::Propagating,
            moves: Vec::new(),
            returns: Vec::new(),
            births: Vec::new(),
            mark: None,
            leaves_surplus: false,
            counts: Counts { failed: failed - excused, ..Counts::default() },
            wave: 1,
            is_wave_forgotten: false,
            waiting: Vec::new(),
            failures: (0..failed).map(told).collect(),
            gate_errors: Vec::new(),
            standings: Vec::new(),
            look_again: None,
        }
    }

    #[test]
    fn v40_an_event_quotes_what_an_instance_said_last() {
        let ready = json!({"type": "Ready", "status": "False", "message": "no image"});
        let object = json!({"status": {"conditions": [ready]}});
        let members = [Member { object: &object, ..member("a") }];
        let (number, digest) = (RevisionNumber::FIRST, "a".repeat(40).parse().expect("a digest"));
        let told = failed(&members, &decision(1, 1).failures[0], Assignment { number, digest });
        let expected = "default/a failed at revision 1: in error for more than 30 seconds; it last said: no image; it does not count";
        assert_eq!(told.note, expected);
    }

    #[test]
    fn v40_every_failure_is_told_once_however_many_there_are() {
        let names: Vec<String> = (0..40).map(|it| format!("i{it:02}")).collect();
        let members: Vec<Member<'_>> = names.iter().map(|it| member(it)).collect();
        let (number, digest) = (RevisionNumber::FIRST, "a".repeat(40).parse().expect("a digest"));
        let told = |published: &Value, failed: usize| {
            let decision = decision(failed, 12);
            let notices = notices(Assignment { number, digest }, &members, &decision, published, false);
            let notes: Vec<String> = notices.into_iter().map(|it| it.note).collect();
            (record(Map::new(), &members, &decision), notes)
        };
        let (published, notes) = told(&Value::Null, 30);
        let first = "default/i12 failed at revision 1: in error for more than 30 seconds";
        assert_eq!((notes.len(), notes[0].as_str()), (11, first));
        assert_eq!(notes[10], "20 more instances failed at revision 1");
        let kept = published["failures"].as_array().expect("a list");
        assert_eq!((kept.len(), &kept[18]["instance"]), (30, &json!("default/i00")));
        assert_eq!(told(&published, 30).1, Vec::<String>::new());
        let (_, notes) = told(&published, 31);
        assert_eq!(notes, ["default/i30 failed at revision 1: in error for more than 30 seconds"]);
    }

    #[test]
    fn v40_failures_beyond_those_that_are_named_are_told_once_and_go_on_to_count() {
        let names: Vec<String> = (0..1_300).map(|it| format!("i{it:04}")).collect();
        let members: Vec<Member<'_>> = names.iter().map(|it| member(it)).collect();
        let (number, digest) = (RevisionNumber::FIRST, "a".repeat(40).parse().expect("a digest"));
        let target = Assignment { number, digest };
        let told = |published: &Value, failed: usize| {
            let decision = decision(failed, 12);
            let notes = new_failures(target, &members, &decision, published);
            (record(Map::new(), &members, &decision), notes.into_iter().map(|it| it.note).next_back())
        };
        let (published, last) = told(&Value::Null, 800);
        assert_eq!(last.as_deref(), Some("790 more instances failed at revision 1"));
        assert_eq!(published["failures"].as_array().map(Vec::len), Some(500));
        assert!(published["furtherFailures"].to_string().len() < 4_000, "{:#}", published["furtherFailures"]);
        assert_eq!(told(&published, 800).1, None);
        assert_eq!(told(&published, 1_300).1.as_deref(), Some("490 more instances failed at revision 1"));
        let known = Known::read(&published);
        let blamed: Vec<usize> = (0..1_300).filter(|it| known.blames(&members[*it])).collect();
        assert_eq!(blamed, (12..800).collect::<Vec<usize>>());
        assert!(members.iter().take(800).all(|it| known.tells_of(&it.full_name())));
    }
}
