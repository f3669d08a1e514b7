//! `ReplicaSets` and their forerunner.

use krono_schema::FieldError;
use serde_json::Value;

use crate::builtin::findings::Findings;
use crate::builtin::place::Place;
use crate::builtin::{fill, pod, read};
use crate::kind::Rules;

/// Rules of `ReplicaSets`.
pub(in crate::builtin) const REPLICA_SET: Rules = Rules { default, validate };

/// Rules of `ReplicationControllers`.
pub(in crate::builtin) const REPLICATION_CONTROLLER: Rules =
    Rules { default: default_controller, validate: validate_controller };

fn default(set: &mut Value) {
    fill::inside(set, "spec", |spec| {
        fill::absent(spec, "replicas", 1);
        fill::inside(spec, "template", pod::default_template);
    });
    fill::inside(set, "status", |status| fill::absent(status, "replicas", 0));
}

fn validate(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut findings = Findings::default();
    let (spec, at) = (&new["spec"], Place::ROOT.field("spec"));
    super::not_negative(spec, &["replicas", "minReadySeconds"], at, &mut findings);
    // The server speaks of deployments here, too.
    super::validate_selector(spec, "deployment", at, &mut findings);
    super::validate_match(spec, Some("invalid label selector"), at, &mut findings);
    pod::validate_lasting_template(&spec["template"], "ReplicaSet", at.field("template"), &mut findings);
    if let Some(old) = old {
        findings.immutable(at, spec, &old["spec"], "selector");
    }
    findings.into_errors()
}

fn default_controller(controller: &mut Value) {
    let labels = controller["spec"]["template"]["metadata"]["labels"].clone();
    if !read::is_empty(&labels) {
        fill::inside(controller, "metadata", |metadata| fill::empty(metadata, "labels", labels.clone()));
        fill::inside(controller, "spec", |spec| fill::empty(spec, "selector", labels));
    }
    default(controller);
}

fn validate_controller(new: &Value, _old: Option<&Value>) -> Vec<FieldError> {
    let mut findings = Findings::default();
    let (spec, at) = (&new["spec"], Place::ROOT.field("spec"));
    super::not_negative(spec, &["minReadySeconds", "replicas"], at, &mut findings);
    if read::is_empty(&spec["selector"]) {
        findings.required(at.field("selector"), "");
    }
    let labels = &spec["template"]["metadata"]["labels"];
    if read::entries(spec, "selector").any(|(key, value)| labels[key] != *value) {
        let detail = "`selector` does not match template `labels`";
        findings.invalid(at.field("template.metadata.labels"), labels.clone(), detail);
    }
    let template = &spec["template"];
    pod::validate_lasting_template(template, "ReplicationController", at.field("template"), &mut findings);
    findings.into_errors()
}
