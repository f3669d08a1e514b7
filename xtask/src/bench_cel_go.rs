//! `xtask bench-cel-go`: krono and cel-go on the same expressions, in the same run.

mod comparison;
mod counter;
mod side;

use std::path::Path;

use anyhow::bail;

use crate::bench_cel_go::comparison::{Comparison, Samples};
use crate::bench_cel_go::counter::Counter;
use crate::bench_cel_go::side::Side;
use crate::{go, results};

/// Odd, so that the median is a measured value.
const ROUNDS: usize = 5;
const CORPUS: &str = "../shared/corpus/cel-spec";

/// What is done with an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Work {
    Evaluate,
    /// Parsing and checking.
    Compile,
}

impl Work {
    const ALL: [Self; 2] = [Self::Evaluate, Self::Compile];

    /// The word both benchmark programs take for it.
    fn mode(self) -> &'static str {
        match self {
            Self::Evaluate => "eval",
            Self::Compile => "compile",
        }
    }

    /// How many times faster than cel-go krono has to be, in geometric mean.
    fn target(self) -> f64 {
        match self {
            Self::Evaluate => 2.5,
            Self::Compile => 10.0,
        }
    }
}

pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    let corpus = root.join(CORPUS);
    if !go::is_present()? {
        return Ok(());
    }
    if !corpus.is_dir() {
        return go::leave_out("the test corpus is absent; it holds the expressions to compare");
    }
    let [krono, cel_go] = [Side::krono(root)?, Side::cel_go(root, &corpus)?];
    let comparison = compare(&krono, &cel_go)?;
    print!("{comparison}");
    results::write(root, "bench-cel-go", comparison.to_json())?;
    if !comparison.passes() {
        bail!("targets missed; see results/bench-cel-go.json");
    }
    Ok(())
}

/// The sides take turns, so that a slow moment of the machine meets both.
fn compare(krono: &Side, cel_go: &Side) -> anyhow::Result<Comparison> {
    let [mut krono_samples, mut cel_go_samples] = [Samples::default(), Samples::default()];
    for round in 1..=ROUNDS {
        eprintln!("round {round} of {ROUNDS}");
        cel_go_samples.add(cel_go.measure()?);
        krono_samples.add(krono.measure()?);
    }
    let mut comparison = Comparison::of(ROUNDS, &krono_samples, &cel_go_samples)?;
    match Counter::working() {
        Some(counter) => comparison.count_instructions(counter, krono, cel_go)?,
        None => println!("no instruction counter works here (perf, valgrind)"),
    }
    Ok(comparison)
}
