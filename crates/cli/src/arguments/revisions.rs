//! `krono revisions …` and `krono history`.

use clap::{Args, Subcommand, ValueEnum};

use super::outcome::ChangeArguments;
use super::target::PlaceArguments;
use super::wait::WaitArguments;

const LIST_EXAMPLES: &str = "\
Examples:
  krono revisions list rgd/application
  krono revisions list application/my-app -n prod
  krono revisions list application -o wide --watch";

const SHOW_EXAMPLES: &str = "\
Examples:
  krono revisions show rgd/application 2
  krono revisions show application/my-app 10
  krono revisions show application 2 -o yaml";

const DIFF_EXAMPLES: &str = "\
Examples:
  krono revisions diff rgd/application --from=2 --to=3
  krono revisions diff rgd/application 2 3 -o unified
  krono revisions diff rgd/application pending
  krono revisions diff application/my-app 10 12";

const CREATE_EXAMPLES: &str = "\
Examples:
  krono revisions create application";

const HISTORY_EXAMPLES: &str = "\
Examples:
  krono history rgd/application
  krono history application/my-app -n prod
  krono history application my-app -o json";

/// Look at the revisions of definitions and instances
#[derive(Debug, Subcommand)]
pub(crate) enum RevisionsCommand {
    List(ListArguments),
    Show(ShowArguments),
    Diff(DiffArguments),
    Create(CreateArguments),
}

/// List the revisions of a definition, or the input revisions of an instance
///
/// STATUS of a definition's revision: Current, instances move to it; Held, it is served whatever the definition says; Active,
/// instances are still assigned to it; Unused, it is kept though no instance is; Prunable, it is deleted before long.
#[derive(Debug, Args)]
#[command(after_help = LIST_EXAMPLES)]
pub(crate) struct ListArguments {
    /// Whose: TYPE/NAME or TYPE NAME; a name alone is a definition's
    #[arg(value_name = "TYPE/NAME", required = true, num_args = 1..)]
    pub(crate) object: Vec<String>,
    /// How to print them
    #[arg(short, long, value_enum, default_value_t = ListFormat::Table)]
    pub(crate) output: ListFormat,
    /// Go on and print each row again that changes
    #[arg(long, short)]
    pub(crate) watch: bool,
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
}

/// Show one revision: who made it, when and why, and what it says
#[derive(Debug, Args)]
#[command(after_help = SHOW_EXAMPLES)]
pub(crate) struct ShowArguments {
    /// Whose, and which: TYPE/NAME or TYPE NAME, then a number
    #[arg(value_name = "TYPE/NAME REVISION", required = true, num_args = 1..)]
    pub(crate) object: Vec<String>,
    /// How to print it
    #[arg(short, long, value_enum, default_value_t = ShowFormat::Text)]
    pub(crate) output: ShowFormat,
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
}

/// Show what is different between two revisions
///
/// With one number alone: what has changed since. With none: the last change. `pending` in place of the newer number is what a
/// definition says that is no revision, since it waits or something is wrong with it.
#[derive(Debug, Args)]
#[command(after_help = DIFF_EXAMPLES)]
pub(crate) struct DiffArguments {
    /// Whose, and which: TYPE/NAME or TYPE NAME, then the older and the newer number
    #[arg(value_name = "TYPE/NAME [FROM TO]", required = true, num_args = 1..)]
    pub(crate) object: Vec<String>,
    /// The older revision
    #[arg(long, value_name = "REVISION")]
    pub(crate) from: Option<String>,
    /// The newer revision
    #[arg(long, value_name = "REVISION")]
    pub(crate) to: Option<String>,
    /// How to print it
    #[arg(short, long, value_enum, default_value_t = DiffFormat::Text)]
    pub(crate) output: DiffFormat,
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
}

/// Issue the edit of a definition whose updatePolicy is Manual
#[derive(Debug, Args)]
#[command(after_help = CREATE_EXAMPLES)]
pub(crate) struct CreateArguments {
    /// The definition
    #[arg(value_name = "RGD", required = true, num_args = 1..)]
    pub(crate) object: Vec<String>,
    #[command(flatten)]
    pub(crate) change: ChangeArguments,
    #[command(flatten)]
    pub(crate) wait: WaitArguments,
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
}

/// Show who changed a definition or an instance, when and why
///
/// Of an instance: its input revisions and the revisions of its definition in one timeline, newest first.
#[derive(Debug, Args)]
#[command(after_help = HISTORY_EXAMPLES)]
pub(crate) struct HistoryArguments {
    /// Whose: TYPE/NAME or TYPE NAME; a name alone is a definition's
    #[arg(value_name = "TYPE/NAME", required = true, num_args = 1..)]
    pub(crate) object: Vec<String>,
    /// How to print it
    #[arg(short, long, value_enum, default_value_t = HistoryFormat::Table)]
    pub(crate) output: HistoryFormat,
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
}

/// How a list is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    Table,
    /// More columns
    Wide,
    Json,
    Yaml,
    /// Names alone, as kubectl takes them
    Name,
}

/// How a revision is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShowFormat {
    Text,
    /// The object itself
    Json,
    /// The object itself
    Yaml,
    /// Its name alone, as kubectl takes it
    Name,
}

/// How a difference is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    /// Field by field
    Text,
    /// Line by line, as `diff -u` does
    Unified,
    Json,
    Yaml,
}

/// How a history is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HistoryFormat {
    Table,
    Json,
    Yaml,
    /// The names of revisions alone, as kubectl takes them
    Name,
}
