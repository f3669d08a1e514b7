//! `HorizontalPodAutoscalers` and `PodDisruptionBudgets`.

use krono_schema::FieldError;
use serde_json::{Value, json};

use crate::kind::Rules;

use super::findings::Findings;
use super::place::Place;
use super::{amount, fill, names, read, selector};

/// Rules of `HorizontalPodAutoscalers` of autoscaling/v2.
pub(super) const AUTOSCALER: Rules = Rules { default, validate };

/// Rules of `HorizontalPodAutoscalers` of autoscaling/v1.
pub(super) const AUTOSCALER_V1: Rules = Rules { default: default_v1, validate };

/// Rules of `PodDisruptionBudgets`.
pub(super) const DISRUPTION_BUDGET: Rules = Rules { default: default_budget, validate: validate_budget };

fn default(autoscaler: &mut Value) {
    fill::inside(autoscaler, "spec", |spec| {
        fill::absent(spec, "minReplicas", 1);
        let cpu = json!([{"type": "Resource", "resource":
            {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}]);
        fill::empty(spec, "metrics", cpu);
        fill::within(spec, "behavior", |behavior| {
            fill::inside(behavior, "scaleUp", |rules| {
                fill::absent(rules, "stabilizationWindowSeconds", 0);
                scaling_rules(rules, &json!([scaling("Pods", 4), scaling("Percent", 100)]));
            });
            fill::inside(behavior, "scaleDown", |rules| {
                scaling_rules(rules, &json!([scaling("Percent", 100)]));
            });
        });
    });
    fill::inside(autoscaler, "status", |status| {
        fill::absent(status, "desiredReplicas", 0);
        if let Some(fields) = status.as_object_mut() {
            // Shown even when there is nothing to show.
            fields.entry("currentMetrics").or_insert(Value::Null);
        }
    });
}

fn scaling_rules(rules: &mut Value, policies: &Value) {
    fill::quantity(rules, "tolerance");
    fill::absent(rules, "selectPolicy", "Max");
    fill::absent(rules, "policies", policies.clone());
}

fn scaling(kind: &str, value: i64) -> Value {
    json!({"type": kind, "value": value, "periodSeconds": 15})
}

fn default_v1(autoscaler: &mut Value) {
    fill::inside(autoscaler, "spec", |spec| {
        fill::absent(spec, "minReplicas", 1);
        fill::absent(spec, "targetCPUUtilizationPercentage", 80);
    });
    fill::inside(autoscaler, "status", |status| {
        fill::absent(status, "currentReplicas", 0);
        fill::absent(status, "desiredReplicas", 0);
    });
}

fn validate(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut findings = Findings::default();
    let (spec, at) = (&new["spec"], Place::ROOT.field("spec"));
    let least = read::integer(spec, "minReplicas");
    if let Some(least) = least.filter(|it| *it < 1) {
        findings.invalid(at.field("minReplicas"), least, "must be greater than or equal to 1");
    }
    let most = read::integer(spec, "maxReplicas").unwrap_or_default();
    if most < 1 {
        findings.invalid(at.field("maxReplicas"), most, "must be greater than 0");
    }
    if least.is_some_and(|least| most < least) {
        findings.invalid(at.field("maxReplicas"), most, "must be greater than or equal to `minReplicas`");
    }
    let place = at.field("scaleTargetRef");
    for field in ["kind", "name"] {
        match read::text(&spec["scaleTargetRef"], field) {
            "" => findings.required(place.field(field), ""),
            text => findings.complaints(place.field(field), text, names::path_segment(text)),
        }
    }
    let old_target = old.map(|old| &old["spec"]["scaleTargetRef"]);
    validate_target_version(&spec["scaleTargetRef"], old_target, place.field("apiVersion"), &mut findings);
    findings.into_errors()
}

/// The group of what is scaled has to be named, unless that is of the core group; what was so before may stay.
fn validate_target_version(target: &Value, old: Option<&Value>, at: Place<'_>, findings: &mut Findings) {
    let same = |old: &Value| {
        let field = |value: &Value, name: &str| read::text(value, name).to_owned();
        ["apiVersion", "kind"].into_iter().all(|name| field(old, name) == field(target, name))
    };
    if old.is_some_and(same) {
        return;
    }
    let given = read::text(target, "apiVersion");
    let has_group = given.split_once('/').is_some_and(|(group, _)| !group.is_empty());
    if given.matches('/').count() > 1 {
        findings.invalid(at, given, format!("unexpected GroupVersion string: {given}"));
    } else if !has_group && read::text(target, "kind") != "ReplicationController" {
        findings.invalid(at, given, "apiVersion must specify API group");
    }
}

fn default_budget(budget: &mut Value) {
    fill::inside(budget, "status", |status| {
        for field in ["currentHealthy", "desiredHealthy", "disruptionsAllowed", "expectedPods"] {
            fill::absent(status, field, 0);
        }
    });
}

fn validate_budget(new: &Value, _old: Option<&Value>) -> Vec<FieldError> {
    let mut findings = Findings::default();
    let (spec, at) = (&new["spec"], Place::ROOT.field("spec"));
    if !spec["minAvailable"].is_null() && !spec["maxUnavailable"].is_null() {
        findings.invalid(at, spec.clone(), "minAvailable and maxUnavailable cannot be both set");
    }
    for field in ["minAvailable", "maxUnavailable"] {
        amount::validate(&spec[field], at.field(field), &mut findings);
        amount::validate_at_most_all(&spec[field], at.field(field), &mut findings);
    }
    selector::validate(&spec["selector"], at.field("selector"), &mut findings);
    let policy = read::text(spec, "unhealthyPodEvictionPolicy");
    if !matches!(policy, "" | "AlwaysAllow" | "IfHealthyBudget") {
        let supported = ["AlwaysAllow", "IfHealthyBudget"];
        findings.unsupported(at.field("unhealthyPodEvictionPolicy"), policy, &supported);
    }
    findings.into_errors()
}

#[cfg(test)]
mod tests;
