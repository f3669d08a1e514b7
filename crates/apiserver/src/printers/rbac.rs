//! Kinds of the group `rbac.authorization.k8s.io`. Roles show their name and when they were made.

use super::{Heading, Sheet, Shown};

const ROLE_BINDING: &[Heading] = &[
    Heading::NAME,
    Heading::told("Role", role).said(
        "RoleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. If \
         the RoleRef cannot be resolved, the Authorizer must return an error.",
    ),
    Heading::AGE,
    Heading::told("Users", users).said("Users in the roleBinding").wide(),
    Heading::told("Groups", groups).said("Groups in the roleBinding").wide(),
    Heading::told("ServiceAccounts", accounts).said("ServiceAccounts in the roleBinding").wide(),
];

const CLUSTER_ROLE_BINDING: &[Heading] = &[
    Heading::NAME,
    Heading::told("Role", role).said(
        "RoleRef can only reference a ClusterRole in the global namespace. If the RoleRef cannot be \
         resolved, the Authorizer must return an error.",
    ),
    Heading::AGE,
    Heading::told("Users", users).said("Users in the clusterRoleBinding").wide(),
    Heading::told("Groups", groups).said("Groups in the clusterRoleBinding").wide(),
    Heading::told("ServiceAccounts", accounts).said("ServiceAccounts in the clusterRoleBinding").wide(),
];

/// The sheet of a kind.
pub(super) fn sheet(kind: &str) -> Option<Sheet> {
    let headings = match kind {
        "ClusterRoleBinding" => CLUSTER_ROLE_BINDING,
        "RoleBinding" => ROLE_BINDING,
        _ => return None,
    };
    Some(Sheet::of(headings))
}

fn role(binding: &Shown<'_>) -> String {
    format!("{}/{}", binding.text("/roleRef/kind"), binding.text("/roleRef/name"))
}

fn users(binding: &Shown<'_>) -> String {
    subjects(binding, "User", |subject| subject.text("/name").to_owned())
}

fn groups(binding: &Shown<'_>) -> String {
    subjects(binding, "Group", |subject| subject.text("/name").to_owned())
}

fn accounts(binding: &Shown<'_>) -> String {
    subjects(binding, "ServiceAccount", |it| format!("{}/{}", it.text("/namespace"), it.text("/name")))
}

fn subjects(binding: &Shown<'_>, kind: &str, name: fn(&Shown<'_>) -> String) -> String {
    let subjects = binding.parts("/subjects").filter(|subject| subject.text("/kind") == kind);
    subjects.map(|subject| name(&subject)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use crate::printers::testing::check;
    use serde_json::json;

    #[test]
    fn bindings() {
        let binding = json!({
            "metadata": {"name": "b"}, "roleRef": {"kind": "ClusterRole", "name": "view"},
            "subjects": [
                {"kind": "User", "name": "ann"}, {"kind": "ServiceAccount", "namespace": "d", "name": "s"},
                {"kind": "Group", "name": "g"}, {"kind": "User", "name": "bob"},
            ],
        });
        let expect = json!(["b", "ClusterRole/view", "<unknown>", "ann, bob", "g", "d/s"]);
        for kind in ["RoleBinding", "ClusterRoleBinding"] {
            check(("rbac.authorization.k8s.io", kind), binding.clone(), expect.clone());
        }
    }
}
