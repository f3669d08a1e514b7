//! How a run is told to end.

use std::io;

use tokio::signal::unix::{SignalKind, signal};

/// Returns when the process is interrupted or terminated; whoever waits for it drops what it has started.
pub async fn terminated() -> io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        interrupt = tokio::signal::ctrl_c() => interrupt,
        _ = terminate.recv() => Ok(()),
    }
}
