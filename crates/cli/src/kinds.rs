//! The kinds that definitions may make objects of, without a cluster.

use std::sync::{Arc, LazyLock};

use krono_apiserver::builtin;
use krono_apiserver::kind::{Kind, Scope};
use krono_graph::{Kinds, KnownKind};

static BUILT_IN: LazyLock<Vec<Kind>> = LazyLock::new(builtin::kinds);

/// The built-in kinds of Kubernetes.
#[derive(Debug, Default)]
pub(crate) struct KnownKinds {}

impl Kinds for KnownKinds {
    fn find(&self, version: &str, kind: &str) -> Option<KnownKind> {
        let found = BUILT_IN.iter().find(|it| *it.kind == *kind && api_version(it) == version)?;
        let schema = Arc::clone(found.schema.get());
        Some(KnownKind { schema, namespaced: found.scope == Scope::Namespaced })
    }
}

fn api_version(kind: &Kind) -> String {
    if kind.group.is_empty() { kind.version.to_string() } else { format!("{}/{}", kind.group, kind.version) }
}
