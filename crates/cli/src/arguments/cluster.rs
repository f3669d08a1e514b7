//! Which cluster a command is about.

use std::path::PathBuf;

use clap::Args;

#[derive(Clone, Debug, Args)]
pub(crate) struct ClusterArguments {
    /// The kubeconfig of the cluster [default: $KUBECONFIG, or ~/.kube/config]
    #[arg(long, value_name = "FILE")]
    pub(crate) kubeconfig: Option<PathBuf>,
    /// The context of the kubeconfig to use [default: its current one]
    #[arg(long)]
    pub(crate) context: Option<String>,
}
