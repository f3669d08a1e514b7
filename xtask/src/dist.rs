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
const BUILD: [&str; 6] = ["build", "--release", "--locked", "-p", "krono-cli", "--features=jemalloc"];
/// What the allocator is built with: memory that is free goes back after a second, not after ten, and none that is larger
/// than 256 bytes is kept at hand.
const ALLOCATOR: (&str, &str) =
    ("JEMALLOC_SYS_WITH_MALLOC_CONF", "dirty_decay_ms:1000,muzzy_decay_ms:0,lg_tcache_max:8");

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
    let cargo = || {
        let mut cargo = command::cargo(root, &BUILD);
        cargo.env(ALLOCATOR.0, ALLOCATOR.1);
        cargo
    };
    command::run(cargo().env_remove(ORDER))?;
    let arguments = ["run", "--locked", "--quiet", "-p", "krono-e2e-controllers", "--", "layout"];
    command::run(command::cargo(root, &arguments).arg(&order).arg("--krono").arg(&built))?;
    command::run(cargo().env(ORDER, &order))?;
    fs::copy(&built, &program).with_context(|| format!("cannot write {}", program.display()))?;
    Ok(program)
}
