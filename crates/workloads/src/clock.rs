//! The time, as an input.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;

/// Where the simulator takes the time from. Clones show the same time.
#[derive(Clone, Debug)]
pub struct Clock {
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    System,
    Manual(Arc<watch::Sender<Timestamp>>),
}

impl Clock {
    /// The clock of the machine.
    pub fn system() -> Self {
        Self { source: Source::System }
    }

    /// A clock that starts now and stands still until it is advanced.
    pub fn manual() -> Self {
        Self { source: Source::Manual(Arc::new(watch::Sender::new(system_now()))) }
    }

    /// Moves a manual clock; the clock of the machine is not to be moved.
    pub fn advance(&self, by: Duration) {
        if let Source::Manual(time) = &self.source {
            time.send_modify(|now| *now = later(*now, by));
        }
    }

    /// Now.
    pub fn now(&self) -> Timestamp {
        match &self.source {
            Source::System => system_now(),
            Source::Manual(time) => *time.borrow(),
        }
    }

    /// Waits until then.
    pub(crate) async fn reach(&self, then: Timestamp) {
        match &self.source {
            Source::System => {
                let rest = then.duration_since(system_now());
                tokio::time::sleep(Duration::try_from(rest).unwrap_or_default()).await;
            }
            Source::Manual(time) => {
                let mut time = time.subscribe();
                // The sender lives as long as this clock.
                drop(time.wait_for(|now| *now >= then).await.map(|_| ()));
            }
        }
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::system()
    }
}

fn system_now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    later(Timestamp::UNIX_EPOCH, since)
}

/// That much later; the end of time at the latest.
pub(crate) fn later(time: Timestamp, by: Duration) -> Timestamp {
    let by = SignedDuration::try_from(by).unwrap_or(SignedDuration::MAX);
    time.checked_add(by).unwrap_or(Timestamp::MAX)
}

/// The time as objects hold it: in whole seconds.
pub(crate) fn stamp(time: Timestamp) -> k8s_openapi::apimachinery::pkg::apis::meta::v1::Time {
    let whole = Timestamp::from_second(time.as_second()).unwrap_or(time);
    k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(whole)
}
