//! Literals of lists, maps and messages.

use std::sync::Arc;

use super::{Parsed, Parser, Stop};
use crate::ast::{Element, Entry, Expr, ExprId, StructField};
use crate::lexer::TokenKind;

impl Parser<'_> {
    #[inline(never)]
    pub(super) fn list(&mut self) -> Parsed<ExprId> {
        let at = self.bump();
        let mut elements = Vec::new();
        while self.another(elements.is_empty(), TokenKind::RightBracket)? {
            let optional = self.eat(TokenKind::Question);
            elements.push(Element { value: self.expr()?, optional });
        }
        Ok(self.add(Expr::List(elements), at, at))
    }

    #[inline(never)]
    pub(super) fn map(&mut self) -> Parsed<ExprId> {
        let at = self.bump();
        let mut entries = Vec::new();
        while self.another(entries.is_empty(), TokenKind::RightBrace)? {
            entries.push(self.entry()?);
        }
        Ok(self.add(Expr::Map(entries), at, at))
    }

    fn entry(&mut self) -> Parsed<Entry> {
        let optional = self.eat(TokenKind::Question);
        let key = self.expr()?;
        self.expect(TokenKind::Colon)?;
        Ok(Entry { key, value: self.expr()?, optional })
    }

    #[inline(never)]
    pub(super) fn message(&mut self, type_name: String, start: u32) -> Parsed<ExprId> {
        let at = self.bump();
        let mut fields = Vec::new();
        while self.another(fields.is_empty(), TokenKind::RightBrace)? {
            fields.push(self.message_field()?);
        }
        Ok(self.add(Expr::Struct { type_name: type_name.into(), fields }, start, at))
    }

    fn message_field(&mut self) -> Parsed<StructField> {
        let optional = self.eat(TokenKind::Question);
        let text = self.token.text(self.source);
        let name: Arc<str> = match self.token.kind {
            TokenKind::Identifier => text.into(),
            TokenKind::QuotedIdentifier => text.trim_matches('`').into(),
            _ => return Err(Stop::Syntax),
        };
        self.bump();
        let at = self.token.start;
        self.expect(TokenKind::Colon)?;
        Ok(StructField { name, value: self.expr()?, optional, at })
    }

    /// Reads what stands between elements; true when another one follows, false when `close` has been read.
    ///
    /// The grammar allows one comma before the closing bracket, even in an empty literal.
    fn another(&mut self, first: bool, close: TokenKind) -> Parsed<bool> {
        let comma = self.eat(TokenKind::Comma);
        if self.eat(close) {
            return Ok(false);
        }
        if comma == first { Err(Stop::Syntax) } else { Ok(true) }
    }
}
