//! Whatever goes wrong, the world becomes what it would have become anyway.

use std::collections::BTreeMap;

use krono_testkit::{Run, Story, run_from, stories};
use proptest::test_runner::TestCaseError;
use proptest::{prop_assert, prop_assert_eq};
use serde_json::Value;

use crate::play::{Pace, Play};

#[test]
fn convergence_under_faults() {
    let suite = Run { name: "controller-convergence", cases: 2, shrinks: 40 };
    run_from(1, suite, &stories(), |story| check(&story));
}

fn check(story: &Story) -> Result<(), TestCaseError> {
    let expected = played(story, Pace::Calm)?;
    let found = played(story, Pace::Wild)?;
    for (name, object) in &expected {
        prop_assert_eq!(found.get(name), Some(object), "{}", name);
    }
    let more: Vec<_> = found.keys().filter(|it| !expected.contains_key(*it)).collect();
    prop_assert!(more.is_empty(), "left behind: {more:#?}");
    Ok(())
}

/// What a story ends with; time passes as fast as there is nothing to do.
fn played(story: &Story, pace: Pace) -> Result<BTreeMap<String, Value>, TestCaseError> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().start_paused(true).build().expect("a runtime");
    let state = runtime.block_on(async {
        let mut play = Play::begin(story, pace).await?;
        play.run().await?;
        play.check_rest().await?;
        play.state().await
    });
    state.map_err(|it: String| TestCaseError::fail(format!("{pace:?}: {it}")))
}
