//! What every suite that makes up its own cases has in common: a seed that is told, a number of cases, a limit of time.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Without `KRONO_RANDOM_CASES` a suite stops after this long.
const ORDINARY_TIME: Duration = Duration::from_mins(1);

/// The seed of ordinary runs.
const ORDINARY_SEED: u64 = 1;

/// One run of a random suite.
pub(crate) struct Suite {
    pub(crate) seed: u64,
    cases: u64,
    deadline: Option<Instant>,
}

impl Suite {
    /// Reads the seed and the number of cases from the environment, and tells the seed.
    ///
    /// Without a number of cases the seed is always the same, so that an ordinary run fails only by what was changed.
    pub(crate) fn start(name: &str, ordinary_cases: u64) -> Self {
        let asked = number("KRONO_RANDOM_CASES");
        let fallback = if asked.is_some() { seed_from_time } else { || ORDINARY_SEED };
        let seed = number("KRONO_SEED").unwrap_or_else(fallback);
        println!("{name}: seed {seed}");
        let deadline = asked.is_none().then(|| Instant::now() + ORDINARY_TIME);
        Self { seed, cases: asked.unwrap_or(ordinary_cases), deadline }
    }

    /// How many cases are wanted.
    pub(crate) fn wanted(&self) -> u32 {
        u32::try_from(self.cases).unwrap()
    }

    /// Whether full counts were asked for.
    pub(crate) fn is_deep(&self) -> bool {
        self.deadline.is_none()
    }

    /// Whether the time is up.
    pub(crate) fn is_over(&self) -> bool {
        self.deadline.is_some_and(|it| Instant::now() > it)
    }

    /// A generator for each case, as long as there is time; `stream` tells parts of one suite apart.
    pub(crate) fn cases(&self, stream: u64) -> impl Iterator<Item = Random> + '_ {
        let start = Random(self.seed ^ stream.rotate_left(32)).next();
        (0..self.cases).take_while(|_| !self.is_over()).map(move |case| Random(start.wrapping_add(case)))
    }
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is not a number: {text}")))
}

fn seed_from_time() -> u64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    elapsed.as_secs() ^ u64::from(elapsed.subsec_nanos()).rotate_left(32)
}

/// Random numbers: `SplitMix64`.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    /// True in so many of a hundred cases.
    pub(crate) fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    pub(crate) fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }

    pub(crate) fn word<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.below(from.len())]
    }
}
