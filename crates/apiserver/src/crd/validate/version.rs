//! The versions of a definition.

use krono_schema::{BadValue, ErrorKind, FieldError, go_text};
use serde_json::Value;

use super::spec::{Part, Spec, flag, text};
use super::{column, go_dump, names, schema, selectable, subresources};

/// Longest warning of a deprecated version, in bytes.
const MAX_WARNING: usize = 256;

pub(super) fn check_all(spec: &Spec<'_>, errors: &mut Vec<FieldError>) {
    for (index, version) in spec.versions.iter().enumerate() {
        check(spec, index, version, errors);
    }
    let name = |version: &Value| text(version, "name").to_owned();
    let repeated =
        |index: usize| spec.versions[..index].iter().any(|it| name(it) == name(&spec.versions[index]));
    if (0..spec.versions.len()).any(repeated) {
        errors.push(about_all(spec, "must contain unique version names"));
    }
    if spec.versions.iter().filter(|version| flag(version, "storage")).count() != 1 {
        errors.push(about_all(spec, "must have exactly one version marked as storage version"));
    }
    let first = spec.versions.first().map(name).unwrap_or_default();
    if !first.is_empty() {
        names::label("spec.version", &first, errors);
    }
}

fn about_all(spec: &Spec<'_>, detail: &str) -> FieldError {
    let (path, value) = ("spec.versions".to_owned(), BadValue::Printed(go_dump::versions(spec)));
    FieldError { kind: ErrorKind::Invalid, path, value, detail: detail.to_owned() }
}

fn check(spec: &Spec<'_>, index: usize, version: &Value, errors: &mut Vec<FieldError>) {
    let path = format!("spec.versions[{index}]");
    names::label(&format!("{path}.name"), text(version, "name"), errors);
    deprecation(version, &path, errors);
    if let Some(validation) = spec.own(index, Part::Schema) {
        schema::check(validation, &format!("{path}.schema"), spec.has_status(index), errors);
    }
    if let Some(own) = spec.own(index, Part::Subresources) {
        subresources::check(own, &format!("{path}.subresources"), errors);
    }
    column::check_all(spec.own(index, Part::Columns), &format!("{path}.additionalPrinterColumns"), errors);
    if let Some(fields) = spec.own(index, Part::Selectable) {
        selectable::check_own(fields, spec.own(index, Part::Schema), &path, errors);
    }
}

fn deprecation(version: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let Some(warning) = version.get("deprecationWarning").and_then(Value::as_str) else { return };
    let path = format!("{path}.deprecationWarning");
    let mut report = |detail: String| {
        let value = BadValue::Printed(go_text::json(&warning.into()));
        errors.push(FieldError { kind: ErrorKind::Invalid, path: path.clone(), value, detail });
    };
    if !flag(version, "deprecated") {
        return report("can only be set for deprecated versions".to_owned());
    }
    if warning.len() > MAX_WARNING {
        report(format!("must be <= {MAX_WARNING} characters long"));
    }
    if warning.is_empty() {
        report("must not be an empty string".to_owned());
    }
    let odd = warning.char_indices().find(|(_, it)| it.is_control() || !go_text::is_printable(*it));
    if let Some((index, _)) = odd {
        report(format!(
            "must only contain printable UTF-8 characters; non-printable character found at index {index}"
        ));
    }
}
