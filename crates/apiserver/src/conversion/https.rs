//! Webhooks called over HTTPS.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HOST};
use http::{Request, Uri};
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::webhook::{Posting, Webhook, WebhookAnswer, WebhookClient};

/// How long a webhook may take; it is told so.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The largest answer we read, in bytes.
const MAX_ANSWER: usize = 32 * 1024 * 1024;

/// Calls webhooks over HTTPS, each in a connection of its own, and trusts the `caBundle` of each alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct HttpsWebhooks;

impl WebhookClient for HttpsWebhooks {
    fn post<'a>(&'a self, webhook: &'a Webhook, body: Bytes) -> Posting<'a> {
        Box::pin(async move {
            let url = format!("{}?timeout={}s", webhook.address.url(), TIMEOUT.as_secs());
            let answer = timeout(TIMEOUT, call(&url, &webhook.ca_bundle, body)).await;
            let answer = answer.unwrap_or_else(|_| Err("context deadline exceeded".to_owned()));
            answer.map_err(|why| format!("Post {url:?}: {why}"))
        })
    }
}

async fn call(url: &str, ca_bundle: &[u8], body: Bytes) -> Result<WebhookAnswer, String> {
    let uri: Uri = url.parse().map_err(text)?;
    let (Some(host), Some(authority)) = (uri.host(), uri.authority()) else {
        return Err("no Host in request URL".to_owned());
    };
    let stream = connect(host, uri.port_u16().unwrap_or(443), ca_bundle).await?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(text)?;
    let request = Request::post(uri.path_and_query().map_or("/", |it| it.as_str()))
        .header(HOST, authority.as_str())
        .header(CONTENT_TYPE, "application/json")
        .header(ACCEPT, "application/json")
        .body(Full::new(body))
        .map_err(text)?;
    // It ends with the sender.
    tokio::spawn(connection);
    let response = sender.send_request(request).await.map_err(text)?;
    let code = response.status().as_u16();
    let body = Limited::new(response.into_body(), MAX_ANSWER).collect().await.map_err(text)?;
    Ok(WebhookAnswer { code, body: body.to_bytes() })
}

async fn connect(host: &str, port: u16, ca_bundle: &[u8]) -> Result<TlsStream<TcpStream>, String> {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let name = ServerName::try_from(bare.to_owned()).map_err(text)?;
    let config = tls(ca_bundle)?;
    let stream = TcpStream::connect((bare, port)).await.map_err(text)?;
    TlsConnector::from(Arc::new(config)).connect(name, stream).await.map_err(text)
}

fn tls(ca_bundle: &[u8]) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(ca_bundle) {
        roots.add(certificate.map_err(text)?).map_err(text)?;
    }
    if roots.is_empty() {
        return Err(
            "the webhook has no caBundle, and no other certificates are trusted; set its caBundle".to_owned()
        );
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(text)?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
