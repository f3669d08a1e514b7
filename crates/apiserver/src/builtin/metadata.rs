//! What every object's metadata must be.

use serde_json::Value;

use crate::kind::Rules;

use super::findings::Findings;
use super::names::{self, NameRule};
use super::place::Place;
use super::read;

/// Keys and values of all annotations together may have this many bytes.
const ANNOTATIONS_LIMIT: usize = 256 * 1024;

/// Rules of kinds of which only the metadata is checked: names are subdomains.
pub(super) const NAMED_BY_SUBDOMAIN: Rules = Rules {
    default: |_| {},
    validate: |new, old| {
        let mut findings = Findings::default();
        validate(new, old, names::subdomain, &mut findings);
        findings.into_errors()
    },
};

/// Rules of kinds of which only the metadata is checked: names are parts of a URL path.
pub(super) const NAMED_BY_PATH_SEGMENT: Rules = Rules {
    default: |_| {},
    validate: |new, old| {
        let mut findings = Findings::default();
        validate(new, old, names::path_segment, &mut findings);
        findings.into_errors()
    },
};

/// Checks the metadata of an object; names cannot change, so they are checked when the object is made.
pub(super) fn validate(new: &Value, old: Option<&Value>, name_rule: NameRule, findings: &mut Findings) {
    let metadata = &new["metadata"];
    let at = Place::ROOT.field("metadata");
    match old {
        None => names_of(metadata, at, name_rule, findings),
        Some(old) => unchanged(metadata, &old["metadata"], at, findings),
    }
    labels(&metadata["labels"], at.field("labels"), findings);
    annotations(metadata, at, findings);
    owners(metadata, at, findings);
    finalizers(metadata, at, findings);
}

fn names_of(metadata: &Value, at: Place<'_>, name_rule: NameRule, findings: &mut Findings) {
    let prefix = read::text(metadata, "generateName");
    if !prefix.is_empty() {
        findings.complaints(at.field("generateName"), prefix, name_rule(&masked(prefix)));
    }
    let name = read::text(metadata, "name");
    if name.is_empty() {
        findings.required(at.field("name"), "name or generateName is required");
    } else {
        findings.complaints(at.field("name"), name, name_rule(name));
    }
}

/// A prefix may end with a dash, because more follows.
fn masked(prefix: &str) -> String {
    match prefix.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => format!("{rest}a"),
        _ => prefix.to_owned(),
    }
}

fn unchanged(new: &Value, old: &Value, at: Place<'_>, findings: &mut Findings) {
    for field in ["name", "namespace", "uid", "creationTimestamp"] {
        findings.immutable(at, new, old, field);
    }
}

/// Checks keys and values of labels, or of a selector that is a map of labels.
pub(super) fn labels(labels: &Value, at: Place<'_>, findings: &mut Findings) {
    for (key, value) in labels.as_object().into_iter().flatten() {
        findings.complaints(at, key, names::qualified(key));
        let value = value.as_str().unwrap_or_default();
        findings.complaints(at, value, names::label_value(value));
    }
}

/// Checks keys and the size of annotations.
pub(super) fn annotations(metadata: &Value, at: Place<'_>, findings: &mut Findings) {
    let at = at.field("annotations");
    let mut size = 0;
    for (key, value) in read::entries(metadata, "annotations") {
        findings.complaints(at, key, names::qualified(&key.to_lowercase()));
        size += key.len() + value.as_str().map_or(0, str::len);
    }
    if size > ANNOTATIONS_LIMIT {
        findings.too_long(at, ANNOTATIONS_LIMIT);
    }
}

fn owners(metadata: &Value, at: Place<'_>, findings: &mut Findings) {
    let at = at.field("ownerReferences");
    let owners = read::list(metadata, "ownerReferences");
    for owner in owners {
        for (field, detail) in [
            ("apiVersion", "version must not be empty"),
            ("kind", "must not be empty"),
            ("name", "must not be empty"),
            ("uid", "must not be empty"),
        ] {
            if read::text(owner, field).is_empty() {
                findings.invalid(at.field(field), "", detail);
            }
        }
    }
    let controllers = owners.iter().filter(|owner| read::is_true(owner, "controller"));
    let names: Vec<String> = controllers
        .map(|owner| format!("{}/{}", read::text(owner, "kind"), read::text(owner, "name")))
        .collect();
    let [first, others @ ..] = names.as_slice() else { return };
    for other in others {
        let detail = format!(
            "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {other}"
        );
        findings.invalid(at, owners.to_vec(), detail);
    }
}

fn finalizers(metadata: &Value, at: Place<'_>, findings: &mut Findings) {
    let at = at.field("finalizers");
    for finalizer in read::texts(metadata, "finalizers") {
        findings.complaints(at, finalizer, names::qualified(finalizer));
    }
    let has = |name: &str| read::texts(metadata, "finalizers").any(|finalizer| finalizer == name);
    if has("orphan") && has("foregroundDeletion") {
        let detail = "finalizer orphan and foregroundDeletion cannot be both set";
        findings.invalid(at, metadata["finalizers"].clone(), detail);
    }
}
