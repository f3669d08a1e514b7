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
pub(crate) fn complaint(name: &str) -> Option<String> {
    if !is_lower_camel_case(name) {
        return Some(format!("{name:?} is not a lowerCamelCase word such as `webServer`"));
    }
    RESERVED.contains(&name).then(|| format!("{name:?} is a reserved word; choose another name"))
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
            assert!(complaint(word).is_some_and(|it| it.contains("reserved")), "{word}");
        }
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
