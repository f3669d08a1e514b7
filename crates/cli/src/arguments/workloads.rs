//! `krono workloads`.

use clap::Args;

use super::cluster::ClusterArguments;

const EXAMPLES: &str = "\
Examples:
  krono workloads
  krono workloads --kubeconfig test.kubeconfig --context admin";

/// Simulate the node of a cluster that has none
///
/// Pods are assigned to a simulated node, start, become ready, complete, and end when they are deleted, though nothing really
/// runs. The controllers of the cluster do the rest: they must be there, and other nodes must not. `krono up` needs none of this.
/// Runs until Ctrl-C or SIGTERM.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct WorkloadsArguments {
    #[command(flatten)]
    pub(crate) cluster: ClusterArguments,
    /// The name of the node
    #[arg(long, value_name = "NAME", default_value = "krono-simulated")]
    pub(crate) node: String,
}
