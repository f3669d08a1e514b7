//! How the outcome of a change is told.

use clap::{Args, ValueEnum};

/// How to tell what was changed.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct OutcomeArguments {
    /// How to tell what was changed
    #[arg(short, long, value_enum, default_value_t = OutcomeFormat::Text)]
    pub(crate) output: OutcomeFormat,
}

/// The same of a change that can be tried first.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ChangeArguments {
    #[command(flatten)]
    pub(crate) outcome: OutcomeArguments,
    /// Have everything checked and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// How a change is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutcomeFormat {
    Text,
    /// The object as it is then
    Json,
    /// The object as it is then
    Yaml,
    /// Its name alone, as kubectl takes it
    Name,
}
