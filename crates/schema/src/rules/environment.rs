//! What rules may use.

use std::sync::LazyLock;

use krono_cel::library::{self, kubernetes};
use krono_cel::{Env, EnvBuilder, Type};

/// The environment of rules on values of type `ty`: what the API server offers, `self` and `oldSelf`.
pub(super) fn rule_environment(ty: &Type, old: Type) -> Env {
    static BASE: LazyLock<Env> = LazyLock::new(base);
    BASE.extend().variable("self", ty.clone()).variable("oldSelf", old).build()
}

fn base() -> Env {
    let libraries = [
        library::standard(),
        library::wrappers(),
        library::two_variable(),
        library::lists(),
        kubernetes::strings(),
        library::sets(),
        library::optionals(),
        kubernetes::lists(),
        kubernetes::urls(),
        kubernetes::regex(),
        kubernetes::quantity(),
        kubernetes::ip(),
        kubernetes::cidr(),
        kubernetes::format(),
        kubernetes::semver(),
    ];
    let builder = libraries.into_iter().fold(Env::builder(), EnvBuilder::library);
    builder.mixed_comparisons(true).homogeneous_literals(true).validate_literals(true).build()
}
