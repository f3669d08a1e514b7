//! The schema of `ResourceGraphDefinitionRevision`.

use serde_json::{Value, json};

use super::openapi::{count, free, immutable, list, object, of, text, time};

pub(super) fn schema() -> Value {
    object(
        "One definition as it once was: immutable, and named by its number.",
        &["spec"],
        [
            ("apiVersion", text("The version of this schema: kro.run/v1alpha1.")),
            ("kind", text("ResourceGraphDefinitionRevision.")),
            ("metadata", json!({"type": "object"})),
            ("spec", spec()),
            ("status", status()),
        ],
    )
}

/// Content has no schema of its own: it is kept as it was written, whatever later releases of krono know.
fn spec() -> Value {
    let spec = object(
        "What the definition said, and what is known about how it came to say so.",
        &["revision", "schema"],
        [
            ("revision", count(1, "The number; they only grow.")),
            ("schema", free("The kind of the instances, as it was.")),
            ("resources", list(free("One resource, as it was."), "The resources, as they were.")),
            ("digest", text("The identity of schema and resources.")),
            ("restoredFrom", count(1, "The revision whose content this is again.")),
            ("createdAt", time("When it was issued.")),
            ("author", author()),
            ("changeCause", text("Why, in the words of whoever made the change.")),
            (
                "interface",
                free(
                    "The schemas of the kinds that it was compiled against, so that it compiles to the same.",
                ),
            ),
        ],
    );
    immutable(spec, "a revision is immutable; edit the definition to issue another one")
}

pub(super) fn author() -> Value {
    object(
        "Who made the change.",
        &[],
        [
            ("manager", text("The field manager that wrote the change.")),
            ("user", text("The user, where an admission webhook or the embedded server told.")),
            ("time", time("When the change was written.")),
        ],
    )
}

fn status() -> Value {
    object(
        "What has become of it.",
        &[],
        [
            ("specHash", text("The identity of schema and resources.")),
            ("createdAt", time("When it was issued.")),
            ("superseded", of("boolean", "Whether a newer revision is current.")),
            ("instanceCount", count(0, "How many instances are assigned to its content.")),
        ],
    )
}
