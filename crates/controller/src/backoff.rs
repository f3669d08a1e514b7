//! How long to wait before something is tried again.

use std::time::Duration;

use kube::runtime::utils::Backoff;

/// For keys whose work failed: `failures` times in a row.
pub(crate) fn after(failures: u32) -> Duration {
    doubled(Duration::from_millis(50), failures.saturating_sub(1), Duration::from_mins(1))
}

/// For watches that broke.
pub(crate) fn watch() -> impl Backoff + 'static {
    WatchBackoff { interruptions: 0 }
}

struct WatchBackoff {
    interruptions: u32,
}

impl Iterator for WatchBackoff {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        let pause = doubled(Duration::from_millis(100), self.interruptions, Duration::from_secs(15));
        self.interruptions = self.interruptions.saturating_add(1);
        Some(pause)
    }
}

impl Backoff for WatchBackoff {
    fn reset(&mut self) {
        self.interruptions = 0;
    }
}

fn doubled(first: Duration, times: u32, longest: Duration) -> Duration {
    first.saturating_mul(2_u32.saturating_pow(times)).min(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_and_end() {
        let milliseconds: Vec<_> = [1, 2, 3, 100].map(|it| after(it).as_millis()).into();
        assert_eq!(milliseconds, [50, 100, 200, 60_000]);
    }
}
