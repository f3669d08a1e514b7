//! Whom a binding is for.

use serde_json::Value;

use super::User;
use super::message::quoted;

/// One entry of a binding's `subjects`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Subject {
    /// None for what no user can be, such as an account without a namespace.
    pub(super) key: Option<SubjectKey>,
    /// As it is said in reasons.
    pub(super) description: String,
}

/// What bindings are found by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum SubjectKey {
    User(String),
    Group(String),
}

impl Subject {
    /// `namespace` is the binding's; empty for cluster role bindings.
    pub(super) fn read(subject: &Value, namespace: &str) -> Self {
        let text = |name| subject.get(name).and_then(Value::as_str).unwrap_or_default();
        let (kind, name) = (text("kind"), text("name").to_owned());
        if kind == "ServiceAccount" {
            let given = text("namespace");
            return Self::service_account(&name, if given.is_empty() { namespace } else { given });
        }
        let description = format!("{kind} {}", quoted(&name));
        let key = match kind {
            "User" => Some(SubjectKey::User(name)),
            "Group" => Some(SubjectKey::Group(name)),
            _ => None,
        };
        Self { key, description }
    }

    fn service_account(name: &str, namespace: &str) -> Self {
        let user = format!("system:serviceaccount:{namespace}:{name}");
        let key = (!namespace.is_empty()).then_some(SubjectKey::User(user));
        Self { key, description: format!("ServiceAccount {}", quoted(&format!("{name}/{namespace}"))) }
    }

    pub(super) fn is(&self, user: &User) -> bool {
        match &self.key {
            Some(SubjectKey::User(name)) => *name == user.name,
            Some(SubjectKey::Group(group)) => user.groups.contains(group),
            None => false,
        }
    }
}
