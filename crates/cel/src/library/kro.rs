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

use super::{Dialect, bindings, encoders, kubernetes, optionals, standard, strings, two_variable, wrappers};
use crate::function::Library;

/// All libraries that expressions of kro may use, in kro's order.
///
/// ```
/// use krono_cel::{Env, EnvBuilder, library};
///
/// let env = library::kro::libraries().into_iter().fold(Env::builder(), EnvBuilder::library).build();
/// let program = env.compile("random.seededString(5, 'seed') + string(quantity('1Gi').asInteger())")?;
/// assert_eq!(program.eval(&env.bindings())?.as_str(), Some("qakd41073741824"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn libraries() -> Vec<Library> {
    vec![
        standard(),
        wrappers(),
        two_variable(),
        super::lists(),
        strings(Dialect::CelGo),
        bindings(),
        optionals(),
        encoders(),
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
        omit(),
        runtime(),
    ]
}
