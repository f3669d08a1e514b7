//! What others wrote, cut for messages that quote it.

/// So many characters are quoted.
const LONGEST: usize = 64;

/// The beginning of a text that somebody wrote: one that is long is not what was meant, and must not fill an object.
pub fn excerpt(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_has_an_end() {
        let check = |text: &str, expected: &str| assert_eq!(excerpt(text), expected);
        check("", "");
        check("two", "two");
        check(&"é".repeat(64), &"é".repeat(64));
        check(&"é".repeat(65), &format!("{}…", "é".repeat(64)));
        check(&"9".repeat(200_000), &format!("{}…", "9".repeat(64)));
    }
}
