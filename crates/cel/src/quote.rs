//! Text in double quotes, escaped as Go's `%q` does, for messages.

/// The text in double quotes; what cannot be printed is escaped.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        push_escaped(&mut out, character);
    }
    out.push('"');
    out
}

fn push_escaped(out: &mut String, character: char) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\x07' => out.push_str("\\a"),
        '\x08' => out.push_str("\\b"),
        '\x0c' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\x0b' => out.push_str("\\v"),
        printable if is_printable(printable) => out.push(printable),
        control => push_code(out, u32::from(control)),
    }
}

fn push_code(out: &mut String, code: u32) {
    let escaped = match code {
        0..0x80 => format!("\\x{code:02x}"),
        0x80..0x1_0000 => format!("\\u{code:04x}"),
        _ => format!("\\U{code:08x}"),
    };
    out.push_str(&escaped);
}

/// Whether Go prints the character as it is: the ASCII space, letters, marks, numbers, punctuation and symbols.
fn is_printable(character: char) -> bool {
    if character.is_ascii() {
        return (' '..='~').contains(&character);
    }
    // The standard library keeps its table private; escaping shows its verdict. The leading letter keeps
    // combining marks from being escaped for standing first.
    let mut probe = String::from("a");
    probe.push(character);
    probe.escape_debug().nth(1) == Some(character)
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn quotes_as_go_does() {
        let check = |text: &str, expect: &str| assert_eq!(quoted(text), expect);
        check("", r#""""#);
        check("plain é ✓", r#""plain é ✓""#);
        check("a\"b\\c", r#""a\"b\\c""#);
        check("\x07\x08\x0c\n\r\t\x0b", r#""\a\b\f\n\r\t\v""#);
        check("\0\x1f\x7f", r#""\x00\x1f\x7f""#);
        check("\u{200b}\u{a0}", r#""\u200b\u00a0""#);
        check("\u{e000}\u{10ffff}", r#""\ue000\U0010ffff""#);
        check("e\u{301}", "\"e\u{301}\"");
    }
}
