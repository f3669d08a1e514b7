//! Numbers, strings and constants.

use super::{Parsed, Parser, Stop, unescape};
use crate::ast::{Expr, ExprId, Literal};
use crate::lexer::{Token, TokenKind};

impl Parser<'_> {
    #[inline(never)]
    pub(super) fn literal(&mut self) -> Parsed<ExprId> {
        let start = self.token.start;
        let negative = self.eat(TokenKind::Minus);
        let token = self.token;
        if negative && !matches!(token.kind, TokenKind::Int | TokenKind::Float) {
            return Err(Stop::Syntax);
        }
        let value = literal_value(token, self.source, negative).ok_or(Stop::Syntax)?;
        self.bump();
        Ok(self.add_literal(value, start))
    }

    pub(super) fn add_literal(&mut self, value: Result<Literal, &'static str>, start: u32) -> ExprId {
        match value {
            Ok(value) => self.add(Expr::Literal(value), start, start),
            Err(message) => {
                self.report(start, message);
                self.add_unspecified(start, start)
            }
        }
    }
}

/// The value of a literal, or what is wrong with it; `None` for a token that is no literal.
pub(super) fn literal_value(
    token: Token,
    source: &str,
    negative: bool,
) -> Option<Result<Literal, &'static str>> {
    let text = token.text(source);
    Some(match token.kind {
        TokenKind::Int => int(text, negative).ok_or("invalid int literal"),
        TokenKind::Uint => uint(text).ok_or("invalid uint literal"),
        TokenKind::Float => double(text, negative).ok_or("invalid double literal"),
        TokenKind::String => unescape::string(text).map(|it| Literal::String(it.into())),
        TokenKind::Bytes => unescape::bytes(text).map(|it| Literal::Bytes(it.into())),
        TokenKind::True => Ok(Literal::Bool(true)),
        TokenKind::False => Ok(Literal::Bool(false)),
        TokenKind::Null => Ok(Literal::Null),
        _ => return None,
    })
}

fn int(text: &str, negative: bool) -> Option<Literal> {
    let magnitude = magnitude(text)?;
    let value = if negative { 0_i64.checked_sub_unsigned(magnitude) } else { i64::try_from(magnitude).ok() };
    value.map(Literal::Int)
}

fn uint(text: &str) -> Option<Literal> {
    magnitude(text.trim_end_matches(['u', 'U'])).map(Literal::Uint)
}

fn magnitude(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn double(text: &str, negative: bool) -> Option<Literal> {
    let magnitude: f64 = text.parse().ok()?;
    let value = if negative { -magnitude } else { magnitude };
    value.is_finite().then_some(Literal::Double(value))
}
