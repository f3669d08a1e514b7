//! A client that does as little as possible.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use bytes::Bytes;
use http::{Method, Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// Where a server is, and as whom to ask it.
#[derive(Clone)]
pub(crate) struct Target {
    host: String,
    authorization: String,
    connector: TlsConnector,
}

/// One connection to a server: one request at a time.
pub(crate) struct Connection {
    sender: SendRequest<Full<Bytes>>,
    authorization: String,
}

/// What to ask.
#[derive(Clone)]
pub(crate) struct Asked {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) content_type: &'static str,
    pub(crate) body: Bytes,
}

impl Target {
    pub(crate) fn new(url: &str, authority: &Path, token: &str) -> anyhow::Result<Self> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(authority)?)?;
        let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        let host = url.strip_prefix("https://").context("the server is not at an https URL")?.to_owned();
        let authorization = format!("Bearer {token}");
        Ok(Self { host, authorization, connector: TlsConnector::from(Arc::new(config)) })
    }

    pub(crate) async fn connect(&self) -> anyhow::Result<Connection> {
        let stream = TcpStream::connect(&self.host).await?;
        stream.set_nodelay(true)?;
        let stream = self.connector.connect(ServerName::try_from("127.0.0.1")?, stream).await?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Connection { sender, authorization: self.authorization.clone() })
    }
}

impl Connection {
    /// Sends a request; gives the answer as soon as its head is there.
    pub(crate) async fn open(&mut self, asked: &Asked) -> anyhow::Result<Response<Incoming>> {
        let mut request =
            Request::builder().method(&asked.method).uri(&asked.path).header("host", "127.0.0.1");
        request = request.header("authorization", &self.authorization).header("accept", "application/json");
        if !asked.body.is_empty() {
            request = request.header("content-type", asked.content_type);
        }
        self.sender.ready().await?;
        let response = self.sender.send_request(request.body(Full::new(asked.body.clone()))?).await?;
        if response.status().is_success() {
            return Ok(response);
        }
        let (parts, body) = response.into_parts();
        let text = body.collect().await?.to_bytes();
        bail!("{} {}: {} {}", asked.method, asked.path, parts.status, String::from_utf8_lossy(&text))
    }

    /// Sends a request and reads the answer to its end; gives its length.
    pub(crate) async fn send(&mut self, asked: &Asked) -> anyhow::Result<usize> {
        let mut body = self.open(asked).await?.into_body();
        let mut length = 0;
        while let Some(frame) = body.frame().await {
            length += frame?.data_ref().map_or(0, Bytes::len);
        }
        Ok(length)
    }
}
