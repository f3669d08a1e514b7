//! Names that Kubernetes accepts, and its words for those it does not.

const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const LABEL_KEY: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

/// What is wrong with a name that becomes part of an address.
pub fn path_segment_complaints(name: &str, is_prefix: bool) -> Vec<String> {
    if !is_prefix && matches!(name, "." | "..") {
        return vec![format!("may not be '{name}'")];
    }
    let illegal = ["/", "%"].into_iter().filter(|part| name.contains(part));
    illegal.map(|part| format!("may not contain '{part}'")).collect()
}

/// What is wrong with a label of RFC 1123.
pub fn dns1123_label_complaint(text: &str) -> Option<String> {
    if text.len() > 63 {
        return Some("must be no more than 63 characters".to_owned());
    }
    if is_label(text) {
        None
    } else if text.split('.').all(is_label) {
        Some("must not contain dots".to_owned())
    } else {
        let rule = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', \
                    and must start and end with an alphanumeric character";
        Some(mismatch(rule, LABEL, &["my-name", "123-abc"]))
    }
}

/// What is wrong with a label of RFC 1035, which starts with a letter; several complaints are joined by commas.
pub(crate) fn dns1035_label_complaint(text: &str) -> Option<String> {
    let mut complaints = Vec::new();
    if text.len() > 63 {
        complaints.push("must be no more than 63 characters".to_owned());
    }
    if !is_label(text) || text.starts_with(|it: char| it.is_ascii_digit()) {
        let rule = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', \
                    start with an alphabetic character, and end with an alphanumeric character";
        complaints.push(mismatch(rule, "[a-z]([-a-z0-9]*[a-z0-9])?", &["my-name", "abc-123"]));
    }
    (!complaints.is_empty()).then(|| complaints.join(","))
}

/// What is wrong with the key of a label: an optional subdomain and `/`, then a name.
pub fn label_key_complaints(key: &str) -> Vec<String> {
    let rule = "must consist of alphanumeric characters, '-', '_' or '.', \
                and must start and end with an alphanumeric character";
    let rule = mismatch(rule, LABEL_KEY, &["MyName", "my.name", "123-abc"]);
    let parts: Vec<&str> = key.split('/').collect();
    let (prefix, name) = match parts.as_slice() {
        [name] => (None, *name),
        [prefix, name] => (Some(*prefix), *name),
        _ => {
            let hint = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
            return vec![format!("a valid label key {rule} {hint}")];
        }
    };
    let mut complaints: Vec<String> = prefix.map(prefix_complaints).unwrap_or_default();
    if name.is_empty() {
        complaints.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        complaints.push(format!("name part {}", too_long(63)));
    }
    if !is_label_key(name) {
        complaints.push(format!("name part {rule}"));
    }
    complaints
}

fn prefix_complaints(prefix: &str) -> Vec<String> {
    if prefix.is_empty() {
        return vec!["prefix part must be non-empty".to_owned()];
    }
    subdomain_complaints(prefix).into_iter().map(|it| format!("prefix part {it}")).collect()
}

/// What is wrong with a subdomain of RFC 1123.
pub fn subdomain_complaints(text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    if text.len() > 253 {
        complaints.push(too_long(253));
    }
    if !text.split('.').all(is_label) {
        let rule = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', \
                    and must start and end with an alphanumeric character";
        complaints.push(mismatch(rule, &format!("{LABEL}(\\.{LABEL})*"), &["example.com"]));
    }
    complaints
}

/// What is wrong with the value of a label, which may be empty.
pub fn label_value_complaints(value: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    if value.len() > 63 {
        complaints.push(too_long(63));
    }
    if !value.is_empty() && !is_label_key(value) {
        let rule = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', \
                    and must start and end with an alphanumeric character";
        complaints.push(mismatch(rule, &format!("({LABEL_KEY})?"), &["MyValue", "my_value", "12345"]));
    }
    complaints
}

fn is_label(text: &str) -> bool {
    let plain = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    has_shape(text, plain, |byte| plain(byte) || *byte == b'-')
}

fn is_label_key(text: &str) -> bool {
    let inner = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    has_shape(text, u8::is_ascii_alphanumeric, inner)
}

fn has_shape(text: &str, end: impl Fn(&u8) -> bool, inner: impl Fn(&u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(&end) && bytes.last().is_some_and(&end) && bytes.iter().all(inner)
}

fn too_long(limit: usize) -> String {
    format!("must be no more than {limit} bytes")
}

fn mismatch(rule: &str, pattern: &str, examples: &[&str]) -> String {
    let examples: Vec<String> = examples.iter().map(|example| format!("'{example}', ")).collect();
    format!("{rule} (e.g. {}regex used for validation is '{pattern}')", examples.join(" or "))
}
