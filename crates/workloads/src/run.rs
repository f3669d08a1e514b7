//! The loop: changes in, decisions, requests out.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use kube::{Client, Error};

use crate::action::Plan;
use crate::interest::touched;
use crate::kind::{Key, Kind, Object, World};
use crate::node;
use crate::options::Options;
use crate::perform::{Outcome, code, perform};
use crate::plan::plan;
use crate::queue::Queue;
use crate::watch::{self, Change};

/// How many objects are worked on at a time.
const AT_A_TIME: usize = 16;
/// The first pause before a failed plan is made anew; each is twice the one before.
const PAUSE: Duration = Duration::from_millis(10);
/// The longest such pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Why the simulator did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Nobody answered, or not as an API server does.
    #[error("the API server does not answer: {0}")]
    Unreachable(#[source] Error),
}

/// Simulates workloads on the server of this client, until `shutdown` is ready.
///
/// The simulator keeps no state of its own: it may be stopped at any time, and the next one goes on from what the
/// server holds.
pub async fn run(
    client: Client,
    options: Options,
    shutdown: impl Future<Output = ()>,
) -> Result<(), StartError> {
    client.apiserver_version().await.map_err(StartError::Unreachable)?;
    let mut changes = watch::all(&client, options.scope);
    let mut simulation = Simulation::new(client, options);
    let mut shutdown = pin!(shutdown);
    loop {
        simulation.work();
        let clock = simulation.options.clock.clone();
        let timer = simulation.queue.next_timer();
        tokio::select! {
            biased;
            () = &mut shutdown => return Ok(()),
            Some(change) = changes.next() => simulation.observe(change),
            Some(done) = simulation.working.next() => simulation.finish(done),
            () = async { if let Some(timer) = timer { clock.reach(timer).await } }, if timer.is_some() => {
                simulation.queue.fire(clock.now());
            }
        }
    }
}

/// What became of a plan.
struct Done {
    key: Key,
    outcomes: Vec<Outcome>,
    failure: Option<Error>,
}

struct Simulation {
    client: Client,
    options: Options,
    world: World,
    queue: Queue,
    /// Kinds whose first list is not complete; nothing is decided before.
    unknown: HashSet<Kind>,
    working: FuturesUnordered<BoxFuture<'static, Done>>,
    failures: HashMap<Key, u32>,
    /// The uids of what ended while requests were under way: their answers may be older than that.
    ended: HashSet<String>,
}

impl Simulation {
    fn new(client: Client, options: Options) -> Self {
        let mut queue = Queue::default();
        queue.add(Key::new(Kind::Node, "", &options.node));
        queue.add(Key::new(Kind::Lease, node::LEASES, &options.node));
        Self {
            unknown: Kind::watched(options.scope).into_iter().collect(),
            world: World::default(),
            working: FuturesUnordered::new(),
            failures: HashMap::new(),
            ended: HashSet::new(),
            client,
            options,
            queue,
        }
    }

    fn observe(&mut self, change: Change) {
        match change {
            Change::Begin(kind) => self.world.begin_list(kind),
            Change::Listed(object) | Change::Changed(object) => self.take(&object),
            Change::Gone(object) => self.forget(&object),
            Change::End(kind) => {
                self.unknown.remove(&kind);
                for object in self.world.end_list(kind) {
                    self.forget(&object);
                }
            }
            Change::Failed(kind, error) => {
                (self.options.on_failure)(&format!("watching {}: {error}", kind.name()));
            }
        }
    }

    /// Takes an object in and asks for a look at all it touches, as it was and as it is.
    fn take(&mut self, object: &Object) {
        let before = self.world.get(&Key::of(object));
        // Also one that is known as it is: whatever a list does not hold is forgotten.
        self.world.insert(object.clone());
        if before.as_ref().is_some_and(|before| before.is_same_version(object)) {
            return;
        }
        let mut keys: BTreeSet<Key> = touched(&self.world, object, before.as_ref());
        if let Some(before) = &before {
            keys.extend(touched(&self.world, before, Some(object)));
        }
        self.queue.extend(keys);
    }

    fn forget(&mut self, object: &Object) {
        self.world.remove(object);
        if !self.working.is_empty() {
            self.ended.extend(object.metadata().uid.clone());
        }
        self.queue.extend(touched(&self.world, object, None));
    }

    /// Begins as much work as may be done at a time.
    fn work(&mut self) {
        if !self.unknown.is_empty() {
            return;
        }
        while self.working.len() < AT_A_TIME
            && let Some(key) = self.queue.begin()
        {
            let Plan { actions, again } = plan(&self.world, &key, self.options.clock.now(), &self.options);
            self.queue.set_timer(&key, again.first().copied());
            if actions.is_empty() {
                self.failures.remove(&key);
                self.queue.finish(&key);
                continue;
            }
            let pause = pause(self.failures.get(&key).copied().unwrap_or_default());
            let (client, now) = (self.client.clone(), self.options.clock.now());
            self.working.push(Box::pin(async move {
                let mut done = Done { key, outcomes: Vec::new(), failure: None };
                for action in &actions {
                    match perform(&client, action, now).await {
                        Ok(outcome) => done.outcomes.push(outcome),
                        Err(error) => {
                            done.failure = Some(error);
                            tokio::time::sleep(pause).await;
                            break;
                        }
                    }
                }
                done
            }));
        }
    }

    fn finish(&mut self, done: Done) {
        let Done { key, outcomes, failure } = done;
        self.queue.finish(&key);
        for outcome in outcomes {
            match outcome {
                Outcome::Stored(object) if !self.has_ended(&object) => self.take(&object),
                Outcome::Removed(key) => self.world.get(&key).iter().for_each(|object| self.forget(object)),
                Outcome::Stored(_) | Outcome::Nothing => {}
            }
        }
        match failure {
            None => drop(self.failures.remove(&key)),
            Some(error) => self.fail(key, &error),
        }
        if self.working.is_empty() {
            self.ended.clear();
        }
    }

    /// Asks for another look; a conflict is no news, since the world is about to show why.
    fn fail(&mut self, key: Key, error: &Error) {
        if code(error) != Some(409) {
            (self.options.on_failure)(&format!("{key}: {error}"));
        }
        *self.failures.entry(key.clone()).or_default() += 1;
        self.queue.add(key);
    }

    fn has_ended(&self, object: &Object) -> bool {
        object.metadata().uid.as_ref().is_some_and(|uid| self.ended.contains(uid))
    }
}

fn pause(failures: u32) -> Duration {
    PAUSE.saturating_mul(2_u32.saturating_pow(failures)).min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Node;
    use krono_apiserver::Server;
    use kube::api::ObjectMeta;

    use super::*;
    use crate::options::Scope;

    #[tokio::test]
    async fn a_list_keeps_what_has_not_changed_and_forgets_what_it_does_not_hold() {
        let server = Server::in_memory().await.unwrap();
        let mut simulation = Simulation::new(server.client(), Options::new(Scope::Everything));
        let node = |name: &str| -> Object {
            let (name, resource_version) = (Some(name.to_owned()), Some("7".to_owned()));
            Node {
                metadata: ObjectMeta { name, resource_version, ..ObjectMeta::default() },
                ..Node::default()
            }
            .into()
        };
        for listed in [vec!["a", "b"], vec!["a"]] {
            simulation.observe(Change::Begin(Kind::Node));
            for name in listed {
                simulation.observe(Change::Listed(node(name)));
            }
            simulation.observe(Change::End(Kind::Node));
        }
        let is_known = |name: &str| simulation.world.nodes.get("", name).is_some();
        assert_eq!((is_known("a"), is_known("b")), (true, false));
    }
}
