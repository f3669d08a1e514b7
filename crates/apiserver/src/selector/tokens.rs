//! The words and signs of a label selector.

/// A word or a sign; the end comes again however often one asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Word(&'a str),
    Sign(&'static str),
    End,
}

impl<'a> Token<'a> {
    /// How it was written.
    pub(super) fn text(self) -> &'a str {
        match self {
            Self::Word(text) | Self::Sign(text) => text,
            Self::End => "",
        }
    }
}

/// Longer signs first.
const SIGNS: [&str; 9] = ["==", "!=", "=", "!", "(", ")", ",", ">", "<"];

/// Tokens, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text.split('\0').next().unwrap_or_default() }
    }

    /// The token that comes next.
    pub(super) fn peek(&self) -> Token<'a> {
        self.clone().next()
    }

    /// Takes the next token.
    pub(super) fn next(&mut self) -> Token<'a> {
        let text = self.rest.trim_start_matches(is_blank);
        let sign = SIGNS.into_iter().find(|sign| text.starts_with(sign));
        let end = sign.map_or_else(|| text.find(ends_word).unwrap_or(text.len()), str::len);
        let (word, rest) = text.split_at(end);
        self.rest = rest;
        match sign {
            Some(sign) => Token::Sign(sign),
            None if word.is_empty() => Token::End,
            None => Token::Word(word),
        }
    }
}

fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r' | '\n')
}

fn ends_word(character: char) -> bool {
    is_blank(character) || matches!(character, '=' | '!' | '(' | ')' | ',' | '>' | '<')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens() {
        let check = |text: &str, expect: &[&str]| {
            let mut tokens = Tokens::new(text);
            let found = std::iter::from_fn(|| Some(tokens.next()).filter(|it| *it != Token::End));
            assert_eq!(found.map(Token::text).collect::<Vec<_>>(), expect, "{text}");
        };
        check("", &[]);
        check(" a in (b,c) ", &["a", "in", "(", "b", ",", "c", ")"]);
        check("a===b", &["a", "==", "=", "b"]);
        check("!a!=b", &["!", "a", "!=", "b"]);
        check("é>1\0x", &["é", ">", "1"]);
    }
}
