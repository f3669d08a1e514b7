//! Reading addresses, with the messages of Go's `netip`.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::fmt;

use crate::quote::quoted;

/// An address as written.
pub(in super::super) struct Written {
    pub(in super::super) address: IpAddr,
    /// A zone was named behind a percent sign.
    pub(in super::super) zone: bool,
}

/// What is wrong with an address, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressError {
    text: String,
    message: &'static str,
    at: String,
}

impl std::error::Error for AddressError {}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ParseAddr({}): {}", quoted(&self.text), self.message)?;
        if self.at.is_empty() { Ok(()) } else { write!(f, " (at {})", quoted(&self.at)) }
    }
}

/// A message and the rest of the text at which it arose; empty where that is not told.
type Fault<'t> = (&'static str, &'t str);

pub(in super::super) fn parse_address(text: &str) -> Result<Written, AddressError> {
    let parsed = match text.bytes().find(|byte| b".:%".contains(byte)) {
        Some(b'.') => {
            ipv4(text).map(|octets| Written { address: Ipv4Addr::from(octets).into(), zone: false })
        }
        Some(b':') => ipv6_with_zone(text),
        Some(_) => Err(("missing IPv6 address", "")),
        None => Err(("unable to parse IP", "")),
    };
    parsed.map_err(|(message, at)| AddressError { text: text.to_owned(), message, at: at.to_owned() })
}

fn ipv4(text: &str) -> Result<[u8; 4], Fault<'_>> {
    let mut octets = [0; 4];
    let mut place = 0;
    let mut value = 0_u32;
    let mut digits = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'0'..=b'9' if digits == 1 && value == 0 => {
                return Err(("IPv4 field has octet with leading zero", ""));
            }
            b'0'..=b'9' => {
                value = value * 10 + u32::from(byte - b'0');
                digits += 1;
                octets[place] = u8::try_from(value).map_err(|_| ("IPv4 field has value >255", ""))?;
            }
            b'.' if digits == 0 || at + 1 == text.len() => {
                return Err(("IPv4 field must have at least one digit", &text[at..]));
            }
            b'.' if place == 3 => return Err(("IPv4 address too long", "")),
            b'.' => (place, value, digits) = (place + 1, 0, 0),
            _ => return Err(("unexpected character", &text[at..])),
        }
    }
    if place < 3 { Err(("IPv4 address too short", "")) } else { Ok(octets) }
}

fn ipv6_with_zone(text: &str) -> Result<Written, Fault<'_>> {
    let (address, zone) = text.split_once('%').map_or((text, None), |(address, zone)| (address, Some(zone)));
    if zone == Some("") {
        return Err(("zone must be a non-empty string", ""));
    }
    Ok(Written { address: IpAddr::V6(ipv6(address)?), zone: zone.is_some() })
}

fn ipv6(text: &str) -> Result<Ipv6Addr, Fault<'_>> {
    let mut groups = Groups::default();
    let mut rest = text;
    if let Some(behind) = text.strip_prefix("::") {
        groups.gap = Some(0);
        rest = behind;
    }
    while !rest.is_empty() && groups.count < 8 {
        rest = groups.read(rest)?;
    }
    if !rest.is_empty() {
        return Err(("trailing garbage after address", rest));
    }
    groups.finish()
}

/// The 16-bit groups of an IPv6 address read so far.
#[derive(Default)]
struct Groups {
    values: [u16; 8],
    count: usize,
    /// Where `::` stands.
    gap: Option<usize>,
}

impl Groups {
    /// Reads one group and the colons behind it, or an IPv4 address at the end.
    fn read<'t>(&mut self, text: &'t str) -> Result<&'t str, Fault<'t>> {
        let digits = text.bytes().take_while(u8::is_ascii_hexdigit).count();
        if digits > 4 {
            return Err(("each group must have 4 or less digits", text));
        }
        let (group, rest) = text.split_at(digits);
        let Ok(value) = u16::from_str_radix(group, 16) else {
            return Err(("each colon-separated field must have at least one digit", text));
        };
        if rest.starts_with('.') {
            return self.read_ipv4(text);
        }
        self.push(value);
        self.read_colons(rest)
    }

    fn read_colons<'t>(&mut self, text: &'t str) -> Result<&'t str, Fault<'t>> {
        if text.is_empty() {
            return Ok(text);
        }
        let behind = text.strip_prefix(':').ok_or(("unexpected character, want colon", text))?;
        if behind.is_empty() {
            return Err(("colon must be followed by more characters", text));
        }
        let Some(behind_gap) = behind.strip_prefix(':') else { return Ok(behind) };
        if self.gap.replace(self.count).is_some() {
            return Err(("multiple :: in address", behind));
        }
        Ok(behind_gap)
    }

    fn read_ipv4<'t>(&mut self, text: &'t str) -> Result<&'t str, Fault<'t>> {
        if self.gap.is_none() && self.count != 6 {
            return Err(("embedded IPv4 address must replace the final 2 fields of the address", text));
        }
        if self.count > 6 {
            return Err(("too many hex fields to fit an embedded IPv4 at the end of the address", text));
        }
        let [a, b, c, d] = ipv4(text)?;
        self.push(u16::from_be_bytes([a, b]));
        self.push(u16::from_be_bytes([c, d]));
        Ok("")
    }

    fn push(&mut self, value: u16) {
        if let Some(place) = self.values.get_mut(self.count) {
            *place = value;
            self.count += 1;
        }
    }

    fn finish(mut self) -> Result<Ipv6Addr, Fault<'static>> {
        match self.gap {
            None if self.count < 8 => return Err(("address string too short", "")),
            Some(_) if self.count == 8 => {
                return Err(("the :: must expand to at least one field of zeros", ""));
            }
            Some(gap) => self.values[gap..].rotate_right(8 - self.count),
            None => {}
        }
        Ok(Ipv6Addr::from(self.values))
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
