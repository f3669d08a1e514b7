//! `xtask schema-golden`: writes down what the API server's libraries say about schemas and values.

use std::path::Path;
use std::process::Command;

use crate::{command, go};

/// The files of cases; schemas and values in them are written by hand, the rest is rewritten.
pub(crate) const FOLDER: &str = "crates/schema/tests/golden";

pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    if !go::is_present()? {
        return Ok(());
    }
    let mut files: Vec<_> =
        root.join(FOLDER).read_dir()?.map(|entry| entry.map(|it| it.path())).collect::<Result<_, _>>()?;
    files.sort();
    command::run(Command::new(go::build(root, "schema")?).args(files))
}
