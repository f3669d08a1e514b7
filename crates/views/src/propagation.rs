//! How far a revision has come on its way to instances.

use krono_history::Digest;
use krono_model::definition::{DELETION_PENDING, GATE_NEVER_OPENS, HOLD_INVALID};
use krono_model::names::ACTIVE_REVISION_ANNOTATION;
use serde_json::Value;

use crate::table::cell;
use crate::why::{counted_instances, told_by};

/// How many of those who failed are told by name.
const NAMED: usize = 10;
/// How wide a bar is.
const BAR: u64 = 40;

/// How far the current revision of a definition has come, in a few lines; nothing where nobody waits for a turn.
pub fn propagation_text(definition: &Value) -> Option<String> {
    let closed = || told_by(definition, GATE_NEVER_OPENS);
    let wrong = propagation_mistake(definition).or_else(closed).map(|it| format!("{it}\n"));
    let is_told = |it: &&Value| it["revision"].is_number() && it["phase"] != "Invalid";
    let told = definition["status"].get("propagation").filter(is_told);
    match (told.map(|it| course(definition, it)), wrong) {
        (None, wrong) => wrong,
        (Some(course), wrong) => Some(wrong.unwrap_or_default() + &course),
    }
}

/// What is wrong with the policy of a definition, so that nobody moves.
pub fn propagation_mistake(definition: &Value) -> Option<String> {
    told_by(definition, "PropagationInvalid")
}

/// Whether a hold makes no sense, so that nobody moves.
pub fn is_hold_invalid(definition: &Value) -> bool {
    told_by(definition, HOLD_INVALID).is_some()
}

/// Whether something waits for somebody to approve of deletions.
pub fn waits_for_deletes(definition: &Value) -> bool {
    let mut waiting = entries(&definition["status"]["propagation"], "waiting");
    waiting.any(|it| it["reason"] == "DeletesNeedApproval") || told_by(definition, DELETION_PENDING).is_some()
}

fn course(definition: &Value, told: &Value) -> String {
    let notes = ["Held", DELETION_PENDING, "ApprovalInvalid"].map(|it| told_by(definition, it));
    let notes: Vec<String> = notes.into_iter().flatten().map(|it| format!("  {it}\n")).collect();
    let waiting = entries(told, "waiting")
        .map(|it| format!("  {} wait: {} ({})\n", it["count"], message(it), names(it)));
    let failures = entries(told, "failures")
        .take(NAMED)
        .map(|it| format!("  {} {}\n", it["instance"].as_str().unwrap_or_default(), failed(it)));
    let blocked = told.get("blocked").map(|it| {
        let advice = "ask `krono why` about one of them";
        format!("  {} have resources that wait: {advice} ({})\n", it["count"], names(it))
    });
    let closed = told_by(definition, GATE_NEVER_OPENS).unwrap_or_default();
    // By the gate that it is about: the condition may have other words.
    let is_new = |it: &&str| !is_why(told, it) && !closed.contains(it.split(": ").next().unwrap_or(it));
    let errors = entries(told, "gateErrors").filter_map(Value::as_str).filter(is_new);
    let errors = errors.map(|it| format!("  {}\n", cell(it)));
    let lists: String = waiting.chain(blocked).chain(failures).chain(unnamed(told)).chain(errors).collect();
    heading(told) + &notes.concat() + &progress(told) + &lists
}

/// Whether somebody waits for an error of a gate, and it is told there.
fn is_why(told: &Value, error: &str) -> bool {
    let Some((gate, cause)) = error.split_once(": ") else { return false };
    let mut messages = entries(told, "waiting").filter_map(|it| it["message"].as_str());
    messages.any(|it| it.starts_with(gate) && it.contains(cause))
}

fn failed(failure: &Value) -> String {
    let excuse = if is_excused(failure) { " (excused)" } else { "" };
    format!("failed{excuse}: {}", message(failure))
}

fn is_excused(failure: &Value) -> bool {
    failure["excused"] == true
}

/// How many failed though nobody blames the revision for it.
pub(crate) fn excused_failures(told: &Value) -> u64 {
    entries(told, "failures").filter(|it| is_excused(it)).count() as u64
}

/// How many failed beside those whose names are told.
fn unnamed(told: &Value) -> Option<String> {
    let named = entries(told, "failures").take(NAMED).filter(|it| !is_excused(it)).count();
    let more = told["instances"]["failed"].as_u64()?.checked_sub(named as u64)?;
    (more > 0 && told["failures"].is_array()).then(|| format!("  and {more} more failed\n"))
}

fn heading(told: &Value) -> String {
    let wave = told["wave"].as_u64().filter(|it| *it > 0).map(|it| format!(", wave {it}"));
    let reason = told["reason"].as_str().map(|it| format!("  {}\n", cell(it)));
    format!(
        "Revision {}: {}{}\n{}",
        told["revision"],
        told["phase"].as_str().unwrap_or_default(),
        wave.unwrap_or_default(),
        reason.unwrap_or_default()
    )
}

fn progress(told: &Value) -> String {
    let count = |field: &str| told["instances"][field].as_u64().unwrap_or_default();
    let (settled, failed, eligible) = (count("settled"), count("failed"), count("eligible"));
    // Those who failed have settled where so many may, and else are what is left of the admitted.
    let too_many = count("admitted").saturating_sub(settled + count("inFlight"));
    let excused = excused_failures(told);
    let good = settled.saturating_sub(failed.saturating_sub(too_many) + excused);
    let bar = (eligible > 0).then(|| {
        format!("[{}] {good} of {}\n", bar(good, failed + excused, eligible), counted_instances(eligible))
    });
    let waiting: u64 = entries(told, "waiting").filter_map(|it| it["count"].as_u64()).sum();
    format!(
        "{}  {} on their way, {waiting} waiting, {failed} failed, {} excused\n",
        bar.unwrap_or_default(),
        count("inFlight"),
        count("excused")
    )
}

/// Why an instance waits for its turn, as far as its definition tells.
pub(crate) fn reason_to_wait(definition: &Value, full_name: &str) -> Option<String> {
    let told = &definition["status"]["propagation"];
    let names_it =
        |it: &&Value| it["first"].as_array().is_some_and(|all| all.iter().any(|it| it == full_name));
    let all = entries(told, "waiting");
    let named = all.clone().find(names_it).map(message);
    // Where its name is not told it is among those who are only counted.
    let is_long =
        |it: &&Value| it["count"].as_u64().unwrap_or_default() > entries(it, "first").count() as u64;
    let unnamed = || all.filter(is_long).map(message).collect::<Vec<_>>().join(", or ");
    let reason = told["reason"].as_str().map(|it| format!(": {}", cell(it))).unwrap_or_default();
    Some(named.unwrap_or_else(unnamed)).filter(|it| !it.is_empty()).map(|it| it + &reason)
}

/// How an instance failed on its way, as far as its definition tells.
pub(crate) fn failure_of(definition: &Value, full_name: &str) -> Option<String> {
    let told = &definition["status"]["propagation"];
    let failure = entries(told, "failures").find(|it| it["instance"] == full_name)?;
    let excuse = if is_excused(failure) { " and is excused" } else { "" };
    Some(format!("failed on its way to it{excuse}: {}", message(failure)))
}

/// Whether the propagation of a definition is about its latest content.
pub fn is_of_latest(definition: &Value) -> bool {
    let latest: Option<Digest> =
        definition["status"]["latestRevisionHash"].as_str().and_then(|it| it.parse().ok());
    let told = definition["status"]["propagation"]["digest"].as_str().and_then(|it| it.parse().ok());
    latest.is_some() && latest == told
}

/// Whether somebody wants another revision to be served than the latest; what follows from a failure is nobody's wish.
pub fn is_held_by_people(definition: &Value) -> bool {
    let annotation = &definition["metadata"]["annotations"][ACTIVE_REVISION_ANNOTATION];
    annotation.is_string() || definition["spec"]["revisionManagement"]["activeRevision"].is_number()
}

fn entries<'v>(told: &'v Value, field: &str) -> impl Iterator<Item = &'v Value> + Clone {
    told[field].as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

fn message(it: &Value) -> String {
    cell(it["message"].as_str().unwrap_or_default())
}

fn names(waiting: &Value) -> String {
    let first: Vec<&str> = entries(waiting, "first").filter_map(Value::as_str).collect();
    let more = waiting["count"].as_u64().unwrap_or_default() > first.len() as u64;
    first.join(", ") + if more { ", …" } else { "" }
}

fn bar(settled: u64, failed: u64, eligible: u64) -> String {
    let done = (settled * BAR / eligible).min(BAR);
    let bad = (failed * BAR).div_ceil(eligible).min(BAR - done.min(BAR));
    let part = |character: char, count: u64| {
        std::iter::repeat_n(character, usize::try_from(count).unwrap_or_default())
    };
    part('#', done).chain(part('!', bad)).chain(part('.', BAR - done - bad)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn definition() -> Value {
        json!({"status": {"propagation": {
            "revision": 3, "phase": "Halted", "reason": "1 of 8 instances failed", "wave": 2,
            "instances": {"eligible": 8, "admitted": 3, "settled": 2, "inFlight": 0, "failed": 1, "excused": 0},
            "waiting": [{"reason": "Halted", "message": "the propagation was given up; edit the definition, or retry",
                "count": 5, "first": ["default/d", "default/e", "default/f"]}],
            "failures": [{"instance": "default/c", "message": "in error for more than 30 seconds"}],
        }}})
    }

    #[test]
    fn v42_progress_is_told_in_a_few_lines() {
        let expected = "\
Revision 3: Halted, wave 2
  1 of 8 instances failed
[##########!!!!!.........................] 2 of 8 instances
  0 on their way, 5 waiting, 1 failed, 0 excused
  5 wait: the propagation was given up; edit the definition, or retry (default/d, default/e, default/f, …)
  default/c failed: in error for more than 30 seconds
";
        assert_eq!(propagation_text(&definition()).as_deref(), Some(expected));
        let mut many = definition();
        many["status"]["propagation"]["instances"]["failed"] = json!(3);
        many["status"]["propagation"]["instances"]["admitted"] = json!(5);
        let told = propagation_text(&many).unwrap_or_default();
        assert!(told.ends_with("more than 30 seconds\n  and 2 more failed\n"), "{told}");
        let tolerated = json!({"eligible": 8, "admitted": 4, "settled": 4, "failed": 2, "inFlight": 0});
        many["status"]["propagation"]["instances"] = tolerated;
        let told = propagation_text(&many).unwrap_or_default();
        assert!(told.contains("\n[##########!!!!!!!!!!....................] 2 of 8 instances\n"), "{told}");
        assert_eq!(propagation_text(&json!({"status": {}})), None);
    }

    #[test]
    fn v42_a_gate_that_never_opens_is_told_before_anybody_waits_for_it() {
        let closed = json!({"type": "GateNeverOpens", "status": "True", "reason": "NobodyCanBegin",
            "message": "no instance would begin to move"});
        let mut resting = json!({"status": {"conditions": [closed]}});
        assert_eq!(propagation_text(&resting).as_deref(), Some("no instance would begin to move\n"));
        resting["status"]["propagation"] = definition()["status"]["propagation"].clone();
        let told = propagation_text(&resting).unwrap_or_default();
        assert!(told.starts_with("no instance would begin to move\nRevision 3: Halted"), "{told}");
    }

    #[test]
    fn v34_a_gate_without_a_value_at_rest_is_told_once() {
        let error = "propagateWhen[0]: it has no value for any instance: each.metadata.labels.tier == 'x' (no such key: labels)";
        let message = format!("no instance would begin to move to a new revision: spec.{error}");
        let closed = json!({"type": "GateNeverOpens", "status": "True", "reason": "NobodyCanBegin", "message": message});
        let mut resting = definition();
        resting["status"]["conditions"] = json!([closed]);
        resting["status"]["propagation"] = json!({"revision": 1, "phase": "Completed", "gateErrors": [error],
            "instances": {"inFlight": 0, "excused": 0}});
        let told = propagation_text(&resting).unwrap_or_default();
        assert_eq!(told.matches("no such key").count(), 1, "{told}");
    }

    #[test]
    fn v40_of_many_who_failed_a_few_are_told_and_each_is_known() {
        let failure = |at: usize| json!({"instance": format!("default/i{at:02}"), "message": "late"});
        let mut many = definition();
        many["status"]["propagation"]["failures"] = json!((0..30).map(failure).collect::<Vec<_>>());
        many["status"]["propagation"]["instances"]["failed"] = json!(30);
        let told = propagation_text(&many).unwrap_or_default();
        assert!(told.ends_with("  default/i09 failed: late\n  and 20 more failed\n"), "{told}");
        assert_eq!(failure_of(&many, "default/i29").as_deref(), Some("failed on its way to it: late"));
    }

    #[test]
    fn v33_who_is_excused_and_failed_has_not_arrived() {
        let failure = |name: &str| json!({"instance": name, "message": "late", "excused": true});
        let mut excused = definition();
        excused["status"]["propagation"] = json!({
            "revision": 3, "phase": "Completed", "wave": 1,
            "instances": {"eligible": 4, "admitted": 4, "settled": 4, "inFlight": 0, "failed": 0, "excused": 3},
            "failures": [failure("default/a"), failure("default/b")],
        });
        let expected = "\
Revision 3: Completed, wave 1
[####################!!!!!!!!!!!!!!!!!!!!] 2 of 4 instances
  0 on their way, 0 waiting, 0 failed, 3 excused
  default/a failed (excused): late
  default/b failed (excused): late
";
        assert_eq!(propagation_text(&excused).as_deref(), Some(expected));
        assert_eq!(
            failure_of(&excused, "default/b").as_deref(),
            Some("failed on its way to it and is excused: late")
        );
    }

    #[test]
    fn v34_an_error_of_a_gate_is_told_once() {
        let mut wrong = definition();
        let waits = json!([{"reason": "GateFailed", "message": "propagateWhen[0] has no value: 1/x (division by zero)", "count": 1, "first": ["default/d"]}]);
        let told = &mut wrong["status"]["propagation"];
        told["waiting"] = waits;
        told["gateErrors"] = json!(["propagateWhen[0]: division by zero", "propagateWhen[1]: no such key"]);
        let told = propagation_text(&wrong).unwrap_or_default();
        assert_eq!(told.matches("division by zero").count(), 1, "{told}");
        assert!(told.ends_with("  propagateWhen[1]: no such key\n"), "{told}");
    }

    #[test]
    fn v42_what_keeps_everybody_is_told_first() {
        let condition = |kind: &str, message: &str| json!([{"type": kind, "status": "True", "reason": "R", "message": message}]);
        let check = |status: Value, expected: &str| {
            assert_eq!(propagation_text(&json!({"status": status})).as_deref(), Some(expected));
        };
        let told = json!({"revision": 1, "phase": "Completed", "instances": {"inFlight": 0, "excused": 0}});
        let counts = "  0 on their way, 0 waiting, 0 failed, 0 excused\n";
        check(json!({"conditions": condition("PropagationInvalid", "no window opens")}), "no window opens\n");
        check(
            json!({"conditions": condition("PropagationInvalid", "no window opens"), "propagation": told}),
            &format!("no window opens\nRevision 1: Completed\n{counts}"),
        );
        check(
            json!({"conditions": condition("PropagationInvalid", "no window opens"),
                "propagation": {"revision": 2, "phase": "Invalid"}}),
            "no window opens\n",
        );
        check(
            json!({"conditions": condition("Held", "revision 2 was rolled back"), "propagation": told}),
            &format!("Revision 1: Completed\n  revision 2 was rolled back\n{counts}"),
        );
    }

    #[test]
    fn v42_who_waits_is_told_why() {
        let expected = "the propagation was given up; edit the definition, or retry: 1 of 8 instances failed";
        assert_eq!(reason_to_wait(&definition(), "default/e").as_deref(), Some(expected));
        assert_eq!(reason_to_wait(&definition(), "default/z").as_deref(), Some(expected));
        assert_eq!(reason_to_wait(&json!({}), "default/z"), None);
        let wait = |message: &str, count: u64, first: &[&str]| json!({"message": message, "count": count, "first": first});
        let waiting = json!([
            wait("no window", 4, &["default/a", "default/b", "default/c"]),
            wait("no room", 1, &["default/d"]),
            wait("no approval", 9, &["default/e", "default/f", "default/g"]),
        ]);
        let many = json!({"status": {"propagation": {"waiting": waiting}}});
        let check = |name: &str, expected: &str| {
            assert_eq!(reason_to_wait(&many, name).as_deref(), Some(expected), "{name}");
        };
        check("default/d", "no room");
        check("default/z", "no window, or no approval");
    }

    #[test]
    fn bars_are_never_longer_than_they_are() {
        for (settled, failed, eligible) in [(0, 0, 1), (1, 0, 1), (8, 8, 8), (3, 9, 9), (1, 1, 1000)] {
            let bar = bar(settled, failed, eligible);
            assert_eq!(bar.len() as u64, BAR, "{settled} {failed} {eligible}");
        }
    }
}
