//! The programs of the control plane: built once, kept in a cache.

use std::fs;
use std::path::{Path, PathBuf};

use crate::go_program::{BuildError, GoProgram, at, build_all, cache};

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

impl Programs {
    /// Builds what is not yet in the cache; another build at the same time is waited for.
    pub fn build() -> Result<Self, BuildError> {
        Self::build_in(&cache()?.join("krono/kube").join(VERSION))
    }

    /// As [`Self::build`], in a folder of one's own.
    pub fn build_in(folder: &Path) -> Result<Self, BuildError> {
        let path = Path::new(MODULE).join("go.sum");
        let sums = at(&path, fs::read_to_string(&path))?;
        let linker_flags = linker_flags();
        let programs = PROGRAMS.map(|(name, package)| GoProgram {
            name,
            package,
            module: Path::new(MODULE),
            linker_flags: &linker_flags,
            made_of: &sums,
        });
        build_all(&programs, folder).map(|folder| Self { folder })
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
