//! An IP address.

use core::net::IpAddr;
use std::fmt;

use super::super::Dialect;
use super::parse::{AddressError, Written, parse_address};
use crate::quote::quoted;
use crate::types::Type;
use crate::value::Opaque;

/// An IPv4 or IPv6 address, without zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ip(pub(super) IpAddr);

/// Why a text is no IP address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub enum ParseIpError {
    /// It has another shape.
    #[error("IP Address {} parse error during conversion from string: {reason}", quoted(.text))]
    Shape { text: String, reason: AddressError },
    /// It names a zone.
    #[error("IP address {} with zone value is not allowed", quoted(.text))]
    Zone { text: String },
    /// It is an IPv4 address in the form of an IPv6 address.
    #[error("IPv4-mapped IPv6 address {} is not allowed", quoted(.text))]
    Mapped { text: String },
}

impl Ip {
    /// Reads an address; leading zeros, zones and IPv4-mapped IPv6 addresses are refused.
    ///
    /// In the specification's dialect, an IPv4-mapped address is the IPv4 address if it has no dots.
    pub fn parse(text: &str, dialect: Dialect) -> Result<Self, ParseIpError> {
        let written =
            parse_address(text).map_err(|reason| ParseIpError::Shape { text: text.to_owned(), reason })?;
        let Written { address, zone } = written;
        if zone {
            return Err(ParseIpError::Zone { text: text.to_owned() });
        }
        match mapped(address) {
            None => Ok(Self(address)),
            Some(inner) if dialect == Dialect::Specification && !text.contains('.') => Ok(Self(inner)),
            Some(_) => Err(ParseIpError::Mapped { text: text.to_owned() }),
        }
    }

    /// The type of addresses in expressions.
    pub fn cel_type() -> Type {
        Type::opaque("net.IP")
    }

    /// 4 or 6.
    pub fn family(&self) -> i64 {
        if self.0.is_ipv4() { 4 } else { 6 }
    }

    /// Whether it is `0.0.0.0` or `::`.
    pub fn is_unspecified(&self) -> bool {
        self.0.is_unspecified()
    }

    /// Whether it is in `127.0.0.0/8`, or is `::1`.
    pub fn is_loopback(&self) -> bool {
        self.0.is_loopback()
    }

    /// Whether it is in `224.0.0.0/24` or `ff02::/16` (with any flags).
    pub fn is_link_local_multicast(&self) -> bool {
        match self.0 {
            IpAddr::V4(address) => matches!(address.octets(), [224, 0, 0, _]),
            IpAddr::V6(address) => address.segments()[0] & 0xff0f == 0xff02,
        }
    }

    /// Whether it is in `169.254.0.0/16` or `fe80::/10`.
    pub fn is_link_local_unicast(&self) -> bool {
        match self.0 {
            IpAddr::V4(address) => address.is_link_local(),
            IpAddr::V6(address) => address.is_unicast_link_local(),
        }
    }

    /// Whether it is none of the special addresses; private addresses count as global.
    pub fn is_global_unicast(&self) -> bool {
        let broadcast = matches!(self.0, IpAddr::V4(address) if address.is_broadcast());
        let special = self.is_unspecified() || self.is_loopback() || self.0.is_multicast();
        !(broadcast || special || self.is_link_local_unicast())
    }
}

/// The IPv4 address in an IPv4-mapped IPv6 address.
pub(super) fn mapped(address: IpAddr) -> Option<IpAddr> {
    match address {
        IpAddr::V4(_) => None,
        IpAddr::V6(address) => address.to_ipv4_mapped().map(IpAddr::V4),
    }
}

impl fmt::Display for Ip {
    /// The canonical form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Opaque for Ip {
    fn type_of(&self) -> Type {
        Self::cel_type()
    }

    fn equals(&self, other: &dyn Opaque) -> bool {
        (other as &dyn std::any::Any).downcast_ref::<Self>().is_some_and(|other| self == other)
    }
}
