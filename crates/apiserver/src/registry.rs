//! Which kinds are served, as one value that changes as a whole.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use tokio::sync::watch;

use crate::resource::Resource;

/// The kinds served at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registry {
    by_path: HashMap<String, Arc<Resource>>,
    ordered: Vec<Arc<Resource>>,
}

impl Registry {
    /// The kinds in the order given; of two with one path the first is served.
    pub(crate) fn new(resources: impl IntoIterator<Item = Arc<Resource>>) -> Self {
        let mut registry = Self::default();
        for resource in resources {
            registry.add(resource);
        }
        registry
    }

    fn add(&mut self, resource: Arc<Resource>) {
        let kind = &resource.kind;
        let path = path(&kind.group, &kind.version, &kind.plural);
        if let Entry::Vacant(entry) = self.by_path.entry(path) {
            entry.insert(Arc::clone(&resource));
            self.ordered.push(resource);
        }
    }

    /// The kind behind `/apis/{group}/{version}/{plural}`.
    pub(crate) fn find(&self, group: &str, version: &str, plural: &str) -> Option<&Arc<Resource>> {
        self.by_path.get(&path(group, version, plural))
    }

    /// The kind whose objects lie under `{group}/{plural}/`, in the version they are stored in.
    pub(crate) fn find_storage(&self, group: &str, plural: &str) -> Option<&Arc<Resource>> {
        let of_storage = |it: &&Arc<Resource>| *it.kind.group == *group && *it.kind.plural == *plural;
        let all = || self.ordered.iter().filter(of_storage);
        all().find(|it| it.storage_api_version == it.api_version()).or_else(|| all().next())
    }

    /// All versions of one kind.
    pub(crate) fn versions_of(&self, group: &str, plural: &str) -> impl Iterator<Item = &Arc<Resource>> {
        self.ordered.iter().filter(move |it| *it.kind.group == *group && *it.kind.plural == *plural)
    }

    /// The kinds of one version.
    pub(crate) fn in_version(&self, group: &str, version: &str) -> impl Iterator<Item = &Arc<Resource>> {
        self.ordered.iter().filter(move |it| *it.kind.group == *group && *it.kind.version == *version)
    }

    /// Groups in order of registration, each with its versions, the preferred one first.
    pub(crate) fn groups(&self) -> Vec<(Arc<str>, Vec<Arc<str>>)> {
        let mut order = Vec::new();
        let mut versions: BTreeMap<Arc<str>, Vec<Arc<str>>> = BTreeMap::new();
        for Resource { kind, .. } in self.ordered.iter().map(AsRef::as_ref) {
            let known = versions.entry(Arc::clone(&kind.group)).or_insert_with(|| {
                order.push(Arc::clone(&kind.group));
                Vec::new()
            });
            if !known.contains(&kind.version) {
                known.push(Arc::clone(&kind.version));
            }
        }
        let sorted = |group: Arc<str>| {
            let mut list = versions.remove(&group).unwrap_or_default();
            list.sort_by_key(|version| std::cmp::Reverse(version_priority(version)));
            (group, list)
        };
        order.into_iter().map(sorted).collect()
    }
}

fn path(group: &str, version: &str, plural: &str) -> String {
    [group, version, plural].join("/")
}

/// How Kubernetes orders versions: `v2` > `v1` > `v1beta2` > `v1alpha1` > anything else, which goes by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum VersionPriority {
    /// Not of the usual form; names sort downwards.
    Other(std::cmp::Reverse<String>),
    /// `v1alpha2`.
    Alpha(u64, u64),
    /// `v1beta2`.
    Beta(u64, u64),
    /// `v1`.
    Stable(u64),
}

/// Where a version stands among the versions of its group.
pub(crate) fn version_priority(version: &str) -> VersionPriority {
    usual_version(version).unwrap_or_else(|| VersionPriority::Other(std::cmp::Reverse(version.to_owned())))
}

fn usual_version(version: &str) -> Option<VersionPriority> {
    let rest = version.strip_prefix('v')?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let major = rest[..digits].parse().ok()?;
    let stage = &rest[digits..];
    if stage.is_empty() {
        return Some(VersionPriority::Stable(major));
    }
    let minor = |text: &str| text.parse().ok();
    match (stage.strip_prefix("alpha"), stage.strip_prefix("beta")) {
        (Some(text), _) => Some(VersionPriority::Alpha(major, minor(text)?)),
        (_, Some(text)) => Some(VersionPriority::Beta(major, minor(text)?)),
        (None, None) => None,
    }
}

/// The registry that requests see; replaced as a whole.
#[derive(Debug, Default)]
pub(crate) struct SharedRegistry(watch::Sender<Arc<Registry>>);

impl SharedRegistry {
    /// Starts with these kinds.
    pub(crate) fn new(registry: Registry) -> Self {
        Self(watch::Sender::new(Arc::new(registry)))
    }

    /// The kinds served now.
    pub(crate) fn snapshot(&self) -> Arc<Registry> {
        Arc::clone(&self.0.borrow())
    }

    /// Serves other kinds from now on.
    pub(crate) fn replace(&self, registry: Registry) {
        self.0.send_replace(Arc::new(registry));
    }

    /// Tells when other kinds are served.
    pub(crate) fn subscribe(&self) -> watch::Receiver<Arc<Registry>> {
        self.0.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_in_order() {
        let mut versions = ["v1alpha1", "v1", "foo", "v2beta1", "v10", "v1beta1", "v2", "bar", "v1alpha10"];
        versions.sort_by_key(|version| std::cmp::Reverse(version_priority(version)));
        assert_eq!(
            versions,
            ["v10", "v2", "v1", "v2beta1", "v1beta1", "v1alpha10", "v1alpha1", "bar", "foo"]
        );
    }
}
