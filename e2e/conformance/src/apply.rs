//! Random sequences of server-side apply and other writes, compared.

mod kinds;
mod sequence;

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value, json};

use self::sequence::Sequence;
use crate::play::{Outcome, play};
use crate::servers::{Servers, quiet};
use crate::story::Story;

const SUITE: &str = "conformance-apply";
/// Without a wanted number of cases, the suite ends after this long.
const ORDINARY_TIME: Duration = Duration::from_mins(1);
const ORDINARY_CASES: u64 = 400;
const ORDINARY_SEED: u64 = 1;
/// How many different failures are worth reading.
const MOST_FAILURES: usize = 10;
/// How often a sequence must differ.
const TIMES: usize = 3;
/// How often a failing sequence is made smaller.
const MOST_SIMPLER: usize = 60;

/// Plays random sequences on both servers; returns figures with a boolean `pass`.
pub async fn run() -> anyhow::Result<Map<String, Value>> {
    let wanted = number("KRONO_RANDOM_CASES");
    let seed = seed(wanted);
    let servers = Servers::start(&quiet()).await?;
    prepare(&servers).await?;
    let mut runner = runner(seed);
    let (started, total) = (Instant::now(), wanted.unwrap_or(ORDINARY_CASES));
    let (mut played, mut failed) = (0, 0);
    while played < total && (wanted.is_some() || started.elapsed() < ORDINARY_TIME) && failed < MOST_FAILURES
    {
        let tree =
            sequence::sequences().new_tree(&mut runner).map_err(|reason| anyhow::anyhow!("{reason}"))?;
        played += 1;
        if is_different(&servers, &tree.current(), &format!("s{seed}-{played}")).await? {
            failed += 1;
            report(&servers, tree, &format!("s{seed}-{played}")).await?;
        }
    }
    let passed = played - failed as u64;
    println!("{SUITE}: {passed}/{played}");
    let figures = json!({"pass": failed == 0, "seed": seed, "sequences": played, "equal": passed});
    Ok(figures.as_object().cloned().unwrap_or_default())
}

/// Makes the definition of the custom kind and waits until it is served.
async fn prepare(servers: &Servers) -> anyhow::Result<()> {
    let story = Story { name: "random-apply".to_owned(), steps: kinds::preparation() };
    play(servers, &story).await.map(|_| ())
}

/// Whether a sequence differs whenever it is played: once may be chance, as seconds count in managed fields and the two
/// servers need not see the same second.
async fn is_different(servers: &Servers, sequence: &Sequence, name: &str) -> anyhow::Result<bool> {
    for again in 0..TIMES {
        if differs(servers, sequence, &format!("{name}-again-{again}")).await?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

async fn differs(servers: &Servers, sequence: &Sequence, name: &str) -> anyhow::Result<Option<Vec<Outcome>>> {
    let story = Story { name: "random-apply".to_owned(), steps: sequence.steps(name) };
    let mut outcomes = play(servers, &story).await?;
    for outcome in &mut outcomes {
        // Objects and their managers are compared here; warnings have stories of their own.
        outcome.differences.retain(|it| !it.at.starts_with("/headers"));
    }
    outcomes.retain(|it| !it.differences.is_empty());
    Ok(Some(outcomes).filter(|it| !it.is_empty()))
}

/// Makes the sequence smaller as long as it still differs, and prints it.
async fn report(
    servers: &Servers,
    mut tree: impl ValueTree<Value = Sequence>,
    name: &str,
) -> anyhow::Result<()> {
    let mut smallest = tree.current();
    for attempt in 0..MOST_SIMPLER {
        let failing = differs(servers, &tree.current(), &format!("{name}-{attempt}")).await?;
        let more = if failing.is_some() {
            smallest = tree.current();
            tree.simplify()
        } else {
            tree.complicate()
        };
        if !more {
            break;
        }
    }
    println!("{name} differs:");
    for step in smallest.steps("x") {
        println!("   {}", sequence::shown(&step));
    }
    for outcome in differs(servers, &smallest, &format!("{name}-smallest")).await?.unwrap_or_default() {
        println!("  {}", outcome.request);
        for difference in outcome.differences {
            println!("   {difference}");
        }
    }
    Ok(())
}

fn runner(seed: u64) -> TestRunner {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

/// An ordinary run plays the same sequences each time; a run of a wanted number of cases plays others.
fn seed(wanted: Option<u64>) -> u64 {
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |it| it.subsec_nanos().into());
    let seed = number("KRONO_SEED").unwrap_or_else(|| wanted.map_or(ORDINARY_SEED, |_| now()));
    println!("{SUITE}: seed {seed}");
    seed
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|it| it.parse().ok())
}
