//! `name=file` and `name=json`.

use std::str::FromStr;

use serde_json::Value;

use crate::document::Source;

/// Words that CEL does not take for names; `self` and type names may be declared.
const RESERVED: &[&str] = &[
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "namespace",
    "null",
    "package",
    "return",
    "true",
    "var",
    "void",
    "while",
];

/// A variable's name and the file that says something about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedSource {
    pub(crate) name: String,
    pub(crate) source: Source,
}

/// A variable's name and its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NamedValue {
    pub(crate) name: String,
    pub(crate) value: Value,
}

impl FromStr for NamedSource {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        let (name, file) = named(written, "FILE")?;
        if file.is_empty() {
            return Err("expected a file after `=`".to_owned());
        }
        let Ok(source) = file.parse();
        Ok(Self { name, source })
    }
}

impl FromStr for NamedValue {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        let (name, json) = named(written, "JSON")?;
        let value = serde_json::from_str(json).map_err(|error| {
            let advice = if is_identifier(json) {
                format!("; text stands in quotes: '{name}=\"{json}\"'")
            } else {
                String::new()
            };
            format!("what follows `{name}=` is not JSON: {error}{advice}")
        })?;
        Ok(Self { name, value })
    }
}

fn named<'w>(written: &'w str, what: &str) -> Result<(String, &'w str), String> {
    let (name, rest) = written.split_once('=').ok_or_else(|| format!("expected NAME={what}"))?;
    if !is_identifier(name) {
        return Err(format!("`{name}` is not a name; expected a letter or `_`, then letters, digits or `_`"));
    }
    if RESERVED.contains(&name) {
        return Err(format!("`{name}` is a word of CEL itself; choose another name"));
    }
    Ok((name.to_owned(), rest))
}

fn is_identifier(name: &str) -> bool {
    let ordinary = |it: char| it.is_ascii_alphanumeric() || it == '_';
    name.chars().all(ordinary) && name.starts_with(|it: char| !it.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_name_an_equals_sign_and_a_file() {
        let parse = |written: &str| written.parse::<NamedSource>();
        let parsed = parse("app=a=b.json").unwrap();
        assert_eq!((parsed.name.as_str(), parsed.source), ("app", Source::File("a=b.json".into())));
        assert_eq!(parse("app=-").unwrap().source, Source::Stdin);
        for wrong in ["app", "=a.json", "1a=a.json", "a.b=c.json", "app=", "namespace=a.json"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_name_an_equals_sign_and_json() {
        let check = |written: &str, expected: Result<Value, &str>| {
            let parsed = written.parse::<NamedValue>();
            assert_eq!(parsed.map(|it| it.value), expected.map_err(str::to_owned), "{written}");
        };
        check("a={\"b\": [1]}", Ok(json!({"b": [1]})));
        check("a=\"x=y\"", Ok(json!("x=y")));
        check(
            "a=web",
            Err(
                "what follows `a=` is not JSON: expected value at line 1 column 1; text stands in quotes: 'a=\"web\"'",
            ),
        );
        check("a=", Err("what follows `a=` is not JSON: EOF while parsing a value at line 1 column 0"));
    }
}
