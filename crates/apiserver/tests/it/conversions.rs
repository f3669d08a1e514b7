//! Objects in versions other than the stored one: converted in process, or by a webhook.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http_body_util::BodyExt;
use krono_apiserver::{
    Converter, Converting, HttpsWebhooks, Posting, Server, Webhook, WebhookAddress, WebhookAnswer,
    WebhookClient,
};
use serde_json::{Value, json};

use crate::harness::{Harness, start_with};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

fn path(version: &str) -> String {
    format!("/apis/krono.dev/{version}/namespaces/default/boxes")
}

/// `v1` says `size`, `v2` says `width`.
fn definition(conversion: &Value) -> Value {
    let version = |name: &str, field: &str, storage: bool| {
        let spec = json!({"type": "object", "properties": {
            field: {"type": "integer"}, "colour": {"type": "string"},
        }});
        let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}});
        json!({"name": name, "served": true, "storage": storage, "schema": schema})
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "boxes.krono.dev"},
        "spec": {
            "group": "krono.dev", "scope": "Namespaced", "conversion": conversion,
            "names": {"plural": "boxes", "kind": "Box"},
            "versions": [version("v1", "size", true), version("v2", "width", false)],
        },
    })
}

fn converted(mut object: Value, api_version: &str) -> Value {
    let (from, to) = if api_version.ends_with("v2") { ("size", "width") } else { ("width", "size") };
    if let Some(spec) = object["spec"].as_object_mut()
        && let Some(value) = spec.remove(from)
    {
        spec.insert(to.to_owned(), value);
    }
    object["apiVersion"] = api_version.into();
    object
}

#[derive(Debug)]
struct InProcess;

impl Converter for InProcess {
    fn convert<'a>(&'a self, objects: Vec<Value>, api_version: &'a str) -> Converting<'a> {
        Box::pin(async move { Ok(objects.into_iter().map(|it| converted(it, api_version)).collect()) })
    }
}

/// A webhook that answers as it is told to, and remembers what it was asked.
#[derive(Debug, Default)]
struct Hook {
    asked: Mutex<Vec<(Webhook, Value)>>,
    failure: Mutex<Option<Value>>,
}

impl WebhookClient for Hook {
    fn post<'a>(&'a self, webhook: &'a Webhook, body: Bytes) -> Posting<'a> {
        let review: Value = serde_json::from_slice(&body).unwrap();
        let request = &review["request"];
        let wanted = request["desiredAPIVersion"].as_str().unwrap();
        let objects = request["objects"].as_array().unwrap().iter().cloned();
        let objects: Vec<Value> = objects.map(|it| converted(it, wanted)).collect();
        let result = self.failure.lock().unwrap().clone().unwrap_or_else(|| json!({"status": "Success"}));
        let response = json!({"uid": request["uid"], "result": result, "convertedObjects": objects});
        let answer =
            json!({"apiVersion": review["apiVersion"], "kind": "ConversionReview", "response": response});
        self.asked.lock().unwrap().push((webhook.clone(), review));
        let answer = WebhookAnswer { code: 200, body: answer.to_string().into() };
        Box::pin(async move { Ok(answer) })
    }
}

async fn in_process() -> Harness {
    let it = start_with(Server::builder().converter("boxes.krono.dev", Arc::new(InProcess))).await;
    it.post(DEFINITIONS, &definition(&json!({"strategy": "None"}))).await.ok();
    it
}

fn item(version: &str, field: &str, size: i64) -> Value {
    let api_version = format!("krono.dev/{version}");
    json!({"apiVersion": api_version, "kind": "Box", "metadata": {"name": "one"}, "spec": {field: size}})
}

#[tokio::test]
async fn reads_and_writes_are_converted() {
    let it = in_process().await;
    let created = it.post(&path("v2"), &item("v2", "width", 3)).await.ok();
    assert_eq!((&created["apiVersion"], &created["spec"]), (&json!("krono.dev/v2"), &json!({"width": 3})));
    let first = it.get(&format!("{}/one", path("v1"))).await.ok();
    assert_eq!((&first["apiVersion"], &first["spec"]), (&json!("krono.dev/v1"), &json!({"size": 3})));
    let patched = it
        .patch(&format!("{}/one", path("v2")), "merge-patch+json", &json!({"spec": {"width": 4}}))
        .await
        .ok();
    assert_eq!((&patched["spec"], &patched["metadata"]["generation"]), (&json!({"width": 4}), &json!(2)));
    let list = it.get(&path("v2")).await.ok();
    assert_eq!(list["items"][0]["spec"], json!({"width": 4}));
    assert_eq!(it.get(&path("v1")).await.ok()["items"][0]["spec"], json!({"size": 4}));
}

#[tokio::test]
async fn watches_are_converted() {
    let it = in_process().await;
    it.post(&path("v1"), &item("v1", "size", 3)).await.ok();
    let watch = it.open("GET", &format!("{}?watch=true&timeoutSeconds=1", path("v2")), &[], "").await;
    let mut body = watch.into_body();
    let frame = body.frame().await.unwrap().unwrap().into_data().unwrap();
    let event: Value = serde_json::from_slice(&frame).unwrap();
    assert_eq!(event["object"]["spec"], json!({"width": 3}));
}

#[tokio::test]
async fn managers_of_several_versions_meet() {
    let it = in_process().await;
    let apply = async |version: &str, manager: &str, spec: Value| {
        let mut body = item(version, "size", 0);
        body["spec"] = spec;
        let url = format!("{}/one?fieldManager={manager}", path(version));
        it.patch(&url, "apply-patch+yaml", &body).await
    };
    apply("v1", "a", json!({"size": 1})).await.ok();
    let second = apply("v2", "b", json!({"colour": "red"})).await.ok();
    assert_eq!(second["spec"], json!({"width": 1, "colour": "red"}));
    let managers = second["metadata"]["managedFields"].as_array().unwrap();
    let told: Vec<_> = managers.iter().map(|it| (&it["manager"], &it["apiVersion"])).collect();
    assert_eq!(told, [(&json!("a"), &json!("krono.dev/v1")), (&json!("b"), &json!("krono.dev/v2"))]);
    // The same field under another name belongs to the other manager.
    let conflict = apply("v2", "b", json!({"colour": "red", "width": 2})).await;
    assert_eq!(conflict.code, 409, "{}", conflict.text);
    assert_eq!(conflict.body["details"]["causes"][0]["message"], "conflict with \"a\"");
    // Whoever stops applying a field in one version takes it away in all.
    let removed = apply("v1", "a", json!({})).await.ok();
    assert_eq!(removed["spec"], json!({"colour": "red"}));
}

#[tokio::test]
async fn webhooks_are_asked() {
    let hook = Arc::new(Hook::default());
    let it = start_with(Server::builder().webhooks(Arc::<Hook>::clone(&hook))).await;
    let config = json!({"service": {"namespace": "n", "name": "s", "path": "/convert"}});
    let webhook = json!({"clientConfig": config, "conversionReviewVersions": ["v2", "v1"]});
    let conversion = json!({"strategy": "Webhook", "webhook": webhook});
    let stored = it.post(DEFINITIONS, &definition(&conversion)).await.ok();
    assert_eq!(stored["spec"]["conversion"]["webhook"]["clientConfig"]["service"]["port"], 443);
    it.post(&path("v1"), &item("v1", "size", 3)).await.ok();
    assert!(hook.asked.lock().unwrap().is_empty());
    assert_eq!(it.get(&path("v2")).await.ok()["items"][0]["spec"], json!({"width": 3}));
    let (asked, review) = hook.asked.lock().unwrap().pop().unwrap();
    let address = WebhookAddress::Service {
        namespace: "n".to_owned(),
        name: "s".to_owned(),
        port: 443,
        path: "/convert".to_owned(),
    };
    assert_eq!(asked.address, address);
    assert_eq!(review["apiVersion"], "apiextensions.k8s.io/v1");
    assert_eq!(review["request"]["desiredAPIVersion"], "krono.dev/v2");
    *hook.failure.lock().unwrap() = Some(json!({"status": "Failure", "message": "out of order"}));
    let failed = it.get(&format!("{}/one", path("v2"))).await;
    let message = "conversion webhook for krono.dev/v1, Kind=Box failed: out of order";
    assert_eq!((failed.code, &failed.body["message"]), (500, &json!(message)));
    assert!(it.get(&format!("{}/one", path("v1"))).await.code == 200);
}

#[tokio::test]
async fn webhooks_are_called_over_https() {
    let network = crate::network::start().await;
    let url = format!("https://localhost:{}/convert", network.address.port());
    let trusting = |ca_bundle: &str| Webhook {
        address: WebhookAddress::Url(url.clone()),
        ca_bundle: ca_bundle.as_bytes().to_vec(),
    };
    let known = trusting(network.certificates.authority());
    let answer = HttpsWebhooks.post(&known, Bytes::from_static(b"{}")).await.unwrap();
    // The peer speaks HTTPS and does not know who we are.
    assert!(matches!(answer.code, 401 | 403), "{answer:?}");
    let other = crate::network::certificates();
    let refused = HttpsWebhooks.post(&trusting(other.authority()), Bytes::new()).await.unwrap_err();
    assert!(refused.starts_with(&format!("Post \"{url}?timeout=30s\": ")), "{refused}");
    let nobody = HttpsWebhooks.post(&trusting(""), Bytes::new()).await.unwrap_err();
    assert!(nobody.ends_with("set its caBundle"), "{nobody}");
    network.stop().await;
}
