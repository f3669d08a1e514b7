//! Numbers that may be percentages.

use serde_json::Value;

use super::findings::Findings;
use super::names;
use super::place::Place;

/// Checks that a value is a whole number of at least zero, or a percentage.
pub(super) fn validate(value: &Value, at: Place<'_>, findings: &mut Findings) {
    match (value.as_str(), value.as_i64()) {
        (Some(text), _) => findings.complaints(at, text, names::percent(text)),
        (None, Some(number)) if number < 0 => {
            findings.invalid(at, number, "must be greater than or equal to 0");
        }
        _ => {}
    }
}

/// Checks that a percentage is at most a hundred.
pub(super) fn validate_at_most_all(value: &Value, at: Place<'_>, findings: &mut Findings) {
    if percent(value).is_some_and(|percent| percent > 100) {
        findings.invalid(at, value.clone(), "must not be greater than 100%");
    }
}

/// Whether the value is zero, as a number or a percentage.
pub(super) fn is_zero(value: &Value) -> bool {
    percent(value).or(value.as_i64()).unwrap_or_default() == 0
}

fn percent(value: &Value) -> Option<i64> {
    value.as_str()?.strip_suffix('%')?.parse().ok()
}
