//! Nobody may grant what he does not hold.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::message::{quoted, quoted_list};
use super::rule::{Grant, GrantTarget, Rule};
use super::{Attributes, GROUP, Policy, Resource, Target, User};

/// How many permissions one role may stand for when its writer has to hold them all.
const MAX_GRANTS: usize = 100_000;

/// Why a role or binding may not be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EscalationError {
    /// The writer lacks some of the permissions; the message lists them.
    #[error("{0}")]
    NotHeld(String),
    /// Rules gathered from other roles could be any.
    #[error("must have cluster-admin privileges to use the aggregationRule")]
    Aggregation,
    /// The role stands for more permissions than can be compared.
    #[error(
        "the role grants {0} single permissions; at most {MAX_GRANTS} can be checked, so split it or use `*`"
    )]
    TooMany(usize),
    /// The role of a binding is not there.
    #[error("{resource}.{GROUP} {} not found", quoted(name))]
    NoRole {
        /// `role` or `clusterrole`.
        resource: &'static str,
        /// The name of the role.
        name: String,
    },
    /// A binding refers to something that is no role.
    #[error("unsupported role reference kind: {}", quoted(_0))]
    BadReference(String),
}

impl Policy {
    /// Whether a user may write a role, a cluster role or a binding; `old` is the stored object on updates. Other
    /// objects are fine.
    pub fn check_escalation(
        &self,
        user: &User,
        new: &Value,
        old: Option<&Value>,
    ) -> Result<(), EscalationError> {
        if user.is_master() || old.is_some_and(|it| differs_for_collection_only(new, it)) {
            return Ok(());
        }
        match text(new, "/kind") {
            "ClusterRole" => self.check_role(user, "clusterroles", new, old),
            "Role" => self.check_role(user, "roles", new, old),
            "ClusterRoleBinding" | "RoleBinding" => self.check_binding(user, new),
            _ => Ok(()),
        }
    }

    /// Whether a user holds every permission of these rules.
    pub fn check_holds(&self, user: &User, namespace: &str, rules: &[Rule]) -> Result<(), EscalationError> {
        let count = rules.iter().fold(0_usize, |sum, it| sum.saturating_add(it.grant_count()));
        if count > MAX_GRANTS {
            return Err(EscalationError::TooMany(count));
        }
        let held = self.rules_for(user, namespace);
        let is_missing = |grant: &Grant<'_>| !held.rules.iter().any(|it| it.covers(grant));
        let mut missing: BTreeMap<GrantTarget<'_>, Vec<&str>> = BTreeMap::new();
        for grant in rules.iter().flat_map(Rule::grants).filter(is_missing) {
            missing.entry(grant.target).or_default().push(grant.verb);
        }
        if missing.is_empty() {
            return Ok(());
        }
        Err(EscalationError::NotHeld(not_held(user, &missing, &held.error)))
    }

    fn check_role(
        &self,
        user: &User,
        resource: &str,
        new: &Value,
        old: Option<&Value>,
    ) -> Result<(), EscalationError> {
        let namespace = text(new, "/metadata/namespace");
        // A create request names no object, so a rule for certain names does not allow it.
        let name = if old.is_some() { text(new, "/metadata/name") } else { "" };
        if self.is_allowed(
            user,
            "escalate",
            Resource { group: GROUP, resource, name, namespace, subresource: "" },
        ) {
            return Ok(());
        }
        self.check_holds(user, namespace, &Rule::of_role(new))?;
        if is_aggregated(new) || old.is_some_and(is_aggregated) {
            let holds_all = self.check_holds(user, namespace, &full_authority());
            return holds_all.map_err(|_| EscalationError::Aggregation);
        }
        Ok(())
    }

    fn check_binding(&self, user: &User, new: &Value) -> Result<(), EscalationError> {
        let namespace = text(new, "/metadata/namespace");
        let (kind, name) = (text(new, "/roleRef/kind"), text(new, "/roleRef/name"));
        let resource = if kind == "ClusterRole" { "clusterroles" } else { "roles" };
        let group = text(new, "/roleRef/apiGroup");
        let is_role = matches!(kind, "ClusterRole" | "Role");
        let bound = Resource { group, resource, name, namespace, subresource: "" };
        if is_role && self.is_allowed(user, "bind", bound) {
            return Ok(());
        }
        let rules = self.role_rules(kind, namespace, name)?;
        self.check_holds(user, namespace, rules)
    }

    fn is_allowed(&self, user: &User, verb: &str, resource: Resource<'_>) -> bool {
        self.authorize(user, &Attributes { verb, target: Target::Resource(resource) }).allowed
    }
}

fn full_authority() -> [Rule; 2] {
    let all = || vec!["*".to_owned()];
    let everything = Rule { verbs: all(), api_groups: all(), resources: all(), ..Rule::default() };
    [everything, Rule { verbs: all(), non_resource_urls: all(), ..Rule::default() }]
}

fn is_aggregated(role: &Value) -> bool {
    let selectors = role.pointer("/aggregationRule/clusterRoleSelectors").and_then(Value::as_array);
    selectors.is_some_and(|it| !it.is_empty())
}

/// Whether only fields differ that garbage collection has to change, whoever runs it.
fn differs_for_collection_only(new: &Value, old: &Value) -> bool {
    let without = |object: &Value| {
        let mut object = object.clone();
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            for name in ["ownerReferences", "finalizers", "selfLink", "managedFields"] {
                metadata.remove(name);
            }
        }
        object
    };
    without(new) == without(old)
}

fn not_held(user: &User, missing: &BTreeMap<GrantTarget<'_>, Vec<&str>>, error: &str) -> String {
    let lines = missing.iter().flat_map(|(target, verbs)| described(target, verbs));
    let lines: Vec<_> = lines.collect::<BTreeSet<_>>().into_iter().collect();
    let groups = quoted_list(user.groups.iter().map(String::as_str));
    let suffix = if error.is_empty() { String::new() } else { format!("; resolution errors: [{error}]") };
    format!(
        "user {} (groups={groups}) is attempting to grant RBAC permissions not currently held:\n{}{suffix}",
        quoted(&user.name),
        lines.join("\n")
    )
}

/// The verbs on one resource are said together, those on a path one by one.
fn described(target: &GrantTarget<'_>, verbs: &[&str]) -> Vec<String> {
    let one = |it: &str| quoted_list([it]);
    match *target {
        GrantTarget::Path(path) => {
            let line = |verb: &&str| format!("{{NonResourceURLs:{}, Verbs:{}}}", one(path), one(verb));
            verbs.iter().map(line).collect()
        }
        GrantTarget::Resource { group, resource, name } => {
            let name = name.map_or(String::new(), |it| format!(", ResourceNames:{}", one(it)));
            let verbs = quoted_list(verbs.iter().copied());
            vec![format!("{{APIGroups:{}, Resources:{}{name}, Verbs:{verbs}}}", one(group), one(resource))]
        }
    }
}

fn text<'v>(object: &'v Value, pointer: &str) -> &'v str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}
