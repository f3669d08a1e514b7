//! Markers as written: `required=true description="one \"word\""`.

use std::fmt;

use super::error::Problem;

/// A marker's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkerKind {
    /// `required`
    Required,
    /// `default`
    Default,
    /// `description`
    Description,
    /// `minimum`
    Minimum,
    /// `maximum`
    Maximum,
    /// `validation`
    Validation,
    /// `enum`
    Enum,
    /// `immutable`
    Immutable,
    /// `pattern`
    Pattern,
    /// `uniqueItems`
    UniqueItems,
    /// `minLength`
    MinLength,
    /// `maxLength`
    MaxLength,
    /// `minItems`
    MinItems,
    /// `maxItems`
    MaxItems,
    /// `listType`
    ListType,
    /// `listMapKey`
    ListMapKey,
}

impl MarkerKind {
    /// Every marker.
    pub const ALL: [Self; 16] = [
        Self::Required,
        Self::Default,
        Self::Description,
        Self::Minimum,
        Self::Maximum,
        Self::Validation,
        Self::Enum,
        Self::Immutable,
        Self::Pattern,
        Self::UniqueItems,
        Self::MinLength,
        Self::MaxLength,
        Self::MinItems,
        Self::MaxItems,
        Self::ListType,
        Self::ListMapKey,
    ];

    /// The name as written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::Default => "default",
            Self::Description => "description",
            Self::Minimum => "minimum",
            Self::Maximum => "maximum",
            Self::Validation => "validation",
            Self::Enum => "enum",
            Self::Immutable => "immutable",
            Self::Pattern => "pattern",
            Self::UniqueItems => "uniqueItems",
            Self::MinLength => "minLength",
            Self::MaxLength => "maxLength",
            Self::MinItems => "minItems",
            Self::MaxItems => "maxItems",
            Self::ListType => "listType",
            Self::ListMapKey => "listMapKey",
        }
    }

    pub(super) fn list() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}

impl fmt::Display for MarkerKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// One marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Marker {
    pub(super) kind: MarkerKind,
    pub(super) value: String,
}

/// Reads the markers; after a problem with one, the others are still read.
pub(super) fn parse(text: &str) -> (Vec<Marker>, Vec<Problem>) {
    let mut scanner = Scanner { rest: text.trim() };
    let (mut markers, mut problems) = (Vec::new(), Vec::new());
    if scanner.rest.is_empty() {
        problems.push(Problem::NoMarkers);
    }
    while !scanner.rest.is_empty() {
        match scanner.marker() {
            Ok(marker) => markers.push(marker),
            Err(problem) => problems.push(problem),
        }
        scanner.rest = scanner.rest.trim_start();
    }
    (markers, problems)
}

struct Scanner<'t> {
    rest: &'t str,
}

impl<'t> Scanner<'t> {
    fn marker(&mut self) -> Result<Marker, Problem> {
        let name = self.until(|character| character == '=' || character.is_whitespace());
        let after = self.rest.trim_start();
        let Some(value) = after.strip_prefix('=') else {
            return Err(Problem::BareMarker { word: name.to_owned() });
        };
        self.rest = value;
        let kind = MarkerKind::ALL.into_iter().find(|kind| kind.name() == name);
        let value = self.value(kind.unwrap_or(MarkerKind::Default));
        let kind = kind.ok_or_else(|| match name {
            "" => Problem::NamelessMarker,
            _ => Problem::UnknownMarker { name: name.to_owned() },
        })?;
        Ok(Marker { kind, value: value? })
    }

    fn until(&mut self, stop: impl Fn(char) -> bool) -> &'t str {
        let (taken, rest) = self.rest.split_at(self.rest.find(stop).unwrap_or(self.rest.len()));
        self.rest = rest;
        taken
    }

    /// A value ends at the first space outside quotes and brackets.
    fn value(&mut self, marker: MarkerKind) -> Result<String, Problem> {
        let (mut quoted, mut escaped, mut open) = (false, false, 0_usize);
        let mut end = self.rest.len();
        let mut unopened = false;
        for (position, character) in self.rest.char_indices() {
            match character {
                _ if escaped => escaped = false,
                '\\' if quoted => escaped = true,
                '"' => quoted = !quoted,
                _ if quoted => {}
                '{' | '[' => open += 1,
                '}' | ']' if open == 0 => unopened = true,
                '}' | ']' => open -= 1,
                _ if open == 0 && character.is_whitespace() => {
                    end = position;
                    break;
                }
                _ => {}
            }
        }
        let (value, rest) = self.rest.split_at(end);
        self.rest = rest;
        match (unopened, quoted, open) {
            (true, _, _) => Err(Problem::UnopenedBracket { marker }),
            (false, true, _) => Err(Problem::UnclosedQuote { marker }),
            (false, false, 1..) => Err(Problem::UnclosedBracket { marker }),
            (false, false, 0) => Ok(unquote(value)),
        }
    }
}

/// Quotes are taken off when they surround the whole value; inside them `\"` and `\\` are unescaped.
fn unquote(value: &str) -> String {
    let Some(inner) = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return value.to_owned();
    };
    let mut text = String::with_capacity(inner.len());
    let mut characters = inner.chars().peekable();
    while let Some(character) = characters.next() {
        let escapes = character == '\\' && matches!(characters.peek(), Some('"' | '\\'));
        text.push(if escapes { characters.next().unwrap_or(character) } else { character });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[(MarkerKind, &str)]) {
        let expect: Vec<Marker> =
            expect.iter().map(|(kind, value)| Marker { kind: *kind, value: (*value).to_owned() }).collect();
        assert_eq!(parse(text), (expect, Vec::new()), "{text}");
    }

    fn check_problems(text: &str, expect: &[Problem]) {
        assert_eq!(parse(text).1, expect, "{text}");
    }

    #[test]
    fn markers() {
        use MarkerKind::{Default, Description, MinLength, Pattern, Required};
        check("required=true", &[(Required, "true")]);
        check("required =true  ", &[(Required, "true")]);
        check(
            r#"required=true default=5 description="This is a description""#,
            &[(Required, "true"), (Default, "5"), (Description, "This is a description")],
        );
        check(
            r#"default={"key": "value"} description="A complex \"description\"" required=true"#,
            &[
                (Default, r#"{"key": "value"}"#),
                (Description, r#"A complex "description""#),
                (Required, "true"),
            ],
        );
        check(
            r#"default=["key": "value"] minLength=0"#,
            &[(Default, r#"["key": "value"]"#), (MinLength, "0")],
        );
        check(
            r#"description="a \n b\\c" default="\"q\"""#,
            &[(Description, r"a \n b\c"), (Default, r#""q""#)],
        );
        check(r#"pattern="^(foo|bar)\d{2,4}$""#, &[(Pattern, r"^(foo|bar)\d{2,4}$")]);
        check(r#"default="a"b"#, &[(Default, r#""a"b"#)]);
        check("default=", &[(Default, "")]);
        check("default=a=b", &[(Default, "a=b")]);
        check(r#"default={"a": "}"}"#, &[(Default, r#"{"a": "}"}"#)]);
    }

    #[test]
    fn problems() {
        let bare = |word: &str| Problem::BareMarker { word: word.to_owned() };
        let unknown = |name: &str| Problem::UnknownMarker { name: name.to_owned() };
        check_problems("", &[Problem::NoMarkers]);
        check_problems("optional", &[bare("optional")]);
        check_problems(r#"optional description="d" other"#, &[bare("optional"), bare("other")]);
        check_problems("required= true", &[bare("true")]);
        check_problems("=value", &[Problem::NamelessMarker]);
        check_problems("invalid=true also=1 required=true", &[unknown("invalid"), unknown("also")]);
        check_problems("min imum=3", &[bare("min"), unknown("imum")]);
        check_problems(r#"default=""#, &[Problem::UnclosedQuote { marker: MarkerKind::Default }]);
        check_problems(r#"default={"a": 1"#, &[Problem::UnclosedBracket { marker: MarkerKind::Default }]);
        check_problems("default=}", &[Problem::UnopenedBracket { marker: MarkerKind::Default }]);
    }
}
