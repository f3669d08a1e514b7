//! Escapes and bracketed classes.

use super::PatternError;

/// What an escape stands for.
pub(super) enum Escape {
    Character(char),
    /// A class, in the notation of the `regex` crate.
    Class(String),
}

/// Writes a character so that it means itself, inside brackets and outside.
pub(super) fn push_literal(out: &mut String, character: char) {
    if character.is_ascii_punctuation() && !"<>".contains(character) {
        out.push('\\');
    }
    out.push(character);
}

/// The escape at the start of the text, and what is behind it.
pub(super) fn escape(text: &str) -> Result<(Escape, &str), PatternError> {
    let mut characters = text.chars().skip(1);
    let Some(letter) = characters.next() else {
        return Err(PatternError::new("trailing backslash at end of expression", ""));
    };
    let behind = &text[1 + letter.len_utf8()..];
    if let Some(class) = perl_class(letter) {
        return Ok((Escape::Class(class.into()), behind));
    }
    if matches!(letter, 'p' | 'P') {
        return unicode_class(text, letter == 'P');
    }
    let (character, behind) = character_escape(text, letter, behind)?;
    Ok((Escape::Character(character), behind))
}

fn perl_class(letter: char) -> Option<&'static str> {
    Some(match letter {
        'd' => "[0-9]",
        'D' => "[^0-9]",
        's' => r"[\t\n\x0c\r ]",
        'S' => r"[^\t\n\x0c\r ]",
        'w' => "[0-9A-Za-z_]",
        'W' => "[^0-9A-Za-z_]",
        _ => return None,
    })
}

fn unicode_class(text: &str, negated: bool) -> Result<(Escape, &str), PatternError> {
    let invalid = |part: &str| PatternError::new("invalid character class range", part);
    let behind_letter = &text[2..];
    let one_letter = behind_letter.chars().next().map_or(0, char::len_utf8);
    let (name, behind) = match behind_letter.strip_prefix('{') {
        Some(braced) => braced.split_once('}').ok_or_else(|| invalid(text))?,
        None => behind_letter.split_at(one_letter),
    };
    let (negated, plain_name) = match name.strip_prefix('^') {
        Some(plain) => (!negated, plain),
        None => (negated, name),
    };
    let class = format!("\\{}{{{plain_name}}}", if negated { 'P' } else { 'p' });
    let known = plain_name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && regex::Regex::new(&class).is_ok();
    if known { Ok((Escape::Class(class), behind)) } else { Err(invalid(&text[..text.len() - behind.len()])) }
}

/// A single character written as an escape.
fn character_escape<'t>(
    text: &'t str,
    letter: char,
    behind: &'t str,
) -> Result<(char, &'t str), PatternError> {
    let character = match letter {
        '0'..='7' => return octal(text, letter, behind),
        'x' => return hexadecimal(text, behind),
        'a' => '\x07',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        punctuation if punctuation.is_ascii() && !punctuation.is_ascii_alphanumeric() => punctuation,
        _ => return Err(invalid_escape(text, behind)),
    };
    Ok((character, behind))
}

fn invalid_escape(text: &str, behind: &str) -> PatternError {
    PatternError::new("invalid escape sequence", &text[..text.len() - behind.len()])
}

/// Up to three octal digits; one digit that is not zero would be a back-reference, which there are not.
fn octal<'t>(text: &'t str, first: char, behind: &'t str) -> Result<(char, &'t str), PatternError> {
    let more = behind.bytes().take(2).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
    if more == 0 && first != '0' {
        return Err(invalid_escape(text, behind));
    }
    let code = u32::from_str_radix(&text[1..2 + more], 8).ok().and_then(char::from_u32);
    Ok((code.unwrap_or_default(), &behind[more..]))
}

/// `\x7F` or `\x{10FFFF}`.
fn hexadecimal<'t>(text: &'t str, behind: &'t str) -> Result<(char, &'t str), PatternError> {
    let (digits, rest) = match behind.strip_prefix('{') {
        Some(braced) => braced.split_once('}').ok_or_else(|| invalid_escape(text, behind))?,
        None => behind.split_at_checked(2).ok_or_else(|| invalid_escape(text, ""))?,
    };
    let well_formed = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let code = u32::from_str_radix(digits, 16).ok().filter(|_| well_formed).and_then(char::from_u32);
    code.map(|code| (code, rest)).ok_or_else(|| invalid_escape(text, rest))
}

/// The bracketed class at the start of the text, translated, and what is behind it.
pub(super) fn translate_class(text: &str) -> Result<(String, &str), PatternError> {
    let mut out = String::from("[");
    let mut rest = &text[1..];
    if let Some(behind) = rest.strip_prefix('^') {
        out.push('^');
        rest = behind;
    }
    let mut first = true;
    loop {
        if rest.is_empty() {
            return Err(PatternError::new("missing closing ]", text));
        }
        if let Some(behind) = rest.strip_prefix(']').filter(|_| !first) {
            out.push(']');
            return Ok((out, behind));
        }
        rest = push_item(&mut out, rest, text)?;
        first = false;
    }
}

/// Translates one item of a class: a named class, an escaped class, a character or a range.
fn push_item<'t>(out: &mut String, text: &'t str, class: &str) -> Result<&'t str, PatternError> {
    if let Some((named, behind)) = named_class(text)? {
        out.push_str(named);
        return Ok(behind);
    }
    if text.starts_with('\\')
        && let (Escape::Class(class), behind) = escape(text)?
    {
        out.push_str(&class);
        return Ok(behind);
    }
    let (low, behind) = character(text, class)?;
    push_literal(out, low);
    let Some(high) = behind.strip_prefix('-').filter(|high| !high.starts_with(']') && !high.is_empty())
    else {
        return Ok(behind);
    };
    let (high, behind) = character(high, class)?;
    if high < low {
        return Err(PatternError::new("invalid character class range", &text[..text.len() - behind.len()]));
    }
    out.push('-');
    push_literal(out, high);
    Ok(behind)
}

/// `[:name:]` or `[:^name:]`.
fn named_class(text: &str) -> Result<Option<(&str, &str)>, PatternError> {
    const NAMES: [&str; 14] = [
        "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
        "upper", "word", "xdigit",
    ];
    let Some(end) = text.strip_prefix("[:").and_then(|inner| inner.find(":]")) else { return Ok(None) };
    let (named, behind) = text.split_at(end + 4);
    let name = &text[2..end + 2];
    if NAMES.contains(&name.strip_prefix('^').unwrap_or(name)) {
        Ok(Some((named, behind)))
    } else {
        Err(PatternError::new("invalid character class range", named))
    }
}

/// A character of a class, perhaps escaped.
fn character<'t>(text: &'t str, class: &str) -> Result<(char, &'t str), PatternError> {
    let Some(first) = text.chars().next() else {
        return Err(PatternError::new("missing closing ]", class));
    };
    if first != '\\' {
        return Ok((first, &text[first.len_utf8()..]));
    }
    match escape(text)? {
        (Escape::Character(character), behind) => Ok((character, behind)),
        (Escape::Class(_), behind) => Err(invalid_escape(text, behind)),
    }
}
