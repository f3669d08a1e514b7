//! `xtask proto-table`: writes down which protobuf field of the Kubernetes API types is which JSON field.

use std::path::Path;
use std::process::Command;

use anyhow::bail;

use crate::{command, go};

pub(crate) const OUTPUT: &str = "crates/apiserver/src/protobuf/table.txt";

/// The Go program has a module of its own: it follows the served Kubernetes version, not that of `cel-go`.
const MODULE: &str = "xtask/go/proto_table";

/// In bytes; the table is part of the binary.
const LARGEST: u64 = 200_000;

pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    if !go::is_present()? {
        return Ok(());
    }
    let output = root.join(OUTPUT);
    let mut program = Command::new("go");
    program.current_dir(root.join(MODULE)).args(["run", "-buildvcs=false", ".", "-output"]).arg(&output);
    command::run(&mut program)?;
    let size = output.metadata()?.len();
    if size > LARGEST {
        bail!("{OUTPUT} has {size} bytes; leave kinds out until it has at most {LARGEST}");
    }
    Ok(())
}
