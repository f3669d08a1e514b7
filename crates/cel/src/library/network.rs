//! IP addresses and networks: `ip("10.0.0.1")`, `cidr("10.0.0.0/8")`.

mod cidr;
mod cidr_functions;
mod ip;
mod ip_functions;
mod parse;

pub use cidr::{Cidr, ParseCidrError};
pub use ip::{Ip, ParseIpError};

pub(super) use parse::parse_address;

use super::Dialect;
use crate::function::Library;
use crate::types::Type::Bool;
use crate::value::Val;

/// The network functions of the CEL specification.
pub fn network() -> Library {
    let library = ip_functions::add_to(Library::new(), Dialect::Specification);
    let is_mask = cidr_functions::answer("cidr_is_mask", Bool, |it| Val::Bool(it.masked() == *it));
    cidr_functions::add_to(library, Dialect::Specification).function("isMask", [is_mask])
}

/// `ip`, `isIP` and what can be asked of an address, as Kubernetes has them.
pub(super) fn ip() -> Library {
    ip_functions::add_to(Library::new(), Dialect::CelGo)
}

/// `cidr`, `isCIDR` and what can be asked of a network, as Kubernetes has them.
pub(super) fn cidr() -> Library {
    cidr_functions::add_to(Library::new(), Dialect::CelGo)
}
