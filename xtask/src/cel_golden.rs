//! `xtask cel-golden`: writes down what cel-go says about wrong and right expressions.

use std::path::Path;
use std::process::Command;

use crate::{command, go};

/// The expressions and the types of their variables, written by hand.
const INPUT: &str = "crates/cel/tests/golden/wrong.json";
/// What cel-go says about them.
pub(crate) const OUTPUT: &str = "crates/cel/tests/golden/wrong.golden.json";

pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    if !go::is_present()? {
        return Ok(());
    }
    let mut golden = Command::new(go::build(root, "golden")?);
    golden.current_dir(root).args(["-input", INPUT, "-output", OUTPUT]);
    command::run(&mut golden)
}
