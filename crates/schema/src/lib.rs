//! Structural `OpenAPI` schemas as Kubernetes understands them.
//!
//! Pure: no clock, no randomness, no files, no network. Nothing here panics on any input.

pub mod cel;
pub mod compatibility;
pub mod crd;
mod default;
mod definitions;
mod error;
pub mod go_text;
mod metadata;
mod path;
mod prune;
mod rules;
mod schema;
pub mod selector;
pub mod simple;
pub mod structural;
mod union;
mod validate;

pub use default::{default, drop_nulls, empty_null_texts};
pub use definitions::{Definitions, MAX_SCHEMA_NODES, ResolveError};
pub use error::{BadValue, ErrorKind, FieldError};
pub use metadata::{cluster_object_meta, names, object_meta};
pub use path::Path;
pub use prune::{prune, prune_object, unknown_field};
pub use schema::read::{InvalidSchema, MAX_SCHEMA_DEPTH};
pub use schema::{
    AdditionalProperties, ExternalDocs, ListType, MapType, Reason, Schema, SchemaType, ValidationRule,
};
pub use union::union;
pub use validate::Validator;
