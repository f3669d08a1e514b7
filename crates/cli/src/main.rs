//! The `krono` binary: arguments in, an operation, rendered output and an exit code out.

mod admission;
mod arguments;
mod command_error;
mod commands;
mod definitions;
mod described;
mod document;
mod engine;
mod format;
mod instance;
mod kinds;
mod manifests;
mod observed;
mod output;
mod program;
mod propagation;

use std::process::ExitCode;

use crate::output::Output;

#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let mut output = Output::of_this_process();
    let result = match program::parse(std::env::args_os()) {
        Ok(arguments) => commands::run(arguments, &mut output),
        Err(error) => return output.finish_parsing(&error),
    };
    output.finish(result)
}
