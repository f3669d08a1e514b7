//! `krono workloads`.

use std::pin::pin;
use std::sync::Arc;

use krono_workloads::{Options, Scope};
use kube::config::{Config, KubeConfigOptions, Kubeconfig, KubeconfigError};
use tokio::sync::mpsc;

use super::block_on;
use super::directory::shown;
use super::signals::Signals;
use crate::arguments::workloads::WorkloadsArguments;
use crate::command_error::CommandError;
use crate::output::Output;

pub(crate) fn run(arguments: &WorkloadsArguments, output: &mut Output) -> Result<(), CommandError> {
    block_on(simulate(arguments, output))
}

async fn simulate(arguments: &WorkloadsArguments, output: &mut Output) -> Result<(), CommandError> {
    let signals = Signals::catch(false)?;
    let config = config(arguments).await?;
    let url = config.cluster_url.to_string();
    let client = kube::Client::try_from(config)
        .map_err(|error| CommandError::usage(format!("the kubeconfig cannot be used: {error}")))?;
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

async fn config(arguments: &WorkloadsArguments) -> Result<Config, CommandError> {
    let wanted = KubeConfigOptions { context: arguments.context.clone(), ..KubeConfigOptions::default() };
    let config = match &arguments.kubeconfig {
        Some(path) => match Kubeconfig::read_from(path) {
            Ok(kubeconfig) => Config::from_custom_kubeconfig(kubeconfig, &wanted).await,
            Err(error) => Err(error),
        },
        None => Config::from_kubeconfig(&wanted).await,
    };
    config.map_err(|error| unusable(arguments, &error))
}

fn unusable(arguments: &WorkloadsArguments, error: &KubeconfigError) -> CommandError {
    let file = arguments.kubeconfig.as_deref().map_or_else(|| "the kubeconfig".to_owned(), shown);
    CommandError::usage(format!("{file} cannot be used: {error}"))
        .hint("name the kubeconfig of a cluster with --kubeconfig; `krono up` simulates workloads by itself")
}
