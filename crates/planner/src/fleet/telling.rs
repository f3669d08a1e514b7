//! What people are told about a propagation.

use krono_history::RevisionNumber;
use krono_model::condition::READY;
use krono_propagation::assignment::{Assignment, Told};
use krono_propagation::fleet::Member;
use krono_propagation::mark::{Mark, Outcome};
use krono_propagation::{Counts, Decision, FailureTold, Phase, Waiting};
use serde_json::{Map, Value, json};

use super::census::is_blocked;
use crate::instance::Notice;

/// How many failures are told by name.
const NAMED: usize = 10;

/// The fields that each decision finds anew; all others must outlive it.
pub(super) const FOUND: [&str; 6] = ["wave", "instances", "blocked", "waiting", "failures", "gateErrors"];

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
        ("failures", decision.failures.iter().take(NAMED).map(|it| failure(members, it)).collect()),
        ("gateErrors", decision.gate_errors.iter().map(|it| json!(it)).collect()),
    ];
    for (field, list) in lists {
        if !list.is_empty() {
            put(field, json!(list));
        }
    }
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

fn failure(members: &[Member<'_>], told: &FailureTold) -> Value {
    let mut failure = json!({"instance": name(members, told), "message": told.failure.as_str()});
    if told.is_excused {
        failure["excused"] = json!(true);
    }
    failure
}

fn name(members: &[Member<'_>], told: &FailureTold) -> String {
    members.get(told.member).map(Member::full_name).unwrap_or_default()
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
            let failures = new_failures(target, members, decision, published);
            failures.chain([notice("PropagationRolledBack", note)]).collect()
        }
    }
}

/// What people do with a propagation.
#[derive(Clone, Copy)]
pub(super) enum Deed {
    Aborted,
    Retried,
    Paused,
    Resumed,
}

pub(super) fn steered(deed: Deed, number: RevisionNumber) -> Notice {
    let (reason, what) = match deed {
        Deed::Aborted => ("PropagationAborted", "was aborted: who is on the way to it goes back"),
        Deed::Retried => ("PropagationRetried", "is tried again"),
        Deed::Paused => ("PropagationPaused", "reaches nobody else for now: it is paused"),
        Deed::Resumed => ("PropagationResumed", "goes on"),
    };
    Notice { reason, note: format!("revision {number} {what}"), is_warning: false }
}

/// Those that the status does not tell of yet.
fn new_failures<'n>(
    target: Assignment,
    members: &'n [Member<'_>],
    decision: &'n Decision,
    published: &'n Value,
) -> impl Iterator<Item = Notice> + use<'n> {
    let known = published["failures"].as_array().into_iter().flatten();
    let known: Vec<&str> = known.filter_map(|it| it["instance"].as_str()).collect();
    let failures = decision.failures.iter().take(NAMED);
    failures
        .filter(move |it| !known.contains(&name(members, it).as_str()))
        .map(move |it| failed(members, it, target))
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
    let cause = members.get(told.member).and_then(|it| unready(it.object)).map(|it| format!(": {it}"));
    let note = format!(
        "{} failed at revision {}: {}{}{excuse}",
        name(members, told),
        target.number,
        told.failure.as_str(),
        cause.unwrap_or_default()
    );
    Notice { reason: "InstanceFailed", note, is_warning: true }
}

/// What an instance says about why it is not ready; an Event has room for so much.
fn unready(instance: &Value) -> Option<String> {
    const MOST: usize = 500;
    let conditions = instance["status"]["conditions"].as_array()?;
    let ready = conditions.iter().find(|it| it["type"] == READY && it["status"] != "True")?;
    ready["message"].as_str().map(|it| it.chars().take(MOST).collect())
}

fn plural(count: usize) -> String {
    if count == 1 { "1 instance".to_owned() } else { format!("{count} instances") }
}
