//! The group, the scope and the names of a definition.

use krono_schema::{BadValue, ErrorKind, FieldError};
use serde_json::Value;

use super::spec::{list, text};
use crate::builtin::names::{dns1035_label, subdomain};
use crate::write::metadata::{invalid, required};

pub(super) fn group(group: &str, errors: &mut Vec<FieldError>) {
    let complaints = subdomain(group);
    if group.is_empty() {
        errors.push(required("spec.group", ""));
    } else if !complaints.is_empty() {
        errors.push(invalid("spec.group", group, complaints.join(",")));
    } else if !group.contains('.') {
        errors.push(invalid("spec.group", group, "should be a domain with at least one dot"));
    }
}

pub(super) fn scope(scope: &str, errors: &mut Vec<FieldError>) {
    choice("spec.scope", scope, &["Cluster", "Namespaced"], errors);
}

/// A text that must be there and one of a few.
pub(super) fn choice(path: &str, value: &str, accepted: &[&str], errors: &mut Vec<FieldError>) {
    if value.is_empty() {
        errors.push(required(path, ""));
    } else if !accepted.contains(&value) {
        let accepted: Vec<String> = accepted.iter().map(|it| format!("{it:?}")).collect();
        let detail = format!("supported values: {}", accepted.join(", "));
        let (path, value) = (path.to_owned(), BadValue::Value(value.into()));
        errors.push(FieldError { kind: ErrorKind::NotSupported, path, value, detail });
    }
}

/// Names that every definition must have.
pub(super) fn required_names(names: &Value, errors: &mut Vec<FieldError>) {
    for name in ["plural", "singular", "kind", "listKind"] {
        if text(names, name).is_empty() {
            errors.push(required(&format!("spec.names.{name}"), ""));
        }
    }
}

/// The form of names, asked for or accepted; those that are missing have none.
pub(super) fn check(names: &Value, path: &str, errors: &mut Vec<FieldError>) {
    for name in ["plural", "singular"] {
        let value = text(names, name);
        if !value.is_empty() {
            label(&format!("{path}.{name}"), value, errors);
        }
    }
    for name in ["kind", "listKind"] {
        let value = text(names, name);
        let complaints = dns1035_label(&value.to_lowercase());
        if !value.is_empty() && !complaints.is_empty() {
            let detail = format!("may have mixed case, but should otherwise match: {}", complaints.join(","));
            errors.push(invalid(&format!("{path}.{name}"), value, detail));
        }
    }
    labels(names, "shortNames", path, errors);
    let (kind, list_kind) = (text(names, "kind"), text(names, "listKind"));
    if !kind.is_empty() && kind == list_kind {
        let detail = "kind and listKind may not be the same";
        errors.push(invalid(&format!("{path}.listKind"), list_kind, detail));
    }
    labels(names, "categories", path, errors);
}

fn labels(names: &Value, name: &str, path: &str, errors: &mut Vec<FieldError>) {
    for (index, value) in list(names, name).iter().enumerate() {
        label(&format!("{path}.{name}[{index}]"), value.as_str().unwrap_or_default(), errors);
    }
}

/// A label of RFC 1035; all complaints make one error.
pub(super) fn label(path: &str, value: &str, errors: &mut Vec<FieldError>) {
    let complaints = dns1035_label(value);
    if !complaints.is_empty() {
        errors.push(invalid(path, value, complaints.join(",")));
    }
}
