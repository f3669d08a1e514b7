//! The kinds that definitions may make objects of, without a cluster.

mod crds;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use krono_apiserver::builtin;
use krono_apiserver::kind::{Kind, Scope};
use krono_cel::advice;
use krono_graph::{Kinds, KnownKind};
use krono_schema::crd::{self, CustomResourceDefinition};

use crate::described::Crd;

pub(crate) use self::crds::{files, read as read_crds};

static BUILT_IN: LazyLock<Vec<Kind>> = LazyLock::new(builtin::kinds);

/// The built-in kinds of Kubernetes, and those that were added.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownKinds {
    /// By API version and kind.
    added: BTreeMap<(String, String), KnownKind>,
}

impl KnownKinds {
    /// Adds the kind of a custom resource definition, in all its versions.
    pub(crate) fn add_crd(&mut self, crd: Crd) {
        for version in crd.versions {
            let known = KnownKind {
                schema: Arc::new(version.schema),
                namespaced: crd.scope != CLUSTER,
                is_defined: crd.is_defined,
            };
            self.added.insert((format!("{}/{}", crd.group, version.name), crd.kind.clone()), known);
        }
    }

    /// Adds the kind of a definition's instances, in place of what was known about it.
    pub(crate) fn add_generated(&mut self, crd: &CustomResourceDefinition) {
        for version in &crd.spec.versions {
            let Some(schema) = version.schema() else { continue };
            let namespaced = crd.spec.scope == crd::Scope::Namespaced;
            let known = KnownKind { schema: Arc::new(schema.clone()), namespaced, is_defined: true };
            let name = (format!("{}/{}", crd.spec.group, version.name), crd.spec.names.kind.clone());
            self.added.insert(name, known);
        }
    }

    /// The built-in kind of that name.
    pub(crate) fn built_in(version: &str, kind: &str) -> Option<&'static Kind> {
        BUILT_IN.iter().find(|it| *it.kind == *kind && api_version(it) == version)
    }

    /// Every kind with its API version.
    fn names(&self) -> impl Iterator<Item = (String, &str)> {
        let built_in = BUILT_IN.iter().map(|it| (api_version(it), &*it.kind));
        built_in.chain(self.added.keys().map(|(version, kind)| (version.clone(), kind.as_str())))
    }
}

const CLUSTER: &str = "Cluster";

/// The kinds that krono itself brings along, or kro.
const OWN: [&str; 4] = [
    "ResourceGraphDefinition",
    "ResourceGraphDefinitionRevision",
    "ResourceGraphInputRevision",
    "GraphRevision",
];

/// Whether krono itself, or kro, brings the kind along.
pub(crate) fn is_own(kind: &str) -> bool {
    OWN.contains(&kind)
}

/// What to do about a kind of krono's group that nothing defines, where definitions make these.
pub(crate) fn instead_of<'k>(kind: &str, made: impl Iterator<Item = &'k str>) -> String {
    let known: BTreeSet<&str> = OWN.into_iter().chain(made).collect();
    advice::nearest(kind, &known).map_or_else(
        || {
            "name the file with its definition too, or give its CustomResourceDefinition with --crds"
                .to_owned()
        },
        |near| format!("did you mean `{near}`?"),
    )
}

impl Kinds for KnownKinds {
    fn find(&self, version: &str, kind: &str) -> Option<KnownKind> {
        if let Some(known) = self.added.get(&(version.to_owned(), kind.to_owned())) {
            return Some(known.clone());
        }
        let found = Self::built_in(version, kind)?;
        let schema = Arc::clone(found.schema.get());
        Some(KnownKind { schema, namespaced: found.scope == Scope::Namespaced, is_defined: false })
    }

    fn similar(&self, _: &str, kind: &str) -> Vec<String> {
        let kinds: BTreeSet<&str> = self.names().map(|(_, kind)| kind).collect();
        let meant = if kinds.contains(kind) { Some(kind) } else { advice::nearest(kind, &kinds) };
        let versions = self.names().filter(|(_, it)| Some(*it) == meant);
        versions.map(|(version, kind)| format!("{kind} in {version}")).collect()
    }
}

fn api_version(kind: &Kind) -> String {
    if kind.group.is_empty() { kind.version.to_string() } else { format!("{}/{}", kind.group, kind.version) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_kinds_and_names_that_look_alike() {
        let kinds = KnownKinds::default();
        let namespaced = |version: &str, kind: &str| kinds.find(version, kind).map(|it| it.namespaced);
        assert_eq!(namespaced("apps/v1", "Deployment"), Some(true));
        assert_eq!(namespaced("v1", "Namespace"), Some(false));
        assert_eq!(namespaced("v1", "Deployment"), None);
        assert_eq!(kinds.similar("v1", "Deployment"), ["Deployment in apps/v1"]);
        assert_eq!(kinds.similar("v1", "Configmap"), ["ConfigMap in v1"]);
        assert_eq!(kinds.similar("v1", "Rocket"), Vec::<String>::new());
    }
}
