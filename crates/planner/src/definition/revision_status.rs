//! What is told about revisions: on each of them, and on their definition.

use std::collections::BTreeMap;

use krono_history::RevisionNumber;
use krono_history::hold::Hold;
use krono_history::issue::{Issue, Standing};
use krono_model::condition::Conditions;
use krono_model::definition::{
    HELD, HOLD_INVALID, MANAGEMENT_INVALID, REVISION_DELETION_BLOCKED, REVISION_PENDING, ROLLBACK_REFUSED,
};
use krono_model::names;
use krono_model::wire::RevisionSummary;
use krono_propagation::management;
use serde_json::{Map, Value, json};

use super::{World, lineage, metadata, steps};
use crate::refused;

/// What the status of a revision should say beside what it says; nothing when it says all of it.
pub(super) fn of(world: &World<'_>, issue: &Issue, number: RevisionNumber, object: &Value) -> Option<Value> {
    let published = &object["status"];
    let superseded = issue.report.current.as_ref().map(|it| json!(number < it.number));
    let count = counts(world, issue).map(|it| json!(it.get(&number).copied().unwrap_or_default()));
    let digest = world.past.history.find(number).map(|it| json!(it.digest.to_string()));
    let wanted = [
        ("specHash", digest),
        ("createdAt", object["spec"].get("createdAt").cloned()),
        ("superseded", superseded),
        ("instanceCount", count),
    ];
    let different = wanted.into_iter().filter_map(|(field, value)| Some((field, value?)));
    let different: Map<String, Value> = different
        .filter(|(field, value)| published[field] != *value)
        .map(|(field, value)| (field.to_owned(), value))
        .collect();
    (!different.is_empty()).then_some(Value::Object(different))
}

/// How many instances are at each revision; nothing when it is too early to tell again.
fn counts(world: &World<'_>, issue: &Issue) -> Option<BTreeMap<RevisionNumber, usize>> {
    let counts = world.past.counts?;
    let history = world.past.history;
    let mut told: BTreeMap<RevisionNumber, usize> = history.live().map(|it| (it.number, 0)).collect();
    let following = issue.report.current.as_ref().map(|it| (&it.digest, &counts.following));
    for (digest, count) in counts.assigned.iter().chain(following) {
        if let Some(newest) = history.newest_with(*digest) {
            *told.entry(newest.number).or_default() += count;
        }
    }
    Some(told)
}

/// Puts what is known of revisions into the status of their definition.
pub(super) fn tell(world: &World<'_>, issue: &Issue, status: &mut Map<String, Value>) {
    let report = &issue.report;
    let (current, latest) = (report.current.as_ref(), report.latest.as_ref());
    let fields = [
        ("currentRevision", current.map(|it| json!(it.number.to_wire()))),
        ("currentRevisionName", current.map(|it| json!(it.name))),
        ("currentRevisionHash", current.map(|it| json!(it.digest.to_string()))),
        ("latestRevision", latest.map(|it| json!(it.number.to_wire()))),
        ("latestRevisionHash", latest.map(|it| json!(it.digest.to_string()))),
        ("lastIssuedRevision", lineage::traces(world).highest().map(|it| json!(it.to_wire()))),
        (lineage::RESERVED, None),
        ("revisionHistory", summaries(world, issue)),
    ];
    for (field, value) in fields {
        match value {
            Some(value) => drop(status.insert(field.to_owned(), value)),
            None => drop(status.remove(field)),
        }
    }
}

/// Newest first; nothing when there are none.
fn summaries(world: &World<'_>, issue: &Issue) -> Option<Value> {
    let counts = counts(world, issue);
    let published = world.definition["status"]["revisionHistory"].as_array();
    let published = |number: RevisionNumber| {
        let known = published?.iter().find(|it| it["revision"] == number.to_wire())?;
        known["instanceCount"].as_i64()
    };
    let summary = |(number, object): (&RevisionNumber, &&Value)| RevisionSummary {
        revision: number.to_wire(),
        created_at: object["spec"]["createdAt"].as_str().map(str::to_owned),
        current: issue.report.current.as_ref().is_some_and(|it| it.number == *number),
        instance_count: match &counts {
            Some(counts) => wire(counts.get(number).copied().unwrap_or_default()),
            None => published(*number).unwrap_or_default(),
        },
        restored_from: object["spec"]["restoredFrom"].as_i64(),
    };
    let all: Vec<RevisionSummary> = world.past.objects.iter().rev().map(summary).collect();
    (!all.is_empty()).then(|| json!(all))
}

fn wire(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Notes what holds about revisions, and drops what does not.
pub(super) fn note(world: &World<'_>, issue: &Issue, conditions: &mut Conditions) {
    let report = &issue.report;
    let (held, invalid) = match &report.hold {
        Hold::Released => (None, None),
        Hold::Held { .. } => (Some(report.hold.to_string()), None),
        Hold::Invalid(_) => (None, Some(report.hold.to_string())),
    };
    let pending = match &report.standing {
        Standing::Pending { digest } => Some(pending(world, &digest.to_string())),
        Standing::Issued
        | Standing::Issuing { .. }
        | Standing::Due
        | Standing::Restoring { .. }
        | Standing::Refused(_)
        | Standing::Ending => None,
    };
    let notes = [
        (HELD, "Held", held),
        (HOLD_INVALID, "HoldInvalid", invalid),
        (REVISION_PENDING, "ManualUpdatePolicy", pending),
        (ROLLBACK_REFUSED, "RollbackRefused", refused::words(world.definition).map(str::to_owned)),
        (REVISION_DELETION_BLOCKED, "RevisionInUse", blocked(world, issue)),
        (MANAGEMENT_INVALID, "PolicyInvalid", invalid_management(world)),
    ];
    for (condition_type, reason, message) in notes {
        match message {
            Some(message) => conditions.note(condition_type, reason, &message),
            None => conditions.drop_note(condition_type),
        }
    }
}

/// What is passed over, for whoever wrote it believes that it is in force.
fn invalid_management(world: &World<'_>) -> Option<String> {
    let problems = management::problems(&world.definition["spec"]["revisionManagement"]);
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn pending(world: &World<'_>, digest: &str) -> String {
    let name = metadata(world.definition, "name");
    format!(
        "the edit is valid and waits to be issued; run `krono revisions create rgd/{name}`, or annotate the definition \
         with {}: \"{}\"",
        names::CREATE_REVISION_ANNOTATION,
        digest.get(..12).unwrap_or(digest)
    )
}

/// Revisions that were deleted and are needed.
fn blocked(world: &World<'_>, issue: &Issue) -> Option<String> {
    let needed = world.past.deleted.iter().filter(|it| steps::needed(issue, **it));
    let needed: Vec<String> = needed.map(ToString::to_string).collect();
    (!needed.is_empty()).then(|| {
        format!(
            "revision {} was deleted and is needed; it goes when no instance needs it any longer",
            needed.join(", ")
        )
    })
}
