//! Names, keys and values that Kubernetes accepts, and its words for those it does not.

const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const QUALIFIED: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

/// What is wrong with a name.
pub(super) type NameRule = fn(&str) -> Vec<String>;

/// A subdomain of RFC 1123.
pub(crate) fn subdomain(text: &str) -> Vec<String> {
    let rule = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', \
                and must start and end with an alphanumeric character";
    let fits = text.split('.').all(is_label);
    let mismatch = || mismatch(rule, &format!("{LABEL}(\\.{LABEL})*"), &["example.com"]);
    characters(text, 253).into_iter().chain((!fits).then(mismatch)).collect()
}

/// The host of an Ingress: a subdomain, or one below `*.`.
pub(super) fn host(text: &str) -> Vec<String> {
    if !text.contains('*') {
        return subdomain(text);
    }
    let rule = "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must \
                consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
    let fits = text.strip_prefix("*.").is_some_and(|rest| rest.split('.').all(is_label));
    let mismatch = || mismatch(rule, &format!("\\*\\.{LABEL}(\\.{LABEL})*"), &["*.example.com"]);
    characters(text, 253).into_iter().chain((!fits).then(mismatch)).collect()
}

/// A label of RFC 1123.
pub(crate) fn label(text: &str) -> Vec<String> {
    let rule = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', \
                and must start and end with an alphanumeric character";
    let shape = if is_label(text) {
        None
    } else if text.split('.').all(is_label) {
        Some("must not contain dots".to_owned())
    } else {
        Some(mismatch(rule, LABEL, &["my-name", "123-abc"]))
    };
    characters(text, 63).into_iter().chain(shape).collect()
}

/// A label of RFC 1035, which starts with a letter.
pub(crate) fn dns1035_label(text: &str) -> Vec<String> {
    let rule = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', \
                start with an alphabetic character, and end with an alphanumeric character";
    let fits = is_label(text) && !text.starts_with(|it: char| it.is_ascii_digit());
    let mismatch = || mismatch(rule, "[a-z]([-a-z0-9]*[a-z0-9])?", &["my-name", "abc-123"]);
    characters(text, 63).into_iter().chain((!fits).then(mismatch)).collect()
}

/// A part of a URL path, which is all that names of roles must be.
pub(super) fn path_segment(text: &str) -> Vec<String> {
    if matches!(text, "." | "..") {
        return vec![format!("may not be '{text}'")];
    }
    let illegal = ["/", "%"].into_iter().filter(|part| text.contains(part));
    illegal.map(|part| format!("may not contain '{part}'")).collect()
}

/// The key of a label or annotation: an optional subdomain and `/`, then a name.
pub(crate) fn qualified(key: &str) -> Vec<String> {
    let rule = "must consist of alphanumeric characters, '-', '_' or '.', \
                and must start and end with an alphanumeric character";
    let rule = mismatch(rule, QUALIFIED, &["MyName", "my.name", "123-abc"]);
    let (prefix, name) = match key.split('/').collect::<Vec<_>>().as_slice() {
        [name] => (None, *name),
        [prefix, name] => (Some(*prefix), *name),
        _ => {
            let hint = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
            return vec![format!("a valid label key {rule} {hint}")];
        }
    };
    let mut complaints = prefix.map(prefix_complaints).unwrap_or_default();
    if name.is_empty() {
        complaints.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        complaints.push("name part must be no more than 63 bytes".to_owned());
    }
    if !is_qualified(name) {
        complaints.push(format!("name part {rule}"));
    }
    complaints
}

fn prefix_complaints(prefix: &str) -> Vec<String> {
    if prefix.is_empty() {
        return vec!["prefix part must be non-empty".to_owned()];
    }
    let bytes =
        |complaint: String| complaint.replace("no more than 253 characters", "no more than 253 bytes");
    subdomain(prefix).into_iter().map(|it| format!("prefix part {}", bytes(it))).collect()
}

/// The value of a label, which may be empty.
pub(crate) fn label_value(value: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    if value.len() > 63 {
        complaints.push("must be no more than 63 bytes".to_owned());
    }
    if !value.is_empty() && !is_qualified(value) {
        let rule = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', \
                    and must start and end with an alphanumeric character";
        complaints.push(mismatch(rule, &format!("({QUALIFIED})?"), &["MyValue", "my_value", "12345"]));
    }
    complaints
}

/// The key of an entry of a `ConfigMap` or Secret.
pub(super) fn config_key(key: &str) -> Vec<String> {
    let rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let fits = !key.is_empty() && key.bytes().all(inner);
    let mismatch = || mismatch(rule, "[-._a-zA-Z0-9]+", &["key.name", "KEY_NAME", "key-name"]);
    let up = match key {
        "." => Some("must not be '.'".to_owned()),
        ".." => Some("must not be '..'".to_owned()),
        _ if key.starts_with("..") => Some("must not start with '..'".to_owned()),
        _ => None,
    };
    characters(key, 253).into_iter().chain((!fits).then(mismatch)).chain(up).collect()
}

/// The name of an environment variable.
pub(super) fn variable(name: &str) -> Vec<String> {
    let printable = |it: char| it.is_ascii() && !it.is_ascii_control() && it != '=';
    let complaint =
        "a valid environment variable name must consist only of printable ASCII characters other than '='";
    if name.chars().all(printable) { Vec::new() } else { vec![complaint.to_owned()] }
}

/// The number of a port.
pub(crate) fn port_number(port: i64) -> Vec<String> {
    if (1..=65535).contains(&port) {
        Vec::new()
    } else {
        vec!["must be between 1 and 65535, inclusive".to_owned()]
    }
}

/// The name of a port.
pub(super) fn port_name(name: &str) -> Vec<String> {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let rules = [
        (name.len() <= 15, "must be no more than 15 characters"),
        (
            !name.is_empty() && name.bytes().all(allowed),
            "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
        ),
        (name.bytes().any(|byte| byte.is_ascii_lowercase()), "must contain at least one letter (a-z)"),
        (!name.contains("--"), "must not contain consecutive hyphens"),
        (!name.starts_with('-') && !name.ends_with('-'), "must not begin or end with a hyphen"),
    ];
    rules.into_iter().filter(|(holds, _)| !holds).map(|(_, complaint)| complaint.to_owned()).collect()
}

/// A percentage.
pub(super) fn percent(text: &str) -> Vec<String> {
    let digits = text.strip_suffix('%').unwrap_or_default();
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Vec::new();
    }
    let rule = "a valid percent string must be a numeric string followed by an ending '%'";
    vec![mismatch(rule, "[0-9]+%", &["1%", "93%"])]
}

fn characters(text: &str, limit: usize) -> Option<String> {
    (text.len() > limit).then(|| format!("must be no more than {limit} characters"))
}

fn is_label(text: &str) -> bool {
    let plain = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    has_shape(text, plain, |byte| plain(byte) || *byte == b'-')
}

fn is_qualified(text: &str) -> bool {
    let inner = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    has_shape(text, u8::is_ascii_alphanumeric, inner)
}

fn has_shape(text: &str, end: impl Fn(&u8) -> bool, inner: impl Fn(&u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(&end) && bytes.last().is_some_and(&end) && bytes.iter().all(inner)
}

fn mismatch(rule: &str, pattern: &str, examples: &[&str]) -> String {
    let examples: Vec<String> = examples.iter().map(|example| format!("'{example}', ")).collect();
    format!("{rule} (e.g. {}regex used for validation is '{pattern}')", examples.join(" or "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rule: NameRule, text: &str, expect: &[&str]) {
        assert_eq!(rule(text), expect, "{text}");
    }

    #[test]
    fn names() {
        check(subdomain, "a.b-c.1", &[]);
        check(label, "a.b", &["must not contain dots"]);
        check(
            label,
            "A",
            &["a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', \
               and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', \
               regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"],
        );
        check(path_segment, "system:node", &[]);
        check(path_segment, "a/b", &["may not contain '/'"]);
        check(port_name, "http", &[]);
        check(port_name, "8080", &["must contain at least one letter (a-z)"]);
        check(config_key, "..", &["must not be '..'"]);
        check(qualified, "example.com/name", &[]);
        check(qualified, "/name", &["prefix part must be non-empty"]);
        check(percent, "25%", &[]);
        check(variable, "A.b-c", &[]);
        assert_eq!(label(&"a".repeat(64)), ["must be no more than 63 characters"]);
        assert_eq!(dns1035_label("1a").len(), 1);
        assert_eq!(label_value("-").len(), 1);
    }
}
