//! Server-side apply: an object shared by managers who each own some of its fields.
//!
//! [`apply`] merges a configuration into an object and hands its fields to the manager who applied it; [`update`]
//! notes who changed what when an object was changed in any other way. Both keep `metadata.managedFields`.

mod applying;
mod changes;
mod conflict;
mod endpoint;
mod error;
mod field_set;
mod fields_v1;
mod last_applied;
mod managers;
mod object;
mod object_type;
mod order;
mod path;
mod prune;
mod scale;
#[cfg(test)]
mod tests;
mod timestamp;
mod typed;
mod updater;
mod updating;
mod versions;

pub use applying::{Applier, apply};
pub use changes::{CompareError, Comparison, changes};
pub use conflict::{Conflict, Conflicts};
pub use endpoint::Endpoint;
pub use error::{ApplyError, UpdateError};
pub use field_set::FieldSet;
pub use fields_v1::FieldsV1Error;
pub use last_applied::LAST_APPLIED;
pub use managers::cap::MAX_UPDATE_MANAGERS;
pub use managers::times::keep_times;
pub use managers::{ManagedFieldsError, Operation, validate as validate_managed_fields};
pub use object_type::{ObjectType, TypeError};
pub use path::{KeyField, PathElement};
pub use scale::ReplicasPaths;
pub use timestamp::{InvalidTimestamp, Timestamp};
pub use typed::validate::Mistakes;
pub use updating::update;
pub use versions::{ConversionFailed, SameShape, Version, Versions};
