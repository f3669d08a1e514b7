//! Says what is wrong with text that is not in the grammar.

use crate::lexer::{Lexer, TokenKind};
use crate::source::Issue;

/// What is wrong with a source that does not parse.
pub(super) fn syntax_issues(source: &str) -> Vec<Issue> {
    let mut lexer = Lexer::new(source);
    loop {
        let token = lexer.next_token();
        if matches!(token.kind, TokenKind::Invalid | TokenKind::End) {
            let message = format!("Syntax error: mismatched input '{}'", token.text(source));
            return vec![Issue { at: token.start, span: token.span(), message }];
        }
    }
}
