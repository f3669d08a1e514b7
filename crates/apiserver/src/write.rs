//! What a write does to an object, decided without touching the store.

pub(crate) mod create;
pub(crate) mod decode;
pub(crate) mod delete;
pub(crate) mod generation;
pub(crate) mod metadata;
pub(crate) mod policy;
pub(crate) mod types;
pub(crate) mod update;

/// What the decisions need from the world: a time and some randomness.
#[derive(Clone, Debug)]
pub(crate) struct Moment {
    /// Now, as RFC 3339 with whole seconds.
    pub(crate) now: String,
    /// A new uid.
    pub(crate) uid: String,
    /// Five random characters for generated names.
    pub(crate) suffix: String,
}
