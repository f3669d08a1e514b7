//! Schemas as types of CEL, and back.

mod escape;
mod from_type;
mod to_type;

pub use escape::{escape, unescape};
pub use from_type::schema_of_type;
pub use to_type::cel_type;
pub(crate) use to_type::rule_type;
