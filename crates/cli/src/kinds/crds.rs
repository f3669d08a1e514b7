//! Custom resource definitions from files and folders.

use std::fs;
use std::path::{Path, PathBuf};

use super::KnownKinds;
use crate::command_error::CommandError;
use crate::described::Crd;
use crate::document::Source;

/// Adds the custom resource definitions of each file, and of each file in a folder and below it.
pub(crate) fn read(sources: &[Source], kinds: &mut KnownKinds) -> Result<(), CommandError> {
    for source in sources {
        let before = kinds.added.len();
        for file in files(source)? {
            Crd::read_all(&file)?.into_iter().for_each(|crd| kinds.add_crd(crd));
        }
        if kinds.added.len() == before {
            let message = format!("{source} holds no CustomResourceDefinition");
            return Err(
                CommandError::usage(message).hint("name a file or folder that does, or leave out --crds")
            );
        }
    }
    Ok(())
}

/// The file, or every file in a folder and below it.
pub(crate) fn files(source: &Source) -> Result<Vec<Source>, CommandError> {
    match source {
        Source::File(path) if path.is_dir() => {
            let mut found = Vec::new();
            collect(path, &mut found)
                .map_err(|error| CommandError::usage(format!("cannot read {source}: {error}")))?;
            found.sort();
            Ok(found.into_iter().map(Source::File).collect())
        }
        Source::File(_) | Source::Stdin => Ok(vec![source.clone()]),
    }
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        // A link to a folder above would never end.
        if entry.file_type()?.is_dir() {
            collect(&path, found)?;
        } else if path.extension().is_some_and(|it| it == "yaml" || it == "yml" || it == "json") {
            found.push(path);
        }
    }
    Ok(())
}
