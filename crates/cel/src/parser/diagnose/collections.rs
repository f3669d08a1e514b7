//! Literals of lists, maps and messages in text with errors.

use super::grammar::EXPR;
use super::members::{FIELD, OPTIONAL_EXPR};
use super::recovery::{Outcome, Place, Recovery};
use super::token_set::TokenSet;
use crate::ast::{Element, Entry, Expr, ExprId};
use crate::lexer::TokenKind;

const COLON: TokenSet = TokenSet::of(&[TokenKind::Colon]);
const COMMA: TokenSet = TokenSet::of(&[TokenKind::Comma]);
const BRACKET_OR_COMMA: TokenSet = TokenSet::of(&[TokenKind::Comma, TokenKind::RightBracket]);
const BRACE_OR_COMMA: TokenSet = TokenSet::of(&[TokenKind::Comma, TokenKind::RightBrace]);

impl Recovery<'_> {
    #[inline(never)]
    pub(super) fn list(&mut self, node: &mut Option<ExprId>) -> Outcome<()> {
        let at = self.take().start;
        let mut elements = Vec::new();
        let outcome = self.list_body(&mut elements);
        *node = Some(self.tree.add(Expr::List(elements), at, at));
        outcome
    }

    fn list_body(&mut self, elements: &mut Vec<Element>) -> Outcome<()> {
        self.sync(Place::Elements, OPTIONAL_EXPR.or(BRACKET_OR_COMMA))?;
        if OPTIONAL_EXPR.contains(self.kind()) {
            self.elements(elements)?;
        }
        self.sync(Place::ElementsComma, BRACKET_OR_COMMA)?;
        self.take_if(TokenKind::Comma);
        self.expect(TokenKind::RightBracket, Place::CloseElements, TokenSet::RULE_END)?;
        Ok(())
    }

    fn elements(&mut self, elements: &mut Vec<Element>) -> Outcome<()> {
        self.enter(BRACKET_OR_COMMA);
        elements.push(self.element(COMMA.or_rule_end())?);
        while self.another(OPTIONAL_EXPR) {
            elements.push(self.element(COMMA.or_rule_end())?);
        }
        self.leave(Ok(()))
    }

    /// Reads a comma that another element follows; one before a closing bracket is left.
    fn another(&mut self, first: TokenSet) -> bool {
        first.contains(self.kind_ahead(1)) && self.take_if(TokenKind::Comma)
    }

    fn element(&mut self, follow: TokenSet) -> Outcome<Element> {
        let start = self.enter(follow);
        let mut element = None;
        let outcome = self.element_body(&mut element);
        self.leave(outcome)?;
        Ok(element.unwrap_or_else(|| Element { value: self.unspecified(start), optional: false }))
    }

    fn element_body(&mut self, element: &mut Option<Element>) -> Outcome<()> {
        self.sync(Place::Element, OPTIONAL_EXPR)?;
        let optional = self.take_if(TokenKind::Question);
        *element = Some(Element { value: self.expr(TokenSet::RULE_END)?, optional });
        Ok(())
    }

    #[inline(never)]
    pub(super) fn map(&mut self, node: &mut Option<ExprId>) -> Outcome<()> {
        let at = self.take().start;
        let mut entries = Vec::new();
        let outcome = self.map_body(&mut entries);
        *node = Some(self.tree.add(Expr::Map(entries), at, at));
        outcome
    }

    fn map_body(&mut self, entries: &mut Vec<Entry>) -> Outcome<()> {
        self.sync(Place::Entries, OPTIONAL_EXPR.or(BRACE_OR_COMMA))?;
        if OPTIONAL_EXPR.contains(self.kind()) {
            self.enter(BRACE_OR_COMMA);
            let outcome = self.entries(entries);
            self.leave(outcome)?;
        }
        self.sync(Place::EntriesComma, BRACE_OR_COMMA)?;
        self.take_if(TokenKind::Comma);
        self.expect(TokenKind::RightBrace, Place::CloseEntries, TokenSet::RULE_END)?;
        Ok(())
    }

    fn entries(&mut self, entries: &mut Vec<Entry>) -> Outcome<()> {
        entries.push(self.entry()?);
        while self.another(OPTIONAL_EXPR) {
            entries.push(self.entry()?);
        }
        Ok(())
    }

    fn entry(&mut self) -> Outcome<Entry> {
        let noted = self.tree.issues.len();
        let key = self.element(COLON)?;
        if let Err(trouble) = self.expect(TokenKind::Colon, Place::EntryColon, EXPR) {
            // cel-go does not look at keys without a colon.
            self.tree.issues.truncate(noted);
            return Err(trouble);
        }
        let value = self.expr(COMMA.or_rule_end())?;
        Ok(Entry { key: key.value, value, optional: key.optional })
    }

    #[inline(never)]
    pub(super) fn message(&mut self, start: u32, node: &mut Option<ExprId>) -> Outcome<()> {
        while self.kind() != TokenKind::LeftBrace {
            self.take();
        }
        let at = self.take().start;
        let outcome = self.message_body();
        // No macro looks into a message, so that there is one is enough.
        let message = Expr::Struct { type_name: "".into(), fields: Vec::new() };
        *node = Some(self.tree.add(message, start, at));
        outcome
    }

    fn message_body(&mut self) -> Outcome<()> {
        self.sync(Place::Fields, FIELD.or(BRACE_OR_COMMA))?;
        if FIELD.contains(self.kind()) {
            let start = self.enter(BRACE_OR_COMMA);
            let outcome = self.fields(start);
            self.leave(outcome)?;
        }
        self.sync(Place::FieldsComma, BRACE_OR_COMMA)?;
        self.take_if(TokenKind::Comma);
        self.expect(TokenKind::RightBrace, Place::CloseFields, TokenSet::RULE_END)?;
        Ok(())
    }

    fn fields(&mut self, start: u32) -> Outcome<()> {
        self.field(start)?;
        while self.another(FIELD) {
            self.field(start)?;
        }
        Ok(())
    }

    fn field(&mut self, list_start: u32) -> Outcome<()> {
        self.enter(COLON);
        let mut named = false;
        let outcome = self.field_key(&mut named);
        self.leave(outcome)?;
        self.expect(TokenKind::Colon, Place::FieldColon, EXPR)?;
        self.expr(COMMA.or_rule_end())?;
        if !named {
            self.note_unsupported_name(list_start);
        }
        Ok(())
    }

    fn field_key(&mut self, named: &mut bool) -> Outcome<()> {
        self.sync(Place::Field, FIELD)?;
        self.take_if(TokenKind::Question);
        *named = self.field_name(TokenSet::RULE_END)?.is_some();
        Ok(())
    }
}
