//! Events of both APIs.

use krono_schema::FieldError;
use serde_json::Value;

use crate::kind::Rules;

use super::findings::Findings;
use super::place::Place;
use super::{fill, names, read};

/// Rules of Events of the core group.
pub(super) const CORE_EVENT: Rules = Rules { default: default_core, validate: validate_core };
/// Rules of Events of events.k8s.io.
pub(super) const EVENT: Rules = Rules { default: |_| {}, validate };

/// Fields that are shown even when there is nothing to show.
fn default_core(event: &mut Value) {
    fill::absent(event, "source", serde_json::Map::new());
    fill::absent(event, "reportingComponent", "");
    fill::absent(event, "reportingInstance", "");
    if let Some(fields) = event.as_object_mut() {
        for field in ["eventTime", "firstTimestamp", "lastTimestamp"] {
            fields.entry(field).or_insert(Value::Null);
        }
    }
}

/// What differs between the two APIs in the names of fields.
struct Names {
    object: &'static str,
    controller: &'static str,
    message: &'static str,
}

fn validate_core(new: &Value, _old: Option<&Value>) -> Vec<FieldError> {
    let mut findings = Findings::default();
    let names = Names { object: "involvedObject", controller: "reportingComponent", message: "message" };
    validate_any(new, &names, &mut findings);
    findings.into_errors()
}

fn validate(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut findings = Findings::default();
    let names = Names { object: "regarding", controller: "reportingController", message: "note" };
    validate_any(new, &names, &mut findings);
    series(new, old, &mut findings);
    match old {
        None => {
            if new["eventTime"].is_null() {
                findings.required(Place::ROOT.field("eventTime"), "");
            }
            let kind = read::text(new, "type");
            if !matches!(kind, "Normal" | "Warning") {
                findings.invalid(Place::ROOT.field("type"), "", format!("has invalid value: {kind}"));
            }
        }
        Some(old) => unchanged(new, old, &mut findings),
    }
    findings.into_errors()
}

fn validate_any(event: &Value, names: &Names, findings: &mut Findings) {
    let at = Place::ROOT;
    let namespace = read::text(&event["metadata"], "namespace");
    let about = read::text(&event[names.object], "namespace");
    let timed = !event["eventTime"].is_null();
    let fits = match about {
        "" => matches!(namespace, "" | "default") || (timed && namespace == "kube-system"),
        about => timed || about == namespace,
    };
    if !fits {
        findings.invalid(at.field("involvedObject.namespace"), about, "does not match event.namespace");
    }
    if !timed {
        return;
    }
    let controller = read::text(event, names.controller);
    if controller.is_empty() {
        findings.required(at.field(names.controller), "");
    }
    findings.complaints(at.field(names.controller), controller, names::qualified(controller));
    for field in ["reportingInstance", "action", "reason"] {
        let text = read::text(event, field);
        if text.is_empty() {
            findings.required(at.field(field), "");
        } else if text.len() > 128 {
            findings.invalid(at.field(field), "", "can have at most 128 characters");
        }
    }
    if read::text(event, names.message).len() > 1024 {
        findings.invalid(at.field("message"), "", "can have at most 1024 characters");
    }
}

fn series(new: &Value, old: Option<&Value>, findings: &mut Findings) {
    let series = &new["series"];
    if series.is_null() || old.is_some_and(|old| old["series"] == *series) {
        return;
    }
    if read::integer(series, "count").unwrap_or_default() < 2 {
        findings.invalid(Place::ROOT.field("series.count"), "", "should be at least 2");
    }
    if series["lastObservedTime"].is_null() {
        findings.required(Place::ROOT.field("series.lastObservedTime"), "");
    }
}

/// Only the series of an Event may grow.
fn unchanged(new: &Value, old: &Value, findings: &mut Findings) {
    for (field, name) in [
        ("regarding", "involvedObject"),
        ("reason", "reason"),
        ("note", "message"),
        // The real server looks at the reason twice.
        ("reason", "reason"),
        ("type", "type"),
        ("eventTime", "eventTime"),
        ("action", "action"),
        ("related", "related"),
        ("reportingController", "reportingController"),
        ("reportingInstance", "reportingInstance"),
    ] {
        if !read::same(&new[field], &old[field]) {
            findings.invalid(Place::ROOT.field(name), new[field].clone(), "field is immutable");
        }
    }
}

#[cfg(test)]
mod tests;
