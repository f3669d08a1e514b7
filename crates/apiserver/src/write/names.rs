//! Which names objects may have.

use crate::kind::Kind;

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', \
     and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is \
     '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start \
     and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
     '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
     character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is \
     '[a-z]([-a-z0-9]*[a-z0-9])?')";

/// What is wrong with the name of an object of this kind.
pub(crate) fn name_complaints(kind: &Kind, name: &str) -> Vec<String> {
    match (&*kind.group, &*kind.kind) {
        ("", "Namespace") => label(name),
        ("", "Service") => label_1035(name),
        ("rbac.authorization.k8s.io", _) => path_segment(name),
        _ => subdomain(name),
    }
}

fn too_long(name: &str, longest: usize) -> Option<String> {
    (name.len() > longest).then(|| format!("must be no more than {longest} bytes"))
}

fn subdomain(name: &str) -> Vec<String> {
    let shaped = name.split('.').all(is_label);
    let shape = (!shaped).then(|| SUBDOMAIN.to_owned());
    too_long(name, 253).into_iter().chain(shape).collect()
}

fn label(name: &str) -> Vec<String> {
    let shape = (!is_label(name)).then(|| LABEL.to_owned());
    too_long(name, 63).into_iter().chain(shape).collect()
}

fn label_1035(name: &str) -> Vec<String> {
    let shaped = is_label(name) && name.starts_with(|first: char| first.is_ascii_lowercase());
    let shape = (!shaped).then(|| LABEL_1035.to_owned());
    too_long(name, 63).into_iter().chain(shape).collect()
}

fn path_segment(name: &str) -> Vec<String> {
    if name == "." || name == ".." {
        return vec![format!("may not be '{name}'")];
    }
    let bad = ['/', '%'].into_iter().filter(|bad| name.contains(*bad));
    bad.map(|bad| format!("may not contain '{bad}'")).collect()
}

fn is_label(text: &str) -> bool {
    let end = |byte: Option<&u8>| byte.is_some_and(|it| it.is_ascii_lowercase() || it.is_ascii_digit());
    let bytes = text.as_bytes();
    end(bytes.first())
        && end(bytes.last())
        && bytes.iter().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || *it == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes() {
        for good in ["a", "a-b", "a.b", "1", "a.1-b.c"] {
            assert!(subdomain(good).is_empty(), "{good}");
        }
        for bad in ["", "A", "-a", "a-", "a..b", "a_b", ".a", "é"] {
            assert!(!subdomain(bad).is_empty(), "{bad}");
        }
        assert!(!label("a.b").is_empty());
        assert!(!label_1035("1a").is_empty());
        assert!(path_segment("system:node").is_empty());
        assert_eq!(path_segment("a/b%"), ["may not contain '/'", "may not contain '%'"]);
        assert!(!label(&"a".repeat(64)).is_empty());
    }
}
