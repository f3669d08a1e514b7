//! The Go programs under `xtask/go`, which ask cel-go itself.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::bail;

use crate::command;

/// Whether Go can be used; its absence is said aloud, and is an error under `CI=true`.
pub(crate) fn is_present() -> anyhow::Result<bool> {
    let status = Command::new("go").arg("version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if status.is_ok_and(|it| it.success()) {
        return Ok(true);
    }
    leave_out("Go is not installed; nothing can be asked of cel-go")?;
    Ok(false)
}

/// Says what is left out and why; under `CI=true` nothing may be.
pub(crate) fn leave_out(reason: &str) -> anyhow::Result<()> {
    if std::env::var_os("CI").is_some_and(|it| it == "true") {
        bail!("{reason}");
    }
    println!("left out: {reason}");
    Ok(())
}

/// Builds `xtask/go/<name>` and returns the path of the program.
pub(crate) fn build(root: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let module = root.join("xtask/go");
    let program = module.join(name).join("bin").join(name);
    let mut go = Command::new("go");
    go.current_dir(&module).args(["build", "-trimpath", "-buildvcs=false", "-o"]).arg(&program);
    command::run(go.arg(format!("./{name}")))?;
    Ok(program)
}
