//! Addresses as an HTTP request may have them.

use core::net::IpAddr;

/// An absolute address or an absolute path.
pub(super) fn is_request_uri(text: &str) -> bool {
    let control = text.bytes().any(|byte| byte < 0x20 || byte == 0x7f);
    if text.is_empty() || control {
        return false;
    }
    if text == "*" {
        return true;
    }
    let Some((scheme, rest)) = split_scheme(text) else { return false };
    let rest = rest.split('?').next().unwrap_or_default();
    if !rest.starts_with('/') {
        return !scheme.is_empty();
    }
    match rest.strip_prefix("//").filter(|_| !scheme.is_empty()) {
        None => is_escaped(rest, Part::Path),
        Some(rest) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            is_authority(authority, scheme) && is_escaped(path, Part::Path)
        }
    }
}

/// The scheme, empty if there is none; an address that starts with a colon has neither.
fn split_scheme(text: &str) -> Option<(&str, &str)> {
    for (position, character) in text.char_indices() {
        match character {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if position > 0 => {}
            ':' if position == 0 => return None,
            ':' => return Some((&text[..position], &text[position + 1..])),
            _ => break,
        }
    }
    Some(("", text))
}

fn is_authority(authority: &str, scheme: &str) -> bool {
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (user, host),
        None => ("", authority),
    };
    let user_character = |it: char| it.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(it);
    user.chars().all(user_character) && is_escaped(user, Part::User) && is_host(host, scheme)
}

fn is_host(host: &str, scheme: &str) -> bool {
    match host.rfind('[') {
        Some(0) => is_ip_literal(host),
        Some(_) => false,
        None => {
            let http = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
            let colon = if http { host.find(':') } else { host.rfind(':') };
            colon.is_none_or(|at| is_port(&host[at..])) && is_escaped(host, Part::Host)
        }
    }
}

/// `[fe80::1%25en0]:80`
fn is_ip_literal(host: &str) -> bool {
    let Some(end) = host.rfind(']') else { return false };
    let (inside, port) = (&host[1..end], &host[end + 1..]);
    let (address, zone) = inside.split_once("%25").unwrap_or((inside, ""));
    let zone_is_there = !inside.contains("%25") || !zone.is_empty();
    let version6 = matches!(address.parse::<IpAddr>(), Ok(IpAddr::V6(_)));
    is_port(port) && version6 && zone_is_there && is_escaped(zone, Part::Zone)
}

fn is_port(text: &str) -> bool {
    text.is_empty()
        || text.strip_prefix(':').is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Where escapes are allowed differs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Path,
    User,
    Host,
    Zone,
}

/// Every percent sign starts an escape, and a host has no characters that need one.
fn is_escaped(text: &str, part: Part) -> bool {
    let bytes = text.as_bytes();
    let mut position = 0;
    while position < bytes.len() {
        let byte = bytes[position];
        if byte == b'%' {
            let Some(value) = bytes.get(position + 1..position + 3).and_then(hexadecimal) else {
                return false;
            };
            if !is_allowed_escape(value, part) {
                return false;
            }
            position += 3;
            continue;
        }
        if matches!(part, Part::Host | Part::Zone) && byte < 0x80 && !is_host_byte(byte) {
            return false;
        }
        position += 1;
    }
    true
}

/// A host may escape only what is not ASCII; a zone only what a host could hold, a space, or a percent sign.
fn is_allowed_escape(value: u8, part: Part) -> bool {
    match part {
        Part::Path | Part::User => true,
        Part::Host => value >= 0x80,
        Part::Zone => matches!(value, b'%' | b' ') || value >= 0x80 || is_host_byte(value),
    }
}

fn is_host_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"".contains(&byte)
}

fn hexadecimal(digits: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(digits).ok()?;
    u8::from_str_radix(text, 16).ok().filter(|_| digits.iter().all(u8::is_ascii_hexdigit))
}
