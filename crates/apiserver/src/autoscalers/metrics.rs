//! Metrics: v1 writes flat what v2 nests.

use serde_json::{Map, Value, json};

/// A field of v1, and where v2 has it.
type Field = (&'static str, &'static [&'static str]);
/// The fields of each source of metrics.
pub(super) type Sources = [(&'static str, &'static [Field]); 5];

const NAME: Field = ("name", &["name"]);
const CONTAINER: Field = ("container", &["container"]);
const METRIC: Field = ("metricName", &["metric", "name"]);
const SELECTOR: Field = ("selector", &["metric", "selector"]);
const OBJECT: Field = ("target", &["describedObject"]);
const EXTERNAL_SELECTOR: Field = ("metricSelector", &["metric", "selector"]);

const TARGET_USE: Field = ("targetAverageUtilization", &["target", "averageUtilization"]);
const TARGET_AVERAGE: Field = ("targetAverageValue", &["target", "averageValue"]);
const TARGET_VALUE: Field = ("targetValue", &["target", "value"]);
const OBJECT_TARGET_AVERAGE: Field = ("averageValue", &["target", "averageValue"]);

const CURRENT_USE: Field = ("currentAverageUtilization", &["current", "averageUtilization"]);
const CURRENT_AVERAGE: Field = ("currentAverageValue", &["current", "averageValue"]);
const CURRENT_VALUE: Field = ("currentValue", &["current", "value"]);
const OBJECT_CURRENT_AVERAGE: Field = ("averageValue", &["current", "averageValue"]);

/// Metrics as a spec wants them.
pub(super) const WANTED: Sources = [
    ("resource", &[NAME, TARGET_USE, TARGET_AVERAGE]),
    ("containerResource", &[NAME, CONTAINER, TARGET_USE, TARGET_AVERAGE]),
    ("pods", &[METRIC, SELECTOR, TARGET_AVERAGE]),
    ("object", &[OBJECT, METRIC, SELECTOR, TARGET_VALUE, OBJECT_TARGET_AVERAGE]),
    ("external", &[METRIC, EXTERNAL_SELECTOR, TARGET_VALUE, TARGET_AVERAGE]),
];

/// Metrics as a status shows them.
pub(super) const SEEN: Sources = [
    ("resource", &[NAME, CURRENT_USE, CURRENT_AVERAGE]),
    ("containerResource", &[NAME, CONTAINER, CURRENT_USE, CURRENT_AVERAGE]),
    ("pods", &[METRIC, SELECTOR, CURRENT_AVERAGE]),
    ("object", &[OBJECT, METRIC, SELECTOR, CURRENT_VALUE, OBJECT_CURRENT_AVERAGE]),
    ("external", &[METRIC, EXTERNAL_SELECTOR, CURRENT_VALUE, CURRENT_AVERAGE]),
];

/// How much CPU of what they asked for Pods use, in percent, when that is what the metric is about; else null.
pub(super) fn use_of_cpu<'m>(metric: &'m Value, which: &str) -> &'m Value {
    let resource = &metric["resource"];
    if metric["type"] == "Resource" && resource["name"] == "cpu" {
        &resource[which]["averageUtilization"]
    } else {
        &Value::Null
    }
}

/// A metric of v2 as v1 writes it.
pub(super) fn to_old(metric: &Value, sources: &Sources) -> Value {
    let mut old = json!({"type": metric["type"]});
    for (source, fields) in sources.iter().filter(|(source, _)| metric[*source].is_object()) {
        let found = fields.iter().filter_map(|(name, path)| {
            let value = path.iter().try_fold(&metric[*source], |at, step| at.get(step))?;
            Some(((*name).to_owned(), value.clone()))
        });
        old[*source] = Value::Object(found.collect::<Map<_, _>>());
    }
    old
}

/// A metric of v1 as v2 writes it.
pub(super) fn to_new(metric: &Value, sources: &Sources) -> Value {
    let mut new = json!({"type": metric["type"]});
    for (source, fields) in sources.iter().filter(|(source, _)| metric[*source].is_object()) {
        let mut nested = json!({});
        for (name, path) in *fields {
            if let Some(value) = metric[*source].get(*name) {
                *path.iter().fold(&mut nested, |at, step| &mut at[*step]) = value.clone();
            }
        }
        if let Some(kind) = nested.get("target").map(|it| target_type(source, it)) {
            nested["target"]["type"] = kind.into();
        }
        new[*source] = nested;
    }
    new
}

fn target_type(source: &str, target: &Value) -> &'static str {
    let has = |field: &str| target.get(field).is_some_and(|it| !it.is_null());
    if has("averageUtilization") {
        "Utilization"
    } else if has("averageValue") && !(source == "external" && has("value")) {
        "AverageValue"
    } else {
        "Value"
    }
}
