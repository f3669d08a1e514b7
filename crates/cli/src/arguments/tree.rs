//! `krono tree`.

use clap::Args;

use super::cluster::ClusterArguments;

const EXAMPLES: &str = "\
Examples:
  krono tree webapp/shop
  krono tree webapp shop -n prod
  krono tree rgd/web-app";

/// Show an instance and all that was made for it
///
/// Of a definition: its instances, and all that was made for them. Names are written as for kubectl.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TreeArguments {
    /// What to show: TYPE/NAME or TYPE NAME
    #[arg(value_name = "TYPE/NAME", required = true, num_args = 1..=2)]
    pub(crate) object: Vec<String>,
    /// Where the instance is [default: the namespace of the context]
    #[arg(long, short)]
    pub(crate) namespace: Option<String>,
    #[command(flatten)]
    pub(crate) cluster: ClusterArguments,
}
