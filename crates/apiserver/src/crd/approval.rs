//! Groups of the Kubernetes project, which only it may define.

use krono_schema::FieldError;

use crate::object::Object;
use crate::write::metadata::{invalid, required};

const ANNOTATION: &str = "api-approved.kubernetes.io";
const SEE: &str = "see https://github.com/kubernetes/enhancements/pull/1111";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Approval {
    Missing,
    Bypassed,
    Approved,
    Unclear,
}

/// What is wrong with the approval of a new definition, or of one that changes.
pub(super) fn check(group: &str, new: &Object, old: Option<&Object>, errors: &mut Vec<FieldError>) {
    let state = approval(annotation(new));
    if !is_protected(group) || old.is_some_and(|old| approval(annotation(old)) == state) {
        return;
    }
    let path = format!("metadata.annotations[{ANNOTATION}]");
    match state {
        Approval::Bypassed | Approval::Approved => {}
        Approval::Missing => errors.push(required(&path, &state.message(""))),
        Approval::Unclear => errors.push(invalid(&path, annotation(new), state.message(""))),
    }
}

/// Whether a definition of a protected group is approved, with reason and message; nothing for other groups.
pub(super) fn conformance(object: &Object, group: &str) -> Option<(bool, &'static str, String)> {
    if !is_protected(group) {
        return None;
    }
    let state = approval(annotation(object));
    let reason = match state {
        Approval::Missing => "MissingAnnotation",
        Approval::Bypassed => "UnapprovedAnnotation",
        Approval::Approved => "ApprovedAnnotation",
        Approval::Unclear => "InvalidAnnotation",
    };
    Some((state == Approval::Approved, reason, state.message(annotation(object))))
}

fn is_protected(group: &str) -> bool {
    ["k8s.io", "kubernetes.io"].iter().any(|it| group == *it || group.ends_with(&format!(".{it}")))
}

impl Approval {
    fn message(self, annotation: &str) -> String {
        let demand = format!("protected groups must have approval annotation {ANNOTATION:?}");
        match self {
            Self::Missing => format!("{demand}, {SEE}"),
            Self::Bypassed => format!("not approved: {annotation:?}"),
            Self::Approved => format!("approved in {annotation}"),
            Self::Unclear => {
                format!("{demand} with either a URL or a reason starting with \"unapproved\", {SEE}")
            }
        }
    }
}

fn annotation(object: &Object) -> &str {
    let annotations = object.meta("annotations");
    annotations.and_then(|it| it.get(ANNOTATION)).and_then(|it| it.as_str()).unwrap_or_default()
}

fn approval(annotation: &str) -> Approval {
    let has_host = annotation
        .split_once("://")
        .is_some_and(|(scheme, rest)| !scheme.is_empty() && !rest.is_empty() && !rest.starts_with('/'));
    if annotation.is_empty() {
        Approval::Missing
    } else if annotation.starts_with("unapproved") {
        Approval::Bypassed
    } else if has_host {
        Approval::Approved
    } else {
        Approval::Unclear
    }
}
