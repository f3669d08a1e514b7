//! The loop: keys in, work out.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;

use futures_util::FutureExt;
use jiff::Timestamp;
use krono_graph::Kinds;
use kube::Client;
use tokio::task::JoinSet;

use crate::engine::Engine;
use crate::metrics::Metrics;
use crate::options::Options;
use crate::queue::{Key, Outcome};
use crate::{definition, definitions};

/// Why the controllers did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Nobody answered, or not as an API server does.
    #[error("the API server does not answer: {0}")]
    Unreachable(#[source] kube::Error),
    /// The kind of definitions could not be made known to the cluster.
    #[error("cannot install the ResourceGraphDefinition kind: {0}")]
    Install(#[source] kube::Error),
}

/// The controllers of one cluster.
pub struct Controllers {
    pub(crate) engine: Arc<Engine>,
}

impl Controllers {
    /// Controllers that do nothing yet; `built_in` knows the schemas of kinds that have no definition in the cluster.
    pub fn new(client: &Client, built_in: Arc<dyn Kinds + Send + Sync>, options: Options) -> Self {
        Self { engine: Arc::new(Engine::new(client, built_in, options, Metrics::default())) }
    }

    /// What they count, in the text form that Prometheus reads.
    pub fn metrics(&self) -> String {
        self.engine.numbers()
    }

    /// Whether they know the definitions of the cluster and look after them.
    pub fn is_ready(&self) -> bool {
        self.engine.is_ready()
    }

    /// Whoever looked after the cluster before was last heard of then: nobody could act since.
    pub fn succeed(&self, last_heard: Option<Timestamp>) {
        self.engine.begin_leading(last_heard);
    }

    /// Makes the kinds that krono brings along known to the cluster, and waits until they are served.
    pub async fn install(&self) -> Result<(), StartError> {
        definition::install(&self.engine).await
    }

    /// Serves the definitions of the cluster until `shutdown` is ready; work that has begun is finished.
    pub async fn run(&self, shutdown: impl Future<Output = ()>) -> Result<(), StartError> {
        let engine = &self.engine;
        self.install().await?;
        let _watches = definitions::watch(engine);
        let mut work = JoinSet::new();
        let mut shutdown = pin!(shutdown);
        loop {
            let room = work.len() < engine.options.concurrency.max(1);
            tokio::select! {
                biased;
                () = &mut shutdown => break,
                Some(_) = work.join_next(), if !work.is_empty() => {}
                key = engine.queue.next(), if room => begin(engine, key, &mut work),
            }
        }
        while work.join_next().await.is_some() {}
        Ok(())
    }
}

fn begin(engine: &Arc<Engine>, key: Key, work: &mut JoinSet<()>) {
    let engine = Arc::clone(engine);
    work.spawn(async move {
        let outcome = unbroken(engine.reconcile(&key)).await.unwrap_or_else(|Broken| {
            tracing::error!(?key, "the work on a key broke off");
            engine.broke_off(&key);
            Outcome::Failed
        });
        engine.queue.finish(&key, outcome);
    });
}

/// Work that panicked.
#[derive(Debug, PartialEq, Eq)]
struct Broken;

/// Does work that ends with whoever waits for it. A panic is a bug, and no reason to forget an instance.
async fn unbroken(work: impl Future<Output = Outcome>) -> Result<Outcome, Broken> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(|_| Broken)
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn work_ends_with_the_run() {
        let (started, start) = oneshot::channel();
        let (held, ended) = oneshot::channel::<()>();
        let mut work = JoinSet::new();
        work.spawn(async move {
            let at_work = async move {
                let _held = held;
                started.send(()).expect("somebody who waits");
                pending().await
            };
            unbroken(at_work).await
        });
        start.await.expect("a start");
        drop(work);
        let ended = tokio::time::timeout(std::time::Duration::from_secs(10), ended).await;
        assert!(ended.expect("an end").is_err(), "nobody is to say anything");
    }

    #[tokio::test]
    async fn work_that_panics_breaks_nothing_else() {
        let broken = async { panic!("on purpose") };
        assert_eq!(unbroken(broken).await, Err(Broken));
    }
}
