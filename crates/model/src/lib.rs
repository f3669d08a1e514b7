//! What definitions, instances and resources look like on the wire.
//!
//! Pure: no clock, no randomness, no files, no network. Nothing here decides anything, and nothing panics on any input.

pub mod applyset;
pub mod condition;
pub mod crd;
pub mod definition;
pub mod instance;
pub mod label;
pub mod metadata;
pub mod names;
mod object;
pub mod wire;
