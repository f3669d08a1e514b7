//! Default objects that are there already.

use serde_json::{Map, Value, json};

use super::rule::{Grant, GrantTarget, Rule};

const AUTOUPDATE: &str = "rbac.authorization.kubernetes.io/autoupdate";

/// What has to happen to a default object that is there already.
#[derive(Clone, Debug, PartialEq)]
pub enum Reconciliation {
    /// It is fine, or to be left alone.
    Nothing,
    /// It lacks something; this is what it should be.
    Update(Value),
    /// It binds another role, which cannot be changed: delete it and create it again.
    Recreate,
}

/// Compares a role or binding with what it should be: nothing is taken away, what is missing is added.
pub fn reconcile(existing: &Value, expected: &Value) -> Reconciliation {
    let annotations = existing.pointer("/metadata/annotations");
    if annotations.and_then(|it| it.get(AUTOUPDATE)).is_some_and(|it| it == "false") {
        return Reconciliation::Nothing;
    }
    let mut updated = existing.clone();
    if expected.get("roleRef").is_some() {
        if existing.get("roleRef") != expected.get("roleRef") {
            return Reconciliation::Recreate;
        }
        add_missing(&mut updated, expected, "subjects");
    } else {
        add_rules(&mut updated, expected);
        match expected.get("aggregationRule") {
            None => drop(updated.as_object_mut().and_then(|fields| fields.remove("aggregationRule"))),
            Some(rule) => {
                let fields =
                    updated.as_object_mut().map(|it| it.entry("aggregationRule").or_insert(json!({})));
                if let Some(fields) = fields {
                    add_missing(fields, rule, "clusterRoleSelectors");
                }
            }
        }
    }
    add_metadata(&mut updated, expected);
    if updated == *existing { Reconciliation::Nothing } else { Reconciliation::Update(updated) }
}

/// Labels and annotations that are there win.
fn add_metadata(updated: &mut Value, expected: &Value) {
    for field in ["annotations", "labels"] {
        let wanted = expected["metadata"][field].as_object().cloned().unwrap_or_default();
        if updated["metadata"][field].is_null() && !wanted.is_empty() {
            updated["metadata"][field] = Map::new().into();
        }
        let Some(present) = updated["metadata"].get_mut(field).and_then(Value::as_object_mut) else {
            continue;
        };
        for (key, value) in wanted {
            present.entry(key).or_insert(value);
        }
    }
}

fn add_missing(updated: &mut Value, expected: &Value, field: &str) {
    let wanted = expected[field].as_array().map(Vec::as_slice).unwrap_or_default();
    let present = updated[field].as_array().cloned().unwrap_or_default();
    let missing: Vec<Value> = wanted.iter().filter(|it| !present.contains(it)).cloned().collect();
    if !missing.is_empty() {
        updated[field] = present.into_iter().chain(missing).collect();
    }
}

/// Permissions that no rule covers are added one by one; those of roles made of others come from elsewhere.
fn add_rules(updated: &mut Value, expected: &Value) {
    if expected.get("aggregationRule").is_some() {
        return;
    }
    let (present, wanted) = (Rule::of_role(updated), Rule::of_role(expected));
    let is_missing = |grant: &Grant<'_>| !present.iter().any(|rule| rule.covers(grant));
    let missing: Vec<Value> = wanted
        .iter()
        .flat_map(Rule::grants)
        .filter(is_missing)
        .map(|it| single_rule(&it).to_json())
        .collect();
    if !missing.is_empty() {
        let rules = updated["rules"].as_array().cloned().unwrap_or_default();
        updated["rules"] = rules.into_iter().chain(missing).collect();
    }
}

fn single_rule(grant: &Grant<'_>) -> Rule {
    let verbs = vec![grant.verb.to_owned()];
    match grant.target {
        GrantTarget::Path(path) => {
            Rule { verbs, non_resource_urls: vec![path.to_owned()], ..Rule::default() }
        }
        GrantTarget::Resource { group, resource, name } => Rule {
            verbs,
            api_groups: vec![group.to_owned()],
            resources: vec![resource.to_owned()],
            resource_names: name.map(str::to_owned).into_iter().collect(),
            ..Rule::default()
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role(rules: &Value) -> Value {
        json!({
            "kind": "ClusterRole", "rules": rules,
            "metadata": {"name": "r", "labels": {"l": "1"}, "annotations": {AUTOUPDATE: "true"}},
        })
    }

    fn rule(resources: &[&str], verbs: &[&str]) -> Value {
        json!({"apiGroups": [""], "resources": resources, "verbs": verbs})
    }

    #[test]
    fn missing_rules_are_added() {
        let expected = role(&json!([rule(&["pods"], &["get", "list"])]));
        assert_eq!(reconcile(&expected, &expected), Reconciliation::Nothing);
        let wider = role(&json!([rule(&["*"], &["*"])]));
        assert_eq!(reconcile(&wider, &expected), Reconciliation::Nothing);
        let less = role(&json!([rule(&["pods"], &["get"]), rule(&["mine"], &["get"])]));
        let Reconciliation::Update(updated) = reconcile(&less, &expected) else { panic!("no update") };
        let all = json!([rule(&["pods"], &["get"]), rule(&["mine"], &["get"]), rule(&["pods"], &["list"])]);
        assert_eq!(updated["rules"], all);
        let mut protected = less;
        protected["metadata"]["annotations"][AUTOUPDATE] = "false".into();
        assert_eq!(reconcile(&protected, &expected), Reconciliation::Nothing);
    }

    #[test]
    fn labels_and_aggregation_are_added() {
        let mut expected = role(&Value::Null);
        expected["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]});
        let mut bare = expected.clone();
        bare["metadata"] = json!({"name": "r", "labels": {"l": "own"}});
        bare["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": {"own": "b"}}]});
        let Reconciliation::Update(updated) = reconcile(&bare, &expected) else { panic!("no update") };
        assert_eq!(updated["metadata"]["labels"], json!({"l": "own"}));
        assert_eq!(updated["metadata"]["annotations"], json!({AUTOUPDATE: "true"}));
        assert_eq!(updated["aggregationRule"]["clusterRoleSelectors"].as_array().unwrap().len(), 2);
        let Reconciliation::Update(updated) = reconcile(&bare, &role(&Value::Null)) else {
            panic!("no update")
        };
        assert_eq!(updated.get("aggregationRule"), None);
    }

    #[test]
    fn bindings_keep_their_subjects() {
        let binding = |role: &str, subjects: &[&str]| {
            let subjects: Vec<Value> =
                subjects.iter().map(|it| json!({"kind": "User", "name": it})).collect();
            json!({"kind": "ClusterRoleBinding", "metadata": {"name": "b"}, "roleRef": {"name": role}, "subjects": subjects})
        };
        let expected = binding("r", &["a"]);
        assert_eq!(reconcile(&binding("r", &["a", "b"]), &expected), Reconciliation::Nothing);
        let update = Reconciliation::Update(binding("r", &["b", "a"]));
        assert_eq!(reconcile(&binding("r", &["b"]), &expected), update);
        assert_eq!(reconcile(&binding("other", &["a"]), &expected), Reconciliation::Recreate);
    }
}
