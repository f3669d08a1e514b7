//! How long definitions take to compile.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use krono_apiserver::builtin;
use krono_apiserver::kind::{Kind, Scope};
use krono_graph::{Kinds, KnownKind, Options};
use serde_json::{Map, Value};

use crate::corpus::documents;
use crate::programs;

const DEFINITIONS: [&str; 3] = ["two", "twenty", "collections"];
const LONG_ENOUGH: Duration = Duration::from_secs(1);

static BUILT_IN: LazyLock<Vec<Kind>> = LazyLock::new(builtin::kinds);

/// Nanoseconds per compilation, by definition.
pub(super) fn krono() -> anyhow::Result<Map<String, Value>> {
    let mut measured = Map::new();
    for name in DEFINITIONS {
        let definition = documents(&file(name))?.pop().context("the file is empty")?;
        let compile = || krono_graph::compile(&definition, &BuiltIn, Options::default());
        if let Err(found) = compile() {
            bail!("{name}: {}", found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
        }
        let (begin, mut times) = (Instant::now(), 0_u128);
        while begin.elapsed() < LONG_ENOUGH {
            drop(std::hint::black_box(compile()));
            times += 1;
        }
        let nanoseconds = u64::try_from(begin.elapsed().as_nanos() / times.max(1))?;
        measured.insert(name.to_owned(), nanoseconds.into());
    }
    Ok(measured)
}

/// The same of kro, with the kinds of a server.
pub(super) fn kro(kubeconfig: &Path) -> anyhow::Result<Value> {
    let mut command = Command::new(programs::kro_compile()?);
    let output = command.env("KUBECONFIG", kubeconfig).args(DEFINITIONS.map(file)).output()?;
    if !output.status.success() {
        bail!("kro does not compile: {}", String::from_utf8_lossy(&output.stderr));
    }
    serde_json::from_slice(&output.stdout).context("kro's figures are not JSON")
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("definitions").join(format!("{name}.yaml"))
}

/// The kinds of Kubernetes itself.
struct BuiltIn;

impl Kinds for BuiltIn {
    fn find(&self, version: &str, kind: &str) -> Option<KnownKind> {
        let found = BUILT_IN.iter().find(|it| *it.kind == *kind && api_version(it) == version)?;
        Some(KnownKind {
            schema: Arc::clone(found.schema.get()),
            namespaced: found.scope == Scope::Namespaced,
            is_defined: false,
        })
    }
}

fn api_version(kind: &Kind) -> String {
    if kind.group.is_empty() { kind.version.to_string() } else { format!("{}/{}", kind.group, kind.version) }
}
