//! The programs of the control plane: built once, kept in a cache.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// The version of Kubernetes that `go.mod` requires.
pub const VERSION: &str = "v1.35.8";

/// Where `go.mod` lies.
const MODULE: &str = env!("CARGO_MANIFEST_DIR");

/// File name and Go package, quickest first.
const PROGRAMS: [(&str, &str); 4] = [
    ("kubectl", "k8s.io/kubernetes/cmd/kubectl"),
    ("etcd", "go.etcd.io/etcd/server/v3"),
    ("kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver"),
    ("kube-controller-manager", "k8s.io/kubernetes/cmd/kube-controller-manager"),
];

/// The built programs.
#[derive(Clone, Debug)]
pub struct Programs {
    folder: PathBuf,
}

/// Why the programs could not be built.
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
    #[error("cannot run go: {0}; install Go to build {VERSION} of the Kubernetes programs")]
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

impl Programs {
    /// Builds what is not yet in the cache; another build at the same time is waited for.
    pub fn build() -> Result<Self, BuildError> {
        Self::build_in(&cache()?.join("krono/kube").join(VERSION))
    }

    /// As [`Self::build`], in a folder of one's own.
    pub fn build_in(folder: &Path) -> Result<Self, BuildError> {
        let stamp = stamp()?;
        let programs = Self { folder: folder.join("bin") };
        at(&programs.folder, fs::create_dir_all(&programs.folder))?;
        let lock_path = folder.join("lock");
        let lock = at(&lock_path, File::create(&lock_path))?;
        at(&lock_path, lock.lock())?;
        for (name, package) in PROGRAMS {
            let stamp_path = folder.join(format!("{name}.stamp"));
            if fs::read_to_string(&stamp_path).is_ok_and(|it| it == stamp) && programs.path(name).is_file() {
                continue;
            }
            compile(name, package, &programs.path(name))?;
            at(&stamp_path, fs::write(&stamp_path, &stamp))?;
        }
        Ok(programs)
    }

    /// The folder to put on `PATH`.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The kubectl of the same version.
    pub fn kubectl(&self) -> PathBuf {
        self.path("kubectl")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

fn cache() -> Result<PathBuf, BuildError> {
    let set = |name: &str| std::env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache"))).ok_or(BuildError::NoCache)
}

/// What the programs are made of: the sums of all modules, and the flags.
fn stamp() -> Result<String, BuildError> {
    let path = Path::new(MODULE).join("go.sum");
    let sums = at(&path, fs::read_to_string(&path))?;
    Ok(format!(
        "{}
{sums}",
        linker_flags()
    ))
}

/// Without these the programs call themselves `v0.0.0-master`.
fn linker_flags() -> String {
    let (major, minor) = ("1", "35");
    let mut flags = vec!["-s -w".to_owned()];
    for package in ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"] {
        let set = |name: &str, value: &str| format!("-X {package}.{name}={value}");
        flags.extend([set("gitVersion", VERSION), set("gitMajor", major), set("gitMinor", minor)]);
        flags.push(set("gitTreeState", "clean"));
    }
    flags.join(" ")
}

fn compile(name: &'static str, package: &str, path: &Path) -> Result<(), BuildError> {
    let mut go = Command::new("go");
    go.current_dir(MODULE).env("CGO_ENABLED", "0").args(["build", "-trimpath", "-buildvcs=false"]);
    go.arg("-ldflags").arg(linker_flags()).arg("-o").arg(path).arg(package);
    let status = go.status().map_err(BuildError::NoGo)?;
    if status.success() { Ok(()) } else { Err(BuildError::Compile { program: name, status }) }
}

fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, BuildError> {
    result.map_err(|source| BuildError::File { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_one_required() {
        let module = fs::read_to_string(Path::new(MODULE).join("go.mod")).unwrap_or_default();
        assert!(module.contains(&format!("k8s.io/kubernetes {VERSION}\n")));
        assert!(linker_flags().contains(&format!("gitVersion={VERSION}")));
    }
}
