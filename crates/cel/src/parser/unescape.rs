//! The values of quoted literals.

use std::borrow::Cow;

const MALFORMED: &str = "unable to unescape string";

/// The value of a string literal.
pub(super) fn string(literal: &str) -> Result<Cow<'_, str>, &'static str> {
    let (content, raw) = content(literal);
    let content = with_plain_newlines(content);
    if raw || !content.contains('\\') {
        return Ok(content);
    }
    let mut value = String::with_capacity(content.len());
    unescape(&content, Mode::String, |piece| match piece {
        Piece::Character(it) => value.push(it),
        Piece::Byte(it) => value.push(char::from(it)),
    })?;
    Ok(value.into())
}

/// The value of a bytes literal.
pub(super) fn bytes(literal: &str) -> Result<Vec<u8>, &'static str> {
    let (content, raw) = content(literal.trim_start_matches(['b', 'B']));
    let content = with_plain_newlines(content);
    if raw || !content.contains('\\') {
        return Ok(content.into_owned().into_bytes());
    }
    let mut value = Vec::with_capacity(content.len());
    unescape(&content, Mode::Bytes, |piece| match piece {
        Piece::Character(it) => value.extend_from_slice(it.encode_utf8(&mut [0; 4]).as_bytes()),
        Piece::Byte(it) => value.push(it),
    })?;
    Ok(value)
}

/// What stands between the quotes, and whether escapes mean nothing in it.
fn content(literal: &str) -> (&str, bool) {
    let quoted = literal.trim_start_matches(['r', 'R']);
    let raw = quoted.len() < literal.len();
    let triple = quoted.len() >= 6 && (quoted.starts_with("'''") || quoted.starts_with("\"\"\""));
    let margin = if triple { 3 } else { 1 };
    (quoted.get(margin..quoted.len() - margin).unwrap_or_default(), raw)
}

fn with_plain_newlines(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        return text.replace("\r\n", "\n").replace('\r', "\n").into();
    }
    text.into()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    String,
    Bytes,
}

/// A piece of a value.
enum Piece {
    Character(char),
    /// In a string the character of that number, in bytes the byte itself.
    Byte(u8),
}

fn unescape(text: &str, mode: Mode, mut push: impl FnMut(Piece)) -> Result<(), &'static str> {
    let mut rest = text;
    while let Some(backslash) = rest.find('\\') {
        rest[..backslash].chars().for_each(|it| push(Piece::Character(it)));
        let (piece, after) = escape(&rest[backslash + 1..], mode)?;
        push(piece);
        rest = after;
    }
    rest.chars().for_each(|it| push(Piece::Character(it)));
    Ok(())
}

/// The piece an escape stands for, and the text after it; the lexer has seen to its form.
fn escape(text: &str, mode: Mode) -> Result<(Piece, &str), &'static str> {
    let kind = *text.as_bytes().first().ok_or(MALFORMED)?;
    let simple = |it: char| Ok((Piece::Character(it), &text[1..]));
    match kind {
        b'a' => simple('\x07'),
        b'b' => simple('\x08'),
        b'f' => simple('\x0c'),
        b'n' => simple('\n'),
        b'r' => simple('\r'),
        b't' => simple('\t'),
        b'v' => simple('\x0b'),
        b'\\' | b'\'' | b'"' | b'`' | b'?' => simple(char::from(kind)),
        b'x' | b'X' => byte(text, 1..3, 16),
        b'0'..=b'3' => byte(text, 0..3, 8),
        b'u' => code_point(text, 5, mode),
        b'U' => code_point(text, 9, mode),
        _ => Err(MALFORMED),
    }
}

fn byte(text: &str, digits: std::ops::Range<usize>, radix: u32) -> Result<(Piece, &str), &'static str> {
    let rest = &text.get(digits.end..).ok_or(MALFORMED)?;
    let value = u8::from_str_radix(&text[digits], radix).map_err(|_| MALFORMED)?;
    Ok((Piece::Byte(value), rest))
}

fn code_point(text: &str, end: usize, mode: Mode) -> Result<(Piece, &str), &'static str> {
    if mode == Mode::Bytes {
        return Err(MALFORMED);
    }
    let digits = text.get(1..end).ok_or(MALFORMED)?;
    let code = u32::from_str_radix(digits, 16).map_err(|_| MALFORMED)?;
    let value = char::from_u32(code).ok_or("invalid unicode code point")?;
    Ok((Piece::Character(value), &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::{bytes, string};

    #[test]
    fn strings() {
        let check = |literal: &str, expect: Result<&str, &str>| {
            assert_eq!(string(literal).as_deref().map_err(|it| *it), expect, "{literal}");
        };
        check("''", Ok(""));
        check("''''''", Ok(""));
        check("'''it's'''", Ok("it's"));
        check("'''a\r\nb\rc'''", Ok("a\nb\nc"));
        check(r#"r"a\n""#, Ok(r"a\n"));
        check(r"R'''\''''", Ok(r"\'"));
        check(r#"'\a\b\f\n\r\t\v\\\'\"\`\?'"#, Ok("\x07\x08\x0c\n\r\t\x0b\\'\"`?"));
        check(r"'é\x41\XFF\101\u00e9\U0001F600'", Ok("éA\u{ff}Aé😀"));
        check(r"'\ud800'", Err("invalid unicode code point"));
        check(r"'\U00110000'", Err("invalid unicode code point"));
    }

    #[test]
    fn bytes_literals() {
        let check = |literal: &str, expect: Result<&[u8], &str>| {
            assert_eq!(bytes(literal).as_deref().map_err(|it| *it), expect, "{literal}");
        };
        check("b''", Ok(b""));
        check("b'é'", Ok("é".as_bytes()));
        check(r"B'\xFF\377\n'", Ok(b"\xff\xff\n"));
        check(r#"bR"""\xFF""""#, Ok(br"\xFF"));
        check(r"b'\u00e9'", Err("unable to unescape string"));
    }
}
