//! One connection: the handshake, then request after request.

use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::{HttpService, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

use super::Limits;
use super::activity::Activity;
use super::body::{Served, Timely};
use super::stalling::Stalling;
use crate::authentication::{Identity, Tokens, authenticate};
use crate::certificates::Tls;
use crate::reply::failure;
use crate::server::Server;

/// The head of a request, in bytes; long selectors stand in its first line.
const MAX_HEAD: usize = 64 * 1024;
/// Requests at a time in one connection of HTTP/2.
const MAX_STREAMS: u32 = 250;
/// What an answer may hold back in memory while an HTTP/2 client is slow.
const MAX_SEND_BUFFER: usize = 256 * 1024;
/// How often a silent client is asked whether it is still there.
const PING_EVERY: Duration = Duration::from_secs(30);

type Stream = TokioIo<TlsStream<Stalling>>;

/// What all connections of a listener share.
pub(super) struct Shared {
    pub(super) server: Server,
    pub(super) tokens: Tokens,
    pub(super) limits: Limits,
    /// The server ends: no more requests.
    pub(super) stop: CancellationToken,
    /// The server has waited long enough.
    pub(super) cut: CancellationToken,
}

/// What the requests of one connection share.
struct Session {
    shared: Arc<Shared>,
    identity: Identity,
    activity: Arc<Activity>,
}

/// Serves one connection to its end.
pub(super) async fn run(stream: TcpStream, tls: Tls, shared: Arc<Shared>) {
    let limits = shared.limits;
    prepare(&stream);
    let current = tls.current();
    let accepting = current.acceptor.accept(Stalling::new(stream, limits.stall));
    let stopped = shared.stop.clone();
    let stream = tokio::select! {
        () = stopped.cancelled() => return,
        accepted = timeout(limits.handshake, accepting) => match accepted {
            Ok(Ok(stream)) => stream,
            // Whoever does not speak TLS gets no answer.
            Ok(Err(_)) | Err(_) => return,
        }
    };
    let (_, tls) = stream.get_ref();
    let identity = current.identity(tls.peer_certificates());
    let is_http2 = tls.alpn_protocol() == Some(b"h2");
    drop(current);
    let session = Arc::new(Session { shared, identity, activity: Arc::default() });
    if is_http2 {
        serve_http2(TokioIo::new(stream), session).await;
    } else {
        serve_http1(TokioIo::new(stream), session).await;
    }
}

/// Without delay, and with signs of life asked of clients that are silent; a socket that refuses is served all the same.
fn prepare(stream: &TcpStream) {
    drop(stream.set_nodelay(true));
    let keepalive = socket2::TcpKeepalive::new().with_time(PING_EVERY).with_interval(PING_EVERY);
    drop(socket2::SockRef::from(stream).set_tcp_keepalive(&keepalive));
}

async fn serve_http1(stream: Stream, session: Arc<Session>) {
    let serving = Arc::clone(&session);
    let service = service_fn(move |request| answer(Arc::clone(&serving), request));
    let mut builder = http1::Builder::new();
    // The head has its time from `drive`, without a timer for every request.
    builder.header_read_timeout(None).max_buf_size(MAX_HEAD);
    drive(pin!(builder.serve_connection(stream, service)), &session).await;
}

async fn serve_http2(stream: Stream, session: Arc<Session>) {
    let serving = Arc::clone(&session);
    let service = service_fn(move |request| answer(Arc::clone(&serving), request));
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder.timer(TokioTimer::new()).keep_alive_interval(PING_EVERY).keep_alive_timeout(PING_EVERY);
    builder.max_concurrent_streams(MAX_STREAMS).max_send_buf_size(MAX_SEND_BUFFER);
    builder.max_header_list_size(u32::try_from(MAX_HEAD).unwrap_or(u32::MAX));
    drive(pin!(builder.serve_connection(stream, service)), &session).await;
}

/// A connection that can be asked to end after the requests under way.
trait Ending: Future {
    fn end(self: Pin<&mut Self>);
}

impl<S> Ending for http1::Connection<Stream, S>
where
    S: HttpService<Incoming, ResBody = Served, Error = Infallible>,
{
    fn end(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

impl<S, F> Ending for http2::Connection<Stream, S, TokioExecutor>
where
    S: HttpService<Incoming, ResBody = Served, Error = Infallible, Future = F>,
    F: Future<Output = Result<Response<Served>, Infallible>> + Send + 'static,
{
    fn end(self: Pin<&mut Self>) {
        self.graceful_shutdown();
    }
}

/// Runs the connection until it ends, idles too long or the server ends.
async fn drive<C: Ending>(mut connection: Pin<&mut C>, session: &Session) {
    let Session { shared, activity, .. } = session;
    let mut stopping = false;
    loop {
        let begun = activity.begun();
        tokio::select! {
            _ = connection.as_mut() => return,
            () = shared.stop.cancelled(), if !stopping => {
                stopping = true;
                connection.as_mut().end();
            }
            () = sleep(shared.limits.idle) => {
                if activity.is_idle_since(begun) {
                    return;
                }
            }
        }
    }
}

async fn answer(session: Arc<Session>, request: Request<Incoming>) -> Result<Response<Served>, Infallible> {
    let shared = &session.shared;
    let busy = session.activity.begin();
    let (parts, body) = request.into_parts();
    let user = authenticate(&session.identity, &shared.tokens, &parts.headers, SystemTime::now());
    let response = match user {
        Ok(user) => shared.server.respond(parts, Timely::new(body, shared.limits.body), user).await,
        Err(status) => failure(status),
    };
    Ok(response.map(|body| Served::new(body, &shared.stop, busy)))
}
