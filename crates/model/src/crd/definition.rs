//! The schema of `ResourceGraphDefinition`.

use serde_json::{Value, json};

use super::openapi::{
    count, free, immutable, list, object, of, one_of, ruled, text, text_map, texts, time, with,
};
use super::{policy, propagation};

pub(super) fn schema() -> Value {
    object(
        "A new kind of object, and the resources that each instance of it brings about.",
        &[],
        [
            ("apiVersion", text("The version of this schema: kro.run/v1alpha1.")),
            ("kind", text("ResourceGraphDefinition.")),
            ("metadata", json!({"type": "object"})),
            ("spec", spec()),
            ("status", status()),
        ],
    )
}

fn spec() -> Value {
    let resources =
        "What each instance brings about, in any order: krono finds the order from the expressions.";
    object(
        "The kind and its resources, and how changes of them reach instances.",
        &["schema"],
        [
            ("schema", instance_schema()),
            ("resources", list(resource(), resources)),
            ("revisionManagement", policy::revision_management()),
            (
                "propagateWhen",
                texts("Expressions, ${…}, that must all hold before an instance moves to a new revision."),
            ),
            ("propagation", policy::propagation()),
        ],
    )
}

fn instance_schema() -> Value {
    object(
        "The kind of the instances.",
        &["apiVersion", "kind"],
        [
            (
                "kind",
                immutable(
                    with(
                        text("The name of the kind, such as WebApp."),
                        [("pattern", json!("^[A-Z][a-zA-Z0-9]{0,62}$"))],
                    ),
                    "kind is immutable",
                ),
            ),
            (
                "apiVersion",
                immutable(
                    with(
                        text("The API version of the kind, such as v1alpha1."),
                        [("pattern", json!("^v[0-9]+(alpha[0-9]+|beta[0-9]+)?$"))],
                    ),
                    "apiVersion is immutable",
                ),
            ),
            (
                "group",
                immutable(
                    with(text("The API group of the kind."), [("default", json!("kro.run"))]),
                    "group is immutable",
                ),
            ),
            (
                "scope",
                immutable(
                    with(
                        one_of(&["Namespaced", "Cluster"], "Whether instances live in namespaces."),
                        [("default", json!("Namespaced"))],
                    ),
                    "scope is immutable",
                ),
            ),
            ("spec", free("The fields of an instance's spec, such as `replicas: integer | default=1`.")),
            ("types", free("Types that fields of the spec may name.")),
            ("status", free("The fields of an instance's status, as expressions over its resources.")),
            (
                "additionalPrinterColumns",
                list(printer_column(), "The columns of kubectl get, in place of state, readiness and age."),
            ),
            ("shortNames", aliases("Short names for kubectl.")),
            ("categories", aliases("Groups that kubectl get knows the kind by, such as `all`.")),
            (
                "metadata",
                object(
                    "What the CRD of the kind carries beside krono's own labels.",
                    &[],
                    [
                        ("labels", text_map("Labels of the CRD.")),
                        ("annotations", text_map("Annotations of the CRD.")),
                    ],
                ),
            ),
        ],
    )
}

fn aliases(description: &str) -> Value {
    let alias = json!({"type": "string", "maxLength": 63, "pattern": "^[a-z]([-a-z0-9]*[a-z0-9])?$"});
    with(list(alias, description), [("maxItems", json!(32)), ("x-kubernetes-list-type", json!("set"))])
}

fn printer_column() -> Value {
    object(
        "One column.",
        &["jsonPath", "name", "type"],
        [
            ("name", text("The heading.")),
            ("type", text("The type of the values: string, integer, number, boolean or date.")),
            ("format", text("The format of the values, such as int32.")),
            ("description", text("What the column means.")),
            (
                "priority",
                with(of("integer", "Above zero: shown by -o wide only."), [("format", json!("int32"))]),
            ),
            ("jsonPath", text("Where the value is, such as .status.state.")),
        ],
    )
}

fn resource() -> Value {
    let resource = object(
        "One resource, a collection of them, or resources that others make.",
        &["id"],
        [
            ("id", text("The name that expressions call it by; a lowerCamelCase word.")),
            ("template", free("The resource to make; values may hold expressions, ${…}.")),
            ("externalRef", external_reference()),
            (
                "readyWhen",
                texts("Expressions that must all hold before resources that need this one are made."),
            ),
            (
                "includeWhen",
                texts("Expressions that must all hold, or the resource and those that need it are left out."),
            ),
            ("forEach", list(dimension(), "Lists whose every combination of elements makes one resource.")),
            (
                "propagateWhen",
                texts("Expressions that must all hold before a change of revision reaches the resource."),
            ),
            (
                "deletionPolicy",
                one_of(
                    &["Delete", "Retain"],
                    "What becomes of the resource when it is no longer wanted; Retain for volumes, their claims, namespaces and CRDs unless said otherwise.",
                ),
            ),
        ],
    );
    ruled(
        resource,
        "has(self.template) != has(self.externalRef)",
        "exactly one of template or externalRef must be provided",
    )
}

fn dimension() -> Value {
    with(
        text_map("An iterator and the expression of its list."),
        [("minProperties", json!(1)), ("maxProperties", json!(1))],
    )
}

fn external_reference() -> Value {
    object(
        "Resources that others make: read, never written.",
        &["apiVersion", "kind", "metadata"],
        [
            ("apiVersion", text("Their API version, such as apps/v1.")),
            ("kind", text("Their kind.")),
            (
                "metadata",
                object(
                    "Which of them: exactly one of name and selector.",
                    &[],
                    [
                        ("name", with(text("The name of a single one."), [("minLength", json!(1))])),
                        (
                            "namespace",
                            text(
                                "Where; unless said, the instance's namespace for a name, and all for a selector.",
                            ),
                        ),
                        // An expression may stand for the whole selector, so it has no type; for want of one no rule can see it.
                        (
                            "selector",
                            json!({
                                "x-kubernetes-preserve-unknown-fields": true,
                                "description": "A label selector, or an expression that gives one.",
                            }),
                        ),
                    ],
                ),
            ),
        ],
    )
}

fn status() -> Value {
    let dependency = object("A resource that is needed.", &[], [("id", text("Its id."))]);
    let resource = object(
        "A resource that needs others.",
        &[],
        [("id", text("Its id.")), ("dependencies", list(dependency, "The resources it needs."))],
    );
    object(
        "What krono made of it.",
        &[],
        [
            (
                "state",
                text("Active while instances are served by this definition as it stands, else Inactive."),
            ),
            ("conditions", conditions()),
            ("topologicalOrder", texts("The ids of the resources in the order in which they are made.")),
            ("resources", list(resource, "What needs what.")),
            (
                "lastIssuedRevision",
                with(of("integer", "The highest revision number ever issued."), [("format", json!("int64"))]),
            ),
            (
                "reservedRevisionHash",
                text("What the last issued number was taken for, until its revision is there."),
            ),
            ("observedGeneration", count(0, "The generation that this status was found in.")),
            ("currentRevision", count(1, "The revision that instances move to.")),
            ("currentRevisionName", text("The name of the current revision.")),
            ("currentRevisionHash", text("The identity of the current revision's content.")),
            ("latestRevision", count(1, "The newest revision; another than the current one while held.")),
            ("latestRevisionHash", text("The identity of the latest revision's content.")),
            ("revisionHistory", list(revision_summary(), "The revisions that are kept, newest first.")),
            ("propagation", propagation::status()),
        ],
    )
}

fn revision_summary() -> Value {
    object(
        "One revision.",
        &["revision"],
        [
            ("revision", count(1, "Its number.")),
            ("createdAt", time("When it was issued.")),
            ("current", of("boolean", "Whether instances move to it.")),
            ("instanceCount", count(0, "How many instances are assigned to its content.")),
            ("restoredFrom", count(1, "The revision whose content this is again.")),
        ],
    )
}

fn conditions() -> Value {
    let condition = object(
        "One condition.",
        &["type", "status"],
        [
            ("type", text("What it is about.")),
            ("status", text("True, False or Unknown.")),
            ("reason", text("Why, as one word.")),
            ("message", text("Why, for people.")),
            ("lastTransitionTime", time("When the status last changed.")),
            ("observedGeneration", count(0, "The generation that it was found in.")),
        ],
    );
    with(
        list(
            condition,
            "Ready, and what it depends on: GraphRevisionsResolved, GraphAccepted, KindReady, ControllerReady.",
        ),
        [("x-kubernetes-list-type", json!("map")), ("x-kubernetes-list-map-keys", json!(["type"]))],
    )
}
