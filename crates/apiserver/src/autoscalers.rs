//! `HorizontalPodAutoscalers` of both APIs over one storage.
//!
//! autoscaling/v1 knows one metric, the use of CPU. Whatever else autoscaling/v2 says travels in annotations, so that
//! nothing is lost on the way there and back.

mod behavior;
mod metrics;

use serde_json::{Value, json};

use crate::kind::Kind;
use crate::object::Object;

/// The API that autoscalers are stored in.
pub(crate) const STORAGE: (&str, &str) = ("autoscaling", "v2");

const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT_METRICS: &str = "autoscaling.alpha.kubernetes.io/current-metrics";
const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";
const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";
const TARGET: &str = "targetCPUUtilizationPercentage";
const CURRENT: &str = "currentCPUUtilizationPercentage";

/// What v1 says when nobody has said anything, in percent.
const DEFAULT_USE: i64 = 80;

/// Whether objects of this kind are autoscalers.
pub(crate) fn is_autoscaler(kind: &Kind) -> bool {
    (&*kind.group, &*kind.kind) == (STORAGE.0, "HorizontalPodAutoscaler")
}

/// The autoscaler in the API that `api_version` names.
pub(crate) fn convert(mut autoscaler: Object, api_version: &str) -> Object {
    let to_old = api_version == "autoscaling/v1";
    let annotations = autoscaler.meta("annotations").filter(|it| it.is_object());
    let mut annotations = annotations.cloned().unwrap_or_else(|| json!({}));
    let part = |name: &str| autoscaler.get(name).filter(|it| it.is_object()).cloned();
    let (mut spec, mut status) = (part("spec"), part("status"));
    if to_old {
        forget(&mut annotations);
        if let Some(spec) = &mut spec {
            spec_to_old(spec, &mut annotations);
        }
        if let Some(status) = &mut status {
            status_to_old(status, &mut annotations);
        }
    } else {
        if let Some(spec) = &mut spec {
            spec_to_new(spec, &annotations);
        }
        if let Some(status) = &mut status {
            status_to_new(status, &annotations);
        }
        forget(&mut annotations);
    }
    let annotated = annotations.as_object().is_some_and(|it| !it.is_empty());
    autoscaler.set("apiVersion", Some(api_version.into()));
    autoscaler.set_meta("annotations", annotated.then_some(annotations));
    for (name, part) in [("spec", spec), ("status", status)] {
        if part.is_some() {
            autoscaler.set(name, part);
        }
    }
    autoscaler
}

fn forget(annotations: &mut Value) {
    for name in [METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR] {
        take(annotations, name);
    }
}

fn take(value: &mut Value, name: &str) -> Option<Value> {
    value.as_object_mut()?.remove(name).filter(|it| !it.is_null())
}

fn take_list(value: &mut Value, name: &str) -> Vec<Value> {
    match take(value, name) {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    }
}

/// Puts a list into an annotation, when there is something in it.
fn note(annotations: &mut Value, name: &str, list: Vec<Value>) {
    if !list.is_empty() {
        annotations[name] = Value::Array(list).to_string().into();
    }
}

fn noted(annotations: &Value, name: &str) -> Option<Value> {
    serde_json::from_str(annotations.get(name)?.as_str()?).ok()
}

fn noted_list(annotations: &Value, name: &str) -> Vec<Value> {
    noted(annotations, name).and_then(|it| it.as_array().cloned()).unwrap_or_default()
}

fn spec_to_old(spec: &mut Value, annotations: &mut Value) {
    let metrics = take_list(spec, "metrics");
    let (cpu, others): (Vec<Value>, Vec<Value>) =
        metrics.into_iter().partition(|it| !metrics::use_of_cpu(it, "target").is_null());
    if let Some(cpu) = cpu.first() {
        spec[TARGET] = metrics::use_of_cpu(cpu, "target").clone();
    }
    note(annotations, METRICS, others.iter().map(|it| metrics::to_old(it, &metrics::WANTED)).collect());
    if let Some(rules) = take(spec, "behavior") {
        annotations[BEHAVIOR] = behavior::to_old(&rules).to_string().into();
    }
}

fn spec_to_new(spec: &mut Value, annotations: &Value) {
    let others = noted_list(annotations, METRICS);
    let mut all: Vec<Value> = others.iter().map(|it| metrics::to_new(it, &metrics::WANTED)).collect();
    let target = take(spec, TARGET);
    let target = target.or_else(|| all.is_empty().then(|| DEFAULT_USE.into()));
    all.extend(target.map(|target| {
        let target = json!({"type": "Utilization", "averageUtilization": target});
        json!({"type": "Resource", "resource": {"name": "cpu", "target": target}})
    }));
    spec["metrics"] = all.into();
    if let Some(rules) = noted(annotations, BEHAVIOR).map(|it| behavior::to_new(&it)) {
        spec["behavior"] = rules;
    }
}

fn status_to_old(status: &mut Value, annotations: &mut Value) {
    let current = take_list(status, "currentMetrics");
    if let Some(used) = current.iter().map(|it| metrics::use_of_cpu(it, "current")).find(|it| !it.is_null()) {
        status[CURRENT] = used.clone();
    }
    note(
        annotations,
        CURRENT_METRICS,
        current.iter().map(|it| metrics::to_old(it, &metrics::SEEN)).collect(),
    );
    note(annotations, CONDITIONS, take_list(status, "conditions"));
    for name in ["currentReplicas", "desiredReplicas"] {
        if status[name].is_null() {
            status[name] = 0.into();
        }
    }
}

fn status_to_new(status: &mut Value, annotations: &Value) {
    let seen = noted_list(annotations, CURRENT_METRICS);
    let mut current: Vec<Value> = seen.iter().map(|it| metrics::to_new(it, &metrics::SEEN)).collect();
    if let Some(used) = take(status, CURRENT).filter(|_| current.is_empty()) {
        let current_use = json!({"averageUtilization": used});
        current.push(json!({"type": "Resource", "resource": {"name": "cpu", "current": current_use}}));
    }
    status["currentMetrics"] = if current.is_empty() { Value::Null } else { current.into() };
    let conditions = noted_list(annotations, CONDITIONS);
    if !conditions.is_empty() {
        status["conditions"] = conditions.into();
    }
    if status["currentReplicas"] == 0
        && let Some(fields) = status.as_object_mut()
    {
        fields.remove("currentReplicas");
    }
}

#[cfg(test)]
mod tests;
