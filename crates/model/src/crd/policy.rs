//! The schemas of policy: what says how a change travels and is no part of what changes.
//!
//! Fields without a schema here are kept as they are written.

use serde_json::{Value, json};

use super::openapi::{count, count_or_percentage, free, list, object, of, one_of, text, with};

const KEEP: (&str, Value) = ("x-kubernetes-preserve-unknown-fields", Value::Bool(true));

pub(super) fn revision_management() -> Value {
    let update = object(
        "How edits become revisions.",
        &[],
        [(
            "type",
            one_of(&["Automatic", "Manual"], "Automatic: at once. Manual: when somebody asks for it."),
        )],
    );
    let schema = object(
        "How revisions of this definition are issued and kept.",
        &[],
        [
            (
                "historyLimit",
                count(1, "How many revisions are kept, 10 unless said; those in use are kept beside."),
            ),
            ("updatePolicy", with(update, [KEEP])),
            ("activeRevision", count(1, "Serve this revision whatever the definition says.")),
            (
                "inputRevisions",
                one_of(&["Inline", "Objects"], "Where the history of an instance's inputs is kept."),
            ),
            ("inputHistoryLimit", count(1, "How many inputs of an instance are kept, 5 unless said.")),
            ("stampResources", one_of(&["OnChange", "Always"], "When the revision is written on resources.")),
            (
                "instances",
                json!({"type": "object", KEEP.0: KEEP.1, "description": "What instances may decide for themselves."}),
            ),
        ],
    );
    with(schema, [KEEP])
}

pub(super) fn propagation() -> Value {
    let schema = object(
        "How a new revision reaches instances.",
        &[],
        [
            ("maxInFlight", count_or_percentage("How many instances may be on their way at once.")),
            ("maxFailures", count_or_percentage("How many may fail before onFailure.")),
            ("soakSeconds", count(0, "How long an instance must stay ready before it counts.")),
            ("progressDeadlineSeconds", count(1, "How long an instance may take, 600 unless said.")),
            ("onFailure", one_of(&["Halt", "Rollback", "Continue"], "What happens when too many fail.")),
            (
                "rollbackMode",
                one_of(&["Instant", "Controlled"], "Whether a rollback waits as other changes do."),
            ),
            ("newInstances", one_of(&["Current", "LastGood"], "Which revision new instances start with.")),
            (
                "deletes",
                one_of(&["Allow", "RequireApproval"], "Whether what deletes resources waits for approval."),
            ),
            ("paused", of("boolean", "Let no further instance move.")),
            (
                "failurePolicy",
                one_of(&["Closed", "Open"], "Whether an expression that has no value keeps instances out."),
            ),
            ("windows", list(window(), "When instances may begin to move; at any time unless said.")),
            ("stages", list(stage(), "Rings of instances in order; who is in none comes last.")),
        ],
    );
    with(schema, [KEEP])
}

fn window() -> Value {
    let schema = object(
        "A time in which instances may begin to move.",
        &[],
        [
            ("schedule", text("When it opens, as cron has it, such as 0 22 * * MON-THU.")),
            ("duration", text("How long it stays open, such as 4h.")),
            ("timeZone", text("Whose time the schedule is, such as Europe/Berlin; UTC unless said.")),
        ],
    );
    with(schema, [KEEP])
}

fn stage() -> Value {
    let schema = object(
        "A ring of instances; the next begins when all of it is settled.",
        &[],
        [
            ("name", text("What people call it.")),
            ("instanceSelector", free("Which instances are in it, by their labels.")),
            ("namespaceSelector", free("Which instances are in it, by the labels of their namespaces.")),
            ("soakSeconds", count(0, "How long the next stage waits after this one has settled.")),
            ("requireApproval", of("boolean", "Begin it only when somebody approves of it.")),
        ],
    );
    with(schema, [KEEP])
}
