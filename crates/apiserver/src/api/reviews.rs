//! Questions that clients ask by creating objects that are not stored: may I, and who am I.

use serde_json::{Value, json};

use super::{Api, Call};
use crate::rbac::{self, Policy, User};
use crate::reply::Reply;
use crate::status::{Status, Subject};

const ROLE_KINDS: [&str; 4] = ["clusterroles", "clusterrolebindings", "roles", "rolebindings"];

impl Api {
    pub(super) fn review(&self, call: &Call) -> Result<Reply, Status> {
        let kind = &call.resource.kind;
        let mut object = call.input()?.value;
        let spec = object.get("spec").cloned().unwrap_or_else(|| json!({}));
        let status = match (&*kind.group, &*kind.kind) {
            ("authorization.k8s.io", "SelfSubjectAccessReview") => {
                rbac::access_review_status(&self.policy()?, &call.user, &spec)
            }
            ("authorization.k8s.io", "SubjectAccessReview" | "LocalSubjectAccessReview") => {
                rbac::access_review_status(&self.policy()?, &rbac::reviewed_user(&spec), &spec)
            }
            ("authorization.k8s.io", "SelfSubjectRulesReview") => {
                let namespace = spec.get("namespace").and_then(Value::as_str).unwrap_or_default();
                rbac::rules_review_status(&self.policy()?, &call.user, namespace)
            }
            ("authentication.k8s.io", "SelfSubjectReview") => json!({"userInfo": user_info(&call.user)}),
            _ => return Err(Status::method_not_allowed(Subject::resource(kind), "create")),
        };
        let fields =
            object.as_object_mut().ok_or_else(|| Status::bad_request("the body is not an object"))?;
        fields.insert("kind".to_owned(), (*kind.kind).into());
        fields.insert("apiVersion".to_owned(), call.resource.api_version().into());
        fields.insert("status".to_owned(), status);
        let metadata = fields.entry("metadata").or_insert_with(|| json!({}));
        metadata["creationTimestamp"] = Value::Null;
        Ok(Reply::value(201, &object))
    }

    /// What the stored roles and bindings allow.
    pub(super) fn policy(&self) -> Result<Policy, Status> {
        let mut policy = Policy::new([]);
        for plural in ROLE_KINDS {
            let page = self.storage.range(&format!("{}/{plural}/", rbac::GROUP), "", usize::MAX, None)?;
            for (_, stored) in page.items {
                policy.put(stored.decode().map_err(Status::internal)?.value());
            }
        }
        Ok(policy)
    }
}

fn user_info(user: &User) -> Value {
    let mut info = json!({"username": user.name, "groups": user.groups});
    if !user.uid.is_empty() {
        info["uid"] = user.uid.as_str().into();
    }
    if !user.extra.is_empty() {
        info["extra"] = json!(user.extra);
    }
    info
}
