//! What is wrong with a definition, in the words and the order of the real server.

mod column;
mod conversion;
mod go_dump;
mod names;
mod schema;
mod selectable;
mod spec;
mod subresources;
mod url;
mod version;

use krono_schema::FieldError;
use serde_json::Value;

use super::approval;
use crate::object::Object;
use crate::write::metadata::invalid;
use spec::{Part, Spec};

/// What is wrong with the name of a definition beyond what no name may be.
pub(crate) fn name_complaint(object: &Object) -> Option<&'static str> {
    let text = |path: &str| object.value().pointer(path).and_then(Value::as_str).unwrap_or_default();
    let expected = format!("{}.{}", text("/spec/names/plural"), text("/spec/group"));
    (object.name() != expected).then_some(r#"must be spec.names.plural+"."+spec.group"#)
}

/// What is wrong with a definition, or with a change to it. Its metadata is looked at elsewhere.
pub(crate) fn validate(new: &Object, old: Option<&Object>) -> Vec<FieldError> {
    let (empty, spec) = (Value::Null, Spec::of(new));
    let status = new.get("status").unwrap_or(&empty);
    let mut errors = Vec::new();
    spec_errors(&spec, allows_bad_bundle(old), &mut errors);
    if let Some(old) = old {
        changes(&spec, &Spec::of(old), is_established(old), &mut errors);
    }
    let accepted = status.get("acceptedNames").unwrap_or(&empty);
    names::check(accepted, "status.acceptedNames", &mut errors);
    stored_versions(&spec, status, &mut errors);
    approval::check(&spec.text("group"), new, old, &mut errors);
    unknown_fields(&spec, old, &mut errors);
    errors
}

fn spec_errors(spec: &Spec<'_>, bad_bundle: bool, errors: &mut Vec<FieldError>) {
    names::group(&spec.text("group"), errors);
    names::scope(&spec.text("scope"), errors);
    schema::required_schemas(spec, errors);
    if spec.preserves_unknown_fields() && spec.schemas().any(schema::has_defaults) {
        let detail = "must be false in order to use defaults in the schema";
        errors.push(invalid("spec.preserveUnknownFields", true, detail));
    }
    version::check_all(spec, errors);
    names::required_names(spec.names(), errors);
    names::check(spec.names(), "spec.names", errors);
    if let Some(validation) = spec.shared(Part::Schema) {
        let has_status = (0..spec.versions.len()).any(|index| spec.has_status(index));
        schema::check(validation, "spec.validation", has_status, errors);
    }
    if let Some(shared) = spec.shared(Part::Subresources) {
        subresources::check(shared, "spec.subresources", errors);
    }
    column::check_all(spec.shared(Part::Columns), "spec.additionalPrinterColumns", errors);
    if let Some(fields) = spec.shared(Part::Selectable) {
        selectable::check_shared(fields, spec.shared(Part::Schema), errors);
    }
    conversion::check(spec, bad_bundle, errors);
}

/// A certificate that cannot be read is tolerated before objects depend on it, and where it is there already.
fn allows_bad_bundle(old: Option<&Object>) -> bool {
    let Some(old) = old else { return true };
    !is_established(old) || conversion::has_bad_bundle(&Spec::of(old))
}

fn is_established(object: &Object) -> bool {
    super::Definition::read(object).established
}

fn changes(new: &Spec<'_>, old: &Spec<'_>, established: bool, errors: &mut Vec<FieldError>) {
    let mut same = |path: &str, new: &Value, old: &Value| {
        if new != old {
            errors.push(invalid(path, new.clone(), "field is immutable"));
        }
    };
    let name = |spec: &Spec<'_>, name: &str| spec::text(spec.names(), name).into();
    if established {
        same("spec.scope", &new.text("scope").into(), &old.text("scope").into());
        same("spec.names.kind", &name(new, "kind"), &name(old, "kind"));
    }
    same("spec.group", &new.text("group").into(), &old.text("group").into());
    same("spec.names.plural", &name(new, "plural"), &name(old, "plural"));
}

fn stored_versions(spec: &Spec<'_>, status: &Value, errors: &mut Vec<FieldError>) {
    let (path, stored) = ("status.storedVersions", spec::list(status, "storedVersions"));
    if stored.is_empty() {
        return errors.push(invalid(path, Value::Null, "must have at least one stored version"));
    }
    let is_stored = |version: &Value| stored.contains(&version["name"]);
    let names = |version: &&Value| spec::flag(version, "storage") && !is_stored(version);
    for version in spec.versions.iter().filter(names) {
        let detail = format!("must have the storage version {}", spec::text(version, "name"));
        errors.push(invalid(path, stored.to_vec(), detail));
    }
    for (index, name) in stored.iter().enumerate() {
        if !spec.versions.iter().any(|version| version["name"] == *name) {
            let text = name.as_str().unwrap_or_default();
            let detail = format!(
                "missing from spec.versions; {text} was previously a storage version, and must remain in spec.versions \
                 until a storage migration ensures no data remains persisted in {text} and removes {text} from \
                 status.storedVersions"
            );
            errors.push(invalid(&format!("{path}[{index}]"), text, detail));
        }
    }
}

fn unknown_fields(spec: &Spec<'_>, old: Option<&Object>, errors: &mut Vec<FieldError>) {
    let was_set = old.is_some_and(|old| Spec::of(old).preserves_unknown_fields());
    if spec.preserves_unknown_fields() && !was_set {
        let detail = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in \
                      spec.versions[*].schema instead";
        errors.push(invalid("spec.preserveUnknownFields", true, detail));
    }
}

#[cfg(test)]
mod tests;
