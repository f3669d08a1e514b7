//! The programs of others: kro and chainsaw, built from their Go modules.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use krono_e2e_kube::GoProgram;

/// The release of kro to compare with.
pub(crate) const KRO: &str = "v0.9.4";
const CHAINSAW: &str = "v0.2.14";

/// What chainsaw lacks since Go 1.26: it runs its tests as Go's own package for tests, which asks for this.
const MODULE_PATH: &str = "package internal\n\nfunc (*TestDeps) ModulePath() string { return \"\" }\n";

/// Whether Go can be used; its absence is said aloud together with what it is needed for, and is an error under `CI=true`.
pub(crate) fn go_is_present(needed_for: &str) -> anyhow::Result<bool> {
    let mut go = Command::new("go");
    if go.arg("version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|it| it.success()) {
        return Ok(true);
    }
    leave_out(&format!("Go is not installed, and {needed_for} is built with it"))?;
    Ok(false)
}

/// Says why something is left out; under `CI=true` nothing may be.
pub(crate) fn leave_out(reason: &str) -> anyhow::Result<()> {
    if std::env::var_os("CI").is_some_and(|it| it == "true") {
        bail!("{reason}");
    }
    println!("left out: {reason}");
    Ok(())
}

/// kro's controller.
pub(crate) fn kro() -> anyhow::Result<PathBuf> {
    // The version goes into labels of all objects.
    let flags = format!("-s -w -X sigs.k8s.io/release-utils/version.gitVersion={KRO}");
    build("kro", "kro", KRO, "github.com/kubernetes-sigs/kro/cmd/controller", &flags)
}

/// Measures kro's compiler.
pub(crate) fn kro_compile() -> anyhow::Result<PathBuf> {
    build("kro", "kro-compile", KRO, "./compile", "-s -w")
}

/// Plays tests that are written down.
pub(crate) fn chainsaw() -> anyhow::Result<PathBuf> {
    let made_of = sums("chainsaw")?;
    let copy = tempfile::tempdir()?;
    let program = GoProgram {
        name: "chainsaw",
        package: "github.com/kyverno/chainsaw",
        module: copy.path(),
        linker_flags: "-s -w",
        made_of: &made_of,
    };
    if let Some(built) = program.built(CHAINSAW)? {
        return Ok(built);
    }
    mend_chainsaw(copy.path())?;
    Ok(program.build(CHAINSAW)?)
}

/// Makes a copy of our module with a copy of chainsaw in it that the Go of today compiles.
fn mend_chainsaw(copy: &Path) -> anyhow::Result<()> {
    for file in ["go.mod", "go.sum", "tools.go"] {
        fs::copy(module("chainsaw").join(file), copy.join(file)).context("cannot copy a module")?;
    }
    let source = source_of("chainsaw", "github.com/kyverno/chainsaw")?;
    run(Command::new("cp").arg("-r").arg(&source).arg(copy.join("source")))?;
    run(Command::new("chmod").args(["-R", "u+w"]).arg(copy.join("source")))?;
    fs::write(copy.join("source/pkg/runner/internal/module_path.go"), MODULE_PATH)?;
    let replacement = "-replace=github.com/kyverno/chainsaw=./source";
    run(Command::new("go").current_dir(copy).args(["mod", "edit", replacement]))
}

fn run(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
    if status.success() { Ok(()) } else { bail!("{command:?} failed: {status}") }
}

/// The definitions of kinds that kro needs, two files of its module.
pub(crate) fn kro_kinds() -> anyhow::Result<Vec<PathBuf>> {
    let folder = source_of("kro", "github.com/kubernetes-sigs/kro")?.join("helm/crds");
    let entries = fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
    entries.map(|it| Ok(it?.path())).collect()
}

/// Where Go keeps the sources of a module that one of ours requires.
fn source_of(folder: &str, required: &str) -> anyhow::Result<PathBuf> {
    run(Command::new("go").current_dir(module(folder)).args(["mod", "download", required]))?;
    let arguments = ["list", "-m", "-f", "{{.Dir}}", required];
    let output = Command::new("go").current_dir(module(folder)).args(arguments).output()?;
    let source = String::from_utf8(output.stdout).context("go does not say where a module is")?;
    Ok(PathBuf::from(source.trim()))
}

fn sums(folder: &str) -> anyhow::Result<String> {
    fs::read_to_string(module(folder).join("go.sum")).context("cannot read go.sum")
}

fn build(
    folder: &str,
    name: &'static str,
    version: &str,
    package: &str,
    linker_flags: &str,
) -> anyhow::Result<PathBuf> {
    let module = module(folder);
    let mut made_of = sums(folder)?;
    if let Some(own) = package.strip_prefix("./") {
        made_of += &fs::read_to_string(module.join(own).join("main.go")).context("cannot read main.go")?;
    }
    let program = GoProgram { name, package, module: &module, linker_flags, made_of: &made_of };
    Ok(program.build(version)?)
}

fn module(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_versions_are_those_required() {
        let check = |folder: &str, requirement: &str| {
            let text = fs::read_to_string(module(folder).join("go.mod")).unwrap_or_default();
            assert!(text.contains(requirement), "{requirement}");
        };
        check("kro", &format!("github.com/kubernetes-sigs/kro {KRO}\n"));
        check("chainsaw", &format!("github.com/kyverno/chainsaw {CHAINSAW}\n"));
    }
}
