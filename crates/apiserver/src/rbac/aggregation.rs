//! Cluster roles made of others.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use serde_json::Value;

use super::rule::{Rule, strings};

/// Roles that select each other settle long before; this bounds what hostile ones cost.
const MAX_ROUNDS: usize = 16;

/// A cluster role as it is stored, and what it comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ClusterRole {
    labels: Value,
    /// None unless the role is made of others.
    selectors: Option<Vec<Value>>,
    pub(super) rules: Arc<[Rule]>,
}

impl ClusterRole {
    /// Whether the role is made of others.
    pub(super) fn is_made(&self) -> bool {
        self.selectors.is_some()
    }

    pub(super) fn read(object: &Value) -> Self {
        let selectors = object.pointer("/aggregationRule/clusterRoleSelectors").and_then(Value::as_array);
        let is_aggregated = object.get("aggregationRule").is_some_and(|it| !it.is_null());
        Self {
            labels: object.pointer("/metadata/labels").cloned().unwrap_or_default(),
            selectors: is_aggregated.then(|| selectors.cloned().unwrap_or_default()),
            rules: Rule::of_role(object).into(),
        }
    }
}

/// The rules that cluster roles with an aggregation rule come to, by name, whatever rules they hold now.
pub fn aggregated_rules<'a>(
    cluster_roles: impl IntoIterator<Item = &'a Value>,
) -> BTreeMap<String, Vec<Rule>> {
    let named = |object: &Value| {
        let name = object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        (name.to_owned(), ClusterRole::read(object))
    };
    let mut roles: BTreeMap<_, _> = cluster_roles.into_iter().map(named).collect();
    aggregate(&mut roles);
    let aggregated = roles.into_iter().filter(|(_, role)| role.selectors.is_some());
    aggregated.map(|(name, role)| (name, role.rules.to_vec())).collect()
}

/// Gives every role that is made of others the rules of those, which may be made of others themselves.
pub(super) fn aggregate(roles: &mut BTreeMap<String, ClusterRole>) {
    let made: Vec<String> =
        roles.iter().filter(|(_, it)| it.selectors.is_some()).map(|(name, _)| name.clone()).collect();
    for name in &made {
        if let Some(role) = roles.get_mut(name) {
            role.rules = Arc::default();
        }
    }
    for _ in 0..MAX_ROUNDS {
        let mut has_changed = false;
        for name in &made {
            let selected = selected_rules(roles, name);
            if let Some(role) = roles.get_mut(name)
                && *role.rules != *selected
            {
                role.rules = selected.into();
                has_changed = true;
            }
        }
        if !has_changed {
            return;
        }
    }
}

fn selected_rules(roles: &BTreeMap<String, ClusterRole>, name: &str) -> Vec<Rule> {
    let selectors = roles.get(name).and_then(|it| it.selectors.as_deref()).unwrap_or_default();
    let mut seen = HashSet::new();
    let mut selected = Vec::new();
    for selector in selectors {
        let others = roles.iter().filter(|(other, role)| *other != name && selects(selector, &role.labels));
        let new = others.flat_map(|(_, role)| role.rules.iter()).filter(|rule| seen.insert(*rule));
        selected.extend(new.cloned());
    }
    selected
}

/// Whether a label selector selects labels; one that cannot be understood selects nothing.
pub(crate) fn selects(selector: &Value, labels: &Value) -> bool {
    let label = |key: &str| labels.get(key).and_then(Value::as_str);
    let wanted = selector.get("matchLabels").and_then(Value::as_object);
    let expressions = selector.get("matchExpressions").and_then(Value::as_array);
    wanted.into_iter().flatten().all(|(key, value)| value.as_str().is_some() && label(key) == value.as_str())
        && expressions.into_iter().flatten().all(|it| {
            let key = it.get("key").and_then(Value::as_str).unwrap_or_default();
            let (value, values) = (label(key), strings(it, "values"));
            let is_in = value.is_some_and(|value| values.iter().any(|it| it == value));
            match it.get("operator").and_then(Value::as_str) {
                Some("In") => is_in,
                Some("NotIn") => !is_in,
                Some("Exists") => value.is_some(),
                Some("DoesNotExist") => value.is_none(),
                _ => false,
            }
        })
}
