//! Programs of Go modules: built once, kept in a cache outside the checkout.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// One program to build.
#[derive(Clone, Copy, Debug)]
pub struct GoProgram<'a> {
    /// The name of the file.
    pub name: &'static str,
    /// The Go package, as seen from the module.
    pub package: &'a str,
    /// Where `go.mod` lies.
    pub module: &'a Path,
    /// What to tell the linker.
    pub linker_flags: &'a str,
    /// What tells this build from others: the sums of its modules, and its own sources if it has any.
    pub made_of: &'a str,
}

/// Why a program could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// There is no folder for the cache.
    #[error("neither XDG_CACHE_HOME nor HOME is set; set one to say where built programs are kept")]
    NoCache,
    /// The cache or `go.sum` could not be read or written.
    #[error("cannot use {path:?}: {source}")]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// Go is not installed.
    #[error("cannot run go: {0}; install Go to build the programs to compare with")]
    NoGo(io::Error),
    /// The compiler refused.
    #[error("go build of {program} failed: {status}; see its messages above")]
    Compile {
        /// What was built.
        program: &'static str,
        /// How go ended.
        status: ExitStatus,
    },
}

impl GoProgram<'_> {
    /// Builds the program if it is not yet in the cache under this version; where it is.
    pub fn build(&self, version: &str) -> Result<PathBuf, BuildError> {
        Ok(build_all(&[*self], &self.folder(version)?)?.join(self.name))
    }

    /// Where the program is, if it is in the cache under this version.
    pub fn built(&self, version: &str) -> Result<Option<PathBuf>, BuildError> {
        let folder = self.folder(version)?;
        Ok(self.is_built(&folder).then(|| folder.join("bin").join(self.name)))
    }

    fn folder(&self, version: &str) -> Result<PathBuf, BuildError> {
        Ok(cache()?.join("krono").join(self.name).join(version))
    }

    fn is_built(&self, folder: &Path) -> bool {
        let stamp = fs::read_to_string(self.stamp_path(folder));
        stamp.is_ok_and(|it| it == self.stamp()) && folder.join("bin").join(self.name).is_file()
    }

    fn stamp_path(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.stamp", self.name))
    }

    fn stamp(&self) -> String {
        format!("{}\n{}", self.linker_flags, self.made_of)
    }

    fn compile(&self, path: &Path) -> Result<(), BuildError> {
        let mut go = Command::new("go");
        go.current_dir(self.module).env("CGO_ENABLED", "0").args(["build", "-trimpath", "-buildvcs=false"]);
        go.arg("-ldflags").arg(self.linker_flags).arg("-o").arg(path).arg(self.package);
        let status = go.status().map_err(BuildError::NoGo)?;
        if status.success() { Ok(()) } else { Err(BuildError::Compile { program: self.name, status }) }
    }
}

/// Builds what is not yet in the folder, and waits for another build at the same time; where the programs are.
pub(crate) fn build_all(programs: &[GoProgram<'_>], folder: &Path) -> Result<PathBuf, BuildError> {
    let binaries = folder.join("bin");
    at(&binaries, fs::create_dir_all(&binaries))?;
    let lock_path = folder.join("lock");
    let lock = at(&lock_path, File::create(&lock_path))?;
    at(&lock_path, lock.lock())?;
    for program in programs {
        if program.is_built(folder) {
            continue;
        }
        program.compile(&binaries.join(program.name))?;
        let stamp = program.stamp_path(folder);
        at(&stamp, fs::write(&stamp, program.stamp()))?;
    }
    Ok(binaries)
}

pub(crate) fn cache() -> Result<PathBuf, BuildError> {
    let set = |name: &str| std::env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache"))).ok_or(BuildError::NoCache)
}

pub(crate) fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, BuildError> {
    result.map_err(|source| BuildError::File { path: path.to_owned(), source })
}
