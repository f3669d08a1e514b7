//! `krono pin`, `unpin`, `approve` and `why`.

use clap::Args;

use super::outcome::ChangeArguments;
use super::propagation::StatusFormat;
use super::target::PlaceArguments;

const PIN_EXAMPLES: &str = "\
Examples:
  krono pin application/my-app --rgd-revision=2
  krono pin application/my-app 2 -n prod";

const UNPIN_EXAMPLES: &str = "\
Examples:
  krono unpin application/my-app
  krono unpin rgd/application";

const APPROVE_EXAMPLES: &str = "\
Examples:
  krono approve application/my-app
  krono approve application/my-app --rgd-revision=3
  krono approve application/my-app 3 -n prod";

const WHY_EXAMPLES: &str = "\
Examples:
  krono why application/my-app
  krono why rgd/application";

/// Keep an instance at one revision of its definition
#[derive(Debug, Args)]
#[command(after_help = PIN_EXAMPLES)]
pub(crate) struct PinArguments {
    /// The instance, and the revision: TYPE/NAME or TYPE NAME, then a number
    #[arg(value_name = "TYPE/NAME [REVISION]", required = true, num_args = 1..)]
    pub(crate) object: Vec<String>,
    /// The revision
    #[arg(long, value_name = "REVISION")]
    pub(crate) rgd_revision: Option<String>,
    #[command(flatten)]
    pub(crate) change: ChangeArguments,
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
}

/// Let an instance follow its definition again
///
/// Ends a pin, and what `krono rollback --hold` began: of an instance or of a definition.
#[derive(Debug, Args)]
#[command(after_help = UNPIN_EXAMPLES)]
pub(crate) struct UnpinArguments {
    /// TYPE/NAME or TYPE NAME
    #[arg(value_name = "TYPE/NAME", required = true, num_args = 1..)]
    pub(crate) object: Vec<String>,
    #[command(flatten)]
    pub(crate) change: ChangeArguments,
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
}

/// Let an instance whose update policy is Manual move to a revision
#[derive(Debug, Args)]
#[command(after_help = APPROVE_EXAMPLES)]
pub(crate) struct ApproveArguments {
    /// The instance, and the revision [default: the current one]: TYPE/NAME or TYPE NAME, then a number
    #[arg(value_name = "TYPE/NAME [REVISION]", required = true, num_args = 1..)]
    pub(crate) object: Vec<String>,
    /// The revision
    #[arg(long, value_name = "REVISION")]
    pub(crate) rgd_revision: Option<String>,
    #[command(flatten)]
    pub(crate) change: ChangeArguments,
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
}

/// Tell why a definition or an instance is where it is, in one sentence
#[derive(Debug, Args)]
#[command(after_help = WHY_EXAMPLES)]
pub(crate) struct WhyArguments {
    /// TYPE/NAME or TYPE NAME; a name alone is a definition's
    #[arg(value_name = "TYPE/NAME", required = true, num_args = 1..)]
    pub(crate) object: Vec<String>,
    /// How to print it
    #[arg(short, long, value_enum, default_value_t = StatusFormat::Text)]
    pub(crate) output: StatusFormat,
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
}
