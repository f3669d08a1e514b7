//! A server in memory that serves definitions, and a short way to talk to it.

use http::Request;
use http_body_util::{BodyExt, Full};
use krono_model::crd;
use serde_json::{Value, json};

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const DEFINITIONS: &str = "/apis/kro.run/v1alpha1/resourcegraphdefinitions";

pub(crate) struct Server(krono_apiserver::Server);

pub(crate) async fn start() -> Server {
    let server = Server(krono_apiserver::Server::in_memory().await.unwrap());
    for (_, crd) in crd::all() {
        server.install(&crd).await;
    }
    server
}

impl Server {
    /// The message of the refusal, if it is one.
    async fn send(
        &self,
        method: &str,
        path: &str,
        content_type: &str,
        body: &Value,
    ) -> Result<Value, String> {
        let request = Request::builder().method(method).uri(path).header("content-type", content_type);
        let request = request.body(Full::from(body.to_string())).unwrap();
        let (parts, body) = self.0.handle(request).await.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let value: Value = serde_json::from_slice(&bytes).unwrap();
        if parts.status.is_success() { Ok(value) } else { Err(value["message"].as_str().unwrap().to_owned()) }
    }

    /// As `kubectl apply --server-side` does; a field the server does not know is refused.
    pub(crate) async fn apply(&self, definition: &Value) -> Result<Value, String> {
        let name = definition["metadata"]["name"].as_str().unwrap();
        let path = format!("{DEFINITIONS}/{name}?fieldManager=author&fieldValidation=Strict");
        self.send("PATCH", &path, "application/apply-patch+yaml", definition).await
    }

    pub(crate) async fn install(&self, crd: &Value) {
        self.send("POST", CRDS, "application/json", crd).await.unwrap();
    }

    /// As [`Self::apply`] does, for an object of any kind; `collection` is the path of its siblings.
    pub(crate) async fn apply_to(&self, collection: &str, object: &Value) -> Result<Value, String> {
        let name = object["metadata"]["name"].as_str().unwrap();
        let path = format!("{collection}/{name}?fieldManager=author&fieldValidation=Strict");
        self.send("PATCH", &path, "application/apply-patch+yaml", object).await
    }

    /// Replaces a part of an object.
    pub(crate) async fn merge(&self, path: &str, part: &Value) -> Result<Value, String> {
        self.send("PATCH", path, "application/merge-patch+json", part).await
    }

    pub(crate) async fn write_status(&self, name: &str, status: &Value) -> Result<Value, String> {
        let path = format!("{DEFINITIONS}/{name}/status");
        self.send("PATCH", &path, "application/merge-patch+json", &json!({"status": status})).await
    }

    /// What `kubectl get -o wide` prints.
    pub(crate) async fn table(&self, collection: &str) -> Value {
        let accept = "application/json;as=Table;g=meta.k8s.io;v=v1";
        let request = Request::builder().uri(collection).header("accept", accept);
        let answer = self.0.handle(request.body(Full::from("")).unwrap()).await;
        let bytes = answer.into_body().collect().await.unwrap().to_bytes();
        serde_json::from_slice(&bytes).unwrap()
    }

    /// The columns of `kubectl get rgd -o wide`, each with its priority.
    pub(crate) async fn columns(&self) -> Vec<(String, i64)> {
        let table = self.table(DEFINITIONS).await;
        let columns = table["columnDefinitions"].as_array().unwrap().iter();
        columns
            .map(|it| (it["name"].as_str().unwrap().to_owned(), it["priority"].as_i64().unwrap()))
            .collect()
    }
}
