//! Pods and the templates they are made from.

mod container;
mod defaults;
mod handler;
mod spec;
mod update;
mod volume;

use serde_json::{Value, json};

use crate::kind::Rules;

use super::findings::Findings;
use super::place::Place;
use super::{fill, metadata, read};

pub(super) use container::{parsed, quantity};
pub(super) use handler::{port, port_number};

/// Rules of Pods.
pub(super) const POD: Rules = Rules { default: default_pod, validate: validate_pod };

/// Rules of `PodTemplates`.
pub(super) const POD_TEMPLATE: Rules = Rules {
    default: |object| fill::inside(object, "template", default_template),
    validate: |new, _| {
        let mut findings = Findings::default();
        validate_template(&new["template"], Place::ROOT.field("template"), &mut findings);
        findings.into_errors()
    },
};

fn default_pod(pod: &mut Value) {
    fill::inside(pod, "spec", |spec| {
        defaults::default_spec(spec);
        defaults::complete(spec);
    });
    let class = defaults::quality_of_service(&pod["spec"]);
    fill::inside(pod, "status", |status| {
        fill::empty(status, "phase", "Pending");
        fill::empty(status, "qosClass", class);
    });
}

/// Fills in the template of a workload.
pub(super) fn default_template(template: &mut Value) {
    fill::absent(template, "metadata", json!({}));
    fill::inside(template, "spec", defaults::default_spec);
}

fn validate_pod(new: &Value, old: Option<&Value>) -> Vec<krono_schema::FieldError> {
    let mut findings = Findings::default();
    let at = Place::ROOT.field("spec");
    spec::validate(&new["spec"], at, &mut findings);
    match old {
        None => spec::validate_creation(&new["spec"], at, &mut findings),
        Some(old) => update::validate(&new["spec"], &old["spec"], at, &mut findings),
    }
    findings.into_errors()
}

/// Checks the template of a workload.
pub(super) fn validate_template(template: &Value, at: Place<'_>, findings: &mut Findings) {
    metadata::labels(&template["metadata"]["labels"], at.field("labels"), findings);
    metadata::annotations(&template["metadata"], at, findings);
    spec::validate(&template["spec"], at.field("spec"), findings);
    if !read::list(&template["spec"], "ephemeralContainers").is_empty() {
        findings.forbidden(
            at.field("spec.ephemeralContainers"),
            "ephemeral containers not allowed in pod template",
        );
    }
}

/// Checks a template whose pods always restart and have no deadline.
pub(super) fn validate_lasting_template(
    template: &Value,
    kind: &str,
    at: Place<'_>,
    findings: &mut Findings,
) {
    validate_template(template, at, findings);
    let policy = read::text(&template["spec"], "restartPolicy");
    if policy != "Always" {
        findings.unsupported(at.field("spec.restartPolicy"), policy, &["Always"]);
    }
    if !template["spec"]["activeDeadlineSeconds"].is_null() {
        let detail = format!("activeDeadlineSeconds in {kind} is not Supported");
        findings.forbidden(at.field("spec.activeDeadlineSeconds"), detail);
    }
}

#[cfg(test)]
mod tests;
