//! Names, calls, selections and indexes.

use super::{Parsed, Parser, Stop};
use crate::ast::{Expr, ExprId};
use crate::lexer::{Lexer, TokenKind};
use crate::macros::Expander;
use crate::source::Span;

impl Parser<'_> {
    /// A primary expression with what is selected from and called on it.
    pub(super) fn member(&mut self) -> Parsed<ExprId> {
        let start = self.token.start;
        let first_node = self.ast.len();
        let mut operand = self.primary()?;
        loop {
            operand = match self.token.kind {
                TokenKind::Dot => self.dot(operand, start)?,
                TokenKind::LeftBracket => self.index(operand, start)?,
                TokenKind::LeftBrace => match self.message_name(start) {
                    // What was read as selections is the name of a type.
                    Some(name) => {
                        self.ast.truncate(first_node);
                        self.message(name, start)?
                    }
                    None => return Ok(operand),
                },
                _ => return Ok(operand),
            };
        }
    }

    fn primary(&mut self) -> Parsed<ExprId> {
        match self.token.kind {
            TokenKind::Identifier | TokenKind::Dot => self.name(),
            TokenKind::LeftParen => self.parenthesised(),
            TokenKind::LeftBracket => self.list(),
            TokenKind::LeftBrace => self.map(),
            _ => self.literal(),
        }
    }

    fn parenthesised(&mut self) -> Parsed<ExprId> {
        self.bump();
        let inner = self.expr()?;
        self.expect(TokenKind::RightParen)?;
        Ok(inner)
    }

    #[inline(never)]
    fn name(&mut self) -> Parsed<ExprId> {
        let start = self.token.start;
        let rooted = self.eat(TokenKind::Dot);
        let (source, token) = (self.source, self.token);
        self.expect(TokenKind::Identifier)?;
        let name = token.text(source);
        if self.token.kind == TokenKind::LeftParen {
            let at = self.token.start;
            let args = self.arguments()?;
            return Ok(self.global_call(name, rooted, args, start, at));
        }
        if is_reserved(name) && self.names_message() {
            return Ok(self.add(Expr::Ident(name.into()), start, token.start));
        }
        Ok(self.ident(name, rooted, start, token.start))
    }

    pub(super) fn ident(&mut self, name: &str, rooted: bool, start: u32, at: u32) -> ExprId {
        if is_reserved(name) {
            return self.reserved(name, start);
        }
        let name = if rooted { format!(".{name}").into() } else { name.into() };
        self.add(Expr::Ident(name), start, at)
    }

    pub(super) fn global_call(
        &mut self,
        name: &str,
        rooted: bool,
        args: Vec<ExprId>,
        start: u32,
        at: u32,
    ) -> ExprId {
        if is_reserved(name) {
            return self.reserved(name, start);
        }
        if rooted {
            return self.call(None, &format!(".{name}"), args, start, at);
        }
        self.call(None, name, args, start, at)
    }

    #[cold]
    fn reserved(&mut self, name: &str, start: u32) -> ExprId {
        self.report(start, format!("reserved identifier: {name}"));
        self.add_unspecified(start, start)
    }

    /// What follows a dot: a field or a method.
    #[inline(never)]
    fn dot(&mut self, operand: ExprId, start: u32) -> Parsed<ExprId> {
        let dot = self.bump();
        let optional = self.eat(TokenKind::Question);
        let (source, token) = (self.source, self.token);
        let text = token.text(source);
        let field = match token.kind {
            TokenKind::Identifier => text,
            TokenKind::QuotedIdentifier => text.trim_matches('`'),
            _ => return Err(Stop::Syntax),
        };
        self.bump();
        if self.token.kind == TokenKind::LeftParen && token.kind == TokenKind::Identifier && !optional {
            let at = self.token.start;
            let args = self.arguments()?;
            return Ok(self.call(Some(operand), field, args, start, at));
        }
        Ok(self.add(Expr::Select { operand, field: field.into(), optional }, start, dot))
    }

    #[inline(never)]
    fn index(&mut self, operand: ExprId, start: u32) -> Parsed<ExprId> {
        let at = self.bump();
        let optional = self.eat(TokenKind::Question);
        let index = self.expr()?;
        self.expect(TokenKind::RightBracket)?;
        Ok(self.add(Expr::Index { operand, index, optional }, start, at))
    }

    fn arguments(&mut self) -> Parsed<Vec<ExprId>> {
        self.bump();
        let mut arguments = Vec::new();
        if self.eat(TokenKind::RightParen) {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.expr()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::RightParen)?;
        Ok(arguments)
    }

    /// A call, rewritten when it is that of a macro.
    #[inline(never)]
    pub(super) fn call(
        &mut self,
        target: Option<ExprId>,
        name: &str,
        args: Vec<ExprId>,
        start: u32,
        at: u32,
    ) -> ExprId {
        let Some(found) = self.env.macro_for(name, target.is_some(), args.len()) else {
            return self.add(Expr::Call { target, function: name.into(), args }, start, at);
        };
        let span = Span::new(start, self.previous_end);
        match (found.expand)(&mut Expander::new(&mut self.ast, span, at), target, &args) {
            Ok(Some(expanded)) => expanded,
            Ok(None) => self.add(Expr::Call { target, function: name.into(), args }, start, at),
            Err(issue) => {
                self.issues.push(issue);
                self.add_unspecified(start, at)
            }
        }
    }

    /// Adds a node for something about which an issue is noted: neither a name nor a literal to the macros around it.
    #[cold]
    pub(super) fn add_unspecified(&mut self, start: u32, at: u32) -> ExprId {
        let span = Span::new(start, self.previous_end.max(start));
        self.ast.add(Expr::Call { target: None, function: "".into(), args: Vec::new() }, span, at)
    }

    /// The name of the type whose literal begins at the brace that is next, if a name is what stands before it.
    #[cold]
    fn message_name(&self, start: u32) -> Option<String> {
        let text = self.source.get(start as usize..self.previous_end as usize)?;
        let mut lexer = Lexer::new(text);
        let mut name = String::with_capacity(text.len());
        let mut token = lexer.next_token();
        if token.kind == TokenKind::Dot {
            name.push('.');
            token = lexer.next_token();
        }
        while token.kind == TokenKind::Identifier {
            name.push_str(token.text(text));
            token = lexer.next_token();
            if token.kind == TokenKind::End {
                return Some(name);
            }
            if token.kind != TokenKind::Dot {
                return None;
            }
            name.push('.');
            token = lexer.next_token();
        }
        None
    }

    /// Whether the name just read begins that of a type whose literal follows.
    #[cold]
    fn names_message(&self) -> bool {
        let mut ahead = self.lexer.clone();
        let mut kind = self.token.kind;
        while kind == TokenKind::Dot {
            if ahead.next_token().kind != TokenKind::Identifier {
                return false;
            }
            kind = ahead.next_token().kind;
        }
        kind == TokenKind::LeftBrace
    }
}

/// Words that may be fields but not variables or functions.
fn is_reserved(name: &str) -> bool {
    matches!(
        name,
        "as" | "break"
            | "const"
            | "continue"
            | "else"
            | "for"
            | "function"
            | "if"
            | "import"
            | "let"
            | "loop"
            | "package"
            | "namespace"
            | "return"
            | "var"
            | "void"
            | "while"
    )
}
