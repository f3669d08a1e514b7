//! The kinds that the server has of itself.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use krono_apiserver::builtin;
use krono_apiserver::kind::{Kind, Scope};
use krono_graph::{Kinds, KnownKind};

static BUILT_IN: LazyLock<BTreeMap<(String, String), Kind>> = LazyLock::new(|| {
    let key = |kind: &Kind| {
        let group = if kind.group.is_empty() { String::new() } else { format!("{}/", kind.group) };
        (format!("{group}{}", kind.version), kind.kind.to_string())
    };
    builtin::kinds().into_iter().map(|kind| (key(&kind), kind)).collect()
});

pub(crate) struct BuiltIn;

impl Kinds for BuiltIn {
    fn find(&self, api_version: &str, kind: &str) -> Option<KnownKind> {
        let found = BUILT_IN.get(&(api_version.to_owned(), kind.to_owned()))?;
        let namespaced = found.scope == Scope::Namespaced;
        Some(KnownKind { schema: Arc::clone(found.schema.get()), namespaced, is_defined: false })
    }
}
