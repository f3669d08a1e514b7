//! `krono controller`.

mod endpoints;
mod log;

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use krono_controller::{Controllers, Leadership, Options, StartError, Waiting};
use krono_history::witness::Notes;
use kube::Client;

use super::cluster;
use super::server::{Signals, wait_for};
use crate::arguments::controller::{ControllerArguments, Gate};
use crate::command_error::CommandError;
use crate::kinds::KnownKinds;
use crate::output::Output;

/// Where a Pod finds the name of its namespace.
const OWN_NAMESPACE: &str = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";
/// Where kro keeps its lease.
const USUAL_NAMESPACE: &str = "kro-system";

pub(crate) fn run(arguments: &ControllerArguments, output: &mut Output) -> Result<(), CommandError> {
    log::start(arguments.log_format, arguments.log_level);
    wait_for(serve(arguments, output))
}

async fn serve(arguments: &ControllerArguments, output: &mut Output) -> Result<(), CommandError> {
    let signals = Signals::catch(false)?;
    let (client, url) = cluster::connect_directly(&arguments.cluster).await?;
    let options = options(arguments);
    let controllers = Arc::new(Controllers::new(&client, Arc::new(KnownKinds::default()), options));
    let turn = Arc::new(Turn::new(arguments.leader_elect));
    let endpoints = endpoints::serve(arguments, Arc::clone(&controllers), Arc::clone(&turn)).await?;
    output.text(&format!("{}; Ctrl-C ends it\n{endpoints}", begun(arguments, &url)))?;
    output.flush()?;
    let mut signal = pin!(signals.first());
    if !arguments.leader_elect {
        return controllers.run(signal).await.map_err(|error| unable(&url, &error));
    }
    let mut leadership = leadership(arguments, client);
    tokio::select! {
        () = &mut signal => return Ok(()),
        () = leadership.acquire(|waiting| turn.tell(waiting)) => {}
    }
    tracing::info!("this process leads; the definitions of {url} are served");
    turn.begin();
    controllers.succeed(leadership.last_heard());
    let ended = lead(&controllers, &mut leadership, signal).await;
    leadership.release().await;
    ended.map_err(|error| error.unwrap_or_else(|error| unable(&url, &error)))
}

fn begun(arguments: &ControllerArguments, url: &str) -> String {
    if arguments.leader_elect {
        format!("This process waits to lead at {url}")
    } else {
        format!("The definitions of {url} are served")
    }
}

/// Whether a process waits for its turn to lead. It is as ready as it can be once it knows behind whom: whoever replaces
/// processes one by one ends the leader only when the next is ready.
struct Turn {
    is_awaited: AtomicBool,
    /// Whether it has known behind whom it waits.
    is_in_line: AtomicBool,
    /// Why it does not lead, as it was told last.
    told: Mutex<Option<Waiting>>,
}

impl Turn {
    fn new(is_awaited: bool) -> Self {
        Self { is_awaited: is_awaited.into(), is_in_line: false.into(), told: Mutex::default() }
    }

    fn is_awaited(&self) -> bool {
        self.is_awaited.load(Ordering::Relaxed)
    }

    /// Whether it waits for nothing but its turn.
    fn is_next(&self) -> bool {
        self.is_awaited() && self.is_in_line.load(Ordering::Relaxed)
    }

    /// Tells once why this process does not lead, until that is another reason.
    fn tell(&self, waiting: Waiting) {
        if matches!(waiting, Waiting::Behind(_)) {
            self.is_in_line.store(true, Ordering::Relaxed);
        }
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.as_ref() == Some(&waiting) {
            return;
        }
        match &waiting {
            Waiting::Behind(leader) => tracing::info!(leader, "another process leads; this one waits"),
            Waiting::Nowhere(namespace) => tracing::error!(
                "there is no namespace {namespace} for the lease; create it, or name another with --leader-election-namespace"
            ),
            Waiting::Unable(words) => {
                tracing::error!("the lease cannot be read or written: {words}; trying again");
            }
        }
        *told = Some(waiting);
    }

    fn begin(&self) {
        self.is_awaited.store(false, Ordering::Relaxed);
    }
}

fn options(arguments: &ControllerArguments) -> Options {
    let mut options = Options {
        concurrency: arguments.concurrency,
        allow_crd_deletion: arguments.allow_crd_deletion,
        notes: if arguments.trust_changed_by { Notes::Believed } else { Notes::Doubted },
        graph: arguments.limits.options(),
        ..Options::default()
    };
    for (gate, on) in &arguments.feature_gates {
        match gate {
            Gate::InstanceConditionEvents => options.condition_events = *on,
            Gate::InstanceConditionMetrics => options.condition_metrics = *on,
            Gate::CelOmitFunction => options.graph.omit = *on,
        }
    }
    options
}

/// Serves while this process leads. Whoever has lost the lead ends at once: two must not write.
async fn lead(
    controllers: &Controllers,
    leadership: &mut Leadership,
    signal: impl Future<Output = ()>,
) -> Result<(), Result<CommandError, StartError>> {
    tokio::select! {
        ended = controllers.run(signal) => ended.map_err(Err),
        lost = leadership.hold() => {
            let error = CommandError::wrong(format!("this process leads no longer: {lost}"));
            Err(Ok(error.hint("start it again; it waits for its turn")))
        }
    }
}

fn leadership(arguments: &ControllerArguments, client: Client) -> Leadership {
    let own = || std::fs::read_to_string(OWN_NAMESPACE).ok().map(|it| it.trim().to_owned());
    let namespace = arguments.leader_election_namespace.clone().or_else(own);
    let namespace = namespace.unwrap_or_else(|| USUAL_NAMESPACE.to_owned());
    Leadership::new(client, &namespace, identity())
}

/// A name that no other process has.
fn identity() -> String {
    let host = std::env::var("HOSTNAME").unwrap_or_else(|_| "krono".to_owned());
    format!("{host}_{}", uuid::Uuid::new_v4())
}

fn unable(url: &str, error: &StartError) -> CommandError {
    CommandError::usage(format!("{url}: {error}")).hint("is the cluster up, and the kubeconfig its own?")
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::arguments::{Arguments, Command};

    fn with(more: &[&str]) -> Options {
        let all = ["krono", "controller"].iter().chain(more);
        let Command::Controller(arguments) = Arguments::try_parse_from(all).unwrap().command else {
            panic!("another command")
        };
        options(&arguments)
    }

    #[test]
    fn limits_are_named_as_kro_does() {
        let check = |more: &[&str], expected: (usize, usize, bool)| {
            let graph = with(more).graph;
            assert_eq!((graph.objects, graph.dimensions, graph.omit), expected, "{more:?}");
        };
        check(&[], (1000, 10, true));
        let flags = ["--rgd-max-collection-size=5000", "--rgd-max-collection-dimension-size=12"];
        check(&flags, (5000, 12, true));
        check(&["--feature-gates=CELOmitFunction=false"], (1000, 10, false));
    }

    #[test]
    fn v11_users_are_believed_only_where_somebody_says_so() {
        let check = |more: &[&str], expected: Notes| assert_eq!(with(more).notes, expected, "{more:?}");
        check(&[], Notes::Doubted);
        check(&["--trust-changed-by"], Notes::Believed);
    }
}
