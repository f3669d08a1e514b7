//! The schema of `ResourceGraphInputRevision`.

use serde_json::{Value, json};

use super::openapi::{count, free, immutable, object, of, one_of, text, time};
use super::revision::author;

pub(super) fn schema() -> Value {
    object(
        "What one instance once asked for, and of which revision of its definition: immutable.",
        &["spec"],
        [
            ("apiVersion", text("The version of this schema: kro.run/v1alpha1.")),
            ("kind", text("ResourceGraphInputRevision.")),
            ("metadata", json!({"type": "object"})),
            ("spec", spec()),
            ("status", status()),
        ],
    )
}

fn spec() -> Value {
    let reference = object(
        "The revision of the definition.",
        &["name"],
        [
            ("name", text("Its name.")),
            ("digest", text("The identity of its content, by which it is found when the number is gone.")),
        ],
    );
    let spec = object(
        "The instance's spec together with the revision that it was evaluated by.",
        &["inputRevision", "rgdRevision"],
        [
            ("inputRevision", count(1, "The number; they only grow, for each instance.")),
            ("rgdRevision", count(1, "The number of the definition's revision.")),
            ("rgdRevisionRef", reference),
            ("instanceSpec", free("The spec of the instance, as that revision's schema saw it.")),
            ("digest", text("The identity of spec and definition content.")),
            ("restoredFrom", count(1, "The input revision whose content this is again.")),
            ("createdAt", time("When it was issued.")),
            ("author", author()),
            ("changeCause", text("Why, in the words of whoever made the change.")),
        ],
    );
    immutable(spec, "an input revision is immutable; edit the instance to issue another one")
}

fn status() -> Value {
    object(
        "What has become of it.",
        &[],
        [
            ("specHash", text("The identity of spec and definition content.")),
            ("createdAt", time("When it was issued.")),
            (
                "propagationStatus",
                one_of(
                    &["Pending", "InProgress", "Completed", "Failed", "Blocked", "Superseded"],
                    "How far the resources have come.",
                ),
            ),
            ("resourcesAtRevision", count(0, "How many resources are at this revision.")),
            ("totalResources", count(0, "How many resources there are.")),
            (
                "restorable",
                of("boolean", "Whether content and definition are kept, so that it can be restored."),
            ),
        ],
    )
}
