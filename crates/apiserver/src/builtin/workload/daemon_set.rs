//! `DaemonSets`.

use krono_schema::FieldError;
use serde_json::Value;

use crate::builtin::findings::Findings;
use crate::builtin::place::Place;
use crate::builtin::{amount, fill, pod, read};
use crate::kind::Rules;

/// Rules of `DaemonSets`.
pub(in crate::builtin) const DAEMON_SET: Rules = Rules { default, validate };

/// The annotation that stands for a field of older versions; a change of the template counts it up.
const GENERATION: &str = "deprecated.daemonset.template.generation";

fn default(set: &mut Value) {
    fill::inside(set, "metadata", |metadata| {
        fill::inside(metadata, "annotations", |annotations| fill::absent(annotations, GENERATION, "1"));
    });
    fill::inside(set, "spec", |spec| {
        fill::inside(spec, "updateStrategy", |strategy| {
            fill::empty(strategy, "type", "RollingUpdate");
            if read::text(strategy, "type") == "RollingUpdate" {
                fill::inside(strategy, "rollingUpdate", |update| {
                    fill::absent(update, "maxUnavailable", 1);
                    fill::absent(update, "maxSurge", 0);
                });
            }
        });
        fill::absent(spec, "revisionHistoryLimit", 10);
        fill::inside(spec, "template", pod::default_template);
    });
    fill::inside(set, "status", |status| {
        for field in ["currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"]
        {
            fill::absent(status, field, 0);
        }
    });
}

fn validate(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut findings = Findings::default();
    let (spec, at) = (&new["spec"], Place::ROOT.field("spec"));
    if let Some(old) = old {
        findings.immutable(at, spec, &old["spec"], "selector");
    }
    if !spec["selector"].is_null() {
        super::validate_selector(spec, "daemonset", at, &mut findings);
    }
    super::validate_match(spec, None, at, &mut findings);
    pod::validate_lasting_template(&spec["template"], "DaemonSet", at.field("template"), &mut findings);
    super::not_negative(spec, &["minReadySeconds", "revisionHistoryLimit"], at, &mut findings);
    strategy(&spec["updateStrategy"], at.field("updateStrategy"), &mut findings);
    findings.into_errors()
}

fn strategy(strategy: &Value, at: Place<'_>, findings: &mut Findings) {
    match read::text(strategy, "type") {
        "OnDelete" => {}
        "RollingUpdate" => rolling_update(&strategy["rollingUpdate"], at.field("rollingUpdate"), findings),
        _ => findings.unsupported(at, strategy.clone(), &["RollingUpdate", "OnDelete"]),
    }
}

fn rolling_update(update: &Value, at: Place<'_>, findings: &mut Findings) {
    for field in ["maxUnavailable", "maxSurge"] {
        amount::validate(&update[field], at.field(field), findings);
    }
    for field in ["maxUnavailable", "maxSurge"] {
        amount::validate_at_most_all(&update[field], at.field(field), findings);
    }
    match (amount::is_zero(&update["maxUnavailable"]), amount::is_zero(&update["maxSurge"])) {
        (false, false) => {
            let detail = "may not be set when maxUnavailable is non-zero";
            findings.invalid(at.field("maxSurge"), update["maxSurge"].clone(), detail);
        }
        (true, true) => findings.required(at.field("maxUnavailable"), "cannot be 0 when maxSurge is 0"),
        (true, false) | (false, true) => {}
    }
}
