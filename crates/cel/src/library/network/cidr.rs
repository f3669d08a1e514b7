//! A network: an address and how many of its bits count.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::fmt;

use super::super::Dialect;
use super::Ip;
use super::ip::mapped;
use super::parse::{AddressError, parse_address};
use crate::quote::quoted;
use crate::types::Type;
use crate::value::Opaque;

/// An address and the length of its network prefix, such as `10.1.2.3/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cidr {
    address: IpAddr,
    prefix_length: u8,
}

/// Why a text is no network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{reason}", .context)]
pub struct ParseCidrError {
    context: String,
    reason: String,
}

impl Cidr {
    /// Reads `address/length`; zones and IPv4-mapped IPv6 addresses are refused.
    pub fn parse(text: &str, dialect: Dialect) -> Result<Self, ParseCidrError> {
        let parsed = parse_prefix(text).map_err(|reason| {
            let reason = format!("netip.ParsePrefix({}): {reason}", quoted(text));
            ParseCidrError { context: shape_context(text, dialect), reason }
        })?;
        if mapped(parsed.address).is_none() {
            return Ok(parsed);
        }
        let reason = format!("IPv4-mapped IPv6 address {} is not allowed", quoted(text));
        let context = match dialect {
            Dialect::Specification => "",
            Dialect::CelGo => "network address parse error during conversion from string: ",
        };
        Err(ParseCidrError { context: context.into(), reason })
    }

    /// The type of networks in expressions.
    pub fn cel_type() -> Type {
        Type::opaque("net.CIDR")
    }

    /// The address, with all its bits.
    pub fn address(&self) -> Ip {
        Ip(self.address)
    }

    /// How many bits of the address count.
    pub fn prefix_length(&self) -> u8 {
        self.prefix_length
    }

    /// The network with all bits of the address cleared that do not count.
    #[must_use]
    pub fn masked(&self) -> Self {
        Self { address: first_bits(self.address, self.prefix_length), ..*self }
    }

    /// Whether an address lies in the network.
    pub fn contains_address(&self, address: Ip) -> bool {
        self.address.is_ipv4() == address.0.is_ipv4()
            && first_bits(address.0, self.prefix_length) == self.masked().address
    }

    /// Whether a network lies in this one, or is the same.
    pub fn contains_network(&self, inner: Self) -> bool {
        self.prefix_length <= inner.prefix_length && self.contains_address(inner.address())
    }
}

/// Kubernetes says twice what failed.
fn shape_context(text: &str, dialect: Dialect) -> String {
    match dialect {
        Dialect::Specification => {
            format!("CIDR {} parse error during conversion from string: ", quoted(text))
        }
        Dialect::CelGo => "network address parse error during conversion from string: ".repeat(2),
    }
}

fn parse_prefix(text: &str) -> Result<Cidr, String> {
    let (address, length) = text.rsplit_once('/').ok_or("no '/'")?;
    let written = parse_address(address).map_err(|error: AddressError| error.to_string())?;
    if written.zone {
        return Err("IPv6 zones cannot be present in a prefix".into());
    }
    let well_formed = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
    if !well_formed || length.len() > 1 && length.starts_with('0') {
        return Err(format!("bad bits after slash: {}", quoted(length)));
    }
    let address = written.address;
    let longest = if address.is_ipv4() { 32 } else { 128 };
    match length.parse() {
        Ok(prefix_length) if prefix_length <= longest => Ok(Cidr { address, prefix_length }),
        Ok(_) | Err(_) => Err("prefix length out of range".into()),
    }
}

/// The address with all but its first bits cleared.
fn first_bits(address: IpAddr, count: u8) -> IpAddr {
    match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(count)).unwrap_or(0);
            Ipv4Addr::from_bits(address.to_bits() & mask).into()
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(count)).unwrap_or(0);
            Ipv6Addr::from_bits(address.to_bits() & mask).into()
        }
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix_length)
    }
}

impl Opaque for Cidr {
    fn type_of(&self) -> Type {
        Self::cel_type()
    }

    fn equals(&self, other: &dyn Opaque) -> bool {
        (other as &dyn std::any::Any).downcast_ref::<Self>().is_some_and(|other| self == other)
    }
}
