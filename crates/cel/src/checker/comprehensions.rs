//! Macros: the types and messages that cel-go's expansions of them would have.

use std::sync::Arc;

use super::Checker;
use super::operators::OPERATORS;
use super::parts::bounded;
use crate::ast::{BinaryOp, Expr, ExprId, Loop, LoopKind};
use crate::checked::Meaning;
use crate::types::Type;

impl Checker<'_> {
    pub(super) fn comprehension(&mut self, id: ExprId, it: &Loop) -> Type {
        let range = self.check(it.range);
        let accumulator = self.accumulator(it.kind);
        let (first, second) = self.elements(it, &range);
        let depth = self.enter(id, &it.variable, first.clone());
        if let Some(name) = &it.second {
            self.scope.push(name, second);
        }
        let step = self.step(id, it, &accumulator, first);
        if !self.bindings.assignable(&accumulator, &step) {
            self.mismatch(id, &accumulator, &step);
        }
        self.scope.truncate(depth);
        match it.kind {
            LoopKind::All | LoopKind::Exists => Type::Bool,
            LoopKind::ExistsOne => {
                self.operate(id, OPERATORS.binary(BinaryOp::Equal), &[Type::Int, Type::Int])
            }
            LoopKind::Filter | LoopKind::Map | LoopKind::TransformMap | LoopKind::TransformMapEntry => {
                self.bindings.substitute(&accumulator)
            }
        }
    }

    /// The type of what the expansion starts from.
    fn accumulator(&mut self, kind: LoopKind) -> Type {
        match kind {
            LoopKind::All | LoopKind::Exists => Type::Bool,
            LoopKind::ExistsOne => Type::Int,
            LoopKind::Filter | LoopKind::Map => Type::list(self.bindings.fresh()),
            LoopKind::TransformMap | LoopKind::TransformMapEntry => {
                Type::map(self.bindings.fresh(), self.bindings.fresh())
            }
        }
    }

    /// The types of the loop's variables; the second is of use only if there is one.
    #[expect(clippy::wildcard_enum_match_arm, reason = "types that cannot be iterated are treated alike")]
    fn elements(&mut self, it: &Loop, range: &Type) -> (Type, Type) {
        let range = self.bindings.substitute(range);
        match &range {
            Type::List(list) if it.second.is_some() => (Type::Int, list.element.clone()),
            Type::List(list) => (list.element.clone(), Type::Dyn),
            Type::Map(entry) => (entry.0.clone(), entry.1.clone()),
            Type::Dyn | Type::Error | Type::Var(_) => {
                self.bindings.assignable(&Type::Dyn, &range);
                (Type::Dyn, Type::Dyn)
            }
            _ => {
                self.report(it.range, |_| {
                    let rule = "(must be list, map, or dynamic)";
                    format!("expression of type '{range}' cannot be range of a comprehension {rule}")
                });
                (Type::Error, Type::Error)
            }
        }
    }

    /// The type of what the expansion makes of the accumulator for each element.
    fn step(&mut self, id: ExprId, it: &Loop, accumulator: &Type, first: Type) -> Type {
        match it.kind {
            LoopKind::All | LoopKind::Exists => self.quantifier(it.body),
            LoopKind::ExistsOne => {
                let passes = self.check(it.body);
                let sum = self.operate(id, OPERATORS.binary(BinaryOp::Add), &[Type::Int, Type::Int]);
                self.operate(id, &OPERATORS.conditional, &[passes, sum, Type::Int])
            }
            LoopKind::Filter => {
                let passes = self.check(it.body);
                let grown = self.append(id, accumulator, first);
                self.operate(id, &OPERATORS.conditional, &[passes, grown, accumulator.clone()])
            }
            LoopKind::Map | LoopKind::TransformMap | LoopKind::TransformMapEntry => {
                let passes = it.filter.map(|filter| self.check(filter));
                let grown = self.grow(id, it, accumulator, first);
                let Some(passes) = passes else {
                    return grown;
                };
                self.operate(id, &OPERATORS.conditional, &[passes, grown, accumulator.clone()])
            }
        }
    }

    fn quantifier(&mut self, body: ExprId) -> Type {
        let ty = self.check(body);
        if !self.bindings.assignable(&ty, &Type::Bool) {
            self.mismatch(body, &Type::Bool, &ty);
        }
        Type::Bool
    }

    fn grow(&mut self, id: ExprId, it: &Loop, accumulator: &Type, first: Type) -> Type {
        let body = self.check(it.body);
        match it.kind {
            LoopKind::TransformMap => {
                self.operate(id, &OPERATORS.map_insert, &[accumulator.clone(), first, body])
            }
            LoopKind::TransformMapEntry => {
                self.operate(id, &OPERATORS.map_insert, &[accumulator.clone(), body])
            }
            LoopKind::All | LoopKind::Exists | LoopKind::ExistsOne | LoopKind::Filter | LoopKind::Map => {
                self.append(id, accumulator, body)
            }
        }
    }

    fn append(&mut self, id: ExprId, accumulator: &Type, element: Type) -> Type {
        let more = Type::list(bounded(element));
        self.operate(id, OPERATORS.binary(BinaryOp::Add), &[accumulator.clone(), more])
    }

    pub(super) fn bind(&mut self, id: ExprId, name: &Arc<str>, init: ExprId, body: ExprId) -> Type {
        self.skip_empty_range();
        let init = self.check(init);
        self.within(id, name, init, body)
    }

    /// `target.hasValue() ? optional.of(body) : optional.none()`, with the name bound to `target.value()`.
    pub(super) fn optional_map(
        &mut self,
        id: ExprId,
        target: ExprId,
        name: &Arc<str>,
        body: ExprId,
        flat: bool,
    ) -> Type {
        let again = matches!(self.ast.expr(target), Expr::Ident(_));
        if !again {
            self.skip_empty_range();
        }
        let mut optional = self.check(target);
        let present = self.operate(id, &OPERATORS.has_value, &[optional.clone()]);
        self.skip_empty_range();
        if again {
            // The expansion repeats a name, and with it what is wrong with the name.
            optional = self.check(target);
        }
        let value = self.operate(id, &OPERATORS.value, &[optional]);
        let mut then = self.within(id, name, value, body);
        if !flat {
            then = self.operate(id, &OPERATORS.optional_of, &[then]);
        }
        let otherwise = self.operate(id, &OPERATORS.optional_none, &[]);
        self.operate(id, &OPERATORS.conditional, &[present, then, otherwise])
    }

    /// The type of `body`, in which `name` has the type `ty`.
    fn within(&mut self, id: ExprId, name: &Arc<str>, ty: Type, body: ExprId) -> Type {
        let depth = self.enter(id, name, ty);
        let body = self.check(body);
        self.scope.truncate(depth);
        self.bindings.substitute(&body)
    }

    /// Puts a variable in sight, in the slot that the node then means; gives the depth to return to.
    fn enter(&mut self, id: ExprId, name: &Arc<str>, ty: Type) -> usize {
        let depth = self.scope.depth();
        self.mean(id, Meaning::Local(u32::try_from(depth).unwrap_or(u32::MAX)));
        self.scope.push(name, ty);
        // cel-go forgets with the first scope that it was not to allow these, and expressions have come to rely on it.
        self.mixed_comparisons = true;
        depth
    }

    /// cel-go binds a name by a loop over an empty list, whose element type is a variable that takes a number.
    fn skip_empty_range(&mut self) {
        self.bindings.reserve(1);
    }
}
