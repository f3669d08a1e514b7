//! The kinds that every Kubernetes API server of version 1.35 serves.
//!
//! One table says what is served, the types of `k8s-openapi` give the schemas, a table of our own gives what they
//! leave out (how lists and maps merge), and one file per family of kinds holds its defaults and rules.

mod amount;
mod autoscaler;
mod cluster;
mod config;
mod entry;
mod event;
mod fill;
mod findings;
mod job;
mod lists;
mod metadata;
pub(crate) mod names;
mod namespace;
mod network;
mod parts;
mod place;
mod pod;
mod rbac;
mod read;
mod schema;
mod selector;
mod service;
mod table;
mod volume;
mod workload;

use std::collections::BTreeMap;

use krono_schema::Schema;

use crate::kind::Kind;
pub use entry::Verbs;
pub use parts::{Part, parts};

/// Every built-in kind; the preferred version of a group comes first. Schemas are made when they are asked for.
pub fn kinds() -> Vec<Kind> {
    table::TABLE.iter().map(entry::Entry::kind).collect()
}

/// What can be done with the resource of this group and plural name, when it is built in.
pub fn verbs(group: &str, plural: &str) -> Option<Verbs> {
    table::TABLE.iter().find(|entry| entry.is(group, plural)).map(|entry| entry.verbs)
}

/// What is wrong with the key of a label, an annotation or a finalizer, in the words of the API server.
pub(crate) fn key_complaints(key: &str) -> Vec<String> {
    names::qualified(key)
}

/// What is wrong with the value of a label, in the words of the API server.
pub(crate) fn label_value_complaints(value: &str) -> Vec<String> {
    names::label_value(value)
}

/// What is wrong with the name of an object of this kind, in the words of the API server; names of kinds that are not
/// built in are subdomains.
pub fn name_complaints(group: &str, kind: &str, name: &str) -> Vec<String> {
    let known = table::TABLE.iter().find(|entry| entry.group == group && entry.kind == kind);
    known.map_or(names::subdomain as names::NameRule, |entry| entry.names)(name)
}

/// What keeps a text from being one segment of a path.
pub(crate) fn path_segment_complaints(text: &str) -> Vec<String> {
    names::path_segment(text)
}

/// Every definition that the kinds of a group version are made of, by name, with references between them.
///
/// This is what `OpenAPI` documents hold. Unlike [`Kind::schema`], definitions keep `required`.
pub fn definitions(group: &str, version: &str) -> BTreeMap<String, Schema> {
    let of_version = table::TABLE.iter().filter(|entry| entry.group == group && entry.version == version);
    schema::definitions(of_version.map(|entry| entry.schema))
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
