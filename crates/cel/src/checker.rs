//! Types and meanings of the nodes of an expression, by cel-go's rules.

mod bindings;
mod calls;
mod comprehensions;
mod depth;
mod homogeneous;
mod literal_arguments;
mod literals;
mod names;
mod operators;
mod parts;
mod report;

use crate::ast::{Ast, BinaryOp, Expr, ExprId, Literal, LogicOp};
use crate::checked::{Checked, Meaning};
use crate::env::Env;
use crate::source::{Issue, Issues};
use crate::types::Type;

use bindings::Bindings;
use names::Scope;
pub(crate) use names::qualified_name;
use operators::OPERATORS;

/// Deduces the types of an expression; all that is wrong with it comes back at once.
pub(crate) fn check(env: &Env, ast: Ast) -> Result<Checked, Issues> {
    run(env, ast, false)
}

/// Resolves the names of an expression that is to run unchecked: what is wrong with it shows when it runs.
pub(crate) fn resolve(env: &Env, ast: Ast) -> Result<Checked, Issues> {
    run(env, ast, true)
}

fn run(env: &Env, ast: Ast, lenient: bool) -> Result<Checked, Issues> {
    let mut checker = Checker::new(env, &ast, lenient);
    checker.check(ast.root());
    if let Some(id) = depth::too_deep(&ast, &checker.meanings, checker.scope.most()) {
        checker.issues.push(checker.too_deep(id));
    }
    if !checker.issues.is_empty() {
        return Err(Issues::new(ast.source(), checker.issues).with_omitted(checker.omitted));
    }
    let (types, meanings, locals) = checker.finish();
    let outcome = Checked { ast, types, meanings, locals };
    if lenient { Ok(outcome) } else { validate(env, outcome) }
}

/// Looks for what is sure to fail although the types agree, and for what the environment does not want.
fn validate(env: &Env, checked: Checked) -> Result<Checked, Issues> {
    let mut issues = Vec::new();
    for (id, meaning) in checked.ast.ids().zip(&checked.meanings) {
        if let Meaning::Overloads(overloads) = meaning {
            let validate = overloads.iter().filter_map(|it| it.validate);
            issues.extend(validate.filter_map(|validate| validate(&checked, id)));
        }
    }
    if env.homogeneous_literals() {
        issues.extend(homogeneous::find_mixed(&checked));
    }
    if env.validate_literals() {
        issues.extend(literal_arguments::find_invalid(&checked));
    }
    if issues.is_empty() { Ok(checked) } else { Err(Issues::new(checked.ast.source(), issues)) }
}

struct Checker<'a> {
    env: &'a Env,
    ast: &'a Ast,
    /// Nothing is reported, and calls keep all overloads that could apply.
    lenient: bool,
    /// Numbers of different types may be compared by order.
    mixed_comparisons: bool,
    bindings: Bindings,
    scope: Scope,
    types: Vec<Type>,
    meanings: Vec<Meaning>,
    issues: Vec<Issue>,
    /// How many issues were found beyond the most that are kept.
    omitted: usize,
    /// Argument types of the call being resolved.
    args: Vec<Type>,
}

impl<'a> Checker<'a> {
    fn new(env: &'a Env, ast: &'a Ast, lenient: bool) -> Self {
        Self {
            env,
            ast,
            lenient,
            mixed_comparisons: lenient || env.mixed_comparisons(),
            bindings: Bindings::default(),
            scope: Scope::default(),
            types: vec![Type::Dyn; ast.len()],
            meanings: vec![Meaning::Structural; ast.len()],
            issues: Vec::new(),
            omitted: 0,
            args: Vec::new(),
        }
    }

    fn finish(mut self) -> (Vec<Type>, Vec<Meaning>, u32) {
        for ty in &mut self.types {
            if ty.is_open() {
                *ty = self.bindings.close(ty);
            }
            if self.lenient {
                *ty = ty.without_errors();
            }
        }
        (self.types, self.meanings, self.scope.most())
    }

    /// Deduces the type of a node and of all below it.
    fn check(&mut self, id: ExprId) -> Type {
        let ty = self.deduce(id);
        self.types[id.index()] = ty.clone();
        ty
    }

    fn too_deep(&self, id: ExprId) -> Issue {
        let node = self.ast.node(id);
        let message = format!("expression recursion limit exceeded: {}", depth::MAX_DEPTH);
        Issue { at: node.at, span: node.span, message }
    }

    fn mean(&mut self, id: ExprId, meaning: Meaning) {
        self.meanings[id.index()] = meaning;
    }

    fn deduce(&mut self, id: ExprId) -> Type {
        match self.ast.expr(id) {
            Expr::Literal(literal) => literal_type(literal),
            Expr::Ident(name) => self.ident(id, name),
            Expr::Select { operand, field, optional } => self.select(id, *operand, field, *optional),
            Expr::Has { operand, field } => self.has(id, *operand, field),
            Expr::Index { operand, index, optional } => self.index(id, *operand, *index, *optional),
            Expr::Call { target, function, args } => self.call(id, *target, function, args),
            Expr::Unary { op, operand } => {
                let operand = self.check(*operand);
                self.operate(id, OPERATORS.unary(*op), &[operand])
            }
            Expr::Binary { op, lhs, rhs } => self.binary(id, *op, *lhs, *rhs),
            Expr::Logic { op: LogicOp::And | LogicOp::Or, terms } => self.logic(terms),
            Expr::Ternary { condition, then, otherwise } => {
                let args = [self.check(*condition), self.check(*then), self.check(*otherwise)];
                self.operate(id, &OPERATORS.conditional, &args)
            }
            Expr::List(elements) => self.list(elements),
            Expr::Map(entries) => self.map(entries),
            Expr::Struct { type_name, fields } => self.message(id, type_name, fields),
            Expr::Loop(it) => self.comprehension(id, it),
            Expr::Bind { name, init, body } => self.bind(id, name, *init, *body),
            Expr::OptionalMap { target, name, body, flat } => {
                self.optional_map(id, *target, name, *body, *flat)
            }
        }
    }

    fn index(&mut self, id: ExprId, operand: ExprId, index: ExprId, optional: bool) -> Type {
        let args = [self.check(operand), self.check(index)];
        let operator = if optional { &OPERATORS.optional_index } else { &OPERATORS.index };
        self.operate(id, operator, &args)
    }

    /// One operator, or a chain that leans left and may be too long for recursion.
    fn binary(&mut self, id: ExprId, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> Type {
        if !matches!(self.ast.expr(lhs), Expr::Binary { .. }) {
            let args = [self.check(lhs), self.check(rhs)];
            return self.operate(id, OPERATORS.binary(op), &args);
        }
        let (spine, first) = self.ast.left_spine(id);
        let mut left = self.check(first);
        for link in spine.into_iter().rev() {
            if let Expr::Binary { op, rhs, .. } = self.ast.expr(link) {
                let right = self.check(*rhs);
                left = self.operate(link, OPERATORS.binary(*op), &[left, right]);
                self.types[link.index()] = left.clone();
            }
        }
        left
    }

    /// Goes through the terms as through the balanced tree that cel-go makes of `a && b && c`.
    ///
    /// The tree shows in what a wrong term leads to: an operator with a wrong operand has no type, those above it are `bool`.
    fn logic(&mut self, terms: &[ExprId]) -> Type {
        let (left, right) = terms.split_at(terms.len().div_ceil(2));
        let operands = [self.operand(left), self.operand(right)];
        let mut sound = true;
        for (term, ty) in operands.iter().flatten() {
            if !self.bindings.assignable(ty, &Type::Bool) {
                self.mismatch(*term, &Type::Bool, ty);
                sound = false;
            }
        }
        if sound { Type::Bool } else { Type::Error }
    }

    /// The term and its type, if there is only one; an operator that joins several fits another such.
    fn operand(&mut self, terms: &[ExprId]) -> Option<(ExprId, Type)> {
        if let [term] = terms {
            return Some((*term, self.check(*term)));
        }
        if !terms.is_empty() {
            self.logic(terms);
        }
        None
    }
}

fn literal_type(literal: &Literal) -> Type {
    match literal {
        Literal::Null => Type::Null,
        Literal::Bool(_) => Type::Bool,
        Literal::Int(_) => Type::Int,
        Literal::Uint(_) => Type::Uint,
        Literal::Double(_) => Type::Double,
        Literal::String(_) => Type::String,
        Literal::Bytes(_) => Type::Bytes,
    }
}

#[cfg(test)]
mod tests;
