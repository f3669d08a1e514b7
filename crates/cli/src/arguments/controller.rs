//! `krono controller`.

use std::net::SocketAddr;

use clap::{Args, ValueEnum};

use super::cluster::ClusterArguments;

const EXAMPLES: &str = "\
Examples:
  krono controller
  krono controller --kubeconfig staging.kubeconfig --log-format json
  krono controller --leader-elect --leader-election-namespace kro-system";

/// Serve the definitions of a cluster
///
/// Makes a kind of every ResourceGraphDefinition and keeps the resources of its instances as they should be. Without a kubeconfig
/// it uses the service account of the Pod it runs in. `krono up` does all this by itself. Runs until Ctrl-C or SIGTERM; work that
/// has begun is finished.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ControllerArguments {
    #[command(flatten)]
    pub(crate) cluster: ClusterArguments,
    /// Wait until no other controller, krono's or kro's, leads
    #[arg(long)]
    pub(crate) leader_elect: bool,
    /// Where the lease is kept [default: the namespace of the Pod, or kro-system]
    #[arg(long, value_name = "NAMESPACE", requires = "leader_elect")]
    pub(crate) leader_election_namespace: Option<String>,
    /// Where Prometheus finds counters, under /metrics
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8078")]
    pub(crate) metrics_bind_address: SocketAddr,
    /// Where probes find /healthz and /readyz
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8079")]
    pub(crate) health_probe_bind_address: SocketAddr,
    /// How many definitions and instances to work on at a time
    #[arg(long, value_name = "NUMBER", default_value_t = krono_controller::Options::default().concurrency)]
    pub(crate) concurrency: usize,
    /// Let the kind of a definition go with it, and with the kind all instances
    #[arg(long)]
    pub(crate) allow_crd_deletion: bool,
    /// How to write the log to standard error
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,
    /// What to write to the log
    #[arg(long, value_enum, default_value_t = LogLevel::Info)]
    pub(crate) log_level: LogLevel,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people
    Text,
    /// One JSON object per line
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogLevel {
    /// What failed
    Error,
    /// Also what may need attention
    Warn,
    /// Also what happens
    Info,
    /// Also why
    Debug,
}
