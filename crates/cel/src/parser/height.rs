//! Bounds the height of a tree, so that whoever walks it may recurse.

use super::{MAX_DEPTH, too_deep};
use crate::ast::{Ast, Expr, ExprId};
use crate::source::Issues;

/// Gives the expression back unless its tree is too high.
///
/// Chains of arithmetic operators are walked by iteration, so that their left operands do not count.
pub(super) fn check(ast: Ast) -> Result<Ast, Issues> {
    if ast.len() <= MAX_DEPTH as usize {
        return Ok(ast);
    }
    match too_high(&ast) {
        None => Ok(ast),
        Some(id) => Err(Issues::new(ast.source(), vec![too_deep(ast.node(id).span)])),
    }
}

fn too_high(ast: &Ast) -> Option<ExprId> {
    // Children are added before their parents, so one pass in order of age suffices.
    let mut heights: Vec<u32> = Vec::with_capacity(ast.len());
    for id in ast.ids() {
        let height = height(ast.expr(id), |child| heights.get(child.index()).copied().unwrap_or(0));
        if height > MAX_DEPTH {
            return Some(id);
        }
        heights.push(height);
    }
    None
}

fn height(expr: &Expr, of: impl Fn(ExprId) -> u32) -> u32 {
    if let Expr::Binary { op, lhs, rhs } = expr
        && op.is_arithmetic()
    {
        return of(*lhs).max(of(*rhs) + 1);
    }
    let mut highest = 0;
    expr.for_each_child(|child| highest = highest.max(of(child)));
    highest + 1
}
