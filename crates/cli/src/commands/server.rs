//! `krono up`, `down`, `status`, `backup`, `restore` and `workloads`.

mod banner;
mod detach;
mod directory;
mod down;
mod kubeconfig;
mod pages;
mod remote;
mod signals;
mod status;
mod transfer;
mod up;
mod witness;
mod workloads;

pub(super) use self::directory::shown;
pub(super) use self::down::run as down;
pub(super) use self::signals::Signals;
pub(super) use self::status::run as status;
pub(super) use self::transfer::{backup, restore};
pub(super) use self::up::run as up;
pub(super) use self::workloads::run as workloads;

use std::future::Future;

use tokio::runtime::Builder;

use crate::command_error::{CommandError, ErrorKind};

/// Runs asynchronous work to its end.
pub(super) fn block_on<T>(work: impl Future<Output = Result<T, CommandError>>) -> Result<T, CommandError> {
    run_on(&mut Builder::new_multi_thread(), work)
}

/// Runs work to its end that mostly waits for an API server: a second thread brings a heap of its own and has
/// to be woken.
pub(super) fn wait_for<T>(work: impl Future<Output = Result<T, CommandError>>) -> Result<T, CommandError> {
    run_on(&mut Builder::new_current_thread(), work)
}

fn run_on<T>(
    threads: &mut Builder,
    work: impl Future<Output = Result<T, CommandError>>,
) -> Result<T, CommandError> {
    let runtime = threads.enable_all().build();
    let runtime = runtime
        .map_err(|error| CommandError::of(ErrorKind::Internal, format!("cannot start threads: {error}")))?;
    runtime.block_on(work)
}
