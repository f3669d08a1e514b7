//! Why a definition serves what it serves.

use krono_history::Digest;
use krono_history::hold::Hold;
use krono_model::definition::{GATE_NEVER_OPENS, REVISION_PENDING};
use serde_json::Value;

use super::{counted_instances, is_deleting, told_by, unready};
use crate::propagation::excused_failures;
use crate::revisions::{RevisionRows, Standing};

/// Why a definition serves what it serves, in one sentence.
pub fn why_definition(definition: &Value, revisions: &RevisionRows) -> String {
    let name = definition["metadata"]["name"].as_str().unwrap_or_default();
    if is_deleting(definition) {
        let blocked = told_by(definition, "DeletionBlocked").map(|it| format!(": {it}"));
        return format!("{name} is being deleted{}.", blocked.unwrap_or_default());
    }
    match &revisions.hold {
        hold @ (Hold::Held { .. } | Hold::Invalid(_)) => {
            let beside = ["PropagationInvalid", "PropagationHalted", "DeletionPending"];
            let beside = beside.iter().filter_map(|it| told_by(definition, it));
            let beside: Vec<String> = beside.map(|it| format!("; {it}")).collect();
            return format!("{name} is held: {hold}{}.", beside.concat());
        }
        Hold::Released => {}
    }
    if let Some(problem) = unready(definition) {
        return format!("{name} is not ready: {problem}.");
    }
    for problem in ["PropagationInvalid", "PropagationHalted"] {
        if let Some(told) = told_by(definition, problem) {
            return format!("{name} does not reach its instances: {told}.");
        }
    }
    let Some(current) = revisions.current() else { return format!("{name} has no revision yet.") };
    let pending = if is_pending(definition, revisions) {
        format!("; an edit waits for `krono revisions create {name}`")
    } else {
        String::new()
    };
    let elsewhere: u64 = others(revisions).filter_map(|it| it.instances).sum();
    let elsewhere = match elsewhere {
        0 => String::new(),
        count => format!("; {} on older revisions", counted_instances(count)),
    };
    let count = current.instances.map(|it| format!(" to {}", counted_instances(it))).unwrap_or_default();
    let under_way = told_by(definition, "Propagating").map(|it| format!("; {it}")).unwrap_or_default();
    let closed = told_by(definition, GATE_NEVER_OPENS).map(|it| format!("; {it}")).unwrap_or_default();
    let told = &definition["status"]["propagation"];
    let failed = told["instances"]["failed"].as_u64().filter(|it| *it > 0 && told["phase"] == "Completed");
    let failed = failed.map(|it| format!("; {it} failed on the way to it")).unwrap_or_default();
    let excused = Some(excused_failures(told)).filter(|it| *it > 0 && told["phase"] == "Completed");
    let excused = excused.map(|it| format!("; {it} failed on the way to it and {} excused", are(it)));
    let failed = failed + &excused.unwrap_or_default();
    format!(
        "{name} serves revision {}{count}{elsewhere}{failed}{under_way}{closed}{pending}.",
        current.number
    )
}

/// That a definition is gone, of which revisions are left.
pub fn why_gone(name: &str, revisions: &RevisionRows) -> String {
    let numbers: Vec<String> = revisions.rows.iter().map(|it| it.number.to_string()).collect();
    let (revisions, are) = if numbers.len() == 1 { ("revision", "is") } else { ("revisions", "are") };
    format!("{name} is gone; its {revisions} {} {are} kept.", numbers.join(", "))
}

/// What is to be said of an edit that is no revision: `Pending`, or `Refused` where something is wrong with it.
pub fn pending(definition: &Value, revisions: &RevisionRows) -> Option<&'static str> {
    let spec = Digest::of_definition(&definition["spec"]);
    let is_edited = revisions.history.latest().is_some_and(|it| it.digest != spec);
    let is_wrong = told_by(definition, REVISION_PENDING).is_none() && unready(definition).is_some();
    is_edited.then_some(if is_wrong { "Refused" } else { "Pending" })
}

fn are(count: u64) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// Whether the definition says what no revision says yet.
fn is_pending(definition: &Value, revisions: &RevisionRows) -> bool {
    let is_manual = definition["spec"]["revisionManagement"]["updatePolicy"]["type"] == "Manual";
    let spec = Digest::of_definition(&definition["spec"]);
    is_manual && revisions.history.latest().is_some_and(|it| it.digest != spec)
}

fn others(revisions: &RevisionRows) -> impl Iterator<Item = &crate::revisions::RevisionRow> {
    revisions.rows.iter().filter(|it| !matches!(it.standing, Standing::Current | Standing::Held))
}

#[cfg(test)]
mod tests {
    use krono_model::names;
    use serde_json::json;

    use super::*;
    use crate::fixture::{content, definition, revisions};

    fn check(edit: impl FnOnce(&mut Value), expected: &str) {
        let mut definition = definition();
        edit(&mut definition);
        let rows = RevisionRows::new(&definition, &revisions());
        assert_eq!(why_definition(&definition, &rows), expected);
    }

    #[test]
    fn v13_a_definition_that_is_gone_left_revisions() {
        let rows = RevisionRows::left(&definition(), &revisions());
        assert_eq!(why_gone("application", &rows), "application is gone; its revisions 3, 2, 1 are kept.");
        let standings: Vec<Standing> = rows.rows.iter().map(|it| it.standing).collect();
        assert_eq!(standings, [Standing::Active, Standing::Active, Standing::Unused]);
    }

    #[test]
    fn v42_one_sentence_for_a_definition() {
        check(|_| {}, "application serves revision 3 to 47 instances; 3 instances on older revisions.");
        check(
            |it| it["metadata"]["annotations"][names::ACTIVE_REVISION_ANNOTATION] = json!("2"),
            "application is held: revision 2 is served whatever the definition says; remove the annotation \
             krono.dev/active-revision to release it.",
        );
        check(
            |it| it["metadata"]["annotations"][names::ACTIVE_REVISION_ANNOTATION] = json!("7"),
            "application is held: no instance moves: there is no revision 7; hold one that is kept, or release the hold.",
        );
        check(
            |it| {
                it["status"]["conditions"] =
                    json!([{"type": "Ready", "status": "False", "message": "no kind Widget"}]);
            },
            "application is not ready: no kind Widget.",
        );
        check(
            |it| {
                it["spec"] = content(7);
                it["spec"]["revisionManagement"] = json!({"updatePolicy": {"type": "Manual"}});
            },
            "application serves revision 3 to 47 instances; 3 instances on older revisions; an edit waits for \
             `krono revisions create application`.",
        );
        check(|it| it["metadata"]["deletionTimestamp"] = json!("now"), "application is being deleted.");
        let note = |of: &str| json!([{"type": of, "status": "True", "message": "3 wait"}]);
        check(
            |it| it["status"]["conditions"] = note("GateNeverOpens"),
            "application serves revision 3 to 47 instances; 3 instances on older revisions; 3 wait.",
        );
        check(
            |it| it["status"]["conditions"] = note("PropagationHalted"),
            "application does not reach its instances: 3 wait.",
        );
        check(
            |it| {
                it["metadata"]["annotations"][names::ACTIVE_REVISION_ANNOTATION] = json!("2");
                it["status"]["conditions"] = note("PropagationHalted");
            },
            "application is held: revision 2 is served whatever the definition says; remove the annotation \
             krono.dev/active-revision to release it; 3 wait.",
        );
        check(
            |it| {
                let failure = json!({"instance": "default/a", "message": "late", "excused": true});
                it["status"]["propagation"] = json!({"phase": "Completed", "failures": [failure]});
            },
            "application serves revision 3 to 47 instances; 3 instances on older revisions; 1 failed on the way to it and is \
             excused.",
        );
        check(
            |it| it["status"]["conditions"] = note("Propagating"),
            "application serves revision 3 to 47 instances; 3 instances on older revisions; 3 wait.",
        );
    }
}
