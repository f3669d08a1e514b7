//! Function libraries that environments are composed of.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a function takes one or two kinds of value and refuses all others alike"
)]

mod arguments;
mod encoders;
mod json;
pub mod kro;
pub mod kubernetes;
mod lists;
mod math;
mod network;
mod optionals;
mod pattern;
mod sets;
mod standard;
mod strings;
#[cfg(test)]
mod testing;
mod wrappers;

pub use encoders::encoders;
pub use lists::lists;
pub use math::math;
pub use network::{Cidr, Ip, ParseCidrError, ParseIpError, network};
pub use optionals::optionals;
pub(crate) use optionals::{OR, OR_VALUE};
pub use pattern::{Pattern, PatternError};
pub use sets::sets;
pub use standard::standard;
pub use strings::strings;
pub use wrappers::wrappers;

use arguments::arity;

use crate::function::Library;
use crate::macros;

/// `cel.bind(name, value, body)`.
pub fn bindings() -> Library {
    Library::new().with_macros(macros::BINDINGS)
}

/// Comprehensions with two variables: `all`, `exists`, `existsOne`, `transformList`, `transformMap`, `transformMapEntry`.
pub fn two_variable() -> Library {
    Library::new().with_macros(macros::TWO_VARIABLE)
}

/// `cel.block`, `cel.index` and the names that optimisers give to what they take out of an expression.
pub fn block() -> Library {
    Library::new().with_macros(macros::BLOCK)
}

/// Whose reading counts where the CEL specification and cel-go disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The specification's, as its conformance tests have it.
    Specification,
    /// That of cel-go and the libraries Kubernetes builds on it.
    CelGo,
}
