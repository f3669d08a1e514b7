//! Calls and operators: which overloads take the arguments, and what they give.

use std::sync::Arc;

use super::Checker;
use super::bindings::{self, Signature};
use super::names;
use super::operators::Operator;
use super::parts;
use crate::ast::ExprId;
use crate::checked::Meaning;
use crate::function::Overload;
use crate::types::Type;

impl<'a> Checker<'a> {
    /// The type of an operator applied to operands of these types.
    pub(super) fn operate(&mut self, id: ExprId, operator: &Operator, args: &[Type]) -> Type {
        let mut result = None;
        for signature in operator.signatures(self.mixed_comparisons) {
            if let Some(ty) = self.bindings.apply(args, signature) {
                merge(&mut result, ty);
            }
        }
        result.unwrap_or_else(|| self.no_overload(id, operator.name, args, operator.receiver))
    }

    pub(super) fn call(
        &mut self,
        id: ExprId,
        target: Option<ExprId>,
        function: &str,
        args: &[ExprId],
    ) -> Type {
        for arg in args {
            self.check(*arg);
        }
        let Some(receiver) = target else {
            return self.named_call(id, None, function, args);
        };
        if let Some(namespaced) = self.namespaced(receiver, function) {
            return self.named_call(id, None, &namespaced, args);
        }
        self.check(receiver);
        self.named_call(id, target, function, args)
    }

    /// `math.greatest` of `math.greatest(x)`, if there is such a function.
    fn namespaced(&self, target: ExprId, function: &str) -> Option<String> {
        if !self.env.has_namespaced(function) {
            return None;
        }
        let name = format!("{}.{function}", names::qualified_name(self.ast, target)?);
        self.env.function(&name).is_some().then_some(name)
    }

    fn named_call(&mut self, id: ExprId, target: Option<ExprId>, function: &str, args: &[ExprId]) -> Type {
        let Some((name, overloads)) = self.env.function(function) else {
            self.mean(id, Meaning::Unknown);
            return self.undeclared(id, function);
        };
        let mut types = std::mem::take(&mut self.args);
        types.clear();
        types.extend(target.iter().chain(args).map(|arg| self.types[arg.index()].clone()));
        let ty = self.overloaded(id, name, overloads, target.is_some(), &types);
        self.args = types;
        ty
    }

    fn overloaded(
        &mut self,
        id: ExprId,
        name: &str,
        overloads: &'a [Arc<Overload>],
        receiver: bool,
        args: &[Type],
    ) -> Type {
        let mut result = None;
        let mut candidates = Vec::new();
        for overload in overloads.iter().filter(|it| it.receiver == receiver) {
            let applied = self.bindings.apply(args, overload.signature());
            if applied.is_some() || self.lenient && overload.params.len() == args.len() {
                candidates.push(Arc::clone(overload));
            }
            if let Some(ty) = applied {
                merge(&mut result, ty);
            }
        }
        self.mean(id, Meaning::Overloads(candidates));
        result.unwrap_or_else(|| self.no_overload(id, name, args, receiver))
    }
}

impl Overload {
    fn signature(&self) -> Signature<'_> {
        Signature {
            params: &self.params,
            result: &self.result,
            generics: parts::generics(self.params.iter().chain([&self.result])),
        }
    }
}

/// The result of a call that several overloads take: theirs when they agree, else known at run time only.
fn merge(result: &mut Option<Type>, ty: Type) {
    match result {
        Some(known) if known.is_dyn() || bindings::is_exactly(known, &ty) => {}
        Some(known) => *known = Type::Dyn,
        None => *result = Some(ty),
    }
}
