//! Questions that clients ask by creating objects that are not stored: may I, and who am I.

use serde_json::{Value, json};

use super::{Api, Call};
use crate::object::Object;
use crate::rbac::{self, Policy, User};
use crate::reply::Reply;
use crate::selector::{FieldSelector, LabelSelector};
use crate::status::{Status, Subject};
use crate::write::decode::{Decoded, decode};
use crate::write::{create, metadata};

/// What a review asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    /// Whether I may do something.
    OwnAccess,
    /// Whether somebody may do something.
    Access,
    /// What I may do.
    OwnRules,
    /// Who I am.
    OwnName,
}

impl Question {
    fn of(group: &str, kind: &str) -> Option<Self> {
        match (group, kind) {
            ("authorization.k8s.io", "SelfSubjectAccessReview") => Some(Self::OwnAccess),
            ("authorization.k8s.io", "SubjectAccessReview" | "LocalSubjectAccessReview") => {
                Some(Self::Access)
            }
            ("authorization.k8s.io", "SelfSubjectRulesReview") => Some(Self::OwnRules),
            ("authentication.k8s.io", "SelfSubjectReview") => Some(Self::OwnName),
            _ => None,
        }
    }
}

impl Api {
    pub(super) fn review(&self, call: &Call) -> Result<Reply, Status> {
        let kind = &call.resource.kind;
        let Some(question) = Question::of(&kind.group, &kind.kind) else {
            return Err(Status::method_not_allowed(Subject::resource(kind), "create"));
        };
        let decoded = decode(&call.resource, call.input()?, call.query.field_validation)?;
        let Decoded { mut object, warnings } = decoded;
        metadata::ensure_namespace(&call.resource, &mut object, call.namespace.as_deref())?;
        create::validate_content(&call.resource, &object)?;
        let answer = match question {
            Question::OwnAccess => self.access_review(call, &object, &call.user)?,
            Question::Access => {
                let user = rbac::reviewed_user(object.get("spec").unwrap_or(&Value::Null));
                self.access_review(call, &object, &user)?
            }
            Question::OwnRules => self.rules_review(call, &object)?,
            Question::OwnName => {
                let metadata = json!({"creationTimestamp": crate::world::moment().now});
                whole(call, json!({"metadata": metadata, "status": rbac::self_review_status(&call.user)}))
            }
        };
        Ok(Reply::value(201, &answer).with_warnings(warnings))
    }

    fn access_review(&self, call: &Call, object: &Object, user: &User) -> Result<Value, Status> {
        let mut object = self.managing(call).noted(object, None);
        let errors = rbac::access_review_errors(object.value());
        if !errors.is_empty() {
            return Err(Status::invalid_review(&call.resource.kind.group, &errors));
        }
        let spec = object.get("spec").cloned().unwrap_or_default();
        let mut status = self.ask(|policy| rbac::access_review_status(policy, user, &spec))?;
        let problems = selector_problems(&spec["resourceAttributes"]);
        if !problems.is_empty() {
            status["evaluationError"] = problems.join("; ").into();
        }
        object.set("status", Some(status));
        Ok(object.into_value())
    }

    fn rules_review(&self, call: &Call, object: &Object) -> Result<Value, Status> {
        let namespace = object.value().pointer("/spec/namespace").and_then(Value::as_str).unwrap_or_default();
        if namespace.is_empty() {
            return Err(Status::bad_request("no namespace on request"));
        }
        let status = self.ask(|policy| rbac::rules_review_status(policy, &call.user, namespace))?;
        Ok(whole(call, json!({"metadata": {}, "spec": {}, "status": status})))
    }

    fn ask<T>(&self, question: impl FnOnce(&Policy) -> T) -> Result<T, Status> {
        self.policies.ask(&self.storage, question)
    }
}

/// Selectors that cannot be read are left out of account; reviews tell so.
fn selector_problems(attributes: &Value) -> Vec<String> {
    let raw = |name: &str| attributes[name]["rawSelector"].as_str().unwrap_or_default().to_owned();
    let ignored = |name: &str| format!("spec.resourceAttributes.{name} ignored due to parse error");
    let fields = FieldSelector::parse(&raw("fieldSelector"), |_| Ok(())).is_err();
    let labels = LabelSelector::parse(&raw("labelSelector")).is_err();
    let problems = [(fields, "fieldSelector"), (labels, "labelSelector")];
    problems.into_iter().filter(|(is_bad, _)| *is_bad).map(|(_, name)| ignored(name)).collect()
}

/// An answer that has nothing of the question but its kind.
fn whole(call: &Call, mut answer: Value) -> Value {
    answer["kind"] = (*call.resource.kind.kind).into();
    answer["apiVersion"] = call.resource.api_version().into();
    answer
}
