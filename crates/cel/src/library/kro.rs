//! kro's own function libraries.

mod hash;
mod json;
mod lists;
mod maps;
mod omit;
mod random;
mod runtime;

pub use hash::hash;
pub use json::json;
pub use lists::lists;
pub use maps::maps;
pub use omit::{Omit, omit};
pub use random::random;
pub use runtime::{condition_type, runtime};

use std::sync::LazyLock;

use super::kubernetes;
use crate::env::{Env, EnvBuilder};

/// What kro's expressions may use, before any variable: standard CEL with its extensions, Kubernetes' libraries and kro's own.
///
/// [`omit`] and [`runtime`] are left to the places that give them a meaning.
///
/// ```
/// use krono_cel::library::kro;
///
/// let env = kro::environment().build();
/// assert!(env.compile("quantity('1Gi').isGreaterThan(quantity('500Mi'))").is_ok());
/// ```
pub fn environment() -> EnvBuilder {
    static ENVIRONMENT: LazyLock<Env> = LazyLock::new(|| libraries().build());
    ENVIRONMENT.extend()
}

fn libraries() -> EnvBuilder {
    let libraries = [
        super::standard(),
        super::wrappers(),
        super::two_variable(),
        super::lists(),
        super::strings(super::Dialect::CelGo),
        super::bindings(),
        super::optionals(),
        super::encoders(),
        kubernetes::lists(),
        kubernetes::urls(),
        kubernetes::regex(),
        kubernetes::quantity(),
        kubernetes::ip(),
        kubernetes::cidr(),
        kubernetes::semver(),
        random(),
        maps(),
        json(),
        hash(),
        lists(),
    ];
    libraries.into_iter().fold(Env::builder(), EnvBuilder::library)
}
