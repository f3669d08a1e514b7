//! Where a world is: on a server in memory, or on a real one that was started beforehand.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::StreamExt;
use http::{Request, Response};
use http_body_util::BodyStream;
use krono_apiserver::{Body, Server};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};

use crate::real;

/// Names the kubeconfigs of two real servers, separated by a colon; the second is for tests that have two worlds.
///
/// Tests that take the same server wait for each other, whatever process they are in.
const KUBECONFIGS: &str = "KRONO_TEST_KUBECONFIGS";

/// An API server; clones are the same one.
#[derive(Clone)]
pub(crate) enum Place {
    Embedded(Server),
    Real {
        /// Obeys a server that asks to come again later, as `kubectl` does.
        users: Client,
        /// Tells that to the controllers, as the program does.
        controllers: Client,
    },
}

/// The right to have a real server for oneself, until dropped.
pub(crate) struct Lease(#[expect(dead_code, reason = "what counts is that it is open")] Option<File>);

impl From<Server> for Place {
    fn from(server: Server) -> Self {
        Self::Embedded(server)
    }
}

impl Lease {
    /// Nobody else knows a server of one's own.
    pub(crate) fn of_ones_own() -> Self {
        Self(None)
    }

    async fn wait(kubeconfig: &Path) -> Self {
        let file = File::open(kubeconfig).expect("a kubeconfig");
        let locked = tokio::task::spawn_blocking(move || file.lock().map(|()| file)).await;
        Self(Some(locked.expect("a thread").expect("a lock")))
    }
}

impl Place {
    /// An empty server.
    pub(crate) async fn first() -> (Self, Lease) {
        Self::take(0).await
    }

    /// An empty server beside the first.
    pub(crate) async fn second() -> (Self, Lease) {
        Self::take(1).await
    }

    async fn take(index: usize) -> (Self, Lease) {
        let Some(kubeconfigs) = std::env::var_os(KUBECONFIGS) else {
            let server = Server::in_memory().await.expect("a server in memory");
            return (server.into(), Lease::of_ones_own());
        };
        let kubeconfigs: Vec<PathBuf> = std::env::split_paths(&kubeconfigs).collect();
        let kubeconfig = kubeconfigs.get(index).expect("KRONO_TEST_KUBECONFIGS names two servers");
        let lease = Lease::wait(kubeconfig).await;
        let [users, controllers] = [client(kubeconfig, true).await, client(kubeconfig, false).await];
        real::clear(&users).await;
        (Self::Real { users, controllers }, lease)
    }

    /// A client of users.
    pub(crate) fn client(&self) -> Client {
        match self {
            Self::Embedded(server) => server.client(),
            Self::Real { users, .. } => users.clone(),
        }
    }

    /// How long to wait for what should come at once. A real server collects garbage of a new kind after half a minute.
    pub(crate) fn patience(&self) -> Duration {
        match self {
            Self::Embedded(_) => Duration::from_secs(30),
            Self::Real { .. } => Duration::from_mins(2),
        }
    }

    /// The answer to a request of controllers.
    pub(crate) async fn answer(
        &mut self,
        request: Request<kube::client::Body>,
    ) -> std::io::Result<Response<Body>> {
        match self {
            Self::Embedded(server) => {
                let Ok(answer) = tower_service::Service::call(server, request).await;
                Ok(answer)
            }
            Self::Real { controllers, .. } => {
                let answer = controllers.send(request).await.map_err(std::io::Error::other)?;
                let pieces = |body| BodyStream::new(body).filter_map(async |it| it.ok()?.into_data().ok());
                Ok(answer.map(|body| Body::pieces(pieces(body))))
            }
        }
    }
}

async fn client(kubeconfig: &Path, obeys: bool) -> Client {
    let kubeconfig = Kubeconfig::read_from(kubeconfig).expect("a kubeconfig");
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
    let mut config = config.expect("a kubeconfig that can be used");
    config.default_retry = obeys;
    Client::try_from(config).expect("a client")
}
