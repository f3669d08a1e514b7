//! Turns source text into an [`Ast`], expanding macros on the way.
//!
//! The grammar is cel-go's. Operators of one precedence are gathered by iteration, so chains may be of any length; everything that nests
//! is bounded by [`MAX_DEPTH`]. Text outside the grammar is read a second time, by `diagnose`, to say what is wrong with it.

#![expect(clippy::wildcard_enum_match_arm, reason = "of the tokens, each place knows but a few")]

mod collection;
mod diagnose;
mod height;
mod literal;
mod member;
mod unescape;

#[cfg(test)]
mod tests;

use crate::ast::{Ast, AstBuilder, BinaryOp, Expr, ExprId, LogicOp, UnaryOp};
use crate::env::Env;
use crate::lexer::{Lexer, Token, TokenKind};
use crate::source::{Issue, Issues, Span};

/// How deep expressions may nest.
const MAX_DEPTH: u32 = 250;

/// How many characters an expression may have.
const MAX_CODE_POINTS: usize = 100_000;

/// Parses an expression and expands its macros.
pub(crate) fn parse(env: &Env, source: &str) -> Result<Ast, Issues> {
    check_size(source)?;
    let mut parser = Parser::new(env, source);
    let root = parser.start();
    let Parser { ast, mut issues, token, .. } = parser;
    match root {
        Ok(root) if issues.is_empty() => height::check(ast.finish(root)),
        Ok(_) => Err(Issues::new(source, issues)),
        Err(Stop::TooDeep) => {
            issues.push(too_deep(token.span()));
            Err(Issues::new(source, issues))
        }
        Err(Stop::Syntax) => Err(Issues::new(source, diagnose::issues(env, source))),
    }
}

fn check_size(source: &str) -> Result<(), Issues> {
    if source.len() <= MAX_CODE_POINTS {
        return Ok(());
    }
    let size = source.chars().count();
    if size <= MAX_CODE_POINTS {
        return Ok(());
    }
    let message = format!("expression code point size exceeds limit: size: {size}, limit {MAX_CODE_POINTS}");
    Err(Issues::new(source, vec![Issue { at: 0, span: Span::default(), message }]))
}

fn too_deep(span: Span) -> Issue {
    let message = format!("expression recursion limit exceeded: {MAX_DEPTH}");
    Issue { at: span.start, span, message }
}

/// Why parsing cannot go on.
#[derive(Clone, Copy, Debug)]
enum Stop {
    /// The current token is not in the grammar here.
    Syntax,
    /// The nesting is too deep.
    TooDeep,
}

type Parsed<T> = Result<T, Stop>;

struct Parser<'s> {
    env: &'s Env,
    source: &'s str,
    lexer: Lexer<'s>,
    /// The token to be read next.
    token: Token,
    /// Where the token before it ended.
    previous_end: u32,
    ast: AstBuilder,
    depth: u32,
    /// What is wrong though it is within the grammar.
    issues: Vec<Issue>,
}

impl<'s> Parser<'s> {
    fn new(env: &'s Env, source: &'s str) -> Self {
        let mut lexer = Lexer::new(source);
        let token = lexer.next_token();
        let ast = AstBuilder::new(source);
        Self { env, source, lexer, token, previous_end: 0, ast, depth: 0, issues: Vec::new() }
    }

    fn start(&mut self) -> Parsed<ExprId> {
        let root = self.expr()?;
        self.expect(TokenKind::End)?;
        Ok(root)
    }

    /// A whole expression; everything that nests comes through here.
    fn expr(&mut self) -> Parsed<ExprId> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Stop::TooDeep);
        }
        let start = self.token.start;
        let mut parsed = self.binary(Power::Or)?;
        if self.token.kind == TokenKind::Question {
            parsed = self.ternary(parsed, start)?;
        }
        self.depth -= 1;
        Ok(parsed)
    }

    #[inline(never)]
    fn ternary(&mut self, condition: ExprId, start: u32) -> Parsed<ExprId> {
        let at = self.bump();
        let then = self.binary(Power::Or)?;
        self.expect(TokenKind::Colon)?;
        let otherwise = self.expr()?;
        Ok(self.add(Expr::Ternary { condition, then, otherwise }, start, at))
    }

    /// Operands joined by operators that bind at least as tightly as `least`.
    fn binary(&mut self, least: Power) -> Parsed<ExprId> {
        let start = self.token.start;
        let mut lhs = self.unary()?;
        while let Some((power, operator)) = infix(self.token.kind) {
            if power < least {
                break;
            }
            lhs = match operator {
                Infix::Logic(op) => self.logic(lhs, start, op)?,
                Infix::Binary(op) => {
                    let at = self.bump();
                    let rhs = self.binary(power.tighter())?;
                    self.add(Expr::Binary { op, lhs, rhs }, start, at)
                }
            };
        }
        Ok(lhs)
    }

    #[inline(never)]
    fn logic(&mut self, first: ExprId, start: u32, op: LogicOp) -> Parsed<ExprId> {
        let (kind, tighter) = match op {
            LogicOp::And => (TokenKind::AndAnd, Power::Relation),
            LogicOp::Or => (TokenKind::OrOr, Power::And),
        };
        let mut terms = vec![first];
        while self.eat(kind) {
            terms.push(self.binary(tighter)?);
        }
        Ok(self.add_logic(op, terms, start))
    }

    fn add_logic(&mut self, op: LogicOp, terms: Vec<ExprId>, start: u32) -> ExprId {
        // cel-go makes a balanced tree of the terms, whose root is the operator in the middle.
        let middle = (terms.len() - 1) / 2;
        let at = self.ast.operator_after(terms[middle]);
        self.add(Expr::Logic { op, terms }, start, at)
    }

    fn unary(&mut self) -> Parsed<ExprId> {
        match self.token.kind {
            TokenKind::Bang => self.prefixed(TokenKind::Bang, UnaryOp::Not),
            TokenKind::Minus => self.negation(),
            _ => self.member(),
        }
    }

    #[inline(never)]
    fn negation(&mut self) -> Parsed<ExprId> {
        let mut ahead = self.lexer.clone();
        match ahead.next_token().kind {
            TokenKind::Int | TokenKind::Float => self.member(),
            _ => self.prefixed(TokenKind::Minus, UnaryOp::Negate),
        }
    }

    /// A run of one operator; as in cel-go, each pair of them says nothing.
    #[inline(never)]
    fn prefixed(&mut self, kind: TokenKind, op: UnaryOp) -> Parsed<ExprId> {
        let at = self.token.start;
        let mut odd = false;
        while self.eat(kind) {
            odd = !odd;
        }
        let operand = self.member()?;
        Ok(if odd { self.add(Expr::Unary { op, operand }, at, at) } else { operand })
    }

    /// Reads the current token; gives where it stood.
    fn bump(&mut self) -> u32 {
        let start = self.token.start;
        self.previous_end = self.token.end;
        self.token = self.lexer.next_token();
        start
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.token.kind == kind;
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, kind: TokenKind) -> Parsed<()> {
        if self.eat(kind) { Ok(()) } else { Err(Stop::Syntax) }
    }

    /// Adds a node that reaches from `start` to what has been read so far.
    fn add(&mut self, expr: Expr, start: u32, at: u32) -> ExprId {
        self.ast.add(expr, Span::new(start, self.previous_end), at)
    }

    /// Notes an issue about the text from `start` to what has been read so far.
    #[cold]
    fn report(&mut self, start: u32, message: impl Into<String>) {
        let span = Span::new(start, self.previous_end);
        self.issues.push(Issue { at: start, span, message: message.into() });
    }
}

/// How tightly an operator binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Power {
    Or,
    And,
    Relation,
    Sum,
    Product,
    Unary,
}

impl Power {
    fn tighter(self) -> Self {
        match self {
            Self::Or => Self::And,
            Self::And => Self::Relation,
            Self::Relation => Self::Sum,
            Self::Sum => Self::Product,
            Self::Product | Self::Unary => Self::Unary,
        }
    }
}

#[derive(Clone, Copy)]
enum Infix {
    Logic(LogicOp),
    Binary(BinaryOp),
}

fn infix(kind: TokenKind) -> Option<(Power, Infix)> {
    let (power, op) = match kind {
        TokenKind::OrOr => return Some((Power::Or, Infix::Logic(LogicOp::Or))),
        TokenKind::AndAnd => return Some((Power::And, Infix::Logic(LogicOp::And))),
        TokenKind::EqualEqual => (Power::Relation, BinaryOp::Equal),
        TokenKind::BangEqual => (Power::Relation, BinaryOp::NotEqual),
        TokenKind::Less => (Power::Relation, BinaryOp::Less),
        TokenKind::LessEqual => (Power::Relation, BinaryOp::LessEqual),
        TokenKind::Greater => (Power::Relation, BinaryOp::Greater),
        TokenKind::GreaterEqual => (Power::Relation, BinaryOp::GreaterEqual),
        TokenKind::In => (Power::Relation, BinaryOp::In),
        TokenKind::Plus => (Power::Sum, BinaryOp::Add),
        TokenKind::Minus => (Power::Sum, BinaryOp::Subtract),
        TokenKind::Star => (Power::Product, BinaryOp::Multiply),
        TokenKind::Slash => (Power::Product, BinaryOp::Divide),
        TokenKind::Percent => (Power::Product, BinaryOp::Modulo),
        _ => return None,
    };
    Some((power, Infix::Binary(op)))
}
