//! The kinds a definition may make objects of.

use std::sync::Arc;

use krono_schema::Schema;

/// Knows the kinds of a cluster, or of a folder of files.
pub trait Kinds {
    /// The kind of that name, when there is one.
    fn find(&self, api_version: &str, kind: &str) -> Option<KnownKind>;

    /// Names of kinds, with their API versions, that a wrong name may have meant.
    fn similar(&self, _api_version: &str, _kind: &str) -> Vec<String> {
        Vec::new()
    }
}

/// What there is to know about a kind.
#[derive(Clone, Debug)]
pub struct KnownKind {
    /// The schema of its objects.
    pub schema: Arc<Schema>,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
    /// Whether its objects are instances of a definition.
    pub is_defined: bool,
}
