//! `krono propagation …`.

use clap::{Args, Subcommand, ValueEnum};

use super::target::PlaceArguments;
use super::wait::WaitArguments;

const STATUS_EXAMPLES: &str = "\
Examples:
  krono propagation status application
  krono propagation status rgd/application --watch
  krono propagation status application -o json";

const APPROVE_EXAMPLES: &str = "\
Examples:
  krono propagation approve application --stage=production
  krono propagation approve application --deletes";

/// See and steer how a new revision reaches instances
#[derive(Debug, Subcommand)]
pub(crate) enum PropagationCommand {
    Status(PropagationStatusArguments),
    Pause(PauseArguments),
    Resume(ResumeArguments),
    Abort(AbortArguments),
    Retry(RetryArguments),
    Approve(ApproveStageArguments),
}

/// Show how far the current revision has come: waves, failures, and why instances wait
#[derive(Debug, Args)]
#[command(after_help = STATUS_EXAMPLES)]
pub(crate) struct PropagationStatusArguments {
    /// The definition
    #[arg(value_name = "RGD", required = true, num_args = 1..)]
    pub(crate) object: Vec<String>,
    /// Go on until it is over; fails when it was given up
    #[arg(long, short)]
    pub(crate) watch: bool,
    /// How to print it
    #[arg(short, long, value_enum, default_value_t = StatusFormat::Text)]
    pub(crate) output: StatusFormat,
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
}

/// Let no further instance move; those on their way go on
#[derive(Debug, Args)]
pub(crate) struct PauseArguments {
    #[command(flatten)]
    pub(crate) definition: DefinitionArguments,
}

/// End a pause
#[derive(Debug, Args)]
pub(crate) struct ResumeArguments {
    #[command(flatten)]
    pub(crate) definition: DefinitionArguments,
}

/// Give up the current revision; who has been admitted and has not arrived goes back to what it ran before
#[derive(Debug, Args)]
pub(crate) struct AbortArguments {
    #[command(flatten)]
    pub(crate) definition: DefinitionArguments,
}

/// Try a revision again that was given up
#[derive(Debug, Args)]
pub(crate) struct RetryArguments {
    #[command(flatten)]
    pub(crate) definition: DefinitionArguments,
}

/// Let a stage of the current revision begin, or let it delete resources
#[derive(Debug, Args)]
#[command(after_help = APPROVE_EXAMPLES)]
pub(crate) struct ApproveStageArguments {
    /// The stage [default: the one that waits]
    #[arg(long, value_name = "NAME")]
    pub(crate) stage: Option<String>,
    /// Let the current revision delete or replace resources
    #[arg(long, conflicts_with = "stage")]
    pub(crate) deletes: bool,
    #[command(flatten)]
    pub(crate) definition: DefinitionArguments,
}

/// The definition, and how long to wait for the controller.
#[derive(Debug, Args)]
pub(crate) struct DefinitionArguments {
    /// The definition
    #[arg(value_name = "RGD", required = true, num_args = 1..)]
    pub(crate) object: Vec<String>,
    #[command(flatten)]
    pub(crate) wait: WaitArguments,
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
}

/// How a status is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatusFormat {
    Text,
    Json,
    Yaml,
}
