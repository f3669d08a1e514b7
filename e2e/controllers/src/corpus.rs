//! The manifests that kro brings along.

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Value, json};

use crate::programs;

/// The folder of manifests; nothing when it is not beside the project, which is said aloud.
pub(crate) fn folder() -> anyhow::Result<Option<PathBuf>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/kro");
    if folder.is_dir() {
        return Ok(Some(folder));
    }
    programs::leave_out("kro's manifests are not at ../shared/corpus/kro")?;
    Ok(None)
}

/// One folder of manifests: what they define, what they make of it, and what else must be there.
#[derive(Debug, Default)]
pub(crate) struct Manifests {
    pub(crate) definitions: Vec<Value>,
    pub(crate) instances: Vec<Value>,
    pub(crate) others: Vec<Value>,
}

impl Manifests {
    /// Those of a folder.
    pub(crate) fn read(folder: &Path) -> anyhow::Result<Self> {
        let mut manifests = Self::default();
        for file in entries(folder)? {
            documents(&file)?.into_iter().for_each(|it| manifests.add(it));
        }
        Ok(manifests)
    }

    /// Those of some files of a folder, as far as there are such.
    pub(crate) fn read_files(folder: &Path, files: &[&str]) -> anyhow::Result<Self> {
        let mut manifests = Self::default();
        for file in files.iter().map(|it| folder.join(it)).filter(|it| it.is_file()) {
            documents(&file)?.into_iter().for_each(|it| manifests.add(it));
        }
        Ok(manifests)
    }

    /// Those of a folder itself, then those of each folder in it.
    pub(crate) fn read_all(folder: &Path) -> anyhow::Result<Vec<Self>> {
        let (folders, files): (Vec<_>, Vec<_>) = entries(folder)?.into_iter().partition(|it| it.is_dir());
        let mut own = Self::default();
        for file in files {
            documents(&file)?.into_iter().for_each(|it| own.add(it));
        }
        let mut all = vec![own];
        for folder in folders {
            all.push(Self::read(&folder)?);
        }
        Ok(all)
    }

    /// The same in a namespace of their own, if they do not say where they belong.
    pub(crate) fn at_home(mut self, namespace: &str) -> Self {
        for instance in self.instances.iter_mut().filter(|it| it["metadata"]["namespace"].is_null()) {
            instance["metadata"]["namespace"] = namespace.into();
        }
        self.others.push(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}));
        self
    }

    fn add(&mut self, object: Value) {
        let group = object["apiVersion"].as_str().unwrap_or_default();
        if object["kind"] == "ResourceGraphDefinition" {
            self.definitions.push(object);
        } else if group.split('/').next().is_some_and(|it| it.ends_with("kro.run")) {
            self.instances.push(object);
        } else {
            self.others.push(object);
        }
    }
}

/// The objects of a file.
pub(crate) fn documents(file: &Path) -> anyhow::Result<Vec<Value>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let documents = text.split("\n---").map(|part| {
        serde_saphyr::from_str_with_options::<Value>(part, lenient())
            .with_context(|| format!("{} is not YAML", file.display()))
    });
    let documents: Vec<Value> = documents.collect::<anyhow::Result<_>>()?;
    Ok(documents.into_iter().filter(Value::is_object).collect())
}

/// One of kro's manifests has a key twice; kubectl takes the last.
fn lenient() -> serde_saphyr::Options {
    serde_saphyr::options! { duplicate_keys: serde_saphyr::DuplicateKeyPolicy::LastWins }
}

pub(crate) fn entries(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let listed = std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut entries = listed.map(|it| Ok(it?.path())).collect::<anyhow::Result<Vec<_>>>()?;
    entries.sort();
    Ok(entries)
}

pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
