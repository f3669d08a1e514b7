//! How many requests are on their way at a time.

use std::sync::{Mutex, PoisonError};

use tokio::sync::{Semaphore, SemaphorePermit};

/// The most requests at a time. Each has a connection of its own, which stays for a while and takes 45 kB.
const MOST: usize = 16;
/// The fewest, however much the server complains.
const FEWEST: usize = 2;

/// Fewer at a time when the server is overloaded, more again when it is not.
#[derive(Debug)]
pub(crate) struct Pace {
    permits: Semaphore,
    limit: Mutex<Limit>,
}

#[derive(Debug)]
struct Limit {
    /// How many requests there may be at a time.
    most: usize,
    /// How many permits there are beyond that: whoever holds one does not give it back.
    surplus: usize,
    successes: usize,
}

impl Default for Pace {
    fn default() -> Self {
        let limit = Limit { most: MOST, surplus: 0, successes: 0 };
        Self { permits: Semaphore::new(MOST), limit: Mutex::new(limit) }
    }
}

impl Pace {
    /// Nothing while the semaphore is closed, which it never is.
    pub(crate) async fn permit(&self) -> Option<SemaphorePermit<'_>> {
        self.permits.acquire().await.ok()
    }

    /// Half as many at a time after "too many requests"; one more after as many successes as there may be requests.
    pub(crate) fn learn(&self, is_overload: bool, permit: Option<SemaphorePermit<'_>>) {
        let mut limit = self.limit.lock().unwrap_or_else(PoisonError::into_inner);
        if is_overload {
            limit.halve();
            limit.surplus -= self.permits.forget_permits(limit.surplus);
        } else if limit.may_grow() {
            self.permits.add_permits(1);
        }
        if let Some(permit) = permit.filter(|_| limit.surplus > 0) {
            limit.surplus -= 1;
            permit.forget();
        }
    }
}

impl Limit {
    /// While there are more permits than there may be, what is heard is about requests that were sent too fast before.
    fn halve(&mut self) {
        if self.surplus == 0 {
            self.surplus = (self.most / 2).min(self.most.saturating_sub(FEWEST));
            self.most -= self.surplus;
            self.successes = 0;
        }
    }

    /// Whether there may be one more after another success.
    fn may_grow(&mut self) -> bool {
        if self.most >= MOST || self.surplus > 0 {
            return false;
        }
        self.successes += 1;
        let grows = self.successes > self.most;
        if grows {
            (self.most, self.successes) = (self.most + 1, 0);
        }
        grows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes permits for as many requests as there may be.
    fn all(pace: &Pace) -> Vec<Option<SemaphorePermit<'_>>> {
        std::iter::from_fn(|| pace.permits.try_acquire().ok()).map(Some).collect()
    }

    #[test]
    fn an_overload_counts_though_all_permits_are_in_use() {
        let pace = Pace::default();
        let mut requests = all(&pace);
        assert_eq!(requests.len(), MOST);
        pace.learn(true, requests.pop().flatten());
        for request in requests {
            pace.learn(false, request);
        }
        assert_eq!(all(&pace).len(), MOST / 2);
    }

    #[test]
    fn an_overload_counts_though_no_permit_is_in_use() {
        let pace = Pace::default();
        let request = pace.permits.try_acquire().ok();
        pace.learn(true, request);
        assert_eq!(all(&pace).len(), MOST / 2);
    }

    #[test]
    fn a_server_that_goes_on_complaining_is_still_asked() {
        let pace = Pace::default();
        for _ in 0..10 {
            for request in all(&pace) {
                pace.learn(true, request);
            }
        }
        assert_eq!(all(&pace).len(), FEWEST);
    }

    #[test]
    fn successes_bring_back_what_was_taken() {
        let pace = Pace::default();
        let request = pace.permits.try_acquire().ok();
        pace.learn(true, request);
        for _ in 0..MOST * MOST {
            let request = pace.permits.try_acquire().ok();
            pace.learn(false, request);
        }
        assert_eq!(all(&pace).len(), MOST);
    }
}
