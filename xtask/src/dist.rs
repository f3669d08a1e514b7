//! `xtask dist`: the program that ships.
//!
//! It is built twice: the second time, the linker knows which functions controllers run and lays them side by side. A
//! function that runs brings the pages around it into memory, so a controller needs 9 MB less.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::{bench_apiserver, command};

/// What `build.rs` of `krono-cli` reads.
const ORDER: &str = "KRONO_FUNCTION_ORDER";
const BUILD: [&str; 5] = ["build", "--release", "--locked", "-p", "krono-cli"];

pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    println!("{}", build(root)?.display());
    Ok(())
}

/// Builds the program that ships; where it is.
pub(crate) fn build(root: &Path) -> anyhow::Result<PathBuf> {
    let built = bench_apiserver::binary(root)?;
    let folder = built.parent().and_then(Path::parent).context("no target directory")?.join("dist");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let (order, program) = (folder.join("functions"), folder.join("krono"));
    command::run(command::cargo(root, &BUILD).env_remove(ORDER))?;
    let arguments = ["run", "--locked", "--quiet", "-p", "krono-e2e-controllers", "--", "layout"];
    command::run(command::cargo(root, &arguments).arg(&order).arg("--krono").arg(&built))?;
    command::run(command::cargo(root, &BUILD).env(ORDER, &order))?;
    fs::copy(&built, &program).with_context(|| format!("cannot write {}", program.display()))?;
    Ok(program)
}
