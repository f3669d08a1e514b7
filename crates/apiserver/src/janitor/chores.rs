//! What follows from single objects: namespaces are furnished, roles gathered, claims let go.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::graph::Task;
use crate::initial;
use crate::rbac;

const CLAIMS: &str = "/persistentvolumeclaims/";
const VOLUMES: &str = "/persistentvolumes/";

/// What has to be remembered from one change to the next.
#[derive(Debug, Default)]
pub(super) struct Chores {
    /// Claims that are being deleted and may still be in use.
    ending: BTreeSet<Arc<str>>,
}

impl Chores {
    /// What a change of an object asks for; no metadata means that it is gone.
    pub(super) fn notice(&mut self, key: &Arc<str>, metadata: Option<&Value>) -> Vec<Task> {
        let deleting = metadata.is_some_and(|it| it.get("deletionTimestamp").is_some_and(|it| !it.is_null()));
        if let Some(namespace) = key.strip_prefix("/namespaces/") {
            let stays = metadata.is_some() && !deleting;
            return stays.then(|| Task::Furnish { namespace: namespace.to_owned() }).into_iter().collect();
        }
        if let Some(namespace) = furnished_by(key, metadata.is_none()) {
            return vec![Task::Furnish { namespace: namespace.to_owned() }];
        }
        if key.strip_prefix(rbac::GROUP).is_some_and(|rest| rest.starts_with("/clusterroles/")) {
            return vec![Task::Gather];
        }
        if key.starts_with(VOLUMES) && deleting {
            return vec![Task::Unprotect { key: Arc::clone(key) }];
        }
        if key.starts_with(CLAIMS) {
            return self.claim(key, deleting);
        }
        key.strip_prefix("/pods/").map(|rest| self.users_changed(rest)).unwrap_or_default()
    }

    fn claim(&mut self, key: &Arc<str>, deleting: bool) -> Vec<Task> {
        if !deleting {
            self.ending.remove(key);
            return Vec::new();
        }
        self.ending.insert(Arc::clone(key));
        vec![Task::Unprotect { key: Arc::clone(key) }]
    }

    /// A pod of a namespace may have let go of claims.
    fn users_changed(&self, pod: &str) -> Vec<Task> {
        let Some((namespace, _)) = pod.split_once('/').filter(|_| !self.ending.is_empty()) else {
            return Vec::new();
        };
        let prefix = format!("{CLAIMS}{namespace}/");
        let keys = self.ending.iter().filter(|key| key.starts_with(&prefix));
        keys.map(|key| Task::Unprotect { key: Arc::clone(key) }).collect()
    }
}

/// The namespace that lacks something when an object is changed, or gone.
fn furnished_by(key: &str, is_gone: bool) -> Option<&str> {
    let (kind, rest) = key.strip_prefix('/')?.split_once('/')?;
    let (namespace, name) = rest.split_once('/')?;
    let is_furniture = match (kind, name) {
        ("serviceaccounts", initial::ACCOUNT) => is_gone,
        ("configmaps", initial::AUTHORITY) => true,
        _ => false,
    };
    is_furniture.then_some(namespace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_changes_ask_for() {
        let mut chores = Chores::default();
        let mut check = |key: &str, metadata: Option<Value>, expect: &[&str]| {
            let tasks = chores.notice(&Arc::from(key), metadata.as_ref());
            let tasks: Vec<String> = tasks.iter().map(|task| format!("{task:?}")).collect();
            assert_eq!(tasks, expect, "{key}");
        };
        let ending = || Some(json!({"deletionTimestamp": "2026-01-01T00:00:00Z"}));
        let furnish = r#"Furnish { namespace: "a" }"#;
        check("/namespaces/a", Some(json!({})), &[furnish]);
        check("/namespaces/a", ending(), &[]);
        check("/namespaces/a", None, &[]);
        check("/serviceaccounts/a/default", Some(json!({})), &[]);
        check("/serviceaccounts/a/default", None, &[furnish]);
        check("/configmaps/a/kube-root-ca.crt", Some(json!({})), &[furnish]);
        check("/configmaps/a/default", None, &[]);
        check("rbac.authorization.k8s.io/clusterroles/x", None, &["Gather"]);
        let release = r#"Unprotect { key: "/persistentvolumeclaims/a/c" }"#;
        check("/pods/a/p", None, &[]);
        check("/persistentvolumeclaims/a/c", Some(json!({})), &[]);
        check("/persistentvolumeclaims/a/c", ending(), &[release]);
        check("/pods/b/p", None, &[]);
        check("/pods/a/p", None, &[release]);
        check("/persistentvolumeclaims/a/c", None, &[]);
        check("/pods/a/p", None, &[]);
    }
}
