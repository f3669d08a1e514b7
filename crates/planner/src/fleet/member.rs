//! What an instance tells about its part in a propagation.

use jiff::Timestamp;
use krono_model::names;
use krono_propagation::assignment::{Because, Remark};
use krono_propagation::fleet::{Admission, Health, Member, Observed, Stance, read_order};
use krono_propagation::limits::Allowance;
use serde_json::Value;

use super::record::ADMISSION;
use super::{Decision, Facts, Turn, World, decide, turn};
use crate::hindrance::{HINDERED, Hindrance};
use crate::instance::{
    ASSIGNMENT, ERROR_SINCE, PROPAGATION, assignment, observed_content, observed_since, of_krono,
};

/// An instance as a propagation sees it.
pub(super) fn member<'a>(world: &World<'a>, namespace_labels: &'a Value) -> Member<'a> {
    let instance = world.instance;
    let known = of_krono(&instance["status"], ASSIGNMENT);
    let admission = turn::admission(instance);
    Member {
        namespace: text(instance, "namespace"),
        name: text(instance, "name"),
        created: text(instance, "creationTimestamp").parse().unwrap_or(Timestamp::UNIX_EPOCH),
        assigned: assignment(instance).map(|(_, digest, _)| digest),
        admission,
        observed: observed(instance),
        health: health(instance, admission, world.now),
        hindered: hindrance(instance).until(world.now),
        stance: stance(world),
        order: order(world.facts, instance),
        is_edited: is_edited(instance, &known[ADMISSION]),
        has_failed: false,
        object: instance,
        namespace_labels,
    }
}

/// What held it up on its way.
fn hindrance(instance: &Value) -> Hindrance {
    Hindrance::read(&of_krono(&instance["status"], PROPAGATION)[HINDERED])
}

/// Takes in that the API server has said no to it since some time.
pub(super) fn hinder(member: &mut Member<'_>, since: Option<Timestamp>, now: Timestamp) {
    member.hindered = hindrance(member.object).from(since).until(now);
}

fn text<'v>(instance: &'v Value, field: &str) -> &'v str {
    instance["metadata"][field].as_str().unwrap_or_default()
}

fn observed(instance: &Value) -> Option<Observed> {
    let since = observed_since(of_krono(&instance["status"], PROPAGATION));
    let since = since.and_then(|it| it.parse().ok()).unwrap_or(Timestamp::MIN);
    observed_content(instance).map(|digest| Observed { digest, since })
}

/// What was wrong before the admission is no news after it.
fn health(instance: &Value, admission: Option<Admission>, now: Timestamp) -> Health {
    let time = |text: Option<&str>| {
        let since = text.and_then(|it| it.parse().ok()).unwrap_or(now);
        admission.map_or(since, |it| it.at.max(since))
    };
    let error = of_krono(&instance["status"], PROPAGATION)[ERROR_SINCE].as_str();
    let hindered = hindrance(instance).since();
    match instance["status"]["state"].as_str() {
        Some("ACTIVE") => Health::Ready,
        // A server that cannot do what it is asked for is no fault of the instance.
        Some("ERROR") if error.is_none() && hindered.is_some() => {
            Health::Unready(time(unready_since(instance)))
        }
        Some("ERROR") => Health::Error(time(error.or_else(|| unready_since(instance)))),
        Some(_) | None => Health::Unready(time(unready_since(instance))),
    }
}

/// Where the author has conditions of their own, the last change of the status is all that is known.
fn unready_since(instance: &Value) -> Option<&str> {
    let conditions = instance.pointer("/status/conditions").and_then(Value::as_array);
    let ready = conditions.and_then(|all| all.iter().find(|it| it["type"] == "Ready"));
    let since = ready.filter(|it| it["status"] != "True").and_then(|it| it["lastTransitionTime"].as_str());
    since.or_else(|| of_krono(&instance["status"], PROPAGATION)["lastTransitionTime"].as_str())
}

fn order(facts: &Facts, instance: &Value) -> i64 {
    let wish = instance["metadata"]["annotations"][names::PROPAGATION_ORDER_ANNOTATION].as_str();
    wish.filter(|_| facts.limits.order == Allowance::Allowed).and_then(read_order).unwrap_or_default()
}

fn is_edited(instance: &Value, admission: &Value) -> bool {
    let generation = |it: &Value| it["generation"].as_i64();
    generation(admission).is_some_and(|at| generation(&instance["metadata"]).is_some_and(|now| now > at))
}

/// What the rules say about it while it waits for its turn.
fn stance(world: &World<'_>) -> Stance {
    let Decision { verdict, .. } = decide(&World { turn: Turn::Waits, ..*world }, None);
    let current = world.facts.current.number;
    let is_refused = |it: &Remark| matches!(it, Remark::SpecRefused { number, .. } if *number == current);
    match verdict.because {
        Because::Ending => Stance::Deleting,
        Because::Paused => Stance::Paused,
        Because::Minimum | Because::InputHeld | Because::Pinned => Stance::Pinned,
        Because::Approved | Because::Manual => Stance::Manual,
        Because::Following | Because::AwaitingAdmission if verdict.remarks.iter().any(is_refused) => {
            Stance::Refused
        }
        Because::Following | Because::AwaitingAdmission => Stance::Auto,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().expect("a time")
    }

    #[test]
    fn v37_what_was_wrong_before_the_admission_is_no_news() {
        let digest = "a".repeat(40).parse().expect("a digest");
        let admitted = Admission { at: at("2026-01-01T00:01:00Z"), from: digest, is_excused: false };
        let check = |state: &str, since: &str, admission: Option<Admission>, expected: Health| {
            let ready = json!({"type": "Ready", "status": "False", "lastTransitionTime": since});
            let instance = json!({"status": {"state": state, "conditions": [ready]}});
            assert_eq!(health(&instance, admission, at("2026-01-01T00:09:00Z")), expected, "{instance}");
        };
        let (early, late) = ("2026-01-01T00:00:30Z", "2026-01-01T00:02:00Z");
        check("ACTIVE", early, Some(admitted), Health::Ready);
        check("ERROR", early, Some(admitted), Health::Error(admitted.at));
        check("ERROR", early, None, Health::Error(at(early)));
        check("IN_PROGRESS", late, Some(admitted), Health::Unready(at(late)));
        check("IN_PROGRESS", "", None, Health::Unready(at("2026-01-01T00:09:00Z")));
    }

    #[test]
    fn v37_an_error_begins_when_it_begins_however_long_nothing_was_ready() {
        let digest = "a".repeat(40).parse().expect("a digest");
        let admitted = Admission { at: at("2026-01-01T00:01:00Z"), from: digest, is_excused: false };
        let check = |state: &str, error: &str, expected: Health| {
            let ready =
                json!({"type": "Ready", "status": "False", "lastTransitionTime": "2026-01-01T00:01:30Z"});
            let propagation = json!({"errorSince": error});
            let instance =
                json!({"status": {"state": state, "conditions": [ready], "propagation": propagation}});
            assert_eq!(health(&instance, Some(admitted), at("2026-01-01T00:09:00Z")), expected, "{instance}");
        };
        check("ERROR", "2026-01-01T00:08:00Z", Health::Error(at("2026-01-01T00:08:00Z")));
        check("ERROR", "2026-01-01T00:00:10Z", Health::Error(admitted.at));
        check("IN_PROGRESS", "2026-01-01T00:08:00Z", Health::Unready(at("2026-01-01T00:01:30Z")));
    }

    #[test]
    fn v37_a_server_that_cannot_serve_is_no_error_of_the_instance() {
        let (since, now) = (at("2026-01-01T00:02:00Z"), at("2026-01-01T00:09:00Z"));
        let check = |propagation: Value, expected: Health| {
            let ready = json!({"type": "Ready", "status": "False", "lastTransitionTime": since.to_string()});
            let status = json!({"state": "ERROR", "conditions": [ready], "propagation": propagation});
            assert_eq!(health(&json!({"status": status}), None, now), expected, "{status}");
        };
        let hindered = json!({"seconds": 0, "since": since.to_string()});
        check(json!({"hindered": hindered}), Health::Unready(since));
        check(
            json!({"hindered": hindered, "errorSince": "2026-01-01T00:08:00Z"}),
            Health::Error(at("2026-01-01T00:08:00Z")),
        );
        check(json!({"hindered": {"seconds": 5}}), Health::Error(since));
    }

    #[test]
    fn v17_another_input_of_the_same_content_is_not_observed_anew() {
        let digest = "a".repeat(40);
        let check = |propagation: Value, expected: &str| {
            let input = json!({"revision": 3, "rgdRevisionHash": digest});
            let status = json!({"observedInputRevision": 3, "inputRevisionHistory": [input], "propagation": propagation});
            let since = observed(&json!({"status": status})).map(|it| it.since);
            assert_eq!(since, Some(at(expected)), "{status}");
        };
        let (first, last) = ("2026-01-01T00:01:00Z", "2026-01-01T00:09:00Z");
        check(json!({"lastTransitionTime": first}), first);
        check(json!({"lastTransitionTime": last, "observedSince": first}), first);
    }

    #[test]
    fn v33_an_edit_after_the_admission_is_seen_by_the_generation() {
        let check = |admission: Value, now: i64, expected: bool| {
            let instance = json!({"metadata": {"generation": now}});
            assert_eq!(is_edited(&instance, &admission), expected, "{admission} {now}");
        };
        check(json!({"generation": 3}), 3, false);
        check(json!({"generation": 3}), 4, true);
        check(Value::Null, 4, false);
    }
}
