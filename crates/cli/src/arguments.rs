//! The command line as it is written; the doc comments are the help text.

pub(crate) mod cel;
pub(crate) mod cluster;
pub(crate) mod controller;
pub(crate) mod definition;
pub(crate) mod handback;
pub(crate) mod named;
pub(crate) mod outcome;
pub(crate) mod pin;
pub(crate) mod plan;
pub(crate) mod propagation;
pub(crate) mod revisions;
pub(crate) mod rollback;
pub(crate) mod schema;
pub(crate) mod server;
pub(crate) mod simulate;
pub(crate) mod target;
pub(crate) mod tree;
pub(crate) mod wait;
pub(crate) mod workloads;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

use self::cel::CelCommand;
use self::controller::ControllerArguments;
use self::definition::{GraphArguments, RenderArguments, ValidateArguments};
use self::handback::HandbackArguments;
use self::pin::{ApproveArguments, PinArguments, UnpinArguments, WhyArguments};
use self::plan::PlanArguments;
use self::propagation::PropagationCommand;
use self::revisions::{HistoryArguments, RevisionsCommand};
use self::rollback::RollbackArguments;
use self::schema::SchemaCommand;
use self::server::{BackupArguments, DownArguments, RestoreArguments, StatusArguments, UpArguments};
use self::simulate::SimulateArguments;
use self::tree::TreeArguments;
use self::workloads::WorkloadsArguments;

const EXIT_CODES: &str = "\
Exit codes:
  0    the command did what it says
  1    what was checked is wrong; the diagnostics say where
  2    the command line is wrong, or names a file that cannot be read;
       with `krono plan --exit-code`: there are changes
  3    a change is breaking; with `krono plan --exit-code`: something would be lost
  70   an error inside krono; please report it
  130  a second signal ended `krono up` at once";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  krono completions bash > ~/.local/share/bash-completion/completions/krono
  krono completions zsh > ~/.zfunc/_krono
  krono completions fish > ~/.config/fish/completions/krono.fish";

/// Change management for platform APIs
#[derive(Debug, Parser)]
#[command(name = "krono", version, after_help = EXIT_CODES, max_term_width = 100)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Up(UpArguments),
    Down(DownArguments),
    Status(StatusArguments),
    Backup(BackupArguments),
    Restore(RestoreArguments),
    Controller(ControllerArguments),
    Tree(TreeArguments),
    #[command(subcommand)]
    Revisions(RevisionsCommand),
    History(HistoryArguments),
    Rollback(RollbackArguments),
    Pin(PinArguments),
    Unpin(UnpinArguments),
    Approve(ApproveArguments),
    #[command(subcommand)]
    Propagation(PropagationCommand),
    Why(WhyArguments),
    Workloads(WorkloadsArguments),
    Validate(ValidateArguments),
    Render(RenderArguments),
    Graph(GraphArguments),
    Plan(PlanArguments),
    Simulate(SimulateArguments),
    Handback(HandbackArguments),
    #[command(subcommand)]
    Cel(CelCommand),
    #[command(subcommand)]
    Schema(SchemaCommand),
    Completions(CompletionsArguments),
}

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub(crate) struct CompletionsArguments {
    /// The shell to complete in
    pub(crate) shell: Shell,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_tree_is_consistent() {
        Arguments::command().debug_assert();
    }

    /// The reference is written from a table of commands in `xtask`; none may be forgotten there.
    #[test]
    fn every_command_is_in_the_reference() {
        let reference = include_str!("../../../docs/cli.md");
        let mut pending = vec![(String::from("krono"), Arguments::command())];
        while let Some((name, command)) = pending.pop() {
            assert!(reference.contains(&format!("\n### `{name}`\n")), "docs/cli.md lacks {name}");
            pending.extend(
                command.get_subcommands().map(|it| (format!("{name} {}", it.get_name()), it.clone())),
            );
        }
    }
}
