//! Names, calls, selections and literals in text with errors.

use super::grammar::{EXPR, LITERAL, PRIMARY};
use super::recovery::{Outcome, Place, Recovery};
use super::token_set::TokenSet;
use crate::ast::{Expr, ExprId};
use crate::lexer::{Token, TokenKind};
use crate::parser::literal::literal_value;
use crate::source::{Issue, Span};

const POSTFIX: TokenSet = TokenSet::of(&[TokenKind::Dot, TokenKind::LeftBracket]).or_rule_end();
const CLOSE_PAREN: TokenSet = TokenSet::of(&[TokenKind::RightParen]);
const NAME: TokenSet = TokenSet::of(&[TokenKind::Identifier, TokenKind::QuotedIdentifier]);
const QUESTION: TokenSet = TokenSet::of(&[TokenKind::Question]);
/// How a field of a message, or one that is selected, begins.
pub(super) const FIELD: TokenSet = NAME.or(QUESTION);
pub(super) const OPTIONAL_EXPR: TokenSet = EXPR.or(QUESTION);

impl Recovery<'_> {
    pub(super) fn member(&mut self) -> Outcome<ExprId> {
        let start = self.enter(TokenSet::RULE_END);
        let mut node = self.primary(POSTFIX)?;
        let outcome = self.postfix(start, &mut node);
        self.leave(outcome)?;
        Ok(node)
    }

    fn postfix(&mut self, start: u32, node: &mut ExprId) -> Outcome<()> {
        loop {
            match (self.kind(), self.kind_ahead(1)) {
                (TokenKind::LeftBracket, _) => self.index(start, node)?,
                (TokenKind::Dot, TokenKind::Identifier) if self.kind_ahead(2) == TokenKind::LeftParen => {
                    self.method(start, node)?;
                }
                (TokenKind::Dot, next) if FIELD.contains(next) => self.select(start, node)?,
                (TokenKind::Dot, _) => return self.no_alternative(Place::Member, 1),
                _ => return Ok(()),
            }
        }
    }

    #[inline(never)]
    fn index(&mut self, start: u32, node: &mut ExprId) -> Outcome<()> {
        let operand = *node;
        let at = self.take().start;
        self.sync(Place::Index, OPTIONAL_EXPR)?;
        let optional = self.take_if(TokenKind::Question);
        let index = self.expr(TokenSet::of(&[TokenKind::RightBracket]))?;
        let closed = self.expect(TokenKind::RightBracket, Place::CloseIndex, POSTFIX);
        *node = self.tree.add(Expr::Index { operand, index, optional }, start, at);
        closed.map(|_| ())
    }

    #[inline(never)]
    fn select(&mut self, start: u32, node: &mut ExprId) -> Outcome<()> {
        let operand = *node;
        let at = self.take().start;
        self.sync(Place::Optional, FIELD)?;
        let optional = self.take_if(TokenKind::Question);
        let name_start = self.current().start;
        let Some(name) = self.field_name(POSTFIX)? else {
            self.note_unsupported_name(name_start);
            return Ok(());
        };
        let field = name.text(self.tree.source).trim_matches('`').into();
        *node = self.tree.add(Expr::Select { operand, field, optional }, start, at);
        Ok(())
    }

    /// cel-go's visitor stumbles over the name that the parser missed.
    pub(super) fn note_unsupported_name(&mut self, at: u32) {
        let message = "unsupported ident kind".to_owned();
        self.tree.issues.push(Issue { at, span: Span::new(at, at), message });
    }

    /// A field's name; `None` after an error in its place.
    pub(super) fn field_name(&mut self, follow: TokenSet) -> Outcome<Option<Token>> {
        self.enter(follow);
        let mut name = None;
        let outcome = self.field_name_body(&mut name);
        self.leave(outcome)?;
        Ok(name)
    }

    fn field_name_body(&mut self, name: &mut Option<Token>) -> Outcome<()> {
        self.sync(Place::FieldName, NAME)?;
        if !NAME.contains(self.kind()) {
            return self.no_alternative(Place::FieldName, 0);
        }
        *name = Some(self.take());
        Ok(())
    }

    #[inline(never)]
    fn method(&mut self, start: u32, node: &mut ExprId) -> Outcome<()> {
        let target = *node;
        self.take();
        let name = self.take().text(self.tree.source);
        let at = self.take().start;
        let mut args = Vec::new();
        let closed = self.arguments(Place::Arguments, Place::CloseArguments, POSTFIX, &mut args);
        *node = self.tree.call(Some(target), name, args, start, at);
        closed
    }

    fn arguments(
        &mut self,
        open: Place,
        close: Place,
        next: TokenSet,
        args: &mut Vec<ExprId>,
    ) -> Outcome<()> {
        self.sync(open, EXPR.or(CLOSE_PAREN))?;
        if EXPR.contains(self.kind()) {
            self.argument_list(args)?;
        }
        self.expect(TokenKind::RightParen, close, next)?;
        Ok(())
    }

    fn argument_list(&mut self, args: &mut Vec<ExprId>) -> Outcome<()> {
        self.enter(CLOSE_PAREN);
        let follow = TokenSet::of(&[TokenKind::Comma]).or_rule_end();
        args.push(self.expr(follow)?);
        while self.take_if(TokenKind::Comma) {
            args.push(self.expr(follow)?);
        }
        self.leave(Ok(()))
    }

    fn primary(&mut self, follow: TokenSet) -> Outcome<ExprId> {
        let start = self.enter(follow);
        let mut node = None;
        let outcome = self.primary_body(start, &mut node);
        self.leave(outcome)?;
        Ok(node.unwrap_or_else(|| self.unspecified(start)))
    }

    fn primary_body(&mut self, start: u32, node: &mut Option<ExprId>) -> Outcome<()> {
        self.sync(Place::Primary, PRIMARY)?;
        match self.kind() {
            TokenKind::LeftParen => self.parenthesised(node),
            TokenKind::LeftBracket => self.list(node),
            TokenKind::LeftBrace => self.map(node),
            TokenKind::Identifier => self.named(start, false, node),
            TokenKind::Dot if self.kind_ahead(1) == TokenKind::Identifier => self.named(start, true, node),
            TokenKind::Dot => self.no_alternative(Place::Primary, 1),
            kind if LITERAL.contains(kind) => {
                *node = Some(self.literal()?);
                Ok(())
            }
            _ => self.no_alternative(Place::Primary, 0),
        }
    }

    fn parenthesised(&mut self, node: &mut Option<ExprId>) -> Outcome<()> {
        self.take();
        *node = Some(self.expr(CLOSE_PAREN)?);
        self.expect(TokenKind::RightParen, Place::CloseParen, TokenSet::RULE_END)?;
        Ok(())
    }

    #[inline(never)]
    fn named(&mut self, start: u32, rooted: bool, node: &mut Option<ExprId>) -> Outcome<()> {
        if self.message_is_ahead(usize::from(rooted)) {
            return self.message(start, node);
        }
        self.take_if(TokenKind::Dot);
        let token = self.take();
        let name = token.text(self.tree.source);
        if self.kind() != TokenKind::LeftParen {
            *node = Some(self.tree.ident(name, rooted, start, token.start));
            return Ok(());
        }
        let at = self.take().start;
        let mut args = Vec::new();
        let (open, close) = (Place::GlobalArguments, Place::CloseGlobalArguments);
        let closed = self.arguments(open, close, TokenSet::RULE_END, &mut args);
        *node = Some(self.tree.global_call(name, rooted, args, start, at));
        closed
    }

    /// Whether the name at this distance is that of a message whose literal follows.
    fn message_is_ahead(&self, name: usize) -> bool {
        let mut after = name + 1;
        while self.kind_ahead(after) == TokenKind::Dot && self.kind_ahead(after + 1) == TokenKind::Identifier
        {
            after += 2;
        }
        self.kind_ahead(after) == TokenKind::LeftBrace
    }

    #[inline(never)]
    fn literal(&mut self) -> Outcome<ExprId> {
        let start = self.enter(TokenSet::RULE_END);
        let mut node = None;
        let outcome = self.literal_body(start, &mut node);
        self.leave(outcome)?;
        Ok(node.unwrap_or_else(|| self.unspecified(start)))
    }

    fn literal_body(&mut self, start: u32, node: &mut Option<ExprId>) -> Outcome<()> {
        let negative = self.kind() == TokenKind::Minus;
        if negative && !matches!(self.kind_ahead(1), TokenKind::Int | TokenKind::Float) {
            return self.no_alternative(Place::Literal, 1);
        }
        self.take_if(TokenKind::Minus);
        let token = self.take();
        if let Some(value) = literal_value(token, self.tree.source, negative) {
            *node = Some(self.tree.add_literal(value, start));
        }
        Ok(())
    }
}
