//! Names and labels of Kubernetes objects. The words are those of the API server.

use std::borrow::Cow;

const DNS1123_LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const DNS1123_SUBDOMAIN: &str = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const DNS1035_LABEL: &str = "[a-z]([-a-z0-9]*[a-z0-9])?";
const LABEL_KEY: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_VALUE: &str = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";

pub(super) fn dns1123_label(text: &str) -> Vec<String> {
    let mut problems = too_long(text, 63, "characters");
    if !is_dns1123_label(text) {
        problems.push(if is_dns1123_subdomain(text) {
            "must not contain dots".into()
        } else {
            let rule = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', \
                        and must start and end with an alphanumeric character";
            mismatch(rule, DNS1123_LABEL, &["my-name", "123-abc"])
        });
    }
    problems
}

pub(super) fn dns1123_subdomain(text: &str) -> Vec<String> {
    subdomain(text, "characters")
}

fn subdomain(text: &str, unit: &str) -> Vec<String> {
    let mut problems = too_long(text, 253, unit);
    if !is_dns1123_subdomain(text) {
        let rule = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', \
                    and must start and end with an alphanumeric character";
        problems.push(mismatch(rule, DNS1123_SUBDOMAIN, &["example.com"]));
    }
    problems
}

pub(super) fn dns1035_label(text: &str) -> Vec<String> {
    let mut problems = too_long(text, 63, "characters");
    if !(is_dns1123_label(text) && text.starts_with(|c: char| c.is_ascii_lowercase())) {
        let rule = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', \
                    start with an alphabetic character, and end with an alphanumeric character";
        problems.push(mismatch(rule, DNS1035_LABEL, &["my-name", "abc-123"]));
    }
    problems
}

pub(super) fn qualified_name(text: &str) -> Vec<String> {
    const RULE: &str = "must consist of alphanumeric characters, '-', '_' or '.', \
                        and must start and end with an alphanumeric character";
    let rule = mismatch(RULE, LABEL_KEY, &["MyName", "my.name", "123-abc"]);
    let parts: Vec<&str> = text.split('/').collect();
    let (mut problems, name) = match parts[..] {
        [name] => (Vec::new(), name),
        ["", name] => (vec!["prefix part must be non-empty".into()], name),
        [prefix, name] => {
            let problems = subdomain(prefix, "bytes").iter().map(|it| format!("prefix part {it}")).collect();
            (problems, name)
        }
        _ => {
            let more = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
            return vec![format!("a valid label key {rule} {more}")];
        }
    };
    if name.is_empty() {
        problems.push("name part must be non-empty".into());
    }
    problems.extend(too_long(name, 63, "bytes").iter().map(|it| format!("name part {it}")));
    if !is_label(name) {
        problems.push(format!("name part {rule}"));
    }
    problems
}

pub(super) fn label_value(text: &str) -> Vec<String> {
    let mut problems = too_long(text, 63, "bytes");
    if !(text.is_empty() || is_label(text)) {
        let rule = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', \
                    and must start and end with an alphanumeric character";
        problems.push(mismatch(rule, LABEL_VALUE, &["MyValue", "my_value", "12345"]));
    }
    problems
}

/// The text as it would be once something is appended to it: a final dash is allowed.
pub(super) fn as_prefix(text: &str) -> Cow<'_, str> {
    match text.strip_suffix('-').map(|rest| (rest, rest.char_indices().next_back())) {
        Some((rest, Some((last, _)))) => Cow::Owned(format!("{}a", &rest[..last])),
        _ => Cow::Borrowed(text),
    }
}

fn too_long(text: &str, most: usize, unit: &str) -> Vec<String> {
    if text.len() > most { vec![format!("must be no more than {most} {unit}")] } else { Vec::new() }
}

fn mismatch(rule: &str, pattern: &str, examples: &[&str]) -> String {
    let examples: Vec<String> = examples.iter().map(|it| format!("'{it}', ")).collect();
    format!("{rule} (e.g. {}regex used for validation is '{pattern}')", examples.join(" or "))
}

fn is_dns1123_subdomain(text: &str) -> bool {
    text.split('.').all(is_dns1123_label)
}

fn is_dns1123_label(text: &str) -> bool {
    let alphanumeric = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    starts_and_ends(text, alphanumeric) && text.bytes().all(|byte| alphanumeric(byte) || byte == b'-')
}

fn is_label(text: &str) -> bool {
    let alphanumeric = |byte: u8| byte.is_ascii_alphanumeric();
    starts_and_ends(text, alphanumeric)
        && text.bytes().all(|byte| alphanumeric(byte) || b"-_.".contains(&byte))
}

fn starts_and_ends(text: &str, with: impl Fn(u8) -> bool) -> bool {
    text.bytes().next().is_some_and(&with) && text.bytes().next_back().is_some_and(with)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_valid_or_say_why_not() {
        let check = |problems: fn(&str) -> Vec<String>, text: &str, expect: &[&str]| {
            assert_eq!(problems(text), expect, "{text}");
        };
        let label = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
        check(dns1123_label, "my-label-name", &[]);
        check(dns1123_label, "1", &[]);
        check(dns1123_label, "contains a space", &[label]);
        check(dns1123_label, "-a", &[label]);
        check(dns1123_label, "", &[label]);
        check(dns1123_label, "a.b", &["must not contain dots"]);
        check(dns1123_label, &"a".repeat(64), &["must be no more than 63 characters"]);
        check(dns1123_subdomain, "apiextensions.k8s.io", &[]);
        let subdomain = r"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
        check(dns1123_subdomain, "a..b", &[subdomain]);
        check(dns1035_label, "abc-123", &[]);
        let dns1035 = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
        check(dns1035_label, "1abc", &[dns1035]);
    }

    #[test]
    fn labels_are_valid_or_say_why_not() {
        let check = |problems: fn(&str) -> Vec<String>, text: &str, expect: &[&str]| {
            assert_eq!(problems(text), expect, "{text}");
        };
        let rule = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
        check(qualified_name, "apiextensions.k8s.io/v1beta1", &[]);
        check(qualified_name, "my.name", &[]);
        check(qualified_name, "contains a space", &[&format!("name part {rule}")]);
        check(qualified_name, "/a", &["prefix part must be non-empty"]);
        check(qualified_name, "a/", &["name part must be non-empty", &format!("name part {rule}")]);
        check(qualified_name, &format!("a/{}", "b".repeat(64)), &["name part must be no more than 63 bytes"]);
        let shape = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
        check(qualified_name, "a/b/c", &[&format!("a valid label key {rule} {shape}")]);
        check(label_value, "", &[]);
        check(label_value, "my-cool-label-Value", &[]);
        let value = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
        check(label_value, "a!", &[value]);
    }

    #[test]
    fn prefixes_may_end_with_a_dash() {
        let check = |text: &str, expect: &str| assert_eq!(as_prefix(text), expect);
        check("my-label-prefix-", "my-label-prefia");
        check("mysubdomain.prefix.-", "mysubdomain.prefixa");
        check("-", "-");
        check("a-", "a");
        check("abc", "abc");
        check("é-", "a");
    }
}
