//! Conversion by a webhook: a `ConversionReview` goes out, another comes back.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value, json};

use super::{Converter, Converting};

/// Where a webhook is, and whom to trust there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// Where it is.
    pub address: WebhookAddress,
    /// The certificates that vouch for it, as PEM; empty means those of the system.
    pub ca_bundle: Vec<u8>,
}

/// Where a webhook is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WebhookAddress {
    /// At an `https` URL.
    Url(String),
    /// Behind a service of the cluster.
    Service {
        /// The namespace of the service.
        namespace: String,
        /// The name of the service.
        name: String,
        /// The port of the service.
        port: u16,
        /// The path, with a slash in front; or nothing.
        path: String,
    },
}

impl WebhookAddress {
    /// The URL; services are found under the names they have inside of clusters.
    pub fn url(&self) -> String {
        match self {
            Self::Url(url) => url.clone(),
            Self::Service { namespace, name, port, path } => {
                let path = if path.is_empty() { "/" } else { path };
                format!("https://{name}.{namespace}.svc:{port}{path}")
            }
        }
    }
}

/// What a webhook answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookAnswer {
    /// The HTTP status code.
    pub code: u16,
    /// The body.
    pub body: Bytes,
}

/// The answer of a [`WebhookClient`], some time later; or why there is none.
pub type Posting<'a> = Pin<Box<dyn Future<Output = Result<WebhookAnswer, String>> + Send + 'a>>;

/// Calls webhooks; [`HttpsWebhooks`](crate::HttpsWebhooks) does unless a server is given another client.
pub trait WebhookClient: fmt::Debug + Send + Sync {
    /// Posts JSON to a webhook, whose URL gets the query `timeout=30s`, and gives up after that time.
    fn post<'a>(&'a self, webhook: &'a Webhook, body: Bytes) -> Posting<'a>;
}

/// Versions of the review that we speak.
const REVIEW_VERSIONS: [&str; 2] = ["v1", "v1beta1"];

#[derive(Debug)]
pub(super) struct WebhookConverter {
    webhook: Webhook,
    /// The first version of the review that both sides speak.
    review_version: Option<&'static str>,
    client: Arc<dyn WebhookClient>,
}

impl WebhookConverter {
    pub(super) fn new(webhook: Webhook, review_versions: &[String], client: Arc<dyn WebhookClient>) -> Self {
        let spoken = |version: &String| REVIEW_VERSIONS.into_iter().find(|it| it == version);
        Self { webhook, review_version: review_versions.iter().find_map(spoken), client }
    }

    async fn ask(&self, objects: Vec<Value>, api_version: &str) -> Result<Vec<Value>, String> {
        let version = self.review_version.ok_or("no supported conversion review versions")?;
        let uid = uuid::Uuid::new_v4().to_string();
        let review = json!({
            "kind": "ConversionReview", "apiVersion": format!("apiextensions.k8s.io/{version}"),
            "request": {"uid": uid, "desiredAPIVersion": api_version, "objects": objects},
        });
        let answer = self.client.post(&self.webhook, review.to_string().into()).await?;
        read_answer(&answer, version, &uid)
    }
}

impl Converter for WebhookConverter {
    fn convert<'a>(&'a self, objects: Vec<Value>, api_version: &'a str) -> Converting<'a> {
        Box::pin(self.ask(objects, api_version))
    }

    fn name(&self) -> &'static str {
        "conversion webhook"
    }
}

fn read_answer(answer: &WebhookAnswer, version: &str, uid: &str) -> Result<Vec<Value>, String> {
    check_code(answer)?;
    let review: Value = serde_json::from_slice(&answer.body).map_err(|error| error.to_string())?;
    let text = |pointer: &str| review.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let expected = format!("apiextensions.k8s.io/{version}, Kind=ConversionReview");
    let found = format!("{}, Kind={}", text("/apiVersion"), text("/kind"));
    if version == "v1" && found != expected {
        return Err(format!("expected webhook response of {expected}, got {found}"));
    }
    if review.get("response").is_none_or(Value::is_null) {
        return Err("no response provided".to_owned());
    }
    if version == "v1" && text("/response/uid") != uid {
        return Err(format!("expected response.uid={uid:?}, got {:?}", text("/response/uid")));
    }
    let (status, message) = (text("/response/result/status"), text("/response/result/message"));
    match (status, message) {
        ("Success", _) => {
            let objects = review.pointer("/response/convertedObjects").and_then(Value::as_array);
            Ok(objects.cloned().unwrap_or_default())
        }
        (_, "") => Err(format!("response.result.status was '{status}', not 'Success'")),
        (_, message) => Err(message.to_owned()),
    }
}

fn check_code(answer: &WebhookAnswer) -> Result<(), String> {
    let body = String::from_utf8_lossy(&answer.body);
    match answer.code {
        200..=299 => Ok(()),
        404 => Err("the server could not find the requested resource".to_owned()),
        500..=599 => {
            let body = body.trim();
            Err(format!("an error on the server ({body:?}) has prevented the request from succeeding"))
        }
        code => Err(format!("the server rejected our request with status code {code}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers() {
        let check = |code: u16, body: Value, expect: Result<usize, &str>| {
            let answer = WebhookAnswer { code, body: body.to_string().into() };
            let read = read_answer(&answer, "v1", "u").map(|it| it.len());
            assert_eq!(read, expect.map_err(str::to_owned));
        };
        let review = |response: Value| {
            let api_version = "apiextensions.k8s.io/v1";
            json!({"apiVersion": api_version, "kind": "ConversionReview", "response": response})
        };
        let good = json!({"uid": "u", "result": {"status": "Success"}, "convertedObjects": [{}]});
        check(200, review(good), Ok(1));
        check(200, review(Value::Null), Err("no response provided"));
        check(200, review(json!({"uid": "v"})), Err(r#"expected response.uid="u", got "v""#));
        let refused = json!({"uid": "u", "result": {"status": "Failed", "message": "cannot"}});
        check(200, review(refused), Err("cannot"));
        let silent = json!({"uid": "u", "result": {}});
        check(200, review(silent), Err("response.result.status was '', not 'Success'"));
        let other =
            "expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got v1, Kind=Pod";
        check(200, json!({"apiVersion": "v1", "kind": "Pod"}), Err(other));
        let error = r#"an error on the server ("\"oh\"") has prevented the request from succeeding"#;
        check(500, json!("oh"), Err(error));
        check(404, json!({}), Err("the server could not find the requested resource"));
    }

    #[test]
    fn addresses() {
        let service = |path: &str| WebhookAddress::Service {
            namespace: "n".to_owned(),
            name: "s".to_owned(),
            port: 443,
            path: path.to_owned(),
        };
        assert_eq!(service("/a").url(), "https://s.n.svc:443/a");
        assert_eq!(service("").url(), "https://s.n.svc:443/");
    }
}
