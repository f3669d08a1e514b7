//! Bounds how deep the values of an expression can nest, so that whoever compares, prints or drops them may recurse.
//!
//! The parser bounds the expression itself, but `cel.bind(a, [[[x]]], cel.bind(b, [[[a]]], …))` nests values as deep as all the
//! expressions put into each other. So a name counts as what it is bound to.

#![expect(clippy::wildcard_enum_match_arm, reason = "what binds no name is treated alike")]

use crate::ast::{Ast, Expr, ExprId};
use crate::checked::Meaning;

/// Values nest no deeper than this, not counting what inputs hold.
pub(super) const MAX_DEPTH: u32 = 250;

/// The first node whose value could nest too deep.
pub(super) fn too_deep(ast: &Ast, meanings: &[Meaning], locals: u32) -> Option<ExprId> {
    if locals == 0 {
        return None;
    }
    let mut depths = Depths { ast, meanings, slots: vec![0; locals as usize + 1], first: None };
    depths.of(ast.root());
    depths.first
}

struct Depths<'a> {
    ast: &'a Ast,
    meanings: &'a [Meaning],
    /// By slot, the depth of what the local is bound to.
    slots: Vec<u32>,
    first: Option<ExprId>,
}

impl Depths<'_> {
    fn of(&mut self, id: ExprId) -> u32 {
        let depth = self.deduce(id);
        if depth > MAX_DEPTH {
            self.first.get_or_insert(id);
        }
        depth
    }

    fn deduce(&mut self, id: ExprId) -> u32 {
        match self.ast.expr(id) {
            Expr::Ident(_) => self.slot(id).map_or(1, |slot| self.slots[slot]),
            Expr::Bind { init, body, .. } => {
                self.bind(id, *init);
                self.of(*body)
            }
            Expr::OptionalMap { target, body, .. } => {
                let target = self.bind(id, *target);
                target.max(self.of(*body)) + 1
            }
            Expr::Loop(it) => {
                let range = self.bind(id, it.range);
                let filter = it.filter.map_or(0, |filter| self.of(filter));
                range.max(filter).max(self.of(it.body)) + 1
            }
            Expr::Binary { .. } => self.chain(id),
            other => {
                let mut deepest = 0;
                other.for_each_child(|child| deepest = deepest.max(self.of(child)));
                deepest + 1
            }
        }
    }

    /// Operators nest nothing: their value is no deeper than the deepest operand.
    fn chain(&mut self, id: ExprId) -> u32 {
        let (spine, first) = self.ast.left_spine(id);
        let mut deepest = self.of(first);
        for link in spine {
            if let Expr::Binary { rhs, .. } = self.ast.expr(link) {
                deepest = deepest.max(self.of(*rhs));
            }
        }
        deepest
    }

    /// Notes how deep the node's names are; a loop's variables are no deeper than its range.
    fn bind(&mut self, id: ExprId, value: ExprId) -> u32 {
        let depth = self.of(value);
        if let Some(slot) = self.slot(id) {
            self.slots[slot] = depth;
            if let Some(second) = self.slots.get_mut(slot + 1) {
                *second = depth;
            }
        }
        depth
    }

    fn slot(&self, id: ExprId) -> Option<usize> {
        match self.meanings[id.index()] {
            Meaning::Local(slot) => Some(slot as usize),
            _ => None,
        }
    }
}
