//! `xtask crds`: writes the custom resource definitions of the code as YAML.

use std::fs;
use std::path::Path;

use anyhow::Context;
use krono_model::crd;
use serde_json::Value;

pub(crate) const FOLDER: &str = "crds";

pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    let folder = root.join(FOLDER);
    fs::create_dir_all(&folder)?;
    for (file, crd) in crd::all() {
        let path = folder.join(file);
        fs::write(&path, yaml(&crd)?).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn yaml(crd: &Value) -> anyhow::Result<String> {
    let options = serde_saphyr::ser_options! { compact_list_indent: true };
    let mut text = "# Written by `cargo run -p xtask -- crds`.\n".to_owned();
    serde_saphyr::to_fmt_writer_with_options(&mut text, crd, options)?;
    Ok(text)
}
