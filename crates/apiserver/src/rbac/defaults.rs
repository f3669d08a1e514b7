//! The roles and bindings every cluster starts with.
//!
//! In the text a line that is not indented opens an object: its kind, its name (with its namespace before a slash),
//! for a role `from:x` (made of the roles marked for `x`) and `to:x` (marked for `x`), for a binding the role and the
//! subjects. Indented lines are rules: groups (`core` is the empty one), resources, verbs and names, or `@` with paths
//! and verbs.

use serde_json::{Map, Value, json};

use super::GROUP;

const TEXT: &str = include_str!("defaults.txt");

/// The default roles and bindings as objects to be stored; roles made of others have their rules.
pub fn default_objects() -> Vec<Value> {
    let mut objects = Vec::new();
    for line in TEXT.lines().filter(|it| !it.starts_with('#')) {
        match line.strip_prefix(' ') {
            Some(rule_line) => add_rule(objects.last_mut(), rule(rule_line)),
            None => objects.extend(object(line)),
        }
    }
    fill_aggregated(&mut objects);
    objects
}

fn add_rule(object: Option<&mut Value>, rule: Option<Value>) {
    let rules = object.and_then(|it| it.get_mut("rules")).and_then(Value::as_array_mut);
    if let (Some(rules), Some(rule)) = (rules, rule) {
        rules.push(rule);
    }
}

fn rule(line: &str) -> Option<Value> {
    if let Some(line) = line.strip_prefix('@') {
        let (paths, verbs) = line.split_once(' ')?;
        return Some(json!({"nonResourceURLs": list(paths), "verbs": list(verbs)}));
    }
    let words: Vec<_> = line.split(' ').map(list).collect();
    let [groups, resources, verbs, names @ ..] = words.as_slice() else { return None };
    let groups: Vec<_> = groups.iter().map(|it| if *it == "core" { "" } else { it }).collect();
    let mut rule = json!({"apiGroups": groups, "resources": resources, "verbs": verbs});
    if let [names] = names {
        rule["resourceNames"] = json!(names);
    }
    Some(rule)
}

fn list(word: &str) -> Vec<&str> {
    word.split(',').collect()
}

fn object(line: &str) -> Option<Value> {
    let words: Vec<_> = line.split(' ').collect();
    let (kind, name, rest) = match words.as_slice() {
        [kind, name, rest @ ..] => (*kind, *name, rest),
        _ => return None,
    };
    match kind {
        "clusterrole" => Some(cluster_role(name, rest)),
        "role" => Some(with_metadata("Role", name, json!({"rules": []}))),
        "clusterrolebinding" => binding("ClusterRoleBinding", "ClusterRole", name, rest),
        "rolebinding" => binding("RoleBinding", "Role", name, rest),
        _ => None,
    }
}

fn cluster_role(name: &str, marks: &[&str]) -> Value {
    let label = |mark: &str| format!("{GROUP}/aggregate-to-{mark}");
    let mut role = with_metadata("ClusterRole", name, json!({"rules": []}));
    for mark in marks {
        if let Some(mark) = mark.strip_prefix("to:") {
            role["metadata"]["labels"][label(mark)] = json!("true");
        }
        if let Some(mark) = mark.strip_prefix("from:") {
            let labels = Map::from_iter([(label(mark), json!("true"))]);
            role["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": labels}]});
        }
    }
    role
}

fn binding(kind: &str, role_kind: &str, name: &str, rest: &[&str]) -> Option<Value> {
    let (role, subjects) = rest.split_first()?;
    let role_ref = json!({"apiGroup": GROUP, "kind": role_kind, "name": role});
    let mut content = json!({"roleRef": role_ref});
    let subjects: Vec<_> = subjects.iter().filter_map(|it| subject(it)).collect();
    if !subjects.is_empty() {
        content["subjects"] = subjects.into();
    }
    Some(with_metadata(kind, name, content))
}

fn subject(word: &str) -> Option<Value> {
    let (kind, name) = word.split_once(':')?;
    match kind {
        "user" => Some(json!({"apiGroup": GROUP, "kind": "User", "name": name})),
        "group" => Some(json!({"apiGroup": GROUP, "kind": "Group", "name": name})),
        "serviceaccount" => {
            let (namespace, name) = name.split_once('/')?;
            Some(json!({"kind": "ServiceAccount", "name": name, "namespace": namespace}))
        }
        _ => None,
    }
}

fn with_metadata(kind: &str, name: &str, mut content: Value) -> Value {
    let mut metadata = json!({
        "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
        "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"},
        "name": name,
    });
    if let Some((namespace, name)) = name.split_once('/') {
        metadata["namespace"] = json!(namespace);
        metadata["name"] = json!(name);
    }
    content["apiVersion"] = json!(format!("{GROUP}/v1"));
    content["kind"] = json!(kind);
    content["metadata"] = metadata;
    content
}

fn fill_aggregated(objects: &mut [Value]) {
    let roles = objects.iter().filter(|it| it["kind"] == "ClusterRole");
    let aggregated = super::aggregated_rules(roles);
    for role in objects.iter_mut().filter(|it| it["kind"] == "ClusterRole") {
        let name = role["metadata"]["name"].as_str().unwrap_or_default();
        if let Some(rules) = aggregated.get(name) {
            role["rules"] = rules.iter().map(super::Rule::to_json).collect();
        }
    }
}
