//! Decisions and messages as the real server gives them.

use serde_json::{Value, json};

use super::*;

fn user(name: &str, groups: &[&str]) -> User {
    let groups = groups.iter().map(|it| (*it).to_owned()).collect();
    User { name: name.to_owned(), groups, ..User::default() }
}

/// `verb group/resource[/subresource] [namespace/][name]`, or `verb /path`; `core` is the empty group.
fn request(text: &str) -> Attributes<'_> {
    let (verb, rest) = text.split_once(' ').unwrap();
    if rest.starts_with('/') {
        return Attributes { verb, target: Target::Path(rest) };
    }
    let (resource, object) = rest.split_once(' ').unwrap_or((rest, ""));
    let (group, resource) = resource.split_once('/').unwrap();
    let group = if group == "core" { "" } else { group };
    let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
    let (namespace, name) = object.split_once('/').unwrap_or(("", object));
    Attributes { verb, target: Target::Resource(Resource { group, resource, subresource, name, namespace }) }
}

fn role(kind: &str, namespace: &str, name: &str, rules: &Value) -> Value {
    json!({"kind": kind, "metadata": {"name": name, "namespace": namespace}, "rules": rules})
}

fn binding(namespace: &str, name: &str, role: [&str; 2], subjects: &Value) -> Value {
    let kind = if namespace.is_empty() { "ClusterRoleBinding" } else { "RoleBinding" };
    json!({
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace},
        "roleRef": {"apiGroup": GROUP, "kind": role[0], "name": role[1]},
        "subjects": subjects,
    })
}

fn subject(kind: &str, name: &str) -> Value {
    json!([{"kind": kind, "name": name}])
}

fn sample() -> Policy {
    let pods =
        json!([{"apiGroups": [""], "resources": ["pods", "pods/log", "*/scale"], "verbs": ["get", "list"]}]);
    let named =
        json!([{"apiGroups": ["apps"], "resources": ["*"], "verbs": ["*"], "resourceNames": ["web"]}]);
    let paths = json!([{"nonResourceURLs": ["/metrics", "/logs/*"], "verbs": ["get"]}]);
    Policy::new(&[
        role("ClusterRole", "", "pods", &pods),
        role("ClusterRole", "", "paths", &paths),
        role("Role", "a", "named", &named),
        binding("", "readers", ["ClusterRole", "pods"], &subject("User", "jane")),
        binding("", "watchers", ["ClusterRole", "paths"], &subject("Group", "ops")),
        binding("a", "local", ["ClusterRole", "pods"], &subject("ServiceAccount", "bot")),
        binding("a", "web", ["Role", "named"], &subject("Group", "ops")),
        binding("b", "gone", ["Role", "named"], &subject("User", "eve")),
        binding("b", "gone-too", ["ClusterRole", "nothing"], &subject("User", "eve")),
    ])
}

#[track_caller]
fn check(policy: &Policy, who: &User, requests: &[(&str, bool)]) {
    for (text, expect) in requests {
        let verdict = policy.authorize(who, &request(text));
        assert_eq!(verdict.allowed, *expect, "{} {text}: {}", who.name, verdict.reason);
    }
}

#[test]
fn rules_match_as_they_should() {
    let policy = sample();
    let jane = [
        ("get core/pods a/x", true),
        ("list core/pods", true),
        ("get core/pods/log a/x", true),
        ("get core/pods/exec a/x", false),
        ("get core/deployments/scale a/x", true),
        ("get apps/deployments/scale a/x", false),
        ("delete core/pods a/x", false),
        ("get apps/pods a/x", false),
        ("get /metrics", false),
    ];
    check(&policy, &user("jane", &[]), &jane);
    let ops = [
        ("get apps/deployments a/web", true),
        ("delete apps/deployments/status a/web", true),
        ("get apps/deployments a/other", false),
        ("list apps/deployments a/", false),
        ("get apps/deployments b/web", false),
        ("get /metrics", true),
        ("post /metrics", false),
        ("get /metrics/x", false),
        ("get /logs/x/y", true),
        ("get /logs", false),
    ];
    check(&policy, &user("someone", &["dev", "ops"]), &ops);
    let bot = [("get core/pods a/x", true), ("get core/pods b/x", false), ("get core/pods", false)];
    check(&policy, &user("system:serviceaccount:a:bot", &[]), &bot);
    check(&policy, &user("bot", &[]), &[("get core/pods a/x", false)]);
    check(&policy, &user("root", &[MASTERS]), &[("delete x/y", true), ("get /any", true)]);
    check(&Policy::default(), &user("jane", &["ops"]), &[("get core/pods", false), ("get /", false)]);
}

#[test]
fn reasons_name_the_binding_or_the_missing_role() {
    let policy = sample();
    let reason = |who: &User, text| policy.authorize(who, &request(text)).reason;
    assert_eq!(
        reason(&user("jane", &[]), "get core/pods"),
        "RBAC: allowed by ClusterRoleBinding \"readers\" of ClusterRole \"pods\" to User \"jane\""
    );
    assert_eq!(
        reason(&user("system:serviceaccount:a:bot", &[]), "get core/pods a/x"),
        "RBAC: allowed by RoleBinding \"local/a\" of ClusterRole \"pods\" to ServiceAccount \"bot/a\""
    );
    assert_eq!(
        reason(&user("eve", &[]), "get core/pods b/x"),
        "RBAC: [clusterrole.rbac.authorization.k8s.io \"nothing\" not found, \
         role.rbac.authorization.k8s.io \"named\" not found]"
    );
    assert_eq!(reason(&user("eve", &[]), "get core/pods a/x"), "");
    assert_eq!(reason(&user("root", &[MASTERS]), "get core/pods a/x"), "");
}

#[test]
fn what_a_refused_user_reads() {
    let message = |text| forbidden_message(&user("jane", &[]), &request(text), "");
    assert_eq!(
        message("list core/pods default/"),
        "pods is forbidden: User \"jane\" cannot list resource \"pods\" in API group \"\" in the namespace \"default\""
    );
    assert_eq!(
        message("update apps/deployments/scale default/web"),
        "deployments.apps \"web\" is forbidden: User \"jane\" cannot update resource \"deployments/scale\" \
         in API group \"apps\" in the namespace \"default\""
    );
    assert_eq!(
        message("list core/nodes"),
        "nodes is forbidden: User \"jane\" cannot list resource \"nodes\" in API group \"\" at the cluster scope"
    );
    assert_eq!(message("get /x<y>"), "forbidden: User \"jane\" cannot get path \"/x&lt;y&gt;\"");
    let odd = forbidden_message(&user("a\"\n\u{1}", &[]), &request("get /"), "RBAC: why");
    assert_eq!(odd, "forbidden: User \"a\\\"\\n\\x01\" cannot get path \"/\": RBAC: why");
}

#[test]
fn objects_come_and_go() {
    let mut policy = sample();
    let (jane, ask) = (user("jane", &[]), "get core/pods");
    policy.remove("ClusterRoleBinding", "", "readers");
    check(&policy, &jane, &[(ask, false)]);
    policy.put(&binding("", "readers", ["ClusterRole", "pods"], &subject("Group", "all")));
    check(&policy, &user("x", &["all"]), &[(ask, true)]);
    policy.put(&binding("", "readers", ["ClusterRole", "pods"], &subject("User", "jane")));
    check(&policy, &user("x", &["all"]), &[(ask, false)]);
    check(&policy, &jane, &[(ask, true)]);
    policy.remove("ClusterRole", "", "pods");
    check(&policy, &jane, &[(ask, false)]);
    policy.put(&json!({"kind": "ConfigMap"}));
    policy.put(&json!({"kind": "RoleBinding", "metadata": 3, "subjects": {"a": 1}}));
    policy.put(&json!(null));
    check(&policy, &user("", &[]), &[(ask, false)]);
}

#[test]
fn roles_made_of_others() {
    let labelled = |name: &str, label: &str, rules: &Value| {
        let mut role = role("ClusterRole", "", name, rules);
        role["metadata"]["labels"] = json!({(label): "true"});
        role
    };
    let made = |name: &str, label: &str, selector: Value| {
        let mut role = labelled(name, label, &json!([{"verbs": ["stale"]}]));
        role["aggregationRule"] = json!({"clusterRoleSelectors": [selector]});
        role
    };
    let rule = |resource: &str| json!([{"apiGroups": [""], "resources": [resource], "verbs": ["get"]}]);
    let mut policy = Policy::new(&[
        made("outer", "x", json!({"matchExpressions": [{"key": "inner", "operator": "Exists"}]})),
        made("middle", "inner", json!({"matchLabels": {"leaf": "true"}})),
        made("circle", "leaf", json!({"matchLabels": {"inner": "true"}})),
        labelled("leaf", "leaf", &rule("pods")),
        binding("", "b", ["ClusterRole", "outer"], &subject("User", "jane")),
    ]);
    let jane = user("jane", &[]);
    check(&policy, &jane, &[("get core/pods", true), ("get core/nodes", false)]);
    policy.put(&labelled("another", "leaf", &rule("nodes")));
    check(&policy, &jane, &[("get core/pods", true), ("get core/nodes", true)]);
    policy.remove("ClusterRole", "", "leaf");
    check(&policy, &jane, &[("get core/pods", false), ("get core/nodes", true)]);
}

#[test]
fn the_default_roles() {
    let mut objects = default_objects();
    assert_eq!(objects.len(), 131);
    for (name, group) in [("admin", "admins"), ("edit", "editors"), ("view", "viewers")] {
        objects.push(binding("a", name, ["ClusterRole", name], &subject("Group", group)));
    }
    let policy = Policy::new(&objects);
    let viewer = [
        ("list core/pods a/", true),
        ("get core/secrets a/x", false),
        ("create core/pods a/", false),
        ("get apps/deployments a/x", true),
        ("list core/pods b/", false),
    ];
    check(&policy, &user("v", &["viewers"]), &viewer);
    let editor = [
        ("get core/secrets a/x", true),
        ("create core/pods a/", true),
        ("list core/pods a/", true),
        ("create rbac.authorization.k8s.io/roles a/", false),
    ];
    check(&policy, &user("e", &["editors"]), &editor);
    let admin = [
        ("create rbac.authorization.k8s.io/roles a/", true),
        ("create core/pods a/", true),
        ("create core/resourcequotas a/", false),
    ];
    check(&policy, &user("a", &["admins"]), &admin);
    let anyone = [
        ("get /version", true),
        ("get /api", true),
        ("create authorization.k8s.io/selfsubjectaccessreviews", true),
        ("list core/pods a/", false),
    ];
    check(&policy, &user("x", &["system:authenticated"]), &anyone);
    let anonymous = [("get /version", true), ("get /healthz", true), ("get /api", false)];
    check(&policy, &user("system:anonymous", &["system:unauthenticated"]), &anonymous);
    let deployments = user("system:serviceaccount:kube-system:deployment-controller", &[]);
    check(&policy, &deployments, &[("create apps/replicasets a/", true), ("create core/secrets a/", false)]);
}

#[test]
fn default_objects_are_whole() {
    let objects = default_objects();
    let find = |kind: &str, name: &str| {
        let is_it = |it: &&Value| it["kind"] == kind && it["metadata"]["name"] == name;
        objects.iter().find(is_it).unwrap().clone()
    };
    let edit = find("ClusterRole", "edit");
    assert_eq!(
        edit["aggregationRule"],
        json!({"clusterRoleSelectors": [{"matchLabels": {"rbac.authorization.k8s.io/aggregate-to-edit": "true"}}]})
    );
    assert_eq!(edit["metadata"]["labels"]["rbac.authorization.k8s.io/aggregate-to-admin"], "true");
    assert!(edit["rules"].as_array().unwrap().len() > 15);
    let dns = find("ClusterRoleBinding", "system:kube-dns");
    assert_eq!(
        dns["subjects"],
        json!([{"kind": "ServiceAccount", "name": "kube-dns", "namespace": "kube-system"}])
    );
    for object in &objects {
        let is_role = object["kind"].as_str().unwrap().ends_with("Role");
        let has_rules = object["rules"].as_array().is_some_and(|it| !it.is_empty());
        assert_eq!(
            is_role,
            has_rules || object["metadata"]["name"] == "system:kube-aggregator-nothing",
            "{object}"
        );
    }
}

#[track_caller]
fn check_escalation(policy: &Policy, who: &User, new: &Value, expect: Result<(), &str>) {
    let result = policy.check_escalation(who, new, None).map_err(|it| it.to_string());
    assert_eq!(result, expect.map_err(str::to_owned));
}

#[test]
fn nobody_grants_what_he_does_not_hold() {
    let mut policy = sample();
    let jane = user("jane", &["dev", "ops"]);
    let rules = json!([{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}]);
    check_escalation(&policy, &jane, &role("ClusterRole", "", "x", &rules), Ok(()));
    check_escalation(&policy, &jane, &role("Role", "b", "x", &rules), Ok(()));
    let more = json!([
        {"apiGroups": ["", "apps"], "resources": ["pods"], "verbs": ["get", "watch", "delete"]},
        {"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["s"], "verbs": ["*"]},
        {"nonResourceURLs": ["/metrics", "/logs/x", "/other"], "verbs": ["get"]},
    ]);
    let missing = "user \"jane\" (groups=[\"dev\" \"ops\"]) is attempting to grant RBAC permissions not currently held:\n\
        {APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"watch\" \"delete\"]}\n\
        {APIGroups:[\"\"], Resources:[\"secrets\"], ResourceNames:[\"s\"], Verbs:[\"*\"]}\n\
        {APIGroups:[\"apps\"], Resources:[\"pods\"], Verbs:[\"get\" \"watch\" \"delete\"]}\n\
        {NonResourceURLs:[\"/other\"], Verbs:[\"get\"]}";
    let greedy = role("ClusterRole", "", "x", &more);
    check_escalation(&policy, &jane, &greedy, Err(missing));
    check_escalation(&policy, &user("root", &[MASTERS]), &greedy, Ok(()));
    let escalate = json!([{"apiGroups": [GROUP], "resources": ["clusterroles"], "verbs": ["escalate"]}]);
    policy.put(&role("ClusterRole", "", "escalate", &escalate));
    policy.put(&binding("", "escalate", ["ClusterRole", "escalate"], &subject("User", "jane")));
    check_escalation(&policy, &jane, &greedy, Ok(()));
}

#[test]
fn bindings_grant_what_their_role_holds() {
    let mut policy = sample();
    let jane = user("jane", &[]);
    let bind = |role: [&str; 2]| binding("a", "new", role, &subject("User", "eve"));
    check_escalation(&policy, &jane, &bind(["ClusterRole", "pods"]), Ok(()));
    let missing = "user \"jane\" (groups=[]) is attempting to grant RBAC permissions not currently held:\n\
        {APIGroups:[\"apps\"], Resources:[\"*\"], ResourceNames:[\"web\"], Verbs:[\"*\"]}";
    check_escalation(&policy, &jane, &bind(["Role", "named"]), Err(missing));
    let none = "role.rbac.authorization.k8s.io \"none\" not found";
    check_escalation(&policy, &jane, &bind(["Role", "none"]), Err(none));
    let may_bind = json!([{"apiGroups": [GROUP], "resources": ["roles"], "resourceNames": ["named"], "verbs": ["bind"]}]);
    policy.put(&role("ClusterRole", "", "may-bind", &may_bind));
    policy.put(&binding("a", "may-bind", ["ClusterRole", "may-bind"], &subject("User", "jane")));
    check_escalation(&policy, &jane, &bind(["Role", "named"]), Ok(()));
}

#[test]
fn other_escalation_rules() {
    let policy = sample();
    let jane = user("jane", &[]);
    let mut made = role("ClusterRole", "", "x", &json!([]));
    made["aggregationRule"] = json!({"clusterRoleSelectors": [{}]});
    let aggregation = "must have cluster-admin privileges to use the aggregationRule";
    check_escalation(&policy, &jane, &made, Err(aggregation));
    let old =
        role("ClusterRole", "", "x", &json!([{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]));
    let mut new = old.clone();
    new["metadata"]["finalizers"] = json!(["f"]);
    assert_eq!(policy.check_escalation(&jane, &new, Some(&old)), Ok(()));
    new["metadata"]["labels"] = json!({"a": "b"});
    assert!(policy.check_escalation(&jane, &new, Some(&old)).is_err());
    let many: Vec<_> = (0..1000).map(|it| it.to_string()).collect();
    let huge = json!([{"apiGroups": many, "resources": many, "verbs": many, "resourceNames": many}]);
    let result = policy.check_escalation(&jane, &role("ClusterRole", "", "x", &huge), None);
    assert_eq!(result, Err(EscalationError::TooMany(1_000_000_000_000)));
}

#[test]
fn reviews() {
    let policy = sample();
    let spec = json!({
        "user": "jane", "groups": ["ops"], "extra": {"k": ["v"]},
        "resourceAttributes": {"verb": "get", "resource": "pods", "namespace": "a"},
    });
    let jane = reviewed_user(&spec);
    assert_eq!((jane.name.as_str(), jane.groups.len(), jane.extra["k"].len()), ("jane", 1, 1));
    let reason = "RBAC: allowed by ClusterRoleBinding \"readers\" of ClusterRole \"pods\" to User \"jane\"";
    assert_eq!(access_review_status(&policy, &jane, &spec), json!({"allowed": true, "reason": reason}));
    let path = json!({"nonResourceAttributes": {"verb": "put", "path": "/metrics"}});
    assert_eq!(access_review_status(&policy, &jane, &path), json!({"allowed": false}));
    assert_eq!(access_review_status(&policy, &jane, &json!({})), json!({"allowed": false}));
    let expect = json!({
        "resourceRules": [
            {"apiGroups": [""], "resources": ["pods", "pods/log", "*/scale"], "verbs": ["get", "list"]},
            {"apiGroups": ["apps"], "resourceNames": ["web"], "resources": ["*"], "verbs": ["*"]},
        ],
        "nonResourceRules": [{"nonResourceURLs": ["/metrics", "/logs/*"], "verbs": ["get"]}],
        "incomplete": false,
    });
    assert_eq!(rules_review_status(&policy, &jane, "a"), expect);
    let eve = rules_review_status(&policy, &user("eve", &[]), "b");
    assert!(eve["evaluationError"].as_str().unwrap().starts_with("[clusterrole."), "{eve}");
}

#[test]
fn a_decision_does_not_look_at_the_bindings_of_others() {
    let mut objects = default_objects();
    for index in 0..1000 {
        let name = format!("b{index}");
        objects.push(binding("", &name, ["ClusterRole", "view"], &subject("User", &name)));
        objects.push(binding("a", &name, ["ClusterRole", "edit"], &subject("User", &name)));
    }
    let policy = Policy::new(&objects);
    let who = user("b500", &["system:authenticated", "dev", "ops"]);
    let looked_at = policy.bindings_of(&who, "a").count();
    assert_eq!(looked_at, 5, "his two and three of every authenticated user");
    assert!(!policy.authorize(&who, &request("delete core/nodes a/x")).allowed);
}

#[test]
fn wrong_reviews() {
    let check = |review: Value, expect: &[&str]| {
        let errors: Vec<_> = access_review_errors(&review).iter().map(ToString::to_string).collect();
        assert_eq!(errors, expect);
    };
    let resource = json!({"verb": "get", "resource": "pods", "namespace": "a"});
    let one_of = "spec.resourceAttributes: Invalid value: null: \
        exactly one of nonResourceAttributes or resourceAttributes must be specified";
    check(json!({"kind": "SelfSubjectAccessReview", "spec": {"resourceAttributes": resource}}), &[]);
    check(json!({"kind": "SelfSubjectAccessReview"}), &[one_of]);
    let nobody = "spec.user: Invalid value: \"\": at least one of user or group must be specified";
    check(json!({"kind": "SubjectAccessReview", "spec": {"resourceAttributes": resource}}), &[nobody]);
    let local = json!({
        "kind": "LocalSubjectAccessReview", "metadata": {"namespace": "b"},
        "spec": {"user": "x", "resourceAttributes": resource},
    });
    let other = "spec.resourceAttributes.namespace: Invalid value: \"a\": must match metadata.namespace";
    check(local, &[other]);
}

#[test]
fn who_am_i() {
    let mut jane = user("jane", &["dev"]);
    assert_eq!(self_review_status(&jane), json!({"userInfo": {"username": "jane", "groups": ["dev"]}}));
    jane.uid = "1".to_owned();
    jane.extra.insert("k".to_owned(), vec!["v".to_owned()]);
    let info = json!({"username": "jane", "groups": ["dev"], "uid": "1", "extra": {"k": ["v"]}});
    assert_eq!(self_review_status(&jane), json!({"userInfo": info}));
}

/// One line per random cluster: its objects, reviews with the real authorizer's verdict, and rules with the real
/// server's message when a user grants them.
const DECISIONS: &str = include_str!("../../tests/rbac/decisions.jsonl");

#[test]
fn verdicts_are_those_of_the_real_authorizer() {
    for line in DECISIONS.lines() {
        let cluster: Value = serde_json::from_str(line).unwrap();
        let policy = Policy::new(cluster["objects"].as_array().unwrap());
        for review in cluster["reviews"].as_array().unwrap() {
            let status = access_review_status(&policy, &reviewed_user(review), review);
            assert_eq!(status["allowed"], review["allowed"], "{review}");
        }
        for grant in cluster["grants"].as_array().unwrap() {
            let namespace = grant["ns"].as_str().unwrap();
            let held = policy.check_holds(&reviewed_user(grant), namespace, &Rule::of_role(grant));
            let message = held.err().map(|it| it.to_string()).unwrap_or_default();
            let message = message.split("; resolution errors").next().unwrap();
            assert_eq!(message, grant["error"], "{grant}");
        }
    }
}
