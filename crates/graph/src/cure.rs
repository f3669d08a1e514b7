//! What to do about what other crates found wrong, where their messages do not say it.

/// A message and what to do about it: what follows a semicolon, or else what is known to help.
pub(crate) fn of(text: &str) -> (&str, String) {
    match text.split_once("; ") {
        Some((message, advice)) => (message, advice.to_owned()),
        None => (text, by_message(text)),
    }
}

const CONDITION: &str = "write ${runtime.newCondition({type: \"…\", status: \"True\"})}";

/// How messages begin or end, and the cure.
const CURES: &[(&str, &str)] = &[
    (
        "expected a map with kind and apiVersion",
        "write `schema:`, and below it `kind: WebApp` and `apiVersion: v1alpha1`",
    ),
    ("such as WebApp", "begin it with a capital letter, and use only letters and digits"),
    ("such as kro.run", "write lower case letters, digits, `-` and dots, such as `platform.acme.io`"),
    ("such as v1alpha1", "write v1alpha1, v1beta1 or v1; the group is a field of its own, `group`"),
    ("expected `Namespaced` or `Cluster`", "write one of these, with a capital letter"),
    (
        "expected a type such as",
        "write the type, such as `integer`; a value stands behind it, `integer | default=3`",
    ),
    ("expected a map of fields", "write a name and an expression for each field, `endpoint: ${…}`"),
    ("expected one expression", CONDITION),
    ("expected a list of expressions", CONDITION),
    ("expected a string", "write it as text"),
    (
        "is not a regular expression",
        "close every bracket; a backslash in the quotes of a marker is written twice",
    ),
];

fn by_message(message: &str) -> String {
    let known = CURES.iter().find(|(part, _)| message.contains(part));
    known.map_or_else(|| by_marker(message), |(_, cure)| (*cure).to_owned())
}

/// From `required="yes" is not true or false`.
fn by_marker(message: &str) -> String {
    let marker = message.split_once('=').map(|(marker, _)| marker);
    match (marker, message.split_once(" is not ")) {
        (Some(marker), Some((_, expected))) => format!("write {expected} behind `{marker}=`"),
        _ => "compare with the definitions in the guide".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_and_cures() {
        let check = |text: &str, expect: (&str, &str)| {
            let (message, advice) = of(text);
            assert_eq!((message, advice.as_str()), expect);
        };
        check("unknown type; write another", ("unknown type", "write another"));
        check(
            "required=\"yes\" is not true or false",
            ("required=\"yes\" is not true or false", "write true or false behind `required=`"),
        );
    }
}
