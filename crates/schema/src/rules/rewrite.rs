//! Escaped names of fields, as Kubernetes has rules write them, turned into quoted ones.

use std::borrow::Cow;

use crate::cel::unescape;

/// The rule with `.x__dash__y` written as `` .`x-y` ``, outside strings and comments. Names that are not escapes stay.
pub(super) fn quote_escaped_names(source: &str) -> Cow<'_, str> {
    if !source.contains("__") {
        return Cow::Borrowed(source);
    }
    let mut output = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '"' | '\'' => string_length(rest, false),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '`' => rest[1..].find('`').map_or(rest.len(), |end| end + 2),
            '_' | 'a'..='z' | 'A'..='Z' => word_length(rest),
            _ => first.len_utf8(),
        };
        let (next, after) = rest.split_at(taken);
        push_token(&mut output, next);
        rest = after;
    }
    Cow::Owned(output)
}

fn push_token(output: &mut String, token: &str) {
    let is_field = output.trim_end().ends_with('.') || output.trim_end().ends_with(".?");
    match unescape(token).filter(|name| is_field && name != token) {
        Some(name) => output.extend(["`", &name, "`"]),
        None => output.push_str(token),
    }
}

/// The length of a word, or of the string that it is the prefix of: `r'…'`, `b"…"`.
fn word_length(text: &str) -> usize {
    let end = text.find(|it: char| !it.is_ascii_alphanumeric() && it != '_').unwrap_or(text.len());
    let (word, after) = text.split_at(end);
    let is_prefix = word.len() <= 2 && word.chars().all(|it| "rRbB".contains(it));
    if is_prefix && after.starts_with(['"', '\'']) {
        return end + string_length(after, word.contains(['r', 'R']));
    }
    end
}

/// The length of a string with its quotes, single or triple; in a raw string a backslash means nothing.
fn string_length(text: &str, raw: bool) -> usize {
    let single = &text[..1];
    let triple = single.repeat(3);
    let delimiter = if text.starts_with(&triple) { triple.as_str() } else { single };
    let mut position = delimiter.len();
    while position < text.len() {
        let rest = &text[position..];
        if rest.starts_with(delimiter) {
            return position + delimiter.len();
        }
        let skipped = if rest.starts_with('\\') && !raw { 2 } else { 1 };
        position += rest.chars().take(skipped).map(char::len_utf8).sum::<usize>();
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let check = |source: &str, expect: &str| assert_eq!(quote_escaped_names(source), expect);
        check("self.a.b_c == 'x'", "self.a.b_c == 'x'");
        check("self.__namespace__ == self.x__dash__y", "self.`namespace` == self.`x-y`");
        check("has(self.?a__dot__b.c)", "has(self.?`a.b`.c)");
        check(
            "self.a == '.a__dash__b' // .a__dash__b\n&& self.a__dash__b",
            "self.a == '.a__dash__b' // .a__dash__b\n&& self.`a-b`",
        );
        check(r"r'\'.a__dash__b", r"r'\'.`a-b`");
        check(r"'\'.a__dash__b'", r"'\'.a__dash__b'");
        check("'''it's .a__dash__b'''.a__dash__b", "'''it's .a__dash__b'''.`a-b`");
        check("self.__nonsense__", "self.__nonsense__");
        check("a__dash__b.c", "a__dash__b.c");
    }
}
