//! Being asked to end.

use crate::command_error::{CommandError, ErrorKind};

/// The exit code of a process that a second signal ended.
const AT_ONCE: i32 = 130;

/// The signals that end a server.
#[derive(Debug)]
pub(crate) struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl Signals {
    /// From now on the process does not end by itself; `detached`, it outlives its terminal too.
    pub(crate) fn catch(detached: bool) -> Result<Self, CommandError> {
        let failed = |error: std::io::Error| {
            CommandError::of(ErrorKind::Internal, format!("cannot wait for signals: {error}"))
        };
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            if detached {
                // Caught and not looked at: ignored.
                drop(signal(SignalKind::hangup()).map_err(failed)?);
            }
            let interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
            Ok(Self { interrupt, terminate: signal(SignalKind::terminate()).map_err(failed)? })
        }
        #[cfg(not(unix))]
        {
            let _ = (detached, failed);
            Ok(Self {})
        }
    }

    /// Waits for a signal; the one after it ends the process at once.
    pub(crate) async fn first(mut self) {
        self.next().await;
        tokio::spawn(async move {
            self.next().await;
            std::process::exit(AT_ONCE);
        });
    }

    async fn next(&mut self) {
        #[cfg(unix)]
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
        #[cfg(not(unix))]
        drop(tokio::signal::ctrl_c().await);
    }
}
