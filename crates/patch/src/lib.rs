//! How an object changes: JSON, merge and strategic merge patches, and server-side apply.
//!
//! Functions from values to values with the semantics and the words of the Kubernetes API server.
//! Pure: no clock, no randomness, no files, no network. Nothing here panics on any input.

#![cfg_attr(test, allow(clippy::needless_pass_by_value, reason = "tables of `json!` values read better"))]

pub mod apply;
mod depth;
mod go_value;
pub mod json;
pub mod merge;
pub mod strategic;

pub use depth::{MAX_DEPTH, TooDeep};
