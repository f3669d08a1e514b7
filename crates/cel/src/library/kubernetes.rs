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

/// `ip`, `isIP`, `ip.isCanonical` and what can be asked of an address.
pub fn ip() -> Library {
    super::network::ip()
}

/// `cidr`, `isCIDR` and what can be asked of a network.
pub fn cidr() -> Library {
    super::network::cidr()
}
