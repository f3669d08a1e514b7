//! `krono workloads`.

use std::pin::pin;
use std::sync::Arc;

use krono_workloads::{Options, Scope};
use tokio::sync::mpsc;

use super::super::cluster;
use super::block_on;
use super::signals::Signals;
use crate::arguments::workloads::WorkloadsArguments;
use crate::command_error::CommandError;
use crate::output::Output;

pub(crate) fn run(arguments: &WorkloadsArguments, output: &mut Output) -> Result<(), CommandError> {
    block_on(simulate(arguments, output))
}

async fn simulate(arguments: &WorkloadsArguments, output: &mut Output) -> Result<(), CommandError> {
    let signals = Signals::catch(false)?;
    let (client, url) = cluster::connect(&arguments.cluster).await?;
    let (tell, mut told) = mpsc::unbounded_channel();
    let mut options = Options::new(Scope::Pods);
    options.node.clone_from(&arguments.node);
    // Nobody listens any more only when the command is about to end.
    options.on_failure = Arc::new(move |failure| drop(tell.send(failure.to_owned())));
    output.text(&format!("Pods on {url} run on the simulated node {}; Ctrl-C ends it\n", arguments.node))?;
    output.flush()?;
    let mut running = pin!(krono_workloads::run(client, options, signals.first()));
    loop {
        tokio::select! {
            ended = &mut running => {
                return ended.map_err(|error| {
                    CommandError::usage(format!("{url}: {error}")).hint("is the cluster up, and the kubeconfig its own?")
                });
            }
            Some(failure) = told.recv() => output.warn(&failure)?,
        }
    }
}
