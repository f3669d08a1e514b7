//! The custom resource definition that serves a schema.

mod definition;
mod inference;
mod instance;
mod plural;
mod status;

pub use definition::{
    CustomResourceDefinition, CustomResourceSpec, Metadata, Names, PrinterColumn, Scope, StatusSubresource,
    Subresources, Validation, Version,
};
pub use inference::Inference;
pub use instance::{InstanceSchema, InvalidInstanceSchema};
pub use plural::pluralize;
pub use status::{StatusError, StatusErrors, status_schema};
