//! Revisions of whatever has a lineage: definitions, and later compositions, inputs of instances and type instances.
//!
//! Content has an identity ([`digest`]), a lineage has numbers ([`number`]) and names ([`names`]); what nothing needs any longer
//! is given up in two steps ([`retention`]); two revisions are compared field by field ([`diff`]); [`issue`] decides
//! what a lineage needs next; and [`input`] is the lineage of what one instance asks for.
//!
//! Pure: no clock, no randomness, no files, no network; nothing panics on any input. A number is never issued twice, not even
//! after the newest revision was deleted. Nothing here knows whether instances are well, or in which order they move.

pub mod answered;
pub mod canonical;
pub mod content;
pub mod diff;
pub mod digest;
mod excerpt;
pub mod hold;
pub mod import;
pub mod input;
pub mod issue;
pub mod names;
pub mod number;
pub mod retention;
pub mod revision;
pub mod rollback;
pub mod witness;
pub mod writer;

pub use digest::Digest;
pub use excerpt::excerpt;
pub use number::RevisionNumber;
pub use revision::{Lineage, Revision};
