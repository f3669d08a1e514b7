//! `xtask patch-golden`: writes down what the API server's libraries make of patches and of managed fields.

use std::path::Path;
use std::process::Command;

use crate::{command, go};

/// The files of cases, made from a fixed seed.
pub(crate) const FOLDER: &str = "crates/patch/tests/golden";

pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    if !go::is_present()? {
        return Ok(());
    }
    command::run(Command::new(go::build(root, "patch")?).arg(root.join(FOLDER)))
}
