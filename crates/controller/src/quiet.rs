//! Whether controllers have nothing left to do.

use std::time::Duration;

use tokio::time::Instant;

use crate::engine::Engine;
use crate::run::Controllers;

/// How long to wait at least before looking again whether all is quiet.
const PAUSE: Duration = Duration::from_millis(2);

impl Controllers {
    /// Waits until everything that has happened in the cluster is known and dealt with.
    ///
    /// What failed more than a few times may still be due for another try later. Lists every kind that is watched: meant
    /// for tests and for tools that wait, not for every day.
    pub async fn quiet(&self) {
        let began = Instant::now();
        while !is_quiet(&self.engine).await {
            tokio::time::sleep(PAUSE.max(began.elapsed() / 8)).await;
        }
    }

    /// How many definitions and instances could not be dealt with and are due for another try later.
    pub fn due_again(&self) -> usize {
        self.engine.queue.retries()
    }

    /// Looks at every definition and instance again, as after a restart.
    pub fn look_at_everything(&self) {
        self.engine.look_at_everything();
    }
}

async fn is_quiet(engine: &Engine) -> bool {
    let is_idle = || engine.queue.is_idle() && !engine.queue.tries_again();
    if !engine.is_ready() || !is_idle() {
        return false;
    }
    for cache in engine.caches.held() {
        // Nobody can be behind with a kind that is not served.
        if !cache.is_current(&engine.requests).await.unwrap_or(true) {
            return false;
        }
    }
    is_idle()
}
