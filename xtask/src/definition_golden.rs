//! `xtask definition-golden`: writes down what the API server's libraries say about custom resource definitions.

use std::path::Path;
use std::process::Command;

use crate::{command, go};

/// The cases; definitions in them are written by hand, the rest is rewritten.
pub(crate) const FILE: &str = "crates/apiserver/tests/golden/definitions.jsonl";

pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    if !go::is_present()? {
        return Ok(());
    }
    command::run(Command::new(go::build(root, "crd")?).arg(root.join(FILE)))
}
