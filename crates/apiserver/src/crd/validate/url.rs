//! Where a webhook is found.

use krono_schema::FieldError;

use crate::builtin::names::subdomain;
use crate::write::metadata::{invalid, required};

const FORM: &str = "; desired format: https://host[/path]";

/// Checks the address of a webhook.
pub(super) fn check(path: &str, url: &str, errors: &mut Vec<FieldError>) {
    let parts = match Parts::parse(url) {
        Ok(parts) => parts,
        Err(why) => {
            let detail = format!("url must be a valid URL: parse {url:?}: {why}{FORM}");
            return errors.push(required(path, &detail));
        }
    };
    if parts.scheme != "https" {
        let detail = format!("'https' is the only allowed URL scheme{FORM}");
        errors.push(invalid(path, parts.scheme, detail));
    }
    if parts.host.is_empty() {
        errors.push(invalid(path, "", format!("host must be specified{FORM}")));
    }
    let rest = [
        (parts.user, "user information is not permitted in the URL"),
        (parts.fragment, "fragments are not permitted in the URL"),
        (parts.query, "query parameters are not permitted in the URL"),
    ];
    for (value, detail) in rest {
        errors.extend(value.filter(|it| !it.is_empty()).map(|value| invalid(path, value, detail)));
    }
}

/// Checks the path of a webhook behind a service.
pub(super) fn check_path(path: &str, text: &str, errors: &mut Vec<FieldError>) {
    if matches!(text, "" | "/") {
        return;
    }
    if text == "//" {
        return errors.push(invalid(path, text, "segment[0] may not be empty"));
    }
    if !text.starts_with('/') {
        errors.push(invalid(path, text, "must start with a '/'"));
    }
    // The first character is taken for the slash whatever it is.
    let rest: String = text.chars().skip(1).collect();
    for (index, step) in rest.strip_suffix('/').unwrap_or(&rest).split('/').enumerate() {
        if step.is_empty() {
            errors.push(invalid(path, text, format!("segment[{index}] may not be empty")));
        } else {
            let complaints = subdomain(step).into_iter();
            errors.extend(complaints.map(|it| invalid(path, text, format!("segment[{index}]: {it}"))));
        }
    }
}

struct Parts<'u> {
    scheme: &'u str,
    user: Option<&'u str>,
    host: &'u str,
    query: Option<&'u str>,
    fragment: Option<&'u str>,
}

impl<'u> Parts<'u> {
    fn parse(url: &'u str) -> Result<Self, &'static str> {
        if url.chars().any(|it| it.is_ascii_control()) {
            return Err("net/url: invalid control character in URL");
        }
        let (rest, fragment) = split(url, '#');
        let (scheme, rest) = scheme(rest)?;
        let (rest, query) = split(rest, '?');
        let authority = rest.strip_prefix("//").map_or("", |rest| split(rest, '/').0);
        let (user, host) = match authority.rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, authority),
        };
        if host.starts_with('[') && !host.contains(']') {
            return Err("missing ']' in host");
        }
        Ok(Self { scheme, user, host, query, fragment })
    }
}

fn scheme(text: &str) -> Result<(&str, &str), &'static str> {
    let is_inner = |it: char| it.is_ascii_alphanumeric() || matches!(it, '+' | '-' | '.');
    let Some(end) = text.find(|it: char| !is_inner(it)) else { return Ok(("", text)) };
    if !text[end..].starts_with(':') {
        return Ok(("", text));
    }
    match text.chars().next() {
        Some(':') => Err("missing protocol scheme"),
        Some(first) if first.is_ascii_alphabetic() => Ok((&text[..end], &text[end + 1..])),
        _ => Err("first path segment in URL cannot contain colon"),
    }
}

fn split(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at).map_or((text, None), |(before, after)| (before, Some(after)))
}
