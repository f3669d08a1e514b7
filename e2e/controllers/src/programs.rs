//! The programs of others: kro and chainsaw, built from their Go modules.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use krono_e2e_kube::GoProgram;

/// The release of kro to compare with.
pub(crate) const KRO: &str = "v0.9.4";
const CHAINSAW: &str = "v0.2.14";

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
    build("chainsaw", "chainsaw", CHAINSAW, "github.com/kyverno/chainsaw", "-s -w")
}

/// The definitions of kinds that kro needs, two files of its module.
pub(crate) fn kro_kinds() -> anyhow::Result<Vec<PathBuf>> {
    let arguments = ["list", "-m", "-f", "{{.Dir}}", "github.com/kubernetes-sigs/kro"];
    let output = std::process::Command::new("go").current_dir(module("kro")).args(arguments).output()?;
    let folder = String::from_utf8(output.stdout).context("go does not say where kro's module is")?;
    let folder = Path::new(folder.trim()).join("helm/crds");
    let entries = fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
    entries.map(|it| Ok(it?.path())).collect()
}

fn build(
    folder: &str,
    name: &'static str,
    version: &str,
    package: &str,
    linker_flags: &str,
) -> anyhow::Result<PathBuf> {
    let module = module(folder);
    let mut made_of = fs::read_to_string(module.join("go.sum")).context("cannot read go.sum")?;
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
