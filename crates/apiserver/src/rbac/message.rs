//! What a refused user is told.

use super::{Attributes, Target, User};

/// The message of the 403 status, such as
/// `pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"`.
pub fn forbidden_message(user: &User, attributes: &Attributes<'_>, reason: &str) -> String {
    let refusal = sanitized(&refusal(user, attributes));
    let refusal = if reason.is_empty() { refusal } else { format!("{refusal}: {reason}") };
    let Target::Resource(target) = attributes.target else { return format!("forbidden: {refusal}") };
    let dot = if target.group.is_empty() { "" } else { "." };
    let resource = format!("{}{dot}{}", target.resource, target.group);
    match target.name {
        "" => format!("{resource} is forbidden: {refusal}"),
        name => format!("{resource} {} is forbidden: {refusal}", quoted(name)),
    }
}

fn refusal(user: &User, attributes: &Attributes<'_>) -> String {
    let (user, verb) = (quoted(&user.name), attributes.verb);
    let target = match attributes.target {
        Target::Path(path) => return format!("User {user} cannot {verb} path {}", quoted(path)),
        Target::Resource(target) => target,
    };
    let slash = if target.subresource.is_empty() { "" } else { "/" };
    let resource = quoted(&format!("{}{slash}{}", target.resource, target.subresource));
    let place = match target.namespace {
        "" => "at the cluster scope".to_owned(),
        namespace => format!("in the namespace {}", quoted(namespace)),
    };
    format!("User {user} cannot {verb} resource {resource} in API group {} {place}", quoted(target.group))
}

/// Keeps browsers from taking the message for HTML.
fn sanitized(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// In quotes, with control characters escaped as Go does.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            it if it.is_ascii_control() => quoted.extend(hexadecimal(it)),
            it => quoted.push(it),
        }
    }
    quoted.push('"');
    quoted
}

fn hexadecimal(control: char) -> [char; 4] {
    let digit = |nibble: u32| char::from_digit(nibble & 15, 16).unwrap_or('0');
    let code = u32::from(control);
    ['\\', 'x', digit(code >> 4), digit(code)]
}

/// A list in brackets.
pub(super) fn quoted_list<'t>(list: impl IntoIterator<Item = &'t str>) -> String {
    let items: Vec<_> = list.into_iter().map(quoted).collect();
    format!("[{}]", items.join(" "))
}
