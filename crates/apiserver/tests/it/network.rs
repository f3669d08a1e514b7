//! A server on the network, and clients of every kind for it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::Request;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use krono_apiserver::Server;
use krono_apiserver::authentication::Tokens;
use krono_apiserver::certificates::{Certificates, Tls};
use krono_apiserver::https::{Https, Limits};
use serde_json::Value;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::client::Resumption;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::harness::Answer;

/// Nothing that should happen takes this long.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) type Connection = TlsStream<TcpStream>;

/// A server on the network.
pub(crate) struct Network {
    pub(crate) server: Server,
    pub(crate) address: SocketAddr,
    pub(crate) certificates: Certificates,
    stop: Option<oneshot::Sender<()>>,
    ended: JoinHandle<()>,
}

/// What a client shows of itself.
#[derive(Clone, Copy)]
pub(crate) enum Shown<'a> {
    Nothing,
    Administrator,
    /// The administrator's certificate of another server.
    Other(&'a Certificates),
}

pub(crate) fn certificates() -> Certificates {
    Certificates::temporary(&["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap()
}

pub(crate) async fn start() -> Network {
    start_with(Limits::default(), Tokens::default()).await
}

pub(crate) async fn start_with(limits: Limits, tokens: Tokens) -> Network {
    let server = Server::in_memory().await.unwrap();
    let certificates = certificates();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let tls = Tls::new(&certificates).unwrap();
    let (stop, stopped) = oneshot::channel();
    let serving =
        server.clone().serve(Https { listener, tls, tokens, limits }, async { drop(stopped.await) });
    Network { server, address, certificates, stop: Some(stop), ended: tokio::spawn(serving) }
}

impl Network {
    /// The client everybody uses, with the administrator's kubeconfig.
    pub(crate) async fn client(&self) -> kube::Client {
        let text = self.certificates.kubeconfig(&format!("https://{}", self.address));
        let config = kube::config::Kubeconfig::from_yaml(&text).unwrap();
        let config =
            kube::Config::from_custom_kubeconfig(config, &kube::config::KubeConfigOptions::default())
                .await
                .unwrap();
        kube::Client::try_from(config).unwrap()
    }

    pub(crate) async fn tcp(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    pub(crate) async fn connect(&self, shown: Shown<'_>, protocol: &str) -> Connection {
        self.try_connect(shown, protocol).await.unwrap()
    }

    pub(crate) async fn try_connect(&self, shown: Shown<'_>, protocol: &str) -> std::io::Result<Connection> {
        let mut roots = RootCertStore::empty();
        roots.add(certificate(self.certificates.authority())).unwrap();
        let config = ClientConfig::builder().with_root_certificates(roots);
        let user = match shown {
            Shown::Nothing => None,
            Shown::Administrator => Some(self.certificates.administrator()),
            Shown::Other(other) => Some(other.administrator()),
        };
        let mut config = match user {
            None => config.with_no_client_auth(),
            Some((chain, key)) => {
                let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
                config.with_client_auth_cert(vec![certificate(chain)], key).unwrap()
            }
        };
        config.resumption = Resumption::disabled();
        config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
        let name = ServerName::try_from("localhost").unwrap();
        TlsConnector::from(Arc::new(config)).connect(name, TcpStream::connect(self.address).await?).await
    }

    /// One request in a connection of its own.
    pub(crate) async fn send(&self, shown: Shown<'_>, request: Request<Full<Bytes>>) -> Answer {
        let mut sender = http1_sender(self.connect(shown, "http/1.1").await).await;
        answer(sender.send_request(request).await.unwrap()).await
    }

    /// Ends the server and waits for it.
    pub(crate) async fn stop(mut self) {
        drop(self.stop.take());
        tokio::time::timeout(PATIENCE, &mut self.ended).await.unwrap().unwrap();
    }
}

pub(crate) async fn http1_sender(stream: Connection) -> http1::SendRequest<Full<Bytes>> {
    let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    sender
}

pub(crate) async fn http2_sender(stream: Connection) -> http2::SendRequest<Full<Bytes>> {
    let executor = TokioExecutor::new();
    let (sender, connection) = http2::handshake(executor, TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    sender
}

pub(crate) async fn answer(response: http::Response<Incoming>) -> Answer {
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let body = serde_json::from_str(&text).unwrap_or(Value::Null);
    Answer { code: parts.status.as_u16(), headers: parts.headers, body, text }
}

pub(crate) fn request(method: &str, path: &str, body: impl Into<Bytes>) -> Request<Full<Bytes>> {
    let uri = format!("https://localhost{path}");
    Request::builder()
        .method(method)
        .uri(uri)
        .header("host", "localhost")
        .body(Full::new(body.into()))
        .unwrap()
}

pub(crate) fn get(path: &str) -> Request<Full<Bytes>> {
    request("GET", path, "")
}

pub(crate) fn with_header(
    mut request: Request<Full<Bytes>>,
    name: &'static str,
    value: &str,
) -> Request<Full<Bytes>> {
    request.headers_mut().insert(name, value.parse().unwrap());
    request
}

fn certificate(pem: &str) -> CertificateDer<'static> {
    CertificateDer::from_pem_slice(pem.as_bytes()).unwrap()
}
