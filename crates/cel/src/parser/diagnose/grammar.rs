//! The rules of the grammar, in the shape of a generated parser: what they expect, and operators.
//!
//! A rule that can fail is a pair of functions: one that enters and leaves, and a body that an error ends early. The node a body has
//! made by then is kept, as cel-go keeps the children of a rule that failed.

use super::recovery::{Outcome, Place, Recovery};
use super::token_set::TokenSet;
use crate::ast::{Expr, ExprId, LogicOp, UnaryOp};
use crate::lexer::TokenKind;
use crate::parser::{Infix, MAX_DEPTH, Power, infix};

pub(super) const LITERAL: TokenSet = TokenSet::of(&[
    TokenKind::Minus,
    TokenKind::True,
    TokenKind::False,
    TokenKind::Null,
    TokenKind::Float,
    TokenKind::Int,
    TokenKind::Uint,
    TokenKind::String,
    TokenKind::Bytes,
]);
pub(super) const PRIMARY: TokenSet = LITERAL.or(TokenSet::of(&[
    TokenKind::LeftBracket,
    TokenKind::LeftBrace,
    TokenKind::LeftParen,
    TokenKind::Dot,
    TokenKind::Identifier,
]));
pub(super) const EXPR: TokenSet = PRIMARY.or(TokenSet::of(&[TokenKind::Bang]));

const SUMS: TokenSet =
    TokenSet::of(&[TokenKind::Star, TokenKind::Slash, TokenKind::Percent, TokenKind::Plus, TokenKind::Minus]);
const RELATIONS: TokenSet = TokenSet::of(&[
    TokenKind::EqualEqual,
    TokenKind::BangEqual,
    TokenKind::In,
    TokenKind::Less,
    TokenKind::LessEqual,
    TokenKind::Greater,
    TokenKind::GreaterEqual,
]);

impl Recovery<'_> {
    /// The whole source.
    pub(super) fn start(&mut self) -> Outcome<()> {
        self.enter(TokenSet::EMPTY);
        let outcome = self.start_body();
        self.leave(outcome)
    }

    fn start_body(&mut self) -> Outcome<()> {
        self.expr(TokenSet::of(&[TokenKind::End]))?;
        self.expect(TokenKind::End, Place::End, TokenSet::EMPTY)?;
        Ok(())
    }

    pub(super) fn expr(&mut self, follow: TokenSet) -> Outcome<ExprId> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.halt_too_deep());
        }
        let start = self.enter(follow);
        let mut node = self.logic(LogicOp::Or, TokenSet::of(&[TokenKind::Question]).or_rule_end())?;
        let mut outcome = Ok(());
        if self.kind() == TokenKind::Question {
            outcome = self.ternary(start, &mut node);
        }
        self.leave(outcome)?;
        self.depth -= 1;
        Ok(node)
    }

    #[inline(never)]
    fn ternary(&mut self, start: u32, node: &mut ExprId) -> Outcome<()> {
        let condition = *node;
        let at = self.take().start;
        let then = self.logic(LogicOp::Or, TokenSet::of(&[TokenKind::Colon]))?;
        let colon = self.expect(TokenKind::Colon, Place::Colon, EXPR);
        let otherwise = if colon.is_ok() { self.expr(TokenSet::RULE_END)? } else { self.unspecified(start) };
        *node = self.tree.add(Expr::Ternary { condition, then, otherwise }, start, at);
        colon.map(|_| ())
    }

    fn logic(&mut self, op: LogicOp, follow: TokenSet) -> Outcome<ExprId> {
        let start = self.enter(follow);
        let operator = match op {
            LogicOp::And => TokenKind::AndAnd,
            LogicOp::Or => TokenKind::OrOr,
        };
        let mut node = self.logic_term(op)?;
        if self.kind() == operator {
            let mut terms = vec![node];
            while self.take_if(operator) {
                terms.push(self.logic_term(op)?);
            }
            node = self.tree.add_logic(op, terms, start);
        }
        self.leave(Ok(()))?;
        Ok(node)
    }

    fn logic_term(&mut self, op: LogicOp) -> Outcome<ExprId> {
        match op {
            LogicOp::Or => self.logic(LogicOp::And, TokenSet::of(&[TokenKind::OrOr]).or_rule_end()),
            LogicOp::And => self.relation(Power::Relation, TokenSet::of(&[TokenKind::AndAnd]).or_rule_end()),
        }
    }

    fn relation(&mut self, least: Power, follow: TokenSet) -> Outcome<ExprId> {
        let start = self.enter(follow);
        let mut lhs = self.sum(Power::Sum, RELATIONS.or_rule_end())?;
        while let Some((Power::Relation, Infix::Binary(op))) = infix(self.kind())
            && least == Power::Relation
        {
            let at = self.take().start;
            let rhs = self.relation(Power::Sum, RELATIONS.or_rule_end())?;
            lhs = self.tree.add(Expr::Binary { op, lhs, rhs }, start, at);
        }
        self.leave(Ok(()))?;
        Ok(lhs)
    }

    fn sum(&mut self, least: Power, follow: TokenSet) -> Outcome<ExprId> {
        let start = self.enter(follow);
        let mut lhs = self.unary(SUMS.or_rule_end())?;
        while let Some((power @ (Power::Sum | Power::Product), Infix::Binary(op))) = infix(self.kind())
            && power >= least
        {
            let at = self.take().start;
            let rhs = self.sum(power.tighter(), SUMS.or_rule_end())?;
            lhs = self.tree.add(Expr::Binary { op, lhs, rhs }, start, at);
        }
        self.leave(Ok(()))?;
        Ok(lhs)
    }

    fn unary(&mut self, follow: TokenSet) -> Outcome<ExprId> {
        let start = self.enter(follow);
        let mut node = None;
        let outcome = self.unary_body(&mut node);
        self.leave(outcome)?;
        Ok(node.unwrap_or_else(|| self.unspecified(start)))
    }

    fn unary_body(&mut self, node: &mut Option<ExprId>) -> Outcome<()> {
        self.sync(Place::Unary, EXPR)?;
        *node = Some(match self.kind() {
            TokenKind::Bang => self.not()?,
            TokenKind::Minus => match self.kind_ahead(1) {
                TokenKind::Int | TokenKind::Float => self.member()?,
                operand if PRIMARY.contains(operand) => self.negation()?,
                _ => return self.no_alternative(Place::Unary, 1),
            },
            operand if PRIMARY.contains(operand) => self.member()?,
            _ => return self.no_alternative(Place::Unary, 0),
        });
        Ok(())
    }

    #[inline(never)]
    fn not(&mut self) -> Outcome<ExprId> {
        let at = self.current().start;
        let mut odd = false;
        while self.take_if(TokenKind::Bang) {
            odd = !odd;
            self.sync_loop(EXPR)?;
        }
        self.prefixed(UnaryOp::Not, odd, at)
    }

    #[inline(never)]
    fn negation(&mut self) -> Outcome<ExprId> {
        let at = self.current().start;
        let mut odd = false;
        while self.take_if(TokenKind::Minus) {
            odd = !odd;
            self.sync_loop(PRIMARY)?;
            if self.kind() == TokenKind::Minus && !PRIMARY.contains(self.kind_ahead(1)) {
                return self.no_alternative(Place::Negation, 1);
            }
            if !PRIMARY.contains(self.kind()) {
                return self.no_alternative(Place::Negation, 0);
            }
        }
        self.prefixed(UnaryOp::Negate, odd, at)
    }

    fn prefixed(&mut self, op: UnaryOp, odd: bool, at: u32) -> Outcome<ExprId> {
        let operand = self.member()?;
        Ok(if odd { self.tree.add(Expr::Unary { op, operand }, at, at) } else { operand })
    }
}
