//! The function libraries of the Kubernetes API server.

mod format;
mod lists;
mod quantity;
mod regex;
mod semver;
mod urls;

pub use format::{NamedFormat, format};
pub use lists::lists;
pub use quantity::{ParseQuantityError, Quantity, quantity};
pub use regex::regex;
pub use semver::{ParseSemverError, Semver, semver};
pub use urls::{ParseUrlError, Url, urls};

use crate::function::Library;

/// cel-go's `strings` extension in version 2, which the API server has stayed with: no `reverse`, and an older `format`, which
/// writes `["a", "b"]` for a list and refuses a number of another type than its clause.
pub fn strings() -> Library {
    super::strings::version_2()
}

/// `ip`, `isIP`, `ip.isCanonical` and what can be asked of an address.
pub fn ip() -> Library {
    super::network::ip()
}

/// `cidr`, `isCIDR` and what can be asked of a network.
pub fn cidr() -> Library {
    super::network::cidr()
}
