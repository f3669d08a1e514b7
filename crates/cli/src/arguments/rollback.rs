//! `krono rollback`.

use clap::{Args, ValueEnum};

use super::outcome::OutcomeArguments;
use super::target::PlaceArguments;
use super::wait::WaitArguments;

const EXAMPLES: &str = "\
Examples:
  krono rollback rgd/application --to-revision=2
  krono rollback rgd/application --to-revision=2 --dry-run
  krono rollback rgd application --to-revision=2 --hold --yes
  krono rollback instance application/my-app --to-input-revision=10
  krono rollback application/my-app --to-input-revision=10 --spec-only";

/// Have an older revision back
///
/// Of a definition: its spec becomes what that revision said, as a new revision, and instances follow. Of an instance: its spec
/// and its definition's revision become those of that input. What changes is shown first. Where a Git tool keeps the spec
/// and would undo it, --hold serves the older revision without touching the spec; `krono unpin` ends that.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that somebody may type")]
pub(crate) struct RollbackArguments {
    /// What to roll back: TYPE/NAME or TYPE NAME
    #[arg(value_name = "TYPE/NAME", required = true, num_args = 1..)]
    pub(crate) object: Vec<String>,
    /// The revision of a definition
    #[arg(long, value_name = "REVISION", conflicts_with = "to_input_revision")]
    pub(crate) to_revision: Option<String>,
    /// The input revision of an instance
    #[arg(long, value_name = "REVISION")]
    pub(crate) to_input_revision: Option<String>,
    /// Serve the revision whatever the spec says
    #[arg(long)]
    pub(crate) hold: bool,
    /// Of an instance: restore the spec alone and leave its definition's revision as it is
    #[arg(long, conflicts_with = "hold")]
    pub(crate) spec_only: bool,
    /// Write the spec even though a tool would put it back; with --hold, hold a revision that has failed
    #[arg(long)]
    pub(crate) force: bool,
    /// Whether all instances move at once or as with other changes [default: as the definition says]
    #[arg(long, value_enum, ignore_case = true)]
    pub(crate) mode: Option<Mode>,
    /// Show what would change and change nothing; as data with -o json or yaml
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) outcome: OutcomeArguments,
    #[command(flatten)]
    pub(crate) wait: WaitArguments,
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
}

/// How fast a rollback reaches instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// Gates, stages and windows do not hold it up
    Instant,
    /// As any other change
    Controlled,
}

impl Mode {
    /// As it stands on objects.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Instant => "Instant",
            Self::Controlled => "Controlled",
        }
    }
}
