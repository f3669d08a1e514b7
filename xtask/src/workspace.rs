//! What the workspace consists of.

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Deserialize;

use crate::command;

/// A member of the workspace, as `cargo metadata` tells it.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) manifest_path: PathBuf,
    pub(crate) targets: Vec<Target>,
}

/// A library, binary, test or benchmark of a package.
#[derive(Debug, Deserialize)]
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) kind: Vec<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// The directory that holds the workspace's `Cargo.toml`.
pub(crate) fn root() -> anyhow::Result<PathBuf> {
    let arguments = ["locate-project", "--workspace", "--message-format", "plain"];
    let manifest = command::output(&mut command::cargo(Path::new("."), &arguments))?;
    let root = Path::new(manifest.trim_end()).parent().context("the workspace manifest has no parent")?;
    Ok(root.to_path_buf())
}

/// All members, without their dependencies.
pub(crate) fn packages(root: &Path) -> anyhow::Result<Vec<Package>> {
    let arguments = ["metadata", "--no-deps", "--format-version", "1"];
    let text = command::output(&mut command::cargo(root, &arguments))?;
    let metadata: Metadata =
        serde_json::from_str(&text).context("cannot read the output of cargo metadata")?;
    Ok(metadata.packages)
}

/// Every file git knows or would add, relative to the root, sorted.
pub(crate) fn files(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let list = command::output(&mut command::git(root, &arguments))?;
    let mut files: Vec<_> = list.split('\0').filter(|it| !it.is_empty()).map(PathBuf::from).collect();
    files.retain(|it| root.join(it).is_file());
    files.sort();
    files.dedup();
    Ok(files)
}
