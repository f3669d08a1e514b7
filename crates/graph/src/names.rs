//! Names that authors give to nodes and iterators.

/// Words that mean something already, or may come to.
const RESERVED: &[&str] = &[
    "apiVersion",
    "as",
    "break",
    "const",
    "context",
    "continue",
    "dependencies",
    "dependency",
    "each",
    "else",
    "externalRef",
    "externalReference",
    "externalReferences",
    "externalRefs",
    "false",
    "for",
    "function",
    "graph",
    "if",
    "import",
    "in",
    "instance",
    "item",
    "items",
    "kind",
    "kro",
    "let",
    "loop",
    "metadata",
    "namespace",
    "null",
    "object",
    "package",
    "resource",
    "resourceGraphDefinition",
    "resourcegraphdefinition",
    "resources",
    "return",
    "root",
    "runtime",
    "schema",
    "self",
    "serviceAccountName",
    "spec",
    "status",
    "this",
    "true",
    "var",
    "variables",
    "vars",
    "version",
    "void",
    "while",
];

/// Why a name cannot be used, if it cannot.
pub(crate) fn complaint(name: &str) -> Option<(String, String)> {
    if !is_lower_camel_case(name) {
        let similar = lower_camel_case(name).unwrap_or_else(|| "webServer".to_owned());
        return Some((
            format!("{name:?} is not a lowerCamelCase word"),
            format!("write a word such as `{similar}`"),
        ));
    }
    let reserved = RESERVED.contains(&name);
    reserved.then(|| (format!("{name:?} is a reserved word"), "choose another name".to_owned()))
}

/// The name without what may not stand in it, if something is left that may be used.
fn lower_camel_case(name: &str) -> Option<String> {
    let mut words = name.split(|it: char| !it.is_ascii_alphanumeric()).filter(|it| !it.is_empty());
    let mut made = with_first(words.next()?, u8::to_ascii_lowercase);
    words.for_each(|word| made.push_str(&with_first(word, u8::to_ascii_uppercase)));
    Some(made).filter(|it| is_lower_camel_case(it) && !RESERVED.contains(&it.as_str()))
}

/// A word of ASCII letters and digits with its first letter changed.
fn with_first(word: &str, change: fn(&u8) -> u8) -> String {
    let mut characters = word.chars();
    let first = characters.next().and_then(|it| u8::try_from(it).ok()).map(|it| char::from(change(&it)));
    first.into_iter().chain(characters).collect()
}

fn is_lower_camel_case(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_words_are_sorted_and_refused() {
        assert!(RESERVED.is_sorted());
        for word in RESERVED {
            assert!(complaint(word).is_some_and(|it| it.0.contains("reserved")), "{word}");
        }
    }

    #[test]
    fn names_that_would_do() {
        let check = |name: &str, expect: Option<&str>| assert_eq!(lower_camel_case(name).as_deref(), expect);
        check("Web", Some("web"));
        check("web-server_2", Some("webServer2"));
        check("1a", None);
        check("Schema", None);
        check("ü", None);
    }

    #[test]
    fn shapes() {
        for (name, good) in
            [("web", true), ("webServer2", true), ("Web", false), ("web-server", false), ("", false)]
        {
            assert_eq!(complaint(name).is_none(), good, "{name}");
        }
    }
}
