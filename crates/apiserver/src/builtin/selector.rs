//! Label selectors inside objects.

use krono_schema::selector::selects;
use serde_json::Value;

use super::findings::Findings;
use super::place::Place;
use super::{metadata, names, read};

/// Checks a selector of `matchLabels` and `matchExpressions`.
pub(super) fn validate(selector: &Value, at: Place<'_>, findings: &mut Findings) {
    metadata::labels(&selector["matchLabels"], at.field("matchLabels"), findings);
    let at = at.field("matchExpressions");
    for (index, expression) in read::list(selector, "matchExpressions").iter().enumerate() {
        requirement(expression, at.index(index), findings);
    }
}

fn requirement(expression: &Value, at: Place<'_>, findings: &mut Findings) {
    let values = read::list(expression, "values");
    match read::text(expression, "operator") {
        "In" | "NotIn" if values.is_empty() => {
            findings.required(at.field("values"), "must be specified when `operator` is 'In' or 'NotIn'");
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
            findings.forbidden(at.field("values"), detail);
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        other => findings.invalid(at.field("operator"), other, "not a valid selector operator"),
    }
    let key = read::text(expression, "key");
    findings.complaints(at.field("key"), key, names::qualified(key));
    let at = at.field("values");
    for (index, value) in read::texts(expression, "values").enumerate() {
        findings.complaints(at.index(index), value, names::label_value(value));
    }
}

/// Whether a selector can be made sense of.
pub(super) fn is_valid(selector: &Value) -> bool {
    let mut findings = Findings::default();
    validate(selector, Place::ROOT, &mut findings);
    findings.is_empty()
}

/// Whether a selector selects nothing in particular.
pub(super) fn is_empty(selector: &Value) -> bool {
    read::is_empty(&selector["matchLabels"]) && read::is_empty(&selector["matchExpressions"])
}

/// Checks the selector of a workload against the labels of its template.
pub(super) fn validate_template_labels(spec: &Value, at: Place<'_>, findings: &mut Findings) {
    let labels = &spec["template"]["metadata"]["labels"];
    if !selects(&spec["selector"], labels) {
        let detail = "`selector` does not match template `labels`";
        findings.invalid(at.field("template.metadata.labels"), labels.clone(), detail);
    }
}
