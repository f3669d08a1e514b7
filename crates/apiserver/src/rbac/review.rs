//! The statuses of access reviews.

use serde_json::{Value, json};

use super::rule::strings;
use super::{Attributes, Policy, Resource, Rule, Target, User};

/// The user a `SubjectAccessReview` or `LocalSubjectAccessReview` asks about.
pub fn reviewed_user(spec: &Value) -> User {
    let extra = spec.get("extra").and_then(Value::as_object);
    let keys = extra.into_iter().flat_map(|it| it.keys());
    User {
        name: text(spec, "user").to_owned(),
        uid: text(spec, "uid").to_owned(),
        groups: strings(spec, "groups"),
        extra: keys.map(|key| (key.clone(), strings(&spec["extra"], key))).collect(),
    }
}

/// The status of an access review; one that asks about nothing is not allowed.
pub fn access_review_status(policy: &Policy, user: &User, spec: &Value) -> Value {
    let Some(attributes) = attributes(spec) else { return json!({"allowed": false}) };
    let verdict = policy.authorize(user, &attributes);
    let mut status = json!({"allowed": verdict.allowed});
    if !verdict.reason.is_empty() {
        status["reason"] = verdict.reason.into();
    }
    status
}

fn attributes(spec: &Value) -> Option<Attributes<'_>> {
    if let Some(resource) = spec.get("resourceAttributes").filter(|it| it.is_object()) {
        let target = Resource {
            group: text(resource, "group"),
            resource: text(resource, "resource"),
            subresource: text(resource, "subresource"),
            name: text(resource, "name"),
            namespace: text(resource, "namespace"),
        };
        return Some(Attributes { verb: text(resource, "verb"), target: Target::Resource(target) });
    }
    let path = spec.get("nonResourceAttributes").filter(|it| it.is_object())?;
    Some(Attributes { verb: text(path, "verb"), target: Target::Path(text(path, "path")) })
}

/// The status of a `SelfSubjectRulesReview`.
pub fn rules_review_status(policy: &Policy, user: &User, namespace: &str) -> Value {
    let held = policy.rules_for(user, namespace);
    let resource_rules = held.rules.iter().filter(|it| !it.resources.is_empty()).map(resource_rule);
    let paths = held.rules.iter().filter(|it| !it.non_resource_urls.is_empty());
    let path_rules = paths.map(|it| json!({"verbs": it.verbs, "nonResourceURLs": it.non_resource_urls}));
    let mut status = json!({
        "resourceRules": resource_rules.collect::<Vec<_>>(),
        "nonResourceRules": path_rules.collect::<Vec<_>>(),
        "incomplete": false,
    });
    if !held.error.is_empty() {
        status["evaluationError"] = held.error.into();
    }
    status
}

fn resource_rule(rule: &Rule) -> Value {
    let rule = Rule { non_resource_urls: Vec::new(), ..rule.clone() };
    rule.to_json()
}

fn text<'v>(object: &'v Value, name: &str) -> &'v str {
    object.get(name).and_then(Value::as_str).unwrap_or_default()
}
