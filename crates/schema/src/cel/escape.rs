//! Names of fields as Kubernetes lets rules write them: `self.__namespace__`, `self.x__dash__y`.

const RESERVED: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// The name of a field as a rule writes it; none when no rule can.
///
/// ```
/// use krono_schema::cel::escape;
/// assert_eq!(escape("x-y").as_deref(), Some("x__dash__y"));
/// assert_eq!(escape("namespace").as_deref(), Some("__namespace__"));
/// assert_eq!(escape("a b"), None);
/// ```
pub fn escape(name: &str) -> Option<String> {
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    if RESERVED.contains(&name) {
        return Some(format!("__{name}__"));
    }
    let mut escaped = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(next) = rest.chars().next() {
        let (taken, text) = match next {
            '_' if rest.starts_with("__") => (2, "__underscores__"),
            '.' => (1, "__dot__"),
            '-' => (1, "__dash__"),
            '/' => (1, "__slash__"),
            '_' | 'a'..='z' | 'A'..='Z' | '0'..='9' => (1, &rest[..1]),
            _ => return None,
        };
        escaped.push_str(text);
        rest = &rest[taken..];
    }
    Some(escaped)
}

/// The name of the field that a rule means; none when something looks like an escape and is not one.
pub fn unescape(escaped: &str) -> Option<String> {
    let whole = escaped.strip_prefix("__").and_then(|rest| rest.strip_suffix("__"));
    if let Some(word) = whole.filter(|word| RESERVED.contains(word)) {
        return Some(word.to_owned());
    }
    let mut name = String::with_capacity(escaped.len());
    let mut rest = escaped;
    while let Some((before, word, after)) = next_escape(rest) {
        name.push_str(before);
        name.push_str(match word {
            "underscores" => "__",
            "dot" => ".",
            "dash" => "-",
            "slash" => "/",
            _ => return None,
        });
        rest = after;
    }
    name.push_str(rest);
    Some(name)
}

/// The first `__word__` where the word has no underscore, with what is before and after it.
fn next_escape(text: &str) -> Option<(&str, &str, &str)> {
    text.match_indices("__").find_map(|(start, _)| {
        // Of more than two underscores in a row, the last two start the escape.
        let underscores = text[start..].len() - text[start..].trim_start_matches('_').len();
        let start = start + underscores - 2;
        let (word, rest) = text[start + 2..].split_once('_')?;
        let after = rest.strip_prefix('_').filter(|_| !word.is_empty())?;
        Some((&text[..start], word, after))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways() {
        let check = |name: &str, escaped: &str| {
            assert_eq!(escape(name).as_deref(), Some(escaped));
            assert_eq!(unescape(escaped).as_deref(), Some(name));
        };
        check("plain", "plain");
        check("with_one", "with_one");
        check("with__two", "with__underscores__two");
        check("a.b-c/d", "a__dot__b__dash__c__slash__d");
        check("in", "__in__");
        check("inside", "inside");
        for name in ["", "9a", "a b", "é"] {
            assert_eq!(escape(name), None, "{name}");
        }
        check("a_-", "a___dash__");
        assert_eq!(unescape("a__b").as_deref(), Some("a__b"));
        for escaped in ["a__nonsense__b", "x__in__"] {
            assert_eq!(unescape(escaped), None, "{escaped}");
        }
    }
}
