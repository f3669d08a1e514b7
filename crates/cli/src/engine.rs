//! The expressions that definitions may hold.

use krono_cel::EnvBuilder;
use krono_cel::library::kro;

/// An environment with all that some place of a definition may use, and no variables yet.
pub(crate) fn environment() -> EnvBuilder {
    kro::environment().library(kro::runtime()).library(kro::omit())
}
