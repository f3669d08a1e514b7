//! `krono status`.

use super::directory::{DataDirectory, Record, shown};
use super::{block_on, remote};
use crate::arguments::server::StatusArguments;
use crate::command_error::CommandError;
use crate::output::Output;

pub(crate) fn run(arguments: &StatusArguments, output: &mut Output) -> Result<(), CommandError> {
    let directory = DataDirectory::of(&arguments.directory)?;
    let path = shown(&directory.path);
    let Some(holder) = directory.holder()? else {
        return Err(CommandError::wrong(format!("no server runs on {path}")).hint("`krono up` starts one"));
    };
    let process = holder.process.map_or_else(|| "a process".to_owned(), |it| format!("process {it}"));
    let Some(record) = directory.record() else {
        return Err(CommandError::wrong(format!("{process} has {path} open and is not ready")));
    };
    block_on(remote::is_ready(&record.kubeconfig))?;
    output.text(&text(&record, &process, &path))
}

fn text(record: &Record, process: &str, path: &str) -> String {
    let objects = if record.in_memory { "in memory, gone when the server ends" } else { path };
    format!(
        "{process} serves the Kubernetes API at {}\n  objects     {objects}\n  kubeconfig  {}\n",
        record.url,
        shown(&record.kubeconfig)
    )
}
