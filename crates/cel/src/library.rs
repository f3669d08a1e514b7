//! Function libraries that environments are composed of.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a function takes one or two kinds of value and refuses all others alike"
)]

mod arguments;
pub mod kubernetes;
mod lists;
mod math;
mod network;
mod pattern;
mod sets;
mod standard;
mod strings;
#[cfg(test)]
mod testing;
mod wrappers;

pub use lists::lists;
pub use math::math;
pub use network::{Cidr, Ip, ParseCidrError, ParseIpError, network};
pub use sets::sets;
pub use standard::standard;
pub use strings::strings;
pub use wrappers::wrappers;

use arguments::arity;

/// Whose reading counts where the CEL specification and cel-go disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The specification's, as its conformance tests have it.
    Specification,
    /// That of cel-go and the libraries Kubernetes builds on it.
    CelGo,
}
