//! Numbers for random suites, and how many cases they run.

use std::time::{SystemTime, UNIX_EPOCH};

/// A small generator (`SplitMix64`); the same seed gives the same numbers.
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

/// The seed of a suite, said aloud.
pub(crate) fn seed(suite: &str) -> u64 {
    let given = std::env::var("KRONO_SEED").ok().and_then(|it| it.parse().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |it| it.subsec_nanos().into());
    let seed = given.unwrap_or_else(now);
    println!("{suite}: seed {seed}");
    seed
}

/// The cases that were asked for, if any were.
pub(crate) fn cases() -> Option<u64> {
    std::env::var("KRONO_RANDOM_CASES").ok().and_then(|it| it.parse().ok())
}
