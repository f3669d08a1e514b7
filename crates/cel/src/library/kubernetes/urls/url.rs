//! URLs as Go's `net/url` takes them apart.

use std::collections::BTreeMap;
use std::fmt;

use super::super::super::network::parse_address;
use super::escape::{Part, escape, is_encoded, unescape};
use crate::quote::quoted;

/// More parameters than this are not looked at.
const MAX_QUERY_PARAMETERS: usize = 10_000;

/// An absolute URL, or an absolute path.
#[derive(Clone, Debug)]
pub struct Url {
    scheme: String,
    host: String,
    escaped_path: String,
    raw_query: String,
    /// The whole URL, written in one way; two URLs are equal when these are.
    canonical: String,
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.canonical)
    }
}

/// Why a text is no URL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("URL parse error during conversion from string: parse {}: {reason}", quoted(.text))]
pub struct ParseUrlError {
    text: String,
    reason: String,
}

impl Url {
    /// Reads an absolute URL or an absolute path.
    pub fn parse(text: &str) -> Result<Self, ParseUrlError> {
        let failed = |text: &str, reason| ParseUrlError { text: text.to_owned(), reason };
        Parts::parse(text, Strictness::Request).map_err(|reason| failed(text, reason))?;
        // A request has no fragment, so only the lenient reading knows how to cut it off.
        let (address, fragment) = text.split_once('#').unwrap_or((text, ""));
        let parts = Parts::parse(address, Strictness::Reference).map_err(|reason| failed(address, reason))?;
        let plain_fragment = unescape(fragment, Part::Fragment).map_err(|reason| failed(text, reason))?;
        Ok(parts.finish(&escaped(fragment, &plain_fragment, Part::Fragment)))
    }

    /// Whether [`Url::parse`] would take the text.
    pub fn is_url(text: &str) -> bool {
        Parts::parse(text, Strictness::Request).is_ok()
    }

    /// Why the text is no URL, if it is none.
    pub(in super::super) fn problem(text: &str) -> Option<String> {
        let reason = Parts::parse(text, Strictness::Request).err()?;
        Some(format!("parse {}: {reason}", quoted(text)))
    }

    /// The scheme in lower case, or nothing.
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// The host with the port, if there is one.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The host without port and without the brackets around an IPv6 address.
    pub fn hostname(&self) -> &str {
        let host = self.split_host().0;
        host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
    }

    /// The port, or nothing.
    pub fn port(&self) -> &str {
        self.split_host().1
    }

    fn split_host(&self) -> (&str, &str) {
        match self.host.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (host, port),
            _ => (&self.host, ""),
        }
    }

    /// The path, percent-encoded.
    pub fn escaped_path(&self) -> &str {
        &self.escaped_path
    }

    /// The parameters by name; those that are not well encoded are left out.
    pub fn query(&self) -> BTreeMap<String, Vec<String>> {
        let mut values = BTreeMap::<_, Vec<_>>::new();
        if self.raw_query.matches('&').count() >= MAX_QUERY_PARAMETERS {
            return values;
        }
        for parameter in self.raw_query.split('&').filter(|it| !it.is_empty() && !it.contains(';')) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            if let (Ok(name), Ok(value)) = (unescape(name, Part::Query), unescape(value, Part::Query)) {
                values.entry(lossy(&name)).or_default().push(lossy(&value));
            }
        }
        values
    }
}

impl PartialEq for Url {
    fn eq(&self, other: &Self) -> bool {
        self.canonical == other.canonical
    }
}

impl Eq for Url {}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The encoded text as it was written, if that is well encoded, else as [`escape`] does it.
fn escaped(written: &str, plain: &[u8], part: Part) -> String {
    if is_encoded(written, part) { written.to_owned() } else { escape(plain, part) }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Strictness {
    /// As on the first line of an HTTP request: absolute.
    Request,
    /// As in a document: may be relative.
    Reference,
}

/// A URL without its fragment, taken apart.
#[derive(Default)]
struct Parts {
    scheme: String,
    /// What follows the scheme, when that does not start with a slash.
    opaque: String,
    user: Option<String>,
    host: Vec<u8>,
    has_authority: bool,
    escaped_path: String,
    raw_query: String,
    has_query_mark: bool,
}

impl Parts {
    fn parse(text: &str, strictness: Strictness) -> Result<Self, String> {
        if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
            return Err("net/url: invalid control character in URL".into());
        }
        if text.is_empty() && strictness == Strictness::Request {
            return Err("empty url".into());
        }
        if text == "*" {
            return Ok(Self { escaped_path: "*".into(), ..Self::default() });
        }
        let (scheme, rest) = split_scheme(text)?;
        let (rest, query) = rest.split_once('?').map_or((rest, None), |(rest, query)| (rest, Some(query)));
        let parts = Self {
            scheme: scheme.to_ascii_lowercase(),
            raw_query: query.unwrap_or_default().to_owned(),
            has_query_mark: query.is_some(),
            ..Self::default()
        };
        parts.with_hierarchy(rest, strictness)
    }

    fn with_hierarchy(mut self, rest: &str, strictness: Strictness) -> Result<Self, String> {
        if !rest.starts_with('/') {
            if !self.scheme.is_empty() {
                return Ok(Self { opaque: rest.to_owned(), ..self });
            }
            check_relative(rest, strictness)?;
        }
        let may_have_authority =
            !self.scheme.is_empty() || strictness == Strictness::Reference && !rest.starts_with("///");
        let path = match rest.strip_prefix("//") {
            Some(behind) if may_have_authority => {
                let (authority, path) = behind.split_at(behind.find('/').unwrap_or(behind.len()));
                (self.user, self.host) = parse_authority(&self.scheme, authority)?;
                self.has_authority = true;
                path
            }
            _ => rest,
        };
        let plain = unescape(path, Part::Path)?;
        self.escaped_path = escaped(path, &plain, Part::Path);
        Ok(self)
    }

    fn finish(self, fragment: &str) -> Url {
        let canonical = self.canonical(fragment);
        let Self { scheme, host, escaped_path, raw_query, .. } = self;
        Url { scheme, host: lossy(&host), escaped_path, raw_query, canonical }
    }

    fn canonical(&self, fragment: &str) -> String {
        let mut text = String::new();
        if !self.scheme.is_empty() {
            text.extend([&self.scheme, ":"]);
        }
        if self.opaque.is_empty() {
            self.push_hierarchy(&mut text);
        } else {
            text.push_str(&self.opaque);
        }
        if self.has_query_mark {
            text.extend(["?", &self.raw_query]);
        }
        if !fragment.is_empty() {
            text.extend(["#", fragment]);
        }
        text
    }

    fn push_hierarchy(&self, text: &mut String) {
        let named = !self.host.is_empty() || self.user.is_some();
        if self.has_authority && (named || !self.escaped_path.is_empty()) {
            text.push_str("//");
        }
        if let Some(user) = &self.user {
            text.extend([user, "@"]);
        }
        text.push_str(&escape(&self.host, Part::Host));
        text.push_str(&self.escaped_path);
    }
}

/// The scheme before the first colon, or nothing when the text does not start with one.
fn split_scheme(text: &str) -> Result<(&str, &str), String> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c)));
    let (scheme, rest) = text.split_at(end.unwrap_or(text.len()));
    match rest.strip_prefix(':') {
        Some(_) if scheme.is_empty() => Err("missing protocol scheme".into()),
        Some(rest) if scheme.starts_with(|c: char| c.is_ascii_alphabetic()) => Ok((scheme, rest)),
        _ => Ok(("", text)),
    }
}

fn check_relative(path: &str, strictness: Strictness) -> Result<(), String> {
    let first_segment = path.split('/').next().unwrap_or_default();
    match strictness {
        Strictness::Request => Err("invalid URI for request".into()),
        Strictness::Reference if first_segment.contains(':') => {
            Err("first path segment in URL cannot contain colon".into())
        }
        Strictness::Reference => Ok(()),
    }
}

/// User and password as written in the canonical form, and the host.
fn parse_authority(scheme: &str, authority: &str) -> Result<(Option<String>, Vec<u8>), String> {
    let Some((user, host)) = authority.rsplit_once('@') else {
        return Ok((None, parse_host(scheme, authority)?));
    };
    let host = parse_host(scheme, host)?;
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c);
    if !user.chars().all(allowed) {
        return Err("net/url: invalid userinfo".into());
    }
    let parts: Result<Vec<String>, String> = user
        .splitn(2, ':')
        .map(|part| unescape(part, Part::UserInfo).map(|plain| escape(&plain, Part::UserInfo)))
        .collect();
    Ok((Some(parts?.join(":")), host))
}

fn parse_host(scheme: &str, host: &str) -> Result<Vec<u8>, String> {
    match host.rfind('[') {
        Some(0) => return parse_ip_literal(host),
        Some(_) => return Err("invalid IP-literal".into()),
        None => {}
    }
    // Lists of hosts with ports are in use in the URLs of databases.
    let strict = matches!(scheme, "http" | "https");
    if let Some(colon) = if strict { host.find(':') } else { host.rfind(':') } {
        check_port(&host[colon..])?;
    }
    unescape(host, Part::Host)
}

/// `[address]`, `[address]:port`, `[address%25zone]:port`.
fn parse_ip_literal(host: &str) -> Result<Vec<u8>, String> {
    let close = host.rfind(']').ok_or("missing ']' in host")?;
    let (address, port) = (&host[1..close], &host[close + 1..]);
    check_port(port)?;
    let (address, zone) = address.split_at(address.find("%25").unwrap_or(address.len()));
    let mut plain = unescape(address, Part::Host)?;
    plain.extend(unescape(zone, Part::Zone)?);
    let parsed = parse_address(&lossy(&plain)).map_err(|error| format!("invalid host: {error}"))?;
    if parsed.address.is_ipv4() {
        return Err("invalid IP-literal".into());
    }
    Ok([b"[", plain.as_slice(), b"]", port.as_bytes()].concat())
}

fn check_port(port: &str) -> Result<(), String> {
    let valid = port.is_empty()
        || port.strip_prefix(':').is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    if valid { Ok(()) } else { Err(format!("invalid port {} after host", quoted(port))) }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
