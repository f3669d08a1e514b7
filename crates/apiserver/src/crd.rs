//! Custom resource definitions: what they say, whether they are sound, what they add to what is served.

mod approval;
mod definition;
mod inspection;
mod rules;
mod serve;
mod status;
mod validate;

pub(crate) use definition::{Conversion, Definition};
pub use inspection::complaints;
pub(crate) use rules::{default, prepare_new, prepare_update};
pub(crate) use serve::resources;
pub(crate) use status::{Condition, set_condition, with_status};
pub(crate) use validate::{name_complaint, validate};

/// Held by a definition until its objects are gone.
pub(crate) const CLEANUP_FINALIZER: &str = "customresourcecleanup.apiextensions.k8s.io";
/// What the keys of definitions begin with.
pub(crate) const PREFIX: &str = "apiextensions.k8s.io/customresourcedefinitions/";
