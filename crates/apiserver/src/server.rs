//! The server: a `tower` service that also hands out clients of its own.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::request::Parts;
use http::{Request, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use krono_store::Store;
use tokio::sync::watch;
use tower_service::Service;

use crate::api::{Api, Judging, Settings, administrator};
use crate::body::Body;
use crate::builtin;
use crate::conversion::{Converter, Converters, WebhookClient};
use crate::establishing::Establishing;
use crate::input::MAX_BODY;
use crate::janitor;
use crate::kind::Kind;
use crate::openapi::Documents;
use crate::page::{Page, Pages};
use crate::policy_cache::PolicyCache;
use crate::rbac::User;
use crate::registry::{Registry, SharedRegistry};
use crate::reply::failure;
use crate::resource::Resource;
use crate::status::Status;
use crate::storage::Storage;
use crate::witness::Witness;

/// An API server. Cheap to clone; clones share everything.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use k8s_openapi::api::core::v1::Namespace;
/// let server = krono_apiserver::Server::in_memory().await?;
/// let namespaces: kube::Api<Namespace> = kube::Api::all(server.client());
/// assert!(namespaces.get("default").await.is_ok());
/// # Ok::<(), krono_apiserver::StartError>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct Server {
    api: Arc<Api>,
    /// What happens by itself ends with the last clone of the server.
    alive: Arc<watch::Sender<()>>,
    /// Whoever uses the server in process, where nobody stands between.
    administrator: Arc<User>,
}

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// What it keeps from earlier could not be read or completed.
    #[error("the server could not prepare its store: {0}")]
    Prepare(#[from] Status),
}

/// What a server is made of.
#[derive(Debug, Default)]
pub struct Builder {
    kinds: Option<Vec<Kind>>,
    store: Option<Arc<dyn Store>>,
    converters: Converters,
    imitate_establishing: bool,
    pages: Pages,
    settings: Settings,
}

impl Builder {
    /// Serves these built-in kinds instead of all.
    #[must_use]
    pub fn kinds(self, kinds: Vec<Kind>) -> Self {
        Self { kinds: Some(kinds), ..self }
    }

    /// Keeps objects in this store instead of in memory.
    #[must_use]
    pub fn store(self, store: Arc<dyn Store>) -> Self {
        Self { store: Some(store), ..self }
    }

    /// Converts the objects of a definition, such as `widgets.krono.dev`, in process, whatever conversion it asks for.
    #[must_use]
    pub fn converter(mut self, definition: impl Into<String>, converter: Arc<dyn Converter>) -> Self {
        self.converters.insert(definition.into(), converter);
        self
    }

    /// Calls the conversion webhooks of definitions with this client instead of over HTTPS.
    #[must_use]
    pub fn webhooks(mut self, client: Arc<dyn WebhookClient>) -> Self {
        self.converters.call_with(client);
        self
    }

    /// Imitates the first moments of a definition on the real server: 404, then 429 with `Retry-After`, then a first
    /// creation that takes two seconds. Controllers that pass with this are fit for real clusters.
    #[must_use]
    pub fn imitate_establishing(self, imitate: bool) -> Self {
        Self { imitate_establishing: imitate, ..self }
    }

    /// Answers a path of the program around the server.
    #[must_use]
    pub fn page(mut self, path: &str, page: Arc<dyn Page>) -> Self {
        self.pages.insert(path.to_owned(), page);
        self
    }

    /// Publishes this certificate (PEM) in every namespace, as `kube-root-ca.crt`.
    #[must_use]
    pub fn root_ca(mut self, certificate: impl Into<String>) -> Self {
        self.settings.root_ca = certificate.into();
        self
    }

    /// Tells clients inside the cluster that the server is reached here.
    #[must_use]
    pub fn advertised(mut self, address: SocketAddr) -> Self {
        self.settings.advertised = Some(address);
        self
    }

    /// Has somebody see who changes custom resources.
    #[must_use]
    pub fn witness(mut self, witness: Arc<dyn Witness>) -> Self {
        self.settings.witness = Some(witness);
        self
    }

    /// Starts the server. Must be called in a tokio runtime.
    pub async fn start(self) -> Result<Server, StartError> {
        let kinds = self.kinds.unwrap_or_else(builtin::kinds);
        let built_in: Vec<Arc<Resource>> =
            kinds.into_iter().map(|kind| Arc::new(Resource::built_in(kind))).collect();
        let registry = SharedRegistry::new(Registry::new(built_in.iter().cloned()));
        let definitions = tokio::sync::Mutex::default();
        let storage = self.store.map_or_else(Storage::in_memory, Storage::new);
        let (openapi, policies, addresses) = (Documents::default(), PolicyCache::default(), Arc::default());
        let establishing = Establishing::new(self.imitate_establishing);
        let (converters, settings, pages) = (self.converters, self.settings, self.pages);
        let api = Api {
            storage,
            registry,
            built_in,
            definitions,
            judging: Judging::default(),
            openapi,
            converters,
            establishing,
            policies,
            addresses,
            settings,
            pages,
        };
        let api = Arc::new(api);
        api.prepare().await?;
        let (alive, ended) = watch::channel(());
        tokio::spawn(janitor::run(Arc::downgrade(&api), ended));
        Ok(Server { api, alive: Arc::new(alive), administrator: Arc::new(administrator()) })
    }
}

impl Server {
    /// A server whose objects live as long as it does.
    pub async fn in_memory() -> Result<Self, StartError> {
        Self::builder().start().await
    }

    /// A server to be configured.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// How many clones of the server there are, this one included.
    pub fn clones(&self) -> usize {
        Arc::strong_count(&self.alive)
    }

    /// The same server, where requests in process are those of a user.
    #[must_use]
    pub fn acting_as(&self, user: User) -> Self {
        Self { administrator: Arc::new(user), ..self.clone() }
    }

    /// A client that talks to this server without a network.
    pub fn client(&self) -> kube::Client {
        kube::Client::new(self.clone(), "default")
    }

    /// Answers one request: of the [`User`] among its extensions, or else of the administrator.
    pub async fn handle<B>(&self, request: Request<B>) -> Response<Body>
    where
        B: http_body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let (mut parts, body) = request.into_parts();
        let user =
            parts.extensions.remove::<User>().map_or_else(|| Arc::clone(&self.administrator), Arc::new);
        self.respond(parts, body, user).await
    }

    /// Answers one request of a user who is known.
    pub(crate) async fn respond<B>(&self, parts: Parts, body: B, user: Arc<User>) -> Response<Body>
    where
        B: http_body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let answer = self.api.answer(&parts, user, read_body(body)).await;
        answer.map_or_else(failure, crate::reply::Reply::into_response)
    }
}

async fn read_body<B>(body: B) -> Result<Bytes, Status>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    if body.size_hint().lower() > MAX_BODY as u64 {
        return Err(Status::too_large(MAX_BODY));
    }
    match Limited::new(body, MAX_BODY).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Status::too_large(MAX_BODY)),
        Err(error) => Err(Status::bad_request(format!("the body could not be read: {error}"))),
    }
}

impl<B> Service<Request<B>> for Server
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let server = self.clone();
        Box::pin(async move { Ok(server.handle(request).await) })
    }
}
