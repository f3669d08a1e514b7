//! Deployments, `ReplicaSets`, `StatefulSets`, `DaemonSets` and their revisions.

mod daemon_set;
mod deployment;
mod replica_set;
mod stateful_set;

pub(super) use daemon_set::DAEMON_SET;
pub(super) use deployment::DEPLOYMENT;
pub(super) use replica_set::{REPLICA_SET, REPLICATION_CONTROLLER};
pub(super) use stateful_set::STATEFUL_SET;

use krono_schema::FieldError;
use krono_schema::selector::selects;
use serde_json::Value;

use crate::kind::Rules;

use super::findings::Findings;
use super::place::Place;
use super::selector;

/// Rules of `ControllerRevisions`.
pub(super) const CONTROLLER_REVISION: Rules = Rules { default: |_| {}, validate: validate_revision };

fn validate_revision(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut findings = Findings::default();
    findings.not_negative(Place::ROOT, new, "revision");
    match old {
        None if new["data"].is_null() => findings.required(Place::ROOT.field("data"), "data is mandatory"),
        None => {}
        Some(old) => findings.immutable(Place::ROOT, new, old, "data"),
    }
    findings.into_errors()
}

/// Checks that there is a selector which selects something.
fn validate_selector(spec: &Value, workload: &str, at: Place<'_>, findings: &mut Findings) {
    let at = at.field("selector");
    if spec["selector"].is_null() {
        findings.required(at, "");
        return;
    }
    selector::validate(&spec["selector"], at, findings);
    if selector::is_empty(&spec["selector"]) {
        let detail = format!("empty selector is invalid for {workload}");
        findings.invalid(at, spec["selector"].clone(), detail);
    }
}

/// Checks that the selector selects the pods that the template makes. An empty one was complained of already; without
/// one nothing is selected; of one that makes no sense the server says so once more.
fn validate_match(spec: &Value, nonsense: Option<&str>, at: Place<'_>, findings: &mut Findings) {
    let (selector, labels) = (&spec["selector"], &spec["template"]["metadata"]["labels"]);
    if !selector::is_valid(selector) {
        if let Some(detail) = nonsense {
            findings.invalid(at.field("selector"), selector.clone(), detail);
        }
        return;
    }
    let selects = !selector.is_null() && (selector::is_empty(selector) || selects(selector, labels));
    if !selects {
        let detail = "`selector` does not match template `labels`";
        findings.invalid(at.field("template.metadata.labels"), labels.clone(), detail);
    }
}

fn not_negative(spec: &Value, fields: &[&str], at: Place<'_>, findings: &mut Findings) {
    for field in fields {
        findings.not_negative(at, spec, field);
    }
}

#[cfg(test)]
mod tests;
