//! The expressions that definitions may hold.

use krono_cel::library::{self, Dialect, kubernetes};
use krono_cel::{Env, EnvBuilder};

/// An environment with the libraries that kro offers to definitions, and no variables yet.
pub(crate) fn environment() -> EnvBuilder {
    let libraries = [
        library::standard(),
        library::two_variable(),
        library::lists(),
        library::strings(Dialect::CelGo),
        library::bindings(),
        library::optionals(),
        library::encoders(),
        kubernetes::urls(),
        kubernetes::regex(),
        kubernetes::quantity(),
        kubernetes::ip(),
        kubernetes::cidr(),
        kubernetes::semver(),
    ];
    libraries.into_iter().fold(Env::builder(), EnvBuilder::library)
}
