//! Structural `OpenAPI` schemas as Kubernetes understands them.
//!
//! Pure: no clock, no randomness, no files, no network. Nothing here panics on any input.

pub mod crd;
mod definitions;
mod error;
pub mod go_text;
mod path;
mod pattern;
mod schema;
pub mod simple;

pub use definitions::{Definitions, MAX_SCHEMA_NODES, ResolveError};
pub use error::{BadValue, ErrorKind, FieldError};
pub use schema::read::{InvalidSchema, MAX_SCHEMA_DEPTH};
pub use schema::{
    AdditionalProperties, ExternalDocs, ListType, MapType, Reason, Schema, SchemaType, ValidationRule,
};
