//! Sets of tokens, and how messages name them.

use std::fmt;

use crate::lexer::TokenKind;

/// A set of tokens, with a mark for "or the end of this rule".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TokenSet(u64);

impl TokenSet {
    pub(super) const EMPTY: Self = Self(0);

    /// The end of the rule: what follows depends on where the rule was called from.
    pub(super) const RULE_END: Self = Self(1 << 63);

    pub(super) const fn of(kinds: &[TokenKind]) -> Self {
        let mut bits = 0;
        let mut index = 0;
        while index < kinds.len() {
            bits |= 1 << kinds[index] as u8;
            index += 1;
        }
        Self(bits)
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn or_rule_end(self) -> Self {
        self.or(Self::RULE_END)
    }

    pub(super) const fn without_rule_end(self) -> Self {
        Self(self.0 & !Self::RULE_END.0)
    }

    pub(super) const fn has_rule_end(self) -> bool {
        self.0 & Self::RULE_END.0 != 0
    }

    pub(super) const fn contains(self, kind: TokenKind) -> bool {
        self.0 & (1 << kind as u8) != 0
    }
}

/// The names of the tokens, in the order of their numbers.
const NAMES: [(TokenKind, &str); 36] = [
    (TokenKind::End, "<EOF>"),
    (TokenKind::EqualEqual, "'=='"),
    (TokenKind::BangEqual, "'!='"),
    (TokenKind::In, "'in'"),
    (TokenKind::Less, "'<'"),
    (TokenKind::LessEqual, "'<='"),
    (TokenKind::GreaterEqual, "'>='"),
    (TokenKind::Greater, "'>'"),
    (TokenKind::AndAnd, "'&&'"),
    (TokenKind::OrOr, "'||'"),
    (TokenKind::LeftBracket, "'['"),
    (TokenKind::RightBracket, "']'"),
    (TokenKind::LeftBrace, "'{'"),
    (TokenKind::RightBrace, "'}'"),
    (TokenKind::LeftParen, "'('"),
    (TokenKind::RightParen, "')'"),
    (TokenKind::Dot, "'.'"),
    (TokenKind::Comma, "','"),
    (TokenKind::Minus, "'-'"),
    (TokenKind::Bang, "'!'"),
    (TokenKind::Question, "'?'"),
    (TokenKind::Colon, "':'"),
    (TokenKind::Plus, "'+'"),
    (TokenKind::Star, "'*'"),
    (TokenKind::Slash, "'/'"),
    (TokenKind::Percent, "'%'"),
    (TokenKind::True, "'true'"),
    (TokenKind::False, "'false'"),
    (TokenKind::Null, "'null'"),
    (TokenKind::Float, "NUM_FLOAT"),
    (TokenKind::Int, "NUM_INT"),
    (TokenKind::Uint, "NUM_UINT"),
    (TokenKind::String, "STRING"),
    (TokenKind::Bytes, "BYTES"),
    (TokenKind::Identifier, "IDENTIFIER"),
    (TokenKind::QuotedIdentifier, "ESC_IDENTIFIER"),
];

impl fmt::Display for TokenSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> =
            NAMES.iter().filter(|(kind, _)| self.contains(*kind)).map(|(_, name)| *name).collect();
        match names.as_slice() {
            [only] => f.write_str(only),
            several => write!(f, "{{{}}}", several.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NAMES, TokenSet};
    use crate::lexer::TokenKind;

    #[test]
    fn names_are_in_the_order_of_the_tokens() {
        assert!(NAMES.iter().enumerate().all(|(index, (kind, _))| *kind as usize == index));
    }

    #[test]
    fn sets_print_as_antlr_does() {
        assert_eq!(TokenSet::of(&[TokenKind::End]).to_string(), "<EOF>");
        let set = TokenSet::of(&[TokenKind::Identifier, TokenKind::Dot]).or_rule_end();
        assert_eq!(set.to_string(), "{'.', IDENTIFIER}");
    }
}
