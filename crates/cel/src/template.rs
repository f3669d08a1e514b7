//! Text in which expressions stand, each between `${` and `}`.

use thiserror::Error;

use crate::lexer::{Lexer, TokenKind};

const OPENING: &str = "${";

/// What a text is, by the expressions in it.
///
/// The end of an expression is found by reading its tokens, so braces in strings, of any quotes, do not close it.
/// `${"${NAME}"}` is the way to write `${NAME}` itself.
///
/// ```
/// use krono_cel::{Placed, Segment, Template};
///
/// assert_eq!(Template::parse("plain")?, Template::Literal);
/// assert_eq!(Template::parse("${a + '}'}")?, Template::Expression(Placed { source: "a + '}'", at: 2 }));
/// let mixed = vec![Segment::Text("web-"), Segment::Expression(Placed { source: "name", at: 6 })];
/// assert_eq!(Template::parse("web-${name}")?, Template::Mixed(mixed));
/// # Ok::<(), krono_cel::TemplateError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Template<'t> {
    /// Text without an expression.
    Literal,
    /// One expression with nothing around it: its value keeps its type.
    Expression(Placed<'t>),
    /// Text around expressions, or several of them: the value is a string.
    Mixed(Vec<Segment<'t>>),
}

/// A piece of mixed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Segment<'t> {
    /// Text as it is; never empty.
    Text(&'t str),
    /// An expression.
    Expression(Placed<'t>),
}

/// An expression and its place in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed<'t> {
    /// What stands between `${` and `}`.
    pub source: &'t str,
    /// Where it starts, in bytes.
    pub at: usize,
}

/// Why the expressions of a text cannot be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TemplateError {
    /// The text ends inside an expression.
    #[error("`${{` has no closing `}}`; close it, or write ${{\"${{\"}} for the text itself")]
    Unclosed {
        /// Where `${` stands, in bytes.
        at: usize,
    },
    /// An expression starts inside another.
    #[error("`${{` stands inside an expression; names need no `${{`, and text is written in quotes")]
    Nested {
        /// Where the inner `${` stands, in bytes.
        at: usize,
    },
}

impl TemplateError {
    /// The place of the `${` that is wrong, in bytes.
    pub fn at(self) -> usize {
        match self {
            Self::Unclosed { at } | Self::Nested { at } => at,
        }
    }
}

impl<'t> Template<'t> {
    /// Finds the expressions of a text.
    pub fn parse(text: &'t str) -> Result<Self, TemplateError> {
        let (mut segments, mut rest) = (Vec::new(), 0);
        while let Some(found) = text[rest..].find(OPENING) {
            let at = rest + found + OPENING.len();
            let end = expression_end(text, at)?;
            if found > 0 {
                segments.push(Segment::Text(&text[rest..rest + found]));
            }
            segments.push(Segment::Expression(Placed { source: &text[at..end], at }));
            rest = end + 1;
        }
        if segments.is_empty() {
            return Ok(Self::Literal);
        }
        if rest < text.len() {
            segments.push(Segment::Text(&text[rest..]));
        }
        Ok(match segments.as_slice() {
            [Segment::Expression(placed)] => Self::Expression(*placed),
            _ => Self::Mixed(segments),
        })
    }
}

/// The place of the brace that closes the expression which starts at `start`.
#[expect(clippy::wildcard_enum_match_arm, reason = "no other token opens or closes")]
fn expression_end(text: &str, start: usize) -> Result<usize, TemplateError> {
    let unclosed = TemplateError::Unclosed { at: start - OPENING.len() };
    let mut lexer = Lexer::starting_at(text, u32::try_from(start).map_err(|_| unclosed)?);
    let mut open = 0_usize;
    loop {
        let token = lexer.next_token();
        let (from, to) = (token.start as usize, token.end as usize);
        match token.kind {
            TokenKind::End if to >= text.len() => return Err(unclosed),
            TokenKind::LeftBrace => open += 1,
            TokenKind::RightBrace if open == 0 => return Ok(from),
            TokenKind::RightBrace => open -= 1,
            TokenKind::Invalid if text[from..].starts_with(OPENING) => {
                return Err(TemplateError::Nested { at: from });
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds() {
        let check = |text: &str, expect: &str| {
            let shown = match Template::parse(text) {
                Ok(Template::Literal) => "literal".to_owned(),
                Ok(Template::Expression(placed)) => format!("{}@{}", placed.source, placed.at),
                Ok(Template::Mixed(segments)) => segments.iter().map(show).collect::<Vec<_>>().join("|"),
                Err(error) => format!("{error:?}"),
            };
            assert_eq!(shown, expect, "{text}");
        };
        check("", "literal");
        check("plain $ { } $x", "literal");
        check("${a.b}", "a.b@2");
        check("${ {'a': {}} }", " {'a': {}} @2");
        check("a${b}c", "'a'|b@3|'c'");
        check("${a}${b}", "a@2|b@6");
        check("${a}\n", "a@2|'\n'");
        check("é${b}", "'é'|b@4");
        check("${}", "@2");
    }

    #[test]
    fn strings_hide_braces() {
        let check = |source: &str| {
            let text = format!("${{{source}}}");
            assert_eq!(Template::parse(&text), Ok(Template::Expression(Placed { source, at: 2 })));
        };
        check("'}'");
        check(r#""}""#);
        check(r#""\"}""#);
        check("r'\\'");
        check("'''it's }'''");
        check(r#""${NAME}""#);
        check("b'}' == b\"{\"");
        check("a // a brace } in a comment\n");
    }

    #[test]
    fn errors() {
        let check = |text: &str, expect: TemplateError| assert_eq!(Template::parse(text), Err(expect));
        check("${", TemplateError::Unclosed { at: 0 });
        check("x ${a", TemplateError::Unclosed { at: 2 });
        check("${{}", TemplateError::Unclosed { at: 0 });
        check("${'}", TemplateError::Unclosed { at: 0 });
        check("${a + ${b}}", TemplateError::Nested { at: 6 });
        check("ok ${a} ${b", TemplateError::Unclosed { at: 8 });
    }

    fn show(segment: &Segment<'_>) -> String {
        match segment {
            Segment::Text(text) => format!("'{text}'"),
            Segment::Expression(placed) => format!("{}@{}", placed.source, placed.at),
        }
    }
}
