//! The server on the network: who is let in, and how connections end.

use std::time::Duration;

use http_body_util::BodyExt;
use krono_apiserver::authentication::Tokens;
use krono_apiserver::https::Limits;
use serde_json::json;
use tokio::time::timeout;

use crate::harness::{Answer, MAPS};
use crate::network::{
    Network, PATIENCE, Shown, answer, certificates, get, http1_sender, http2_sender, request, start,
    start_with, with_header,
};

const REVIEW: &str = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

async fn who_am_i(network: &Network, shown: Shown<'_>, header: Option<(&'static str, &str)>) -> Answer {
    let mut asked = request("POST", REVIEW, "{}");
    if let Some((name, value)) = header {
        asked = with_header(asked, name, value);
    }
    network.send(shown, asked).await
}

#[tokio::test]
async fn certificates_name_user_and_groups() {
    let network = start().await;
    let user = who_am_i(&network, Shown::Administrator, None).await.ok();
    let user = &user["status"]["userInfo"];
    assert_eq!(user["username"], "kubernetes-admin");
    assert_eq!(user["groups"], json!(["system:masters", "system:authenticated"]));
    let credential = user["extra"]["authentication.kubernetes.io/credential-id"][0].as_str().unwrap();
    assert!(credential.starts_with("X509SHA256=") && credential.len() == 75, "{credential}");
}

#[tokio::test]
async fn tokens_name_user_and_groups() {
    let tokens = Tokens::parse("secret,ann,7,\"system:masters,dev\"\n").unwrap();
    let network = start_with(Limits::default(), tokens).await;
    let user = who_am_i(&network, Shown::Nothing, Some(("authorization", "Bearer secret"))).await.ok();
    let expect = json!({
        "username": "ann", "uid": "7", "groups": ["system:masters", "dev", "system:authenticated"],
    });
    assert_eq!(user["status"]["userInfo"], expect);
}

#[tokio::test]
async fn a_wrong_credential_sees_nothing() {
    let (network, other) = (start().await, certificates());
    let unauthorized = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": "Unauthorized",
        "reason": "Unauthorized", "code": 401,
    });
    for path in ["/api", "/version", "/readyz", MAPS, "/no/such/path"] {
        let wrong_token = with_header(get(path), "authorization", "Bearer wrong");
        let answers = [
            network.send(Shown::Nothing, wrong_token).await,
            network.send(Shown::Other(&other), get(path)).await,
        ];
        for answer in answers {
            assert_eq!((answer.code, &answer.body), (401, &unauthorized), "{path}");
        }
    }
}

#[tokio::test]
async fn a_good_certificate_is_enough() {
    let network = start().await;
    let user = who_am_i(&network, Shown::Administrator, Some(("authorization", "Bearer wrong"))).await.ok();
    assert_eq!(user["status"]["userInfo"]["username"], "kubernetes-admin");
}

#[tokio::test]
async fn nobody_sees_health_and_version_only() {
    let network = start().await;
    for path in ["/healthz", "/livez", "/readyz", "/version"] {
        assert_eq!(network.send(Shown::Nothing, get(path)).await.code, 200, "{path}");
    }
    let hidden = ["/", "/api", "/apis", "/apis/apps/v1", "/openapi/v3", "/api/v1/namespaces", MAPS];
    for path in hidden {
        let answer = network.send(Shown::Nothing, get(path)).await;
        assert_eq!(answer.code, 403, "{path}");
        assert!(answer.text.contains(r#"User \"system:anonymous\" cannot "#), "{}", answer.text);
    }
    let created = network.send(Shown::Nothing, request("POST", MAPS, r#"{"metadata":{"name":"a"}}"#)).await;
    assert_eq!(created.code, 403);
    assert_eq!(network.server.client().list_core_api_versions().await.unwrap().versions, ["v1"]);
}

#[tokio::test]
async fn each_part_of_an_impersonation_is_authorized() {
    let tokens = Tokens::parse("t,ann,1\n").unwrap();
    let network = start_with(Limits::default(), tokens).await;
    let role = json!({"metadata": {"name": "as-bob"}, "rules": [
        {"apiGroups": [""], "resources": ["users"], "verbs": ["impersonate"], "resourceNames": ["bob"]},
        {"apiGroups": [""], "resources": ["groups"], "verbs": ["impersonate"], "resourceNames": ["dev"]},
        {"apiGroups": ["authentication.k8s.io"], "resources": ["userextras/scopes"], "verbs": ["impersonate"]},
    ]});
    let binding = json!({"metadata": {"name": "as-bob"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "as-bob"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "ann"}]});
    for (plural, object) in [("clusterroles", role), ("clusterrolebindings", binding)] {
        let path = format!("/apis/rbac.authorization.k8s.io/v1/{plural}");
        network.send(Shown::Administrator, request("POST", &path, object.to_string())).await.ok();
    }
    let check = async |headers: &[(&'static str, &str)], code: u16, part: &str| {
        let mut asked = with_header(request("POST", REVIEW, "{}"), "authorization", "Bearer t");
        for (name, value) in headers {
            asked = with_header(asked, name, value);
        }
        let answer = network.send(Shown::Nothing, asked).await;
        assert_eq!(answer.code, code, "{headers:?} {}", answer.text);
        assert!(answer.text.contains(part), "{headers:?} {}", answer.text);
    };
    let bob = ("impersonate-user", "bob");
    check(&[bob], 201, r#""username":"bob""#).await;
    check(&[bob, ("impersonate-group", "dev")], 201, r#""dev""#).await;
    check(&[bob, ("impersonate-extra-scopes", "x")], 201, r#""scopes":["x"]"#).await;
    check(
        &[("impersonate-user", "eve")],
        403,
        r#"users \"eve\" is forbidden: User \"ann\" cannot impersonate"#,
    )
    .await;
    check(&[bob, ("impersonate-group", "ops")], 403, r#"groups \"ops\" is forbidden"#).await;
    check(&[bob, ("impersonate-uid", "9")], 403, r#"uids.authentication.k8s.io \"9\" is forbidden"#).await;
    check(&[bob, ("impersonate-extra-other", "x")], 403, "is forbidden").await;
    check(&[("impersonate-group", "dev")], 400, "without impersonating a user").await;
}

#[tokio::test]
async fn both_versions_of_http() {
    let network = start().await;
    let mut first = http1_sender(network.connect(Shown::Administrator, "http/1.1").await).await;
    let mut second = http2_sender(network.connect(Shown::Administrator, "h2").await).await;
    for _ in 0..3 {
        assert_eq!(answer(first.send_request(get("/version")).await.unwrap()).await.code, 200);
        assert_eq!(answer(second.send_request(get("/version")).await.unwrap()).await.code, 200);
    }
}

#[tokio::test]
async fn shutting_down_ends_watches_in_order() {
    let network = start().await;
    let watch = get(&format!("{MAPS}?watch=true"));
    let mut first = http1_sender(network.connect(Shown::Administrator, "http/1.1").await).await;
    let mut second = http2_sender(network.connect(Shown::Administrator, "h2").await).await;
    let one = first.send_request(watch.clone()).await.unwrap();
    let two = second.send_request(watch).await.unwrap();
    let address = network.address;
    let ends = async { (one.into_body().collect().await, two.into_body().collect().await) };
    let ((), (one, two)) = timeout(PATIENCE, async { tokio::join!(network.stop(), ends) }).await.unwrap();
    assert!(one.is_ok() && two.is_ok(), "{one:?} {two:?}");
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn a_watch_ends_when_its_client_goes() {
    let network = start_with(Limits { connections: 1, ..Limits::default() }, Tokens::default()).await;
    for protocol in ["http/1.1", "h2", "http/1.1"] {
        let watch = get(&format!("{MAPS}?watch=true"));
        // The only place is free again once the server has seen the last client go.
        let connecting = network.connect(Shown::Administrator, protocol);
        let stream = timeout(PATIENCE, connecting).await.unwrap();
        if protocol == "h2" {
            let mut sender = http2_sender(stream).await;
            assert_eq!(sender.send_request(watch).await.unwrap().status(), 200);
        } else {
            let mut sender = http1_sender(stream).await;
            assert_eq!(sender.send_request(watch).await.unwrap().status(), 200);
        }
    }
}

#[tokio::test]
async fn a_connection_without_requests_is_closed() {
    let limits = Limits { connections: 1, idle: Duration::from_millis(20), ..Limits::default() };
    let network = start_with(limits, Tokens::default()).await;
    for protocol in ["http/1.1", "h2", "http/1.1"] {
        let connecting = network.connect(Shown::Administrator, protocol);
        let idle = timeout(PATIENCE, connecting).await.unwrap();
        // Kept, so that it is the server that closes it.
        std::mem::forget(idle);
    }
}
