//! Deployments.

use krono_schema::FieldError;
use serde_json::{Value, json};

use crate::builtin::findings::Findings;
use crate::builtin::place::Place;
use crate::builtin::{amount, fill, pod, read};
use crate::kind::Rules;

/// Rules of Deployments.
pub(in crate::builtin) const DEPLOYMENT: Rules = Rules { default, validate };

fn default(deployment: &mut Value) {
    fill::inside(deployment, "spec", |spec| {
        fill::absent(spec, "replicas", 1);
        fill::inside(spec, "strategy", |strategy| {
            fill::empty(strategy, "type", "RollingUpdate");
            if read::text(strategy, "type") == "RollingUpdate" {
                fill::inside(strategy, "rollingUpdate", |update| {
                    fill::absent(update, "maxUnavailable", "25%");
                    fill::absent(update, "maxSurge", "25%");
                });
            }
        });
        fill::absent(spec, "revisionHistoryLimit", 10);
        fill::absent(spec, "progressDeadlineSeconds", 600);
        fill::inside(spec, "template", pod::default_template);
    });
    fill::absent(deployment, "status", json!({}));
}

fn validate(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut findings = Findings::default();
    let (spec, at) = (&new["spec"], Place::ROOT.field("spec"));
    findings.not_negative(at, spec, "replicas");
    super::validate_selector(spec, "deployment", at, &mut findings);
    super::validate_match(spec, Some("invalid label selector"), at, &mut findings);
    pod::validate_lasting_template(&spec["template"], "ReplicaSet", at.field("template"), &mut findings);
    strategy(&spec["strategy"], at.field("strategy"), &mut findings);
    super::not_negative(spec, &["minReadySeconds", "revisionHistoryLimit"], at, &mut findings);
    deadline(spec, at, &mut findings);
    if let Some(old) = old {
        findings.immutable(at, spec, &old["spec"], "selector");
    }
    findings.into_errors()
}

fn deadline(spec: &Value, at: Place<'_>, findings: &mut Findings) {
    findings.not_negative(at, spec, "progressDeadlineSeconds");
    let ready = read::integer(spec, "minReadySeconds").unwrap_or_default();
    if let Some(deadline) = read::integer(spec, "progressDeadlineSeconds").filter(|it| *it <= ready) {
        findings.invalid(
            at.field("progressDeadlineSeconds"),
            deadline,
            "must be greater than minReadySeconds",
        );
    }
}

fn strategy(strategy: &Value, at: Place<'_>, findings: &mut Findings) {
    let update = &strategy["rollingUpdate"];
    match read::text(strategy, "type") {
        "Recreate" if !update.is_null() => {
            let detail = "may not be specified when strategy `type` is 'Recreate'";
            findings.forbidden(at.field("rollingUpdate"), detail);
        }
        "Recreate" => {}
        "RollingUpdate" => rolling_update(update, at.field("rollingUpdate"), findings),
        _ => findings.unsupported(at, strategy.clone(), &["Recreate", "RollingUpdate"]),
    }
}

fn rolling_update(update: &Value, at: Place<'_>, findings: &mut Findings) {
    let (unavailable, surge) = (&update["maxUnavailable"], &update["maxSurge"]);
    amount::validate(unavailable, at.field("maxUnavailable"), findings);
    amount::validate(surge, at.field("maxSurge"), findings);
    if amount::is_zero(unavailable) && amount::is_zero(surge) {
        let detail = "may not be 0 when `maxSurge` is 0";
        findings.invalid(at.field("maxUnavailable"), unavailable.clone(), detail);
    }
    amount::validate_at_most_all(unavailable, at.field("maxUnavailable"), findings);
}
