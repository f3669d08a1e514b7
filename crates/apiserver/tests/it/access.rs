//! Who may do what.

use serde_json::{Value, json};

use crate::harness::{Harness, MAPS, start};

/// Roles, bindings and namespaces, one per line.
const CLUSTER: &str = include_str!("../rbac/cluster.jsonl");
/// Reviews asked of the real server with those objects, one per line, with its answers.
const REVIEWS: &str = include_str!("../rbac/reviews.jsonl");

const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";

fn lines(text: &str) -> impl Iterator<Item = Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap())
}

fn collection(object: &Value) -> String {
    let plural = format!("{}s", object["kind"].as_str().unwrap().to_lowercase());
    match object["metadata"]["namespace"].as_str() {
        Some(namespace) => format!("{RBAC}/namespaces/{namespace}/{plural}"),
        None if plural == "namespaces" => "/api/v1/namespaces".to_owned(),
        None => format!("{RBAC}/{plural}"),
    }
}

async fn cluster() -> Harness {
    let it = start().await;
    for object in lines(CLUSTER) {
        it.post(&collection(&object), &object).await.ok();
    }
    it
}

async fn as_user(it: &Harness, user: &str, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let answer = it.send(method, path, &[("impersonate-user", user)], &body).await;
    (answer.code, answer.body["message"].clone())
}

#[tokio::test]
async fn reviews_are_answered_as_by_the_real_server() {
    let it = cluster().await;
    let mut count = 0;
    for line in lines(REVIEWS) {
        let question = json!({"spec": line["spec"]});
        let answer = it.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", &question).await.ok();
        assert_eq!(answer["status"], line["status"], "{}", line["spec"]);
        count += 1;
    }
    assert!(count >= 100);
}

#[tokio::test]
async fn wrong_reviews_are_refused_as_by_the_real_server() {
    let it = start().await;
    let reviews = "/apis/authorization.k8s.io/v1";
    let check = async |path: &str, spec: Value, code: u16, message: &str| {
        let answer = it.post(&format!("{reviews}/{path}"), &json!({"spec": spec})).await;
        assert_eq!((answer.code, &answer.body["message"]), (code, &json!(message)), "{}", answer.text);
    };
    let invalid = |what: &str| format!(".authorization.k8s.io \"\" is invalid: {what}");
    let none = "spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or \
                resourceAttributes must be specified";
    check("selfsubjectaccessreviews", json!({}), 422, &invalid(none)).await;
    let both = json!({"resourceAttributes": {}, "nonResourceAttributes": {"path": "/x", "verb": "get"}});
    let detail = "spec.nonResourceAttributes: Invalid value: {\"Path\":\"/x\",\"Verb\":\"get\"}: cannot be specified in \
                  combination with resourceAttributes";
    check("selfsubjectaccessreviews", both, 422, &invalid(detail)).await;
    let other = json!({"user": "jane", "resourceAttributes": {"namespace": "other"}});
    let detail = "spec.resourceAttributes.namespace: Invalid value: \"other\": must match metadata.namespace";
    check("namespaces/default/localsubjectaccessreviews", other, 422, &invalid(detail)).await;
    check("selfsubjectrulesreviews", json!({}), 400, "no namespace on request").await;
    let unread = json!({"user": "jane", "resourceAttributes": {"labelSelector": {"rawSelector": "a in"}}});
    let answer = it.post(&format!("{reviews}/subjectaccessreviews"), &json!({"spec": unread})).await.ok();
    let problem = "spec.resourceAttributes.labelSelector ignored due to parse error";
    assert_eq!(answer["status"], json!({"allowed": false, "evaluationError": problem}));
    let local = format!("{reviews}/namespaces/nope/localsubjectaccessreviews");
    let question =
        json!({"spec": {"user": "jane", "resourceAttributes": {"namespace": "nope", "verb": "get"}}});
    let answer = it.post(&local, &question).await.ok();
    assert_eq!(
        (&answer["metadata"]["namespace"], &answer["status"]["allowed"]),
        (&json!("nope"), &json!(false))
    );
}

#[tokio::test]
async fn who_i_am_and_what_i_may() {
    let it = cluster().await;
    let headers = [
        ("impersonate-user", "system:serviceaccount:one:prometheus"),
        ("impersonate-extra-scopes", "view"),
        ("impersonate-uid", "7"),
    ];
    let me = it.send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", &headers, "{}").await.ok();
    let info = json!({
        "username": "system:serviceaccount:one:prometheus", "uid": "7", "extra": {"scopes": ["view"]},
        "groups": ["system:serviceaccounts", "system:serviceaccounts:one", "system:authenticated"],
    });
    assert_eq!(me["status"], json!({"userInfo": info}));
    assert_eq!(me["metadata"].as_object().unwrap().keys().collect::<Vec<_>>(), ["creationTimestamp"]);
    let rules = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
    let question = json!({"spec": {"namespace": "one"}}).to_string();
    let answer = it.send("POST", rules, &headers, &question).await.ok();
    let paths = answer["status"]["nonResourceRules"].to_string();
    assert!(paths.contains("/debug/*") && paths.contains("/version"), "{paths}");
    assert_eq!((&answer["spec"], &answer["status"]["incomplete"]), (&json!({}), &json!(false)));
}

#[tokio::test]
async fn requests_are_allowed_by_name_and_place() {
    let it = cluster().await;
    let check = async |user: &str, path: &str, code: u16| {
        let (found, message) = as_user(&it, user, "GET", path, &Value::Null).await;
        assert_eq!(found, code, "{user} {path} {message}");
    };
    let maps = "/api/v1/namespaces/one/configmaps";
    check("jane", &format!("{maps}/settings"), 404).await;
    check("jane", &format!("{maps}/other"), 403).await;
    check("jane", maps, 403).await;
    check("jane", &format!("{maps}?fieldSelector=metadata.name%3Dsettings"), 200).await;
    check("jane", &format!("{maps}?fieldSelector=metadata.name!%3Dsettings"), 403).await;
    check("vera", "/api/v1/namespaces/one", 200).await;
    check("vera", "/api/v1/namespaces/two", 403).await;
    check("vera", "/api/v1/namespaces/one/pods/p/log", 404).await;
    check("jane", "/api/v1/namespaces/one/nosuchthings", 403).await;
    check("path-finder", "/metrics", 404).await;
    check("jane", "/metrics", 403).await;
    check("system:anonymous", "/version", 200).await;
    check("system:anonymous", "/api", 403).await;
    let (code, message) = as_user(&it, "<b>", "GET", MAPS, &Value::Null).await;
    let expect = "configmaps is forbidden: User \"&lt;b&gt;\" cannot list resource \"configmaps\" in API group \"\" in \
                  the namespace \"default\"";
    assert_eq!((code, message), (403, json!(expect)));
}

#[tokio::test]
async fn nobody_gives_away_what_he_does_not_hold() {
    let it = cluster().await;
    let roles = format!("{RBAC}/namespaces/one/roles");
    let bindings = format!("{RBAC}/namespaces/one/rolebindings");
    let role = |resource: &str| {
        let granted = json!([{"apiGroups": [""], "resources": [resource], "verbs": ["get"]}]);
        json!({"metadata": {"name": "new"}, "rules": granted})
    };
    let (code, message) = as_user(&it, "ada", "POST", &roles, &role("nodes")).await;
    let held = "user \"ada\" (groups=[\"system:authenticated\"]) is attempting to grant RBAC permissions not currently held:\n\
                {APIGroups:[\"\"], Resources:[\"nodes\"], Verbs:[\"get\"]}";
    let expect = format!("roles.rbac.authorization.k8s.io \"new\" is forbidden: {held}");
    assert_eq!((code, message), (403, json!(expect)));
    assert_eq!(as_user(&it, "ada", "POST", &roles, &role("pods")).await.0, 201);
    let path = format!("{roles}/new");
    assert_eq!(as_user(&it, "ada", "PUT", &path, &role("nodes")).await.0, 403);
    let more = json!({"rules": role("nodes")["rules"]}).to_string();
    let headers = [("impersonate-user", "ada"), ("content-type", "application/merge-patch+json")];
    assert_eq!(it.send("PATCH", &path, &headers, &more).await.code, 403);
    let applied = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "new"}, "rules": role("nodes")["rules"]});
    let headers = [("impersonate-user", "ada"), ("content-type", "application/apply-patch+yaml")];
    let answer =
        it.send("PATCH", &format!("{path}?fieldManager=m&force=true"), &headers, &applied.to_string()).await;
    assert_eq!(answer.code, 403, "{}", answer.text);
    let binding = |kind: &str, name: &str| {
        let reference = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name});
        json!({"metadata": {"name": "new"}, "roleRef": reference, "subjects": [{"kind": "User", "name": "eve"}]})
    };
    assert_eq!(as_user(&it, "ada", "POST", &bindings, &binding("ClusterRole", "cluster-admin")).await.0, 403);
    let (code, message) = as_user(&it, "ada", "POST", &bindings, &binding("Role", "none")).await;
    assert_eq!((code, message), (404, json!("role.rbac.authorization.k8s.io \"none\" not found")));
    assert_eq!(as_user(&it, "ada", "POST", &bindings, &binding("ClusterRole", "view")).await.0, 201);
    let made = json!({
        "metadata": {"name": "all"}, "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]},
    });
    let grant = json!({
        "metadata": {"name": "ada"}, "subjects": [{"kind": "User", "name": "ada"}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "roles"},
    });
    let granted =
        json!([{"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["*"], "verbs": ["create"]}]);
    it.post(&format!("{RBAC}/clusterroles"), &json!({"metadata": {"name": "roles"}, "rules": granted}))
        .await
        .ok();
    it.post(&format!("{RBAC}/clusterrolebindings"), &grant).await.ok();
    let (_, message) = as_user(&it, "ada", "POST", &format!("{RBAC}/clusterroles"), &made).await;
    let expect = "clusterroles.rbac.authorization.k8s.io \"all\" is forbidden: must have cluster-admin privileges to use \
                  the aggregationRule";
    assert_eq!(message, json!(expect));
}

#[tokio::test]
async fn a_change_of_roles_counts_at_once() {
    let it = start().await;
    let grant = json!({
        "metadata": {"name": "jane"}, "subjects": [{"kind": "User", "name": "jane"}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
    });
    let bindings = format!("{RBAC}/namespaces/default/rolebindings");
    for _ in 0..20 {
        assert_eq!(as_user(&it, "jane", "GET", MAPS, &Value::Null).await.0, 403);
        it.post(&bindings, &grant).await.ok();
        assert_eq!(as_user(&it, "jane", "GET", MAPS, &Value::Null).await.0, 200);
        it.delete(&format!("{bindings}/jane")).await.ok();
    }
}
