//! Kinds of the group `autoscaling`.

use super::selector::{NONE, UNKNOWN, UNSET, with_more};
use super::{Heading, Sheet, Shown};

const AUTOSCALER: &[Heading] = &[
    Heading::NAME,
    Heading::told("Reference", reference).said(
        "scaleTargetRef points to the target resource to scale, and is used to the pods for which metrics \
         should be collected, as well as to actually change the replica count.",
    ),
    Heading::told("Targets", targets).said(
        "metrics contains the specifications for which to use to calculate the desired replica count (the \
         maximum replica count across all metrics will be used).  The desired replica count is calculated \
         multiplying the ratio between the target value and the current value by the current number of \
         pods.  Ergo, metrics used must decrease as the pod count is increased, and vice-versa.  See the \
         individual metric source types for more information about how each type of metric must respond.",
    ),
    Heading::told("MinPods", |it| it.amount("/spec/minReplicas").unwrap_or_else(|| UNSET.to_owned()))
        .field("/spec/minReplicas"),
    Heading::number("MaxPods", "/spec/maxReplicas").typed("string").said(
        "maxReplicas is the upper limit for the number of replicas to which the autoscaler can scale up. It \
         cannot be less that minReplicas.",
    ),
    Heading::number("Replicas", "/status/currentReplicas").typed("string").said(
        "currentReplicas is current number of replicas of pods managed by this autoscaler, as last seen by \
         the autoscaler.",
    ),
    Heading::AGE,
];

const SCALE: &[Heading] = &[
    Heading::text("Name", "/metadata/name").said(super::NAME_DESCRIPTION),
    Heading::number("Desired", "/spec/replicas")
        .said("replicas is the desired number of instances for the scaled object."),
    Heading::number("Available", "/status/replicas")
        .said("replicas is the actual number of observed instances of the scaled object."),
    Heading::AGE,
];

/// Metrics shown before the rest is only counted.
const LIMIT: usize = 2;

/// The sheet of a kind.
pub(super) fn sheet(kind: &str) -> Option<Sheet> {
    let headings = match kind {
        "HorizontalPodAutoscaler" => AUTOSCALER,
        "Scale" => SCALE,
        _ => return None,
    };
    Some(Sheet::of(headings))
}

fn reference(autoscaler: &Shown<'_>) -> String {
    format!(
        "{}/{}",
        autoscaler.text("/spec/scaleTargetRef/kind"),
        autoscaler.text("/spec/scaleTargetRef/name")
    )
}

fn targets(autoscaler: &Shown<'_>) -> String {
    if let Some(target) = autoscaler.amount("/spec/targetCPUUtilizationPercentage") {
        let current = autoscaler.amount("/status/currentCPUUtilizationPercentage");
        return format!("cpu: {}/{target}%", percent(current).unwrap_or_else(|| UNKNOWN.to_owned()));
    }
    let metrics: Vec<Shown<'_>> = autoscaler.parts("/spec/metrics").collect();
    if metrics.is_empty() {
        return NONE.to_owned();
    }
    let current = |index: usize| autoscaler.list("/status/currentMetrics").get(index);
    let texts = metrics.iter().enumerate().take(LIMIT).map(|(index, metric)| {
        let source = source(metric.text("/type"));
        let now = current(index).map(|it| autoscaler.part(it));
        source.map_or_else(|| "<unknown type>".to_owned(), |source| source.show(metric, now.as_ref()))
    });
    with_more(&texts.collect::<Vec<_>>(), metrics.len(), LIMIT, ", ")
}

/// Where metrics of one type keep their numbers, and how they are written.
struct Source {
    field: &'static str,
    /// The name of the resource comes first, and a percentage may be wanted.
    of_resource: bool,
    /// An average is marked as such.
    marks_average: bool,
}

fn source(metric_type: &str) -> Option<Source> {
    let source = |field, of_resource, marks_average| Some(Source { field, of_resource, marks_average });
    match metric_type {
        "External" => source("external", false, true),
        "Object" => source("object", false, true),
        "Pods" => source("pods", false, false),
        "Resource" => source("resource", true, false),
        "ContainerResource" => source("containerResource", true, false),
        _ => None,
    }
}

impl Source {
    fn show(&self, metric: &Shown<'_>, current: Option<&Shown<'_>>) -> String {
        let wanted = |field: &str| metric.amount(&format!("/{}/target/{field}", self.field));
        let found =
            |field: &str| current.and_then(|it| it.amount(&format!("/{}/current/{field}", self.field)));
        let average = wanted("averageValue");
        let is_average = average.is_some();
        let (now, target) = match average {
            Some(average) => (found("averageValue"), average),
            None if self.of_resource => {
                let target = percent(wanted("averageUtilization"));
                (percent(found("averageUtilization")), target.unwrap_or_else(|| "<auto>".to_owned()))
            }
            None => (found("value"), wanted("value").unwrap_or_else(|| "0".to_owned())),
        };
        let name = if self.of_resource {
            format!("{}: ", metric.text(&format!("/{}/name", self.field)))
        } else {
            String::new()
        };
        let mark = if is_average && self.marks_average { " (avg)" } else { "" };
        format!("{name}{}/{target}{mark}", now.unwrap_or_else(|| UNKNOWN.to_owned()))
    }
}

fn percent(number: Option<String>) -> Option<String> {
    number.map(|number| format!("{number}%"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::printers::testing::{check, check_cell};
    use serde_json::{Value, json};

    #[test]
    fn autoscalers() {
        check(
            ("autoscaling", "HorizontalPodAutoscaler"),
            json!({
                "metadata": {"name": "h"},
                "spec": {
                    "scaleTargetRef": {"kind": "Deployment", "name": "w"}, "minReplicas": 1, "maxReplicas": 5,
                    "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": {"averageUtilization": 80}}}],
                },
                "status": {"currentReplicas": 2},
            }),
            json!(["h", "Deployment/w", "cpu: <unknown>/80%", "1", 5, 2, "<unknown>"]),
        );
    }

    #[test]
    fn scales() {
        check(
            ("autoscaling", "Scale"),
            json!({"metadata": {"name": "w"}, "spec": {"replicas": 3}, "status": {"replicas": 2}}),
            json!(["w", 3, 2, "<unknown>"]),
        );
    }

    #[test]
    fn metrics() {
        let check = |metrics: Value, current: Value, expect: &str| {
            let object = json!({"spec": {"metrics": metrics}, "status": {"currentMetrics": current}});
            check_cell(targets, &object, expect);
        };
        let resource =
            |target: Value| json!({"type": "Resource", "resource": {"name": "memory", "target": target}});
        check(json!([]), json!(null), "<none>");
        check(json!([resource(json!({}))]), json!(null), "memory: <unknown>/<auto>");
        check(
            json!([resource(json!({"averageValue": "1Gi"}))]),
            json!([{"resource": {"current": {"averageValue": "512Mi"}}}]),
            "memory: 512Mi/1Gi",
        );
        check(
            json!([{"type": "Object", "object": {"target": {"value": "10"}}}]),
            json!([{"object": {"current": {"value": "3"}}}]),
            "3/10",
        );
        check(
            json!([{"type": "External", "external": {"target": {"averageValue": "2"}}}]),
            json!([]),
            "<unknown>/2 (avg)",
        );
        check(
            json!([{"type": "Pods", "pods": {"target": {"averageValue": "1k"}}}, {"type": "New"}, {"type": "New"}]),
            json!([{"pods": {"current": {"averageValue": "5"}}}]),
            "5/1k, <unknown type> + 1 more...",
        );
        let first_version = json!({
            "spec": {"targetCPUUtilizationPercentage": 80}, "status": {"currentCPUUtilizationPercentage": 12},
        });
        check_cell(targets, &first_version, "cpu: 12%/80%");
    }
}
