//! The set of an instance's resources, as KEP-3659 describes it and kro writes it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::metadata::InstanceRef;
use crate::{names, object};

/// The id of the set whose parent is the named object; the namespace of a cluster-wide parent is empty.
pub fn id(name: &str, namespace: &str, kind: &str, group: &str) -> String {
    let digest = encoded_digest(&[name, namespace, kind, group].join("."));
    format!("applyset-{digest}-v1")
}

/// A kind without its version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupKind {
    /// The API group; empty for the core.
    pub group: String,
    /// The kind.
    pub kind: String,
}

impl fmt::Display for GroupKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        if self.group.is_empty() { Ok(()) } else { write!(f, ".{}", self.group) }
    }
}

/// A text that is no `Kind.group`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no kind such as \"ConfigMap\" or \"Deployment.apps\"")]
pub struct InvalidGroupKind(String);

impl FromStr for GroupKind {
    type Err = InvalidGroupKind;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (kind, group) = match text.split_once('.') {
            Some((kind, group)) => (kind, Some(group)),
            None => (text, None),
        };
        let kind_is_fine = !kind.is_empty() && !kind.contains([' ', '\t', '\r', '\n']);
        if !kind_is_fine || !group.is_none_or(is_subdomain) {
            return Err(InvalidGroupKind(text.to_owned()));
        }
        Ok(Self { group: group.unwrap_or_default().to_owned(), kind: kind.to_owned() })
    }
}

/// Where the resources of an instance are to be found; written on the instance before any of them is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    /// Their kinds.
    pub group_kinds: BTreeSet<GroupKind>,
    /// Their namespaces, without the instance's own.
    pub namespaces: BTreeSet<String>,
}

/// An inventory that cannot be trusted to be whole.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidInventory {
    /// The id is not that of the object, or is absent from an object that has no finalizer.
    #[error("label {label} is {found:?} instead of {expected:?}; restore it", label = names::APPLYSET_ID_LABEL)]
    Id {
        /// What is there.
        found: String,
        /// What should be.
        expected: String,
    },
    /// Another tool's, or nobody's.
    #[error(
        "annotation {annotation} is {found:?} instead of starting with {prefix:?}: the set belongs to another tool",
        annotation = names::APPLYSET_TOOLING_ANNOTATION,
        prefix = names::TOOLING_PREFIX
    )]
    Tooling {
        /// What is there.
        found: String,
    },
    /// A part is gone.
    #[error(
        "annotation {annotation} is missing; restore it, or remove the rest of the inventory once no resources are left"
    )]
    Missing {
        /// Its key.
        annotation: &'static str,
    },
    /// The list of kinds has an entry that is none.
    #[error("annotation {annotation}: {source}", annotation = names::APPLYSET_GROUP_KINDS_ANNOTATION)]
    GroupKind {
        /// What is wrong with it.
        source: InvalidGroupKind,
    },
    /// The list of namespaces has an entry that is none.
    #[error("annotation {annotation}: {found:?} is no namespace", annotation = names::APPLYSET_NAMESPACES_ANNOTATION)]
    Namespace {
        /// The entry.
        found: String,
    },
    /// The lists are not those that were written.
    #[error(
        "annotation {annotation} is {found:?} instead of {expected:?}: kinds or namespaces were edited; restore them",
        annotation = names::INVENTORY_DIGEST_ANNOTATION
    )]
    Digest {
        /// What is there.
        found: String,
        /// What belongs to the lists that are there.
        expected: String,
    },
}

impl Inventory {
    /// Reads the inventory off an instance; `None` when not even a part of one is there.
    pub fn read(instance: &Value) -> Result<Option<Self>, InvalidInventory> {
        if !has_any_part(instance) {
            return Ok(None);
        }
        let id = InstanceRef::from_object(instance).applyset_id();
        check_id(instance, &id)?;
        check_tooling(instance)?;
        let kinds = required(instance, names::APPLYSET_GROUP_KINDS_ANNOTATION)?;
        let namespaces = required(instance, names::APPLYSET_NAMESPACES_ANNOTATION)?;
        let mut inventory = Self {
            group_kinds: group_kinds(kinds)?,
            namespaces: entries(namespaces).map(str::to_owned).collect(),
        };
        let written = object::annotation(instance, names::INVENTORY_DIGEST_ANNOTATION);
        if written.is_some_and(|it| it == digest(&id, kinds, namespaces)) {
            // Earlier releases wrote whatever the namespace of a resource should have been. Nothing is there.
            inventory.namespaces.retain(|it| is_namespace(it));
            return Ok(Some(inventory));
        }
        check_namespaces(&inventory.namespaces)?;
        inventory.check_digest(instance, &id)?;
        Ok(Some(inventory))
    }

    /// Everything that is in one of the two.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self {
            group_kinds: &self.group_kinds | &other.group_kinds,
            namespaces: &self.namespaces | &other.namespaces,
        }
    }

    /// The annotations that say it on the parent of the set with this id.
    pub fn annotations(&self, id: &str) -> BTreeMap<String, String> {
        [
            (names::APPLYSET_TOOLING_ANNOTATION, names::TOOLING.to_owned()),
            (names::APPLYSET_GROUP_KINDS_ANNOTATION, self.listed_kinds()),
            (names::APPLYSET_NAMESPACES_ANNOTATION, self.listed_namespaces()),
            (names::INVENTORY_DIGEST_ANNOTATION, self.digest(id)),
        ]
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect()
    }

    /// Sorted as text, which is not the order of the set.
    fn listed_kinds(&self) -> String {
        let mut listed: Vec<_> = self.group_kinds.iter().map(ToString::to_string).collect();
        listed.sort();
        listed.join(",")
    }

    fn listed_namespaces(&self) -> String {
        self.namespaces.iter().map(String::as_str).collect::<Vec<_>>().join(",")
    }

    fn digest(&self, id: &str) -> String {
        digest(id, &self.listed_kinds(), &self.listed_namespaces())
    }

    /// Early releases of kro wrote no digest.
    fn check_digest(&self, instance: &Value, id: &str) -> Result<(), InvalidInventory> {
        let expected = self.digest(id);
        match object::annotation(instance, names::INVENTORY_DIGEST_ANNOTATION) {
            Some(found) if found != expected => {
                Err(InvalidInventory::Digest { found: found.to_owned(), expected })
            }
            Some(_) | None => Ok(()),
        }
    }
}

fn digest(id: &str, kinds: &str, namespaces: &str) -> String {
    format!("sha256:{}", encoded_digest(&[id, kinds, namespaces].join("\0")))
}

fn has_any_part(instance: &Value) -> bool {
    let annotations = [
        names::APPLYSET_TOOLING_ANNOTATION,
        names::APPLYSET_GROUP_KINDS_ANNOTATION,
        names::APPLYSET_NAMESPACES_ANNOTATION,
        names::INVENTORY_DIGEST_ANNOTATION,
    ];
    object::label(instance, names::APPLYSET_ID_LABEL).is_some()
        || annotations.iter().any(|key| object::annotation(instance, key).is_some())
}

/// What follows from the object itself may be missing where krono or kro has finished writing: it is written again.
fn check_id(instance: &Value, expected: &str) -> Result<(), InvalidInventory> {
    let found = object::label(instance, names::APPLYSET_ID_LABEL);
    if found.map_or_else(|| is_finalized(instance), |it| it == expected) {
        return Ok(());
    }
    let found = found.unwrap_or_default();
    Err(InvalidInventory::Id { found: found.to_owned(), expected: expected.to_owned() })
}

fn is_finalized(instance: &Value) -> bool {
    let finalizers = instance.pointer("/metadata/finalizers").and_then(Value::as_array);
    finalizers.is_some_and(|all| all.iter().any(|it| it == names::FINALIZER))
}

fn check_tooling(instance: &Value) -> Result<(), InvalidInventory> {
    let found = object::annotation(instance, names::APPLYSET_TOOLING_ANNOTATION).unwrap_or_default();
    if found.starts_with(names::TOOLING_PREFIX) {
        return Ok(());
    }
    Err(InvalidInventory::Tooling { found: found.to_owned() })
}

fn required<'o>(instance: &'o Value, annotation: &'static str) -> Result<&'o str, InvalidInventory> {
    object::annotation(instance, annotation).ok_or(InvalidInventory::Missing { annotation })
}

fn group_kinds(text: &str) -> Result<BTreeSet<GroupKind>, InvalidInventory> {
    let read = |entry: &str| entry.parse().map_err(|source| InvalidInventory::GroupKind { source });
    entries(text).map(read).collect()
}

fn check_namespaces(namespaces: &BTreeSet<String>) -> Result<(), InvalidInventory> {
    match namespaces.iter().find(|it| !is_namespace(it)) {
        Some(found) => Err(InvalidInventory::Namespace { found: found.clone() }),
        None => Ok(()),
    }
}

/// An empty text has no entries; otherwise even empty ones count, so that a torn list is noticed.
fn entries(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(move |_| !text.is_empty())
}

fn is_subdomain(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(is_label_of_any_length)
}

/// Whether a namespace can have that name.
pub fn is_namespace(text: &str) -> bool {
    text.len() <= 63 && is_label_of_any_length(text)
}

fn is_label_of_any_length(text: &str) -> bool {
    let letter_or_digit = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    bytes.first().is_some_and(letter_or_digit)
        && bytes.last().is_some_and(letter_or_digit)
        && bytes.iter().all(|byte| letter_or_digit(byte) || *byte == b'-')
}

fn encoded_digest(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(text.as_bytes()))
}

#[cfg(test)]
mod tests;
