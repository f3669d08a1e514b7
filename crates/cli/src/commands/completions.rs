//! `krono completions`.

use clap::CommandFactory;

use crate::arguments::{Arguments, CompletionsArguments};
use crate::command_error::CommandError;
use crate::output::Output;

pub(super) fn run(arguments: &CompletionsArguments, output: &mut Output) -> Result<(), CommandError> {
    // Into memory first: the generator panics when its writer fails.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "krono", &mut script);
    output.bytes(&script)
}
