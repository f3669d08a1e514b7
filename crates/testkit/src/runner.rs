//! Random suites that can be asked for more cases, and for the same ones again.

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseResult, TestRng, TestRunner};

/// How much of a suite to run.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// The name under which it is counted.
    pub name: &'static str,
    /// Cases, unless `KRONO_RANDOM_CASES` says otherwise.
    pub cases: u32,
    /// The most cases tried to find a smaller one that fails.
    pub shrinks: u32,
}

/// Checks random cases; `KRONO_SEED` gives the same ones again.
///
/// # Panics
///
/// With the smallest case found that fails.
pub fn run<S: Strategy>(run: Run, strategy: &S, check: impl Fn(S::Value) -> TestCaseResult) {
    play(run, number("KRONO_SEED"), strategy, check);
}

/// Checks the cases of a seed, unless `KRONO_SEED` says another.
///
/// # Panics
///
/// With the smallest case found that fails.
pub fn run_from<S: Strategy>(seed: u64, run: Run, strategy: &S, check: impl Fn(S::Value) -> TestCaseResult) {
    play(run, number("KRONO_SEED").or(Some(seed)), strategy, check);
}

#[expect(clippy::print_stdout, reason = "xtask deep reads the count")]
fn play<S: Strategy>(run: Run, seed: Option<u64>, strategy: &S, check: impl Fn(S::Value) -> TestCaseResult) {
    let cases = number("KRONO_RANDOM_CASES").and_then(|it| u32::try_from(it).ok()).unwrap_or(run.cases);
    let config =
        Config { cases, failure_persistence: None, max_shrink_iters: run.shrinks, ..Config::default() };
    let mut runner = match seed {
        Some(seed) => {
            let mut bytes = [0; 32];
            bytes[..8].copy_from_slice(&seed.to_le_bytes());
            TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
        }
        None => TestRunner::new(config),
    };
    if let Err(failure) = runner.run(strategy, check) {
        panic!("{failure}");
    }
    println!("{}: {cases}/{cases}", run.name);
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|it| it.parse().ok())
}
