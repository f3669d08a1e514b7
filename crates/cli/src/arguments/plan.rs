//! `krono plan`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::cluster::ClusterArguments;
use super::definition::CompilingArguments;
use crate::document::Source;

const EXAMPLES: &str = "\
Examples:
  krono plan -f webapp.yaml
  krono plan -f webapp.yaml --server --exit-code
  krono plan -f webapp.yaml --out plan.json
  krono plan -f webapp.yaml --check plan.json && kubectl apply -f webapp.yaml
  krono plan -f webapp.yaml --instances today/     # without a cluster";

/// Show what an edited definition would do to every instance, before it is applied
///
/// Every instance is planned with the definition as it is and as it is edited, by the rules of the controller. Deletions, and
/// changes that the API server refuses for a resource that exists, come first. What depends on resources that are not there
/// or not ready prints as `(known after apply)`. Nothing is written to the cluster.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PlanArguments {
    /// The edited definitions; may be repeated, `-` reads stdin
    #[arg(short = 'f', long = "file", required = true, value_name = "FILE")]
    pub(crate) files: Vec<Source>,
    /// A file or folder that takes the place of the cluster: the definitions as they are, instances, and resources as
    /// `kubectl get -o yaml --show-managed-fields` prints them; may be repeated. Resources that are not in it count as made
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) instances: Vec<Source>,
    /// Have the API server check every changed resource by a dry run, and show what it makes of it
    #[arg(long, conflicts_with = "instances")]
    pub(crate) server: bool,
    /// Keep the plan, and what it was made from, in a file
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Refuse when the edit or the cluster is no longer what a kept plan was made from
    #[arg(long, value_name = "FILE")]
    pub(crate) check: Option<Source>,
    /// End with exit code 0 when nothing changes, 2 when something does, 3 when something would be lost
    #[arg(long)]
    pub(crate) exit_code: bool,
    /// How to show the plan
    #[arg(short, long, value_enum, default_value_t = PlanFormat::Text)]
    pub(crate) output: PlanFormat,
    /// Show the numbers alone
    #[arg(long)]
    pub(crate) summary: bool,
    #[command(flatten)]
    pub(crate) compiling: CompilingArguments,
    #[command(flatten)]
    pub(crate) cluster: ClusterArguments,
}

/// How a plan is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlanFormat {
    /// Lines for people; what is the same for many instances is shown once
    Text,
    /// One JSON object with every instance to which something happens
    Json,
    /// The same as YAML
    Yaml,
}
