//! The words for errors.

use super::super::too_deep;
use super::recovery::{Outcome, Recovery, Trouble};
use super::token_set::TokenSet;
use crate::lexer::{Token, TokenKind};
use crate::source::Issue;

/// How many syntax errors are reported.
const MAX_ISSUES: usize = 100;

impl<'s> Recovery<'s> {
    pub(super) fn report_no_alternative(&mut self, offending: usize) -> Outcome<()> {
        let start = self.current();
        let token = self.tokens[offending];
        let text = if start.kind == TokenKind::End {
            "<EOF>".to_owned()
        } else {
            self.text_between(start.start, token.end)
        };
        let keyword = matches!(token.kind, TokenKind::True | TokenKind::False | TokenKind::Null);
        // cel-go says this in an older form.
        let message = if keyword && text.len() == token.text(self.tree.source).len() + 1 {
            format!("mismatched input '{}' expecting IDENTIFIER", token.text(self.tree.source))
        } else {
            format!("no viable alternative at input {}", quoted(&text))
        };
        self.report(token, &message)
    }

    /// The text of a range, without what is no token.
    fn text_between(&self, start: u32, end: u32) -> String {
        let mut text = String::new();
        let mut at = start;
        for span in self.invalid.iter().filter(|it| it.start >= start && it.end <= end) {
            text.push_str(self.source_text(at, span.start));
            at = span.end;
        }
        text.push_str(self.source_text(at, end));
        text
    }

    fn source_text(&self, start: u32, end: u32) -> &'s str {
        self.tree.source.get(start as usize..end as usize).unwrap_or_default()
    }

    pub(super) fn report_unwanted(&mut self, expected: TokenSet) -> Outcome<()> {
        let text = self.shown(self.current());
        self.report(self.current(), &format!("extraneous input {text} expecting {expected}"))
    }

    pub(super) fn report(&mut self, token: Token, message: &str) -> Outcome<()> {
        if self.recovering {
            return Ok(());
        }
        self.recovering = true;
        self.note_syntax(token, message)
    }

    pub(super) fn note_syntax(&mut self, token: Token, message: &str) -> Outcome<()> {
        if self.issues.len() >= MAX_ISSUES {
            self.note(token, format!("Syntax error: More than {MAX_ISSUES} syntax errors"));
            return Err(Trouble::Halt);
        }
        self.note(token, format!("Syntax error: {message}"));
        Ok(())
    }

    pub(super) fn note(&mut self, token: Token, message: String) {
        self.issues.push(Issue { at: token.start, span: token.span(), message });
    }

    /// Reports that the nesting is too deep to go on.
    #[cold]
    pub(super) fn halt_too_deep(&mut self) -> Trouble {
        self.issues.push(too_deep(self.current().span()));
        Trouble::Halt
    }

    pub(super) fn shown(&self, token: Token) -> String {
        match token.kind {
            TokenKind::End => quoted("<EOF>"),
            _ => quoted(token.text(self.tree.source)),
        }
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r"))
}
