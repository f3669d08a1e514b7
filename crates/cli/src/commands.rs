//! One module per command.

mod cel;
mod cluster;
mod completions;
mod controller;
mod graph;
mod handback;
mod history;
mod outcome;
mod pin;
mod plan;
mod propagation;
mod render;
mod revisions;
mod rollback;
mod schema;
mod server;
mod simulate;
mod svg;
mod tree;
mod validate;
mod why;

use crate::arguments::{Arguments, Command};
use crate::command_error::CommandError;
use crate::output::Output;

/// Carries out one command line.
pub(crate) fn run(arguments: Arguments, output: &mut Output) -> Result<(), CommandError> {
    match arguments.command {
        Command::Up(arguments) => server::up(&arguments, output),
        Command::Down(arguments) => server::down(&arguments, output),
        Command::Status(arguments) => server::status(&arguments, output),
        Command::Backup(arguments) => server::backup(&arguments, output),
        Command::Restore(arguments) => server::restore(&arguments, output),
        Command::Controller(arguments) => controller::run(&arguments, output),
        Command::Tree(arguments) => tree::run(&arguments, output),
        Command::Revisions(command) => revisions::run(&command, output),
        Command::History(arguments) => history::run(&arguments, output),
        Command::Rollback(arguments) => rollback::run(&arguments, output),
        Command::Pin(arguments) => pin::pin(&arguments, output),
        Command::Unpin(arguments) => pin::unpin(&arguments, output),
        Command::Approve(arguments) => pin::approve(&arguments, output),
        Command::Propagation(command) => propagation::run(&command, output),
        Command::Why(arguments) => why::run(&arguments, output),
        Command::Workloads(arguments) => server::workloads(&arguments, output),
        Command::Validate(arguments) => validate::run(&arguments, output),
        Command::Render(arguments) => render::run(&arguments, output),
        Command::Graph(arguments) => graph::run(&arguments, output),
        Command::Plan(arguments) => plan::run(&arguments, output),
        Command::Simulate(arguments) => simulate::run(&arguments, output),
        Command::Handback(arguments) => handback::run(&arguments, output),
        Command::Cel(command) => cel::run(command, output),
        Command::Completions(arguments) => completions::run(&arguments, output),
        Command::Schema(command) => schema::run(&command, output),
    }
}
