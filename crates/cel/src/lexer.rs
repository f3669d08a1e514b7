//! Splits source text into tokens, by the longest match as cel-go's generated lexer does.

mod quoted;

use crate::source::Span;

/// What a token is.
///
/// The order is that of cel-go's grammar, which is the order in which its messages list what they expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum TokenKind {
    End,
    EqualEqual,
    BangEqual,
    In,
    Less,
    LessEqual,
    GreaterEqual,
    Greater,
    AndAnd,
    OrOr,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    LeftParen,
    RightParen,
    Dot,
    Comma,
    Minus,
    Bang,
    Question,
    Colon,
    Plus,
    Star,
    Slash,
    Percent,
    True,
    False,
    Null,
    Float,
    Int,
    Uint,
    String,
    Bytes,
    Identifier,
    /// A name in backticks.
    QuotedIdentifier,
    /// Text that is no token, up to and with the character at which that became certain.
    Invalid,
}

/// A token and the bytes it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Token {
    pub(crate) fn span(self) -> Span {
        Span::new(self.start, self.end)
    }

    pub(crate) fn text(self, source: &str) -> &str {
        source.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// Gives the tokens of a source one by one, then [`TokenKind::End`] for ever.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'s> {
    source: &'s str,
    position: usize,
}

impl<'s> Lexer<'s> {
    pub(crate) fn new(source: &'s str) -> Self {
        Self { source, position: 0 }
    }

    pub(crate) fn starting_at(source: &'s str, position: u32) -> Self {
        Self { source, position: position as usize }
    }

    pub(crate) fn next_token(&mut self) -> Token {
        self.skip_blank();
        let start = self.position;
        let (kind, end) = self.scan(start);
        self.position = end;
        Token { kind, start: offset(start), end: offset(end) }
    }

    fn byte(&self, at: usize) -> u8 {
        // NUL stands for the end; as a character of the source it is no token either.
        self.source.as_bytes().get(at).copied().unwrap_or(0)
    }

    fn skip_blank(&mut self) {
        loop {
            match self.byte(self.position) {
                b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' => self.position += 1,
                b'/' if self.byte(self.position + 1) == b'/' => self.skip_comment(),
                _ => return,
            }
        }
    }

    fn skip_comment(&mut self) {
        let rest = &self.source.as_bytes()[self.position..];
        let length = rest.iter().position(|it| *it == b'\n').unwrap_or(rest.len());
        self.position += length;
    }

    fn scan(&self, start: usize) -> (TokenKind, usize) {
        match self.byte(start) {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(start),
            b'0'..=b'9' => self.number(start),
            b'.' if self.byte(start + 1).is_ascii_digit() => (TokenKind::Float, self.fraction(start)),
            b'"' | b'\'' => self.string(start),
            b'`' => self.quoted_identifier(start),
            _ => self.symbol(start),
        }
    }

    fn symbol(&self, start: usize) -> (TokenKind, usize) {
        let kind = match (self.byte(start), self.byte(start + 1)) {
            (b'=', b'=') => TokenKind::EqualEqual,
            (b'!', b'=') => TokenKind::BangEqual,
            (b'<', b'=') => TokenKind::LessEqual,
            (b'>', b'=') => TokenKind::GreaterEqual,
            (b'&', b'&') => TokenKind::AndAnd,
            (b'|', b'|') => TokenKind::OrOr,
            (b'=' | b'&' | b'|', _) => return self.invalid(start + 1),
            (first, _) => return self.single(start, first),
        };
        (kind, start + 2)
    }

    fn single(&self, start: usize, byte: u8) -> (TokenKind, usize) {
        let kind = match byte {
            b'<' => TokenKind::Less,
            b'>' => TokenKind::Greater,
            b'[' => TokenKind::LeftBracket,
            b']' => TokenKind::RightBracket,
            b'{' => TokenKind::LeftBrace,
            b'}' => TokenKind::RightBrace,
            b'(' => TokenKind::LeftParen,
            b')' => TokenKind::RightParen,
            b'.' => TokenKind::Dot,
            b',' => TokenKind::Comma,
            b'-' => TokenKind::Minus,
            b'!' => TokenKind::Bang,
            b'?' => TokenKind::Question,
            b':' => TokenKind::Colon,
            b'+' => TokenKind::Plus,
            b'*' => TokenKind::Star,
            b'/' => TokenKind::Slash,
            b'%' => TokenKind::Percent,
            _ if start >= self.source.len() => return (TokenKind::End, start),
            _ => return self.invalid(start),
        };
        (kind, start + 1)
    }

    /// Text that is no token, `culprit` being the offset of the character that rules all tokens out.
    fn invalid(&self, culprit: usize) -> (TokenKind, usize) {
        let rest = self.source.get(culprit..).unwrap_or_default();
        (TokenKind::Invalid, culprit + rest.chars().next().map_or(0, char::len_utf8))
    }

    fn word(&self, start: usize) -> (TokenKind, usize) {
        let end = self.run(start + 1, |it| it.is_ascii_alphanumeric() || it == b'_');
        let word = &self.source[start..end];
        if matches!(self.byte(end), b'"' | b'\'')
            && let Some(token) = self.prefixed_string(word, end)
        {
            return token;
        }
        let kind = match word {
            "in" => TokenKind::In,
            "true" => TokenKind::True,
            "false" => TokenKind::False,
            "null" => TokenKind::Null,
            _ => TokenKind::Identifier,
        };
        (kind, end)
    }

    fn prefixed_string(&self, prefix: &str, quote: usize) -> Option<(TokenKind, usize)> {
        let (kind, raw) = match prefix {
            "r" | "R" => (TokenKind::String, true),
            "b" | "B" => (TokenKind::Bytes, false),
            "br" | "bR" | "Br" | "BR" => (TokenKind::Bytes, true),
            _ => return None,
        };
        quoted::end(self.source.as_bytes(), quote, raw).ok().map(|end| (kind, end))
    }

    fn string(&self, start: usize) -> (TokenKind, usize) {
        match quoted::end(self.source.as_bytes(), start, false) {
            Ok(end) => (TokenKind::String, end),
            Err(culprit) => self.invalid(culprit),
        }
    }

    fn quoted_identifier(&self, start: usize) -> (TokenKind, usize) {
        let allowed = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'.' | b'-' | b'/' | b' ');
        let end = self.run(start + 1, allowed);
        if end == start + 1 || self.byte(end) != b'`' {
            return self.invalid(end);
        }
        (TokenKind::QuotedIdentifier, end + 1)
    }

    fn number(&self, start: usize) -> (TokenKind, usize) {
        let hex = self.byte(start) == b'0' && self.byte(start + 1) == b'x';
        if hex && self.byte(start + 2).is_ascii_hexdigit() {
            return self.integer(self.run(start + 2, |it| it.is_ascii_hexdigit()));
        }
        let whole = self.run(start, |it| it.is_ascii_digit());
        let end = self.fraction(whole);
        if end > whole { (TokenKind::Float, end) } else { self.integer(whole) }
    }

    fn integer(&self, end: usize) -> (TokenKind, usize) {
        match self.byte(end) {
            b'u' | b'U' => (TokenKind::Uint, end + 1),
            _ => (TokenKind::Int, end),
        }
    }

    /// The end of the fraction and exponent that may stand at `start`.
    fn fraction(&self, start: usize) -> usize {
        let mut end = start;
        if self.byte(end) == b'.' && self.byte(end + 1).is_ascii_digit() {
            end = self.run(end + 1, |it| it.is_ascii_digit());
        }
        if !matches!(self.byte(end), b'e' | b'E') {
            return end;
        }
        let digits = end + 1 + usize::from(matches!(self.byte(end + 1), b'+' | b'-'));
        if self.byte(digits).is_ascii_digit() { self.run(digits, |it| it.is_ascii_digit()) } else { end }
    }

    fn run(&self, start: usize, within: impl Fn(u8) -> bool) -> usize {
        let rest = self.source.as_bytes().get(start..).unwrap_or_default();
        start + rest.iter().position(|it| !within(*it)).unwrap_or(rest.len())
    }
}

fn offset(value: usize) -> u32 {
    // The parser bounds sources far below 4 GiB.
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Lexer, TokenKind};

    #[track_caller]
    fn check(source: &str, expect: &[(TokenKind, &str)]) {
        let mut lexer = Lexer::new(source);
        let mut found = Vec::new();
        loop {
            let token = lexer.next_token();
            if token.kind == TokenKind::End {
                break;
            }
            found.push((token.kind, token.text(source)));
        }
        assert_eq!(found, expect, "{source}");
    }

    #[test]
    fn numbers() {
        use TokenKind::{Dot, Float, Identifier, Int, Minus, Plus, Uint};
        check(
            "0 007 0x1F 0x1fu 9U",
            &[(Int, "0"), (Int, "007"), (Int, "0x1F"), (Uint, "0x1fu"), (Uint, "9U")],
        );
        check("1.5 .5e3 1e-9 2.0E+4", &[(Float, "1.5"), (Float, ".5e3"), (Float, "1e-9"), (Float, "2.0E+4")]);
        check("1.", &[(Int, "1"), (Dot, ".")]);
        check("1.e5", &[(Int, "1"), (Dot, "."), (Identifier, "e5")]);
        check("1e+", &[(Int, "1"), (Identifier, "e"), (Plus, "+")]);
        check("0x", &[(Int, "0"), (Identifier, "x")]);
        check("0X1", &[(Int, "0"), (Identifier, "X1")]);
        check("-1.5u", &[(Minus, "-"), (Float, "1.5"), (Identifier, "u")]);
        check("a.5", &[(Identifier, "a"), (Float, ".5")]);
    }

    #[test]
    fn words() {
        use TokenKind::{Dot, False, Identifier, In, Null, QuotedIdentifier, True};
        check("in true false null", &[(In, "in"), (True, "true"), (False, "false"), (Null, "null")]);
        check("inn _x1 for", &[(Identifier, "inn"), (Identifier, "_x1"), (Identifier, "for")]);
        check("a.`b-c/d .e`", &[(Identifier, "a"), (Dot, "."), (QuotedIdentifier, "`b-c/d .e`")]);
    }

    #[test]
    fn strings() {
        use TokenKind::{Bytes, Identifier, String};
        check(r#" '' "a\"b" 'x\x41' "#, &[(String, "''"), (String, r#""a\"b""#), (String, r"'x\x41'")]);
        check("'''a\n'b''' \"\"\"\"\"\"", &[(String, "'''a\n'b'''"), (String, "\"\"\"\"\"\"")]);
        check(
            r#"r'\' R"\q" b'\377' bR'\'"#,
            &[(String, r"r'\'"), (String, r#"R"\q""#), (Bytes, r"b'\377'"), (Bytes, r"bR'\'")],
        );
        check("rb''", &[(Identifier, "rb"), (String, "''")]);
        check("'''a'", &[(String, "''"), (String, "'a'")]);
        check("r'''a' 1", &[(String, "r''"), (String, "'a'"), (TokenKind::Int, "1")]);
    }

    #[test]
    fn blanks_and_comments() {
        use TokenKind::{Identifier, Slash};
        check("a // b\n / c//", &[(Identifier, "a"), (Slash, "/"), (Identifier, "c")]);
        check("\t\r\n\x0c ", &[]);
    }

    #[test]
    fn what_is_no_token_ends_with_the_culprit() {
        use TokenKind::{Identifier, Invalid, OrOr};
        check("a = b", &[(Identifier, "a"), (Invalid, "= "), (Identifier, "b")]);
        check("a &b", &[(Identifier, "a"), (Invalid, "&b")]);
        check("|||", &[(OrOr, "||"), (Invalid, "|")]);
        check("é$", &[(Invalid, "é"), (Invalid, "$")]);
        check("'ab", &[(Invalid, "'ab")]);
        check("'a\nb", &[(Invalid, "'a\n"), (Identifier, "b")]);
        check(r"'a\qb", &[(Invalid, r"'a\q"), (Identifier, "b")]);
        check("b'é", &[(Identifier, "b"), (Invalid, "'é")]);
        check("``", &[(Invalid, "``")]);
        check("`a$b", &[(Invalid, "`a$"), (Identifier, "b")]);
        check("\0", &[(Invalid, "\0")]);
    }
}
