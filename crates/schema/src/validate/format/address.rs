//! Names and addresses of machines.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use regex::Regex;

pub(super) fn is_hostname(text: &str) -> bool {
    static HOSTNAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let (letter, inner) = (r"[a-zA-Z0-9\p{S}\p{L}]", r"[a-zA-Z0-9\-\p{S}\p{L}]");
        let single = format!("{letter}(?:(?:-?{letter}{{0,62}})?)");
        let label = format!(r"{letter}(?:(?:{inner}{{0,61}}{letter})?)\.");
        Regex::new(&format!(r"^(?:{single}|(?:{label})+(?:[a-zA-Z\p{{L}}]){{2,63}})$")).ok()
    });
    let matches = HOSTNAME.as_ref().is_some_and(|regex| regex.is_match(text));
    matches && text.len() <= 255 && text.split('.').all(|label| label.len() <= 63)
}

/// Lower-case letters, digits and inner dashes, at most 63 of them.
pub(super) fn is_short_name(text: &str) -> bool {
    text.len() <= 63 && is_label(text)
}

/// Short names of any length joined by dots, at most 253 characters.
pub(super) fn is_long_name(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(is_label)
}

fn is_label(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    !text.is_empty()
        && text.bytes().all(|byte| plain(byte) || byte == b'-')
        && !text.starts_with('-')
        && !text.ends_with('-')
}

pub(super) fn is_ipv4(text: &str) -> bool {
    text.contains('.') && parse_ip(text, LeadingZeros::Allowed).is_some()
}

pub(super) fn is_ipv6(text: &str) -> bool {
    text.contains(':') && parse_ip(text, LeadingZeros::Refused).is_some()
}

pub(super) fn is_cidr(text: &str) -> bool {
    let Some((address, prefix)) = text.split_once('/') else { return false };
    let digits = !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_digit());
    let limit = match parse_ip(address, LeadingZeros::Allowed) {
        Some(IpAddr::V4(_)) => 32,
        Some(IpAddr::V6(_)) => 128,
        None => return false,
    };
    digits && prefix.parse::<u32>().is_ok_and(|prefix| prefix <= limit)
}

/// Whether `010.0.0.1` is an address.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LeadingZeros {
    Allowed,
    Refused,
}

fn parse_ip(text: &str, zeros: LeadingZeros) -> Option<IpAddr> {
    if !text.contains(':') {
        return parse_ipv4(text, zeros).map(IpAddr::V4);
    }
    // An address may end in one of version 4, whose zeros are the only difference.
    match text.rsplit_once(':') {
        Some((head, tail)) if tail.contains('.') => {
            let tail = parse_ipv4(tail, zeros)?;
            format!("{head}:{tail}").parse::<Ipv6Addr>().ok().map(IpAddr::V6)
        }
        _ => text.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
    }
}

fn parse_ipv4(text: &str, zeros: LeadingZeros) -> Option<Ipv4Addr> {
    let mut octets = [0; 4];
    let mut parts = text.split('.');
    for octet in &mut octets {
        let part = parts.next()?;
        let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let padded = part.len() > 1 && part.starts_with('0');
        if !digits || padded && zeros == LeadingZeros::Refused {
            return None;
        }
        *octet = part
            .trim_start_matches('0')
            .parse()
            .or_else(|error| if part.bytes().all(|byte| byte == b'0') { Ok(0) } else { Err(error) })
            .ok()?;
    }
    parts.next().is_none().then(|| octets.into())
}

/// Six, eight or twenty bytes in hexadecimal: pairs joined by colons or dashes, or groups of four by dots.
pub(super) fn is_mac(text: &str) -> bool {
    let (separator, width) = match text.as_bytes() {
        [_, _, separator @ (b':' | b'-'), ..] => (char::from(*separator), 2),
        [_, _, _, _, b'.', ..] => ('.', 4),
        _ => return false,
    };
    let groups: Vec<&str> = text.split(separator).collect();
    let hexadecimal = |group: &&str| group.len() == width && group.bytes().all(|it| it.is_ascii_hexdigit());
    matches!(groups.len() * width / 2, 6 | 8 | 20) && groups.iter().all(hexadecimal)
}
