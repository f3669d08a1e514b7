//! The cluster that a command is about.

pub(super) mod annotate;
pub(super) mod events;
pub(super) mod objects;
pub(super) mod reader;
pub(super) mod subject;
pub(super) mod types;
pub(super) mod wait;

use std::time::Duration;

use krono_model::condition;
use kube::Client;
use kube::config::{Config, KubeConfigOptions, Kubeconfig};

use serde_json::Value;

use super::server::shown;
use crate::arguments::cluster::ClusterArguments;
use crate::command_error::CommandError;

/// How long a server may say nothing: a little longer than a watch lasts in which nothing happens.
const LONGEST_SILENCE: Duration = Duration::from_mins(5);

/// A client of the cluster, and where it is.
pub(super) async fn connect(arguments: &ClusterArguments) -> Result<(Client, String), CommandError> {
    client(config(arguments).await?)
}

/// The same for somebody who wants to know when the server is overloaded: nothing is sent again behind his back.
pub(super) async fn connect_directly(arguments: &ClusterArguments) -> Result<(Client, String), CommandError> {
    let mut config = config(arguments).await?;
    config.default_retry = false;
    client(config)
}

fn client(mut config: Config) -> Result<(Client, String), CommandError> {
    // A server that never answers would hold up a watch for ever.
    (config.read_timeout, config.reset_reader_on_write) = (Some(LONGEST_SILENCE), true);
    let url = config.cluster_url.to_string();
    let client = Client::try_from(config)
        .map_err(|error| CommandError::usage(format!("the kubeconfig cannot be used: {error}")))?;
    Ok((client, url))
}

async fn config(arguments: &ClusterArguments) -> Result<Config, CommandError> {
    let wanted = KubeConfigOptions { context: arguments.context.clone(), ..KubeConfigOptions::default() };
    let config = match &arguments.kubeconfig {
        Some(path) => match Kubeconfig::read_from(path) {
            Ok(kubeconfig) => Config::from_custom_kubeconfig(kubeconfig, &wanted).await,
            Err(error) => Err(error),
        },
        None => Config::from_kubeconfig(&wanted).await,
    };
    config.or_else(|error| {
        // Whoever names neither file nor context may be a Pod.
        let in_pod = arguments.kubeconfig.is_none() && arguments.context.is_none();
        Config::incluster().ok().filter(|_| in_pod).ok_or_else(|| {
            let file = arguments.kubeconfig.as_deref().map_or_else(|| "the kubeconfig".to_owned(), shown);
            CommandError::usage(format!("{file} cannot be used: {error}"))
                .hint("name the kubeconfig of a cluster with --kubeconfig; `krono up` brings its own cluster")
        })
    })
}

/// What to look for where nobody answers.
pub(super) const IS_THERE_A_CONTROLLER: &str =
    "does a controller run? `krono up` has one, `krono controller` is one";

/// Nobody has answered a request that stands on an object.
pub(super) fn unanswered(object: &Value, annotation: &str, limit: Duration) -> CommandError {
    let seconds = limit.as_secs();
    let error = CommandError::wrong(format!(
        "nobody has answered within {seconds} s; the request stands: {annotation}"
    ));
    let all = condition::read_all(object["status"].get("conditions"));
    let unready = all
        .into_iter()
        .find(|it| it.condition_type == condition::READY && it.status != condition::Status::True);
    match unready.and_then(|it| it.message).filter(|it| !it.is_empty()) {
        Some(message) => error.hint(format!("it is not ready: {message}")),
        None => error.hint(IS_THERE_A_CONTROLLER),
    }
}
