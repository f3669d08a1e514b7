//! Roles and who has them.

use krono_schema::FieldError;
use serde_json::Value;

use crate::kind::Rules;

use super::findings::Findings;
use super::place::Place;
use super::{fill, names, read};

const GROUP: &str = "rbac.authorization.k8s.io";

/// Rules of Roles.
pub(super) const ROLE: Rules = Rules { default: default_role, validate: |new, _| validate_role(new, true) };
/// Rules of `ClusterRoles`.
pub(super) const CLUSTER_ROLE: Rules =
    Rules { default: default_role, validate: |new, _| validate_role(new, false) };
/// Rules of `RoleBindings`.
pub(super) const ROLE_BINDING: Rules = Rules {
    default: default_binding,
    validate: |new, old| validate_binding(new, old, &["Role", "ClusterRole"]),
};
/// Rules of `ClusterRoleBindings`.
pub(super) const CLUSTER_ROLE_BINDING: Rules =
    Rules { default: default_binding, validate: |new, old| validate_binding(new, old, &["ClusterRole"]) };

/// Rules are always shown, even when there are none.
fn default_role(role: &mut Value) {
    if role["rules"].is_null()
        && let Some(fields) = role.as_object_mut()
    {
        fields.insert("rules".to_owned(), Value::Null);
    }
}

fn default_binding(binding: &mut Value) {
    fill::within(binding, "roleRef", |role| fill::empty(role, "apiGroup", GROUP));
    fill::each(binding, "subjects", |subject| {
        if matches!(read::text(subject, "kind"), "User" | "Group") {
            fill::empty(subject, "apiGroup", GROUP);
        }
    });
}

fn validate_role(new: &Value, namespaced: bool) -> Vec<FieldError> {
    let mut findings = Findings::default();
    let at = Place::ROOT.field("rules");
    for (index, rule) in read::list(new, "rules").iter().enumerate() {
        policy_rule(rule, namespaced, at.index(index), &mut findings);
    }
    findings.into_errors()
}

fn policy_rule(rule: &Value, namespaced: bool, at: Place<'_>, findings: &mut Findings) {
    let lacks = |field: &str| read::list(rule, field).is_empty();
    if lacks("verbs") {
        findings.required(at.field("verbs"), "verbs must contain at least one value");
    }
    if !lacks("nonResourceURLs") {
        let (at, urls) = (at.field("nonResourceURLs"), &rule["nonResourceURLs"]);
        if namespaced {
            findings.invalid(at, urls.clone(), "namespaced rules cannot apply to non-resource URLs");
        }
        if !lacks("apiGroups") || !lacks("resources") || !lacks("resourceNames") {
            let detail = "rules cannot apply to both regular resources and non-resource URLs";
            findings.invalid(at, urls.clone(), detail);
        }
        return;
    }
    if lacks("apiGroups") {
        findings.required(at.field("apiGroups"), "resource rules must supply at least one api group");
    }
    if lacks("resources") {
        findings.required(at.field("resources"), "resource rules must supply at least one resource");
    }
}

fn validate_binding(new: &Value, old: Option<&Value>, kinds: &[&str]) -> Vec<FieldError> {
    let mut findings = Findings::default();
    let (role, at) = (&new["roleRef"], Place::ROOT.field("roleRef"));
    let group = read::text(role, "apiGroup");
    if group != GROUP {
        findings.unsupported(at.field("apiGroup"), group, &[GROUP]);
    }
    let kind = read::text(role, "kind");
    if !kinds.contains(&kind) {
        findings.unsupported(at.field("kind"), kind, kinds);
    }
    match read::text(role, "name") {
        "" => findings.required(at.field("name"), ""),
        name => findings.complaints(at.field("name"), name, names::path_segment(name)),
    }
    let place = Place::ROOT.field("subjects");
    let namespaced = kinds.len() > 1;
    for (index, entry) in read::list(new, "subjects").iter().enumerate() {
        subject(entry, namespaced, place.index(index), &mut findings);
    }
    if old.is_some_and(|old| !read::same(role, &old["roleRef"])) {
        findings.invalid(at, role.clone(), "cannot change roleRef");
    }
    findings.into_errors()
}

fn subject(subject: &Value, namespaced: bool, at: Place<'_>, findings: &mut Findings) {
    let (name, group) = (read::text(subject, "name"), read::text(subject, "apiGroup"));
    if name.is_empty() {
        findings.required(at.field("name"), "");
    }
    match read::text(subject, "kind") {
        "ServiceAccount" => {
            if !name.is_empty() {
                findings.complaints(at.field("name"), name, names::subdomain(name));
            }
            if !group.is_empty() {
                findings.unsupported(at.field("apiGroup"), group, &[""]);
            }
            if !namespaced && read::text(subject, "namespace").is_empty() {
                findings.required(at.field("namespace"), "");
            }
        }
        "User" | "Group" => {
            if group != GROUP {
                findings.unsupported(at.field("apiGroup"), group, &[GROUP]);
            }
        }
        other => findings.unsupported(at.field("kind"), other, &["ServiceAccount", "User", "Group"]),
    }
}

#[cfg(test)]
mod tests;
