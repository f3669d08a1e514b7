//! From the checked expression to the form that is evaluated.

use std::sync::Arc;

use super::fold;
use super::ir::{
    Arithmetic, BindIr, Call, Index, Ir, LoopIr, MapEntry, Op, OptionalMapIr, Path, Root, Select, Step,
    StructLiteral,
};
use crate::ast::{BinaryOp, Element, Entry, Expr, ExprId, Literal, Loop, StructField, UnaryOp};
use crate::checked::{Checked, Meaning};
use crate::checker::qualified_name;
use crate::library;
use crate::types::Type;
use crate::value::Val;

/// Lowers the whole expression.
pub(super) fn lower(checked: &Checked) -> Ir {
    Lowering { checked }.node(checked.ast().root())
}

struct Lowering<'c> {
    checked: &'c Checked,
}

impl Lowering<'_> {
    fn node(&self, id: ExprId) -> Ir {
        Ir { op: self.op(id), span: self.checked.ast().node(id).span }
    }

    fn nodes(&self, ids: &[ExprId]) -> Vec<Ir> {
        ids.iter().map(|id| self.node(*id)).collect()
    }

    #[expect(clippy::unnecessary_box_returns, reason = "it is stored as it is returned")]
    fn pair(&self, a: ExprId, b: ExprId) -> Box<(Ir, Ir)> {
        Box::new((self.node(a), self.node(b)))
    }

    fn op(&self, id: ExprId) -> Op {
        match self.checked.ast().expr(id) {
            Expr::Literal(literal) => Op::Constant(Val::from(literal)),
            Expr::Ident(name) => self.name(id, name),
            Expr::Select { operand, field, optional } => self.select(id, *operand, field, *optional),
            Expr::Has { operand, field } => self.has(*operand, field, id),
            Expr::Index { operand, index, optional } => self.index(id, *operand, *index, *optional),
            Expr::Call { target, function, args } => self.call(id, *target, function, args),
            Expr::Unary { op: UnaryOp::Not, operand } => Op::Not(Box::new(self.node(*operand))),
            Expr::Unary { op: UnaryOp::Negate, operand } => Op::Negate(Box::new(self.node(*operand))),
            Expr::Binary { op, lhs, rhs } => self.binary(id, *op, *lhs, *rhs),
            Expr::Logic { op, terms } => Op::Logic(*op, self.nodes(terms)),
            Expr::Ternary { condition, then, otherwise } => {
                Op::Ternary(Box::new((self.node(*condition), self.node(*then), self.node(*otherwise))))
            }
            Expr::List(elements) => self.list(elements),
            Expr::Map(entries) => self.map(entries),
            Expr::Struct { type_name, fields } => self.literal(id, type_name, fields),
            Expr::Loop(it) => self.comprehension(id, it),
            Expr::Bind { init, body, .. } => {
                let (init, body) = (self.node(*init), self.node(*body));
                Op::Bind(Box::new(BindIr { slot: self.slot(id), init, body }))
            }
            Expr::OptionalMap { target, body, flat, .. } => {
                let (target, body) = (self.node(*target), self.node(*body));
                Op::OptionalMap(Box::new(OptionalMapIr { target, slot: self.slot(id), body, flat: *flat }))
            }
        }
    }

    fn slot(&self, id: ExprId) -> u32 {
        match self.checked.meaning(id) {
            Meaning::Local(slot) => *slot,
            _ => 0,
        }
    }

    fn name(&self, id: ExprId, name: &Arc<str>) -> Op {
        match self.checked.meaning(id) {
            Meaning::Variable(slot) => Op::Variable(*slot),
            Meaning::Local(slot) => Op::Local(*slot),
            Meaning::Constant(value) => Op::Constant(value.clone()),
            Meaning::Structural | Meaning::Overloads(_) | Meaning::Message(_) | Meaning::Unknown => {
                Op::Unknown(Arc::clone(name))
            }
        }
    }

    fn select(&self, id: ExprId, operand: ExprId, field: &Arc<str>, optional: bool) -> Op {
        match self.checked.meaning(id) {
            Meaning::Variable(slot) => return Op::Variable(*slot),
            Meaning::Constant(value) => return Op::Constant(value.clone()),
            _ => {}
        }
        let operand_ir = self.node(operand);
        let ty = self.field_type(id, operand, optional);
        if optional || matches!(self.checked.type_of(operand), Type::Optional(_)) {
            return Op::Select(Box::new(Select {
                operand: operand_ir,
                field: Arc::clone(field),
                optional,
                ty,
            }));
        }
        let step = Step { field: Arc::clone(field), span: self.checked.ast().node(id).span };
        match extend_path(operand_ir, step, ty) {
            Ok(path) => Op::Path(path),
            Err((operand, step, ty)) => {
                Op::Select(Box::new(Select { operand, field: step.field, optional, ty }))
            }
        }
    }

    /// The type that JSON found there is read as: without the optional that the access itself adds.
    fn field_type(&self, id: ExprId, operand: ExprId, optional: bool) -> Type {
        let wraps = optional || matches!(self.checked.type_of(operand), Type::Optional(_));
        match self.checked.type_of(id) {
            Type::Optional(inner) if wraps => inner.as_ref().clone(),
            ty => ty.clone(),
        }
    }

    fn has(&self, operand: ExprId, field: &Arc<str>, id: ExprId) -> Op {
        let step = Step { field: Arc::clone(field), span: self.checked.ast().node(id).span };
        if matches!(self.checked.type_of(operand), Type::Optional(_)) {
            let operand = self.node(operand);
            return Op::Has(Box::new(Select { operand, field: step.field, optional: false, ty: Type::Dyn }));
        }
        match extend_path(self.node(operand), step, Type::Dyn) {
            Ok(path) => Op::HasPath(path),
            Err((operand, step, ty)) => {
                Op::Has(Box::new(Select { operand, field: step.field, optional: false, ty }))
            }
        }
    }

    fn index(&self, id: ExprId, operand: ExprId, index: ExprId, optional: bool) -> Op {
        let ty = self.field_type(id, operand, optional);
        Op::Index(Box::new(Index { operand: self.node(operand), key: self.node(index), optional, ty }))
    }

    fn call(&self, id: ExprId, target: Option<ExprId>, name: &Arc<str>, args: &[ExprId]) -> Op {
        let Meaning::Overloads(overloads) = self.checked.meaning(id) else {
            return Op::Call(Box::new(Call {
                name: Arc::clone(name),
                overloads: Vec::new(),
                args: self.nodes(args),
            }));
        };
        if let ([overload], Some(target), [alternative]) = (overloads.as_slice(), target, args) {
            match overload.id {
                library::OR => return Op::Or(self.pair(target, *alternative)),
                library::OR_VALUE => return Op::OrValue(self.pair(target, *alternative)),
                _ => {}
            }
        }
        let receiver = target.filter(|_| overloads.first().is_none_or(|it| it.receiver));
        let namespace = target.filter(|_| receiver.is_none());
        let namespace = namespace.and_then(|id| qualified_name(&self.checked.ast, id));
        let name = namespace.map_or_else(|| Arc::clone(name), |it| format!("{it}.{name}").into());
        let args = receiver.iter().chain(args).map(|id| self.node(*id)).collect();
        fold::call(Call { name, overloads: overloads.clone(), args })
    }

    fn binary(&self, id: ExprId, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> Op {
        match op {
            BinaryOp::Equal => self.equal(lhs, rhs),
            BinaryOp::NotEqual => Op::NotEqual(self.pair(lhs, rhs)),
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => {
                Op::Order(op, self.pair(lhs, rhs))
            }
            BinaryOp::In => Op::In(self.pair(lhs, rhs)),
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo => {
                self.arithmetic(id)
            }
        }
    }

    fn equal(&self, lhs: ExprId, rhs: ExprId) -> Op {
        let (a, b) = *self.pair(lhs, rhs);
        match (a, b) {
            (Ir { op: Op::Path(path), .. }, Ir { op: Op::Constant(Val::String(text)), .. })
                if matches!(path.ty, Type::String) =>
            {
                Op::PathIsText(Box::new((*path, (&*text).into())))
            }
            (a, b) => Op::Equal(Box::new((a, b))),
        }
    }

    /// A whole chain of arithmetic operators, which may be long and leans left.
    fn arithmetic(&self, id: ExprId) -> Op {
        let mut current = id;
        let mut links = Vec::new();
        while let Expr::Binary { op, lhs, rhs } = self.checked.ast().expr(current)
            && op.is_arithmetic()
        {
            links.push((*op, *rhs, current));
            current = *lhs;
        }
        links.reverse();
        let first = self.node(current);
        if self.is_text_chain(&links) {
            let rest = links.iter().map(|(_, rhs, _)| self.node(*rhs));
            return Op::Concat(std::iter::once(first).chain(rest).collect());
        }
        let rest =
            links.iter().map(|(op, rhs, id)| (*op, self.node(*rhs), self.checked.ast().node(*id).span));
        Op::Arithmetic(Box::new(Arithmetic { first, rest: rest.collect() }))
    }

    /// The first sum of a chain being text, all further ones are.
    fn is_text_chain(&self, links: &[(BinaryOp, ExprId, ExprId)]) -> bool {
        links.first().is_some_and(|(_, _, id)| matches!(self.checked.type_of(*id), Type::String))
    }

    fn list(&self, elements: &[Element]) -> Op {
        if elements.iter().any(|it| it.optional) {
            Op::ListOptional(elements.iter().map(|it| (self.node(it.value), it.optional)).collect())
        } else {
            Op::List(elements.iter().map(|it| self.node(it.value)).collect())
        }
    }

    fn map(&self, entries: &[Entry]) -> Op {
        if let Some(mut keys) = self.fixed_keys(entries) {
            keys.sort_by(|a, b| a.0.cmp(&b.0));
            if keys.windows(2).all(|pair| pair[0].0 != pair[1].0) {
                return Op::Record(keys.into_iter().map(|(key, value)| (key, self.node(value))).collect());
            }
        }
        let entries = entries.iter().map(|it| MapEntry {
            key: self.node(it.key),
            value: self.node(it.value),
            optional: it.optional,
        });
        Op::Map(entries.collect())
    }

    fn fixed_keys(&self, entries: &[Entry]) -> Option<Vec<(Arc<str>, ExprId)>> {
        let key = |it: &Entry| match self.checked.ast().expr(it.key) {
            Expr::Literal(Literal::String(key)) if !it.optional => Some((Arc::clone(key), it.value)),
            _ => None,
        };
        entries.iter().map(key).collect()
    }

    fn literal(&self, id: ExprId, type_name: &Arc<str>, fields: &[StructField]) -> Op {
        let Meaning::Message(message) = self.checked.meaning(id) else {
            return Op::Unknown(Arc::clone(type_name));
        };
        let fields =
            fields.iter().map(|it| (Arc::clone(&it.name), self.node(it.value), it.optional)).collect();
        Op::Struct(Box::new(StructLiteral { message: Arc::clone(message), fields }))
    }

    fn comprehension(&self, id: ExprId, it: &Loop) -> Op {
        Op::Loop(Box::new(LoopIr {
            kind: it.kind,
            range: self.node(it.range),
            slot: self.slot(id),
            pair: it.second.is_some(),
            filter: it.filter.map(|filter| self.node(filter)),
            body: self.node(it.body),
        }))
    }
}

/// One more field below a name or path; gives the parts back when the operand is neither.
fn extend_path(operand: Ir, step: Step, ty: Type) -> Result<Box<Path>, (Ir, Step, Type)> {
    let root = match operand.op {
        Op::Path(mut path) => {
            path.steps.push(step);
            path.ty = ty;
            return Ok(path);
        }
        Op::Variable(slot) => Root::Variable(slot),
        Op::Local(slot) => Root::Local(slot),
        op => return Err((Ir { op, span: operand.span }, step, ty)),
    };
    Ok(Box::new(Path { root, steps: vec![step], ty }))
}
