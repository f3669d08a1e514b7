//! The statuses of access reviews.

use krono_schema::{BadValue, ErrorKind, FieldError};
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

/// What is wrong with an access review of any of the three kinds.
pub fn access_review_errors(review: &Value) -> Vec<FieldError> {
    let empty = Value::Null;
    let (kind, spec) = (text(review, "kind"), review.get("spec").unwrap_or(&empty));
    let mut errors = attribute_errors(spec);
    let is_about_other = kind != "SelfSubjectAccessReview";
    let is_unnamed = text(spec, "user").is_empty() && strings(spec, "groups").is_empty();
    if is_about_other && is_unnamed {
        errors.push(invalid("spec.user", json!(""), "at least one of user or group must be specified"));
    }
    errors.extend(member(spec, "resourceAttributes").map(selector_errors).unwrap_or_default());
    let is_local = kind == "LocalSubjectAccessReview";
    errors.extend(metadata_errors(review, is_local));
    if is_local {
        errors.extend(local_errors(review, spec));
    }
    errors
}

fn attribute_errors(spec: &Value) -> Vec<FieldError> {
    match (member(spec, "resourceAttributes"), member(spec, "nonResourceAttributes")) {
        (Some(_), Some(path)) => {
            let detail = "cannot be specified in combination with resourceAttributes";
            vec![invalid("spec.nonResourceAttributes", internal(path), detail)]
        }
        (None, None) => {
            let detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
            vec![invalid("spec.resourceAttributes", Value::Null, detail)]
        }
        (Some(_), None) | (None, Some(_)) => Vec::new(),
    }
}

/// Reviews are not stored, so there is nothing to say about them.
fn metadata_errors(review: &Value, is_local: bool) -> Option<FieldError> {
    let metadata = review.get("metadata").unwrap_or(&Value::Null);
    let is_fine = |name: &String| name == "managedFields" || is_local && name == "namespace";
    let given =
        metadata.as_object().into_iter().flatten().find(|(name, value)| !is_fine(name) && !is_blank(value));
    let detail = if is_local { "must be empty except for namespace" } else { "must be empty" };
    given.map(|_| invalid("metadata", metadata.clone(), detail))
}

fn is_blank(value: &Value) -> bool {
    value.is_null() || value == "" || value == &json!([]) || value == &json!({})
}

fn selector_errors(attributes: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for name in ["fieldSelector", "labelSelector"] {
        let Some(selector) = member(attributes, name) else { continue };
        let path = format!("spec.resourceAttributes.{name}");
        let (raw, count) = (text(selector, "rawSelector"), requirements(selector).len());
        if !raw.is_empty() && count > 0 {
            let detail = "may not specified at the same time as requirements";
            errors.push(invalid(&format!("{path}.rawSelector"), json!(raw), detail));
        }
        if raw.is_empty() && count == 0 {
            let detail = format!("when {path} is specified, requirements or rawSelector is required");
            errors.push(required(&format!("{path}.requirements"), &detail));
        }
    }
    errors
}

fn requirements(selector: &Value) -> &[Value] {
    selector.get("requirements").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn local_errors(review: &Value, spec: &Value) -> Vec<FieldError> {
    let wanted = review.pointer("/metadata/namespace").and_then(Value::as_str).unwrap_or_default();
    let mut errors = Vec::new();
    let namespace = member(spec, "resourceAttributes").map(|it| text(it, "namespace"));
    if let Some(namespace) = namespace.filter(|it| *it != wanted) {
        let path = "spec.resourceAttributes.namespace";
        errors.push(invalid(path, json!(namespace), "must match metadata.namespace"));
    }
    if let Some(path) = member(spec, "nonResourceAttributes") {
        let detail = "disallowed on this kind of request";
        errors.push(invalid("spec.nonResourceAttributes", internal(path), detail));
    }
    errors
}

/// The real server complains of its own type, whose fields have other names.
fn internal(path: &Value) -> Value {
    json!({"Path": text(path, "path"), "Verb": text(path, "verb")})
}

fn invalid(path: &str, value: Value, detail: &str) -> FieldError {
    let (kind, value) = (ErrorKind::Invalid, BadValue::Value(value));
    FieldError { kind, path: path.to_owned(), value, detail: detail.to_owned() }
}

fn required(path: &str, detail: &str) -> FieldError {
    let (kind, value) = (ErrorKind::Required, BadValue::Omitted);
    FieldError { kind, path: path.to_owned(), value, detail: detail.to_owned() }
}

fn member<'v>(spec: &'v Value, name: &str) -> Option<&'v Value> {
    spec.get(name).filter(|it| it.is_object())
}

/// The status of a `SelfSubjectReview`.
pub fn self_review_status(user: &User) -> Value {
    let mut info = json!({"username": user.name});
    if !user.uid.is_empty() {
        info["uid"] = json!(user.uid);
    }
    if !user.groups.is_empty() {
        info["groups"] = json!(user.groups);
    }
    if !user.extra.is_empty() {
        info["extra"] = json!(user.extra);
    }
    json!({"userInfo": info})
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
    if let Some(resource) = member(spec, "resourceAttributes") {
        let target = Resource {
            group: text(resource, "group"),
            resource: text(resource, "resource"),
            subresource: text(resource, "subresource"),
            name: text(resource, "name"),
            namespace: text(resource, "namespace"),
        };
        return Some(Attributes { verb: text(resource, "verb"), target: Target::Resource(target) });
    }
    let path = member(spec, "nonResourceAttributes")?;
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
