//! Function libraries that environments are composed of.

mod arguments;
mod pattern;
mod standard;
mod strings;
#[cfg(test)]
mod testing;
mod wrappers;

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
