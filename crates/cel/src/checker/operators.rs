//! What cel-go declares for its operators, and for the functions that macros expand to.

use std::sync::LazyLock;

use super::bindings::Signature;
use super::parts;
use crate::ast::{BinaryOp, UnaryOp};
use crate::types::Type;

/// An operator under the name that messages use, with its signatures.
#[derive(Debug)]
pub(super) struct Operator {
    pub(super) name: &'static str,
    /// Called as a method; only the functions that macros use are.
    pub(super) receiver: bool,
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    params: Vec<Type>,
    result: Type,
    generics: u32,
    /// Compares numbers of two types.
    mixed: bool,
}

/// All operators.
#[derive(Debug)]
pub(super) struct Operators {
    binary: [Operator; 12],
    not: Operator,
    negate: Operator,
    pub(super) conditional: Operator,
    pub(super) index: Operator,
    pub(super) optional_index: Operator,
    pub(super) map_insert: Operator,
    pub(super) has_value: Operator,
    pub(super) value: Operator,
    pub(super) optional_of: Operator,
    pub(super) optional_none: Operator,
}

/// The declarations, made on first use.
pub(super) static OPERATORS: LazyLock<Operators> = LazyLock::new(Operators::declare);

impl Operator {
    fn new(name: &'static str) -> Self {
        Self { name, receiver: false, rows: Vec::new() }
    }

    fn method(name: &'static str) -> Self {
        Self { receiver: true, ..Self::new(name) }
    }

    fn row(mut self, params: impl Into<Vec<Type>>, result: Type) -> Self {
        let params = params.into();
        let generics = parts::generics(params.iter().chain([&result]));
        self.rows.push(Row { params, result, generics, mixed: false });
        self
    }

    /// One row per type, with both operands and the result of that type.
    fn closed_over(self, types: &[Type]) -> Self {
        types.iter().fold(self, |it, ty| it.row([ty.clone(), ty.clone()], ty.clone()))
    }

    /// The rows are in cel-go's order: where operands are still unknown, the first row decides what they are.
    fn comparison(name: &'static str) -> Self {
        let numbers = [Type::Int, Type::Uint, Type::Double];
        let mut comparison = Self::new(name).compares(&Type::Bool, &Type::Bool);
        for a in &numbers {
            comparison = comparison.compares(a, a);
            let others = numbers.iter().rev().filter(|b| *b != a);
            comparison = others.fold(comparison, |it, b| it.compares(a, b));
        }
        let rest = [Type::String, Type::Bytes, Type::Timestamp, Type::Duration];
        rest.iter().fold(comparison, |it, ty| it.compares(ty, ty))
    }

    fn compares(mut self, a: &Type, b: &Type) -> Self {
        let params = vec![a.clone(), b.clone()];
        self.rows.push(Row { params, result: Type::Bool, generics: 0, mixed: a != b });
        self
    }

    /// The signatures; those that compare numbers of two types only when asked for.
    pub(super) fn signatures(&self, mixed: bool) -> impl Iterator<Item = Signature<'_>> {
        self.rows.iter().filter(move |row| mixed || !row.mixed).map(|row| Signature {
            params: &row.params,
            result: &row.result,
            generics: row.generics,
        })
    }
}

impl Operators {
    pub(super) fn unary(&self, op: UnaryOp) -> &Operator {
        match op {
            UnaryOp::Not => &self.not,
            UnaryOp::Negate => &self.negate,
        }
    }

    pub(super) fn binary(&self, op: BinaryOp) -> &Operator {
        &self.binary[op as usize]
    }

    fn declare() -> Self {
        let (a, b) = (|| Type::Param(0), || Type::Param(1));
        Self {
            binary: declare_binary(),
            not: Operator::new("!_").row([Type::Bool], Type::Bool),
            negate: Operator::new("-_").row([Type::Double], Type::Double).row([Type::Int], Type::Int),
            conditional: Operator::new("_?_:_").row([Type::Bool, a(), a()], a()),
            index: Operator::new("_[_]")
                .row([list_of_a(), Type::Int], a())
                .row([map_of_ab(), a()], b())
                .row([Type::optional(list_of_a()), Type::Int], Type::optional(a()))
                .row([Type::optional(map_of_ab()), a()], Type::optional(b())),
            optional_index: Operator::new("_[?_]")
                .row([list_of_a(), Type::Int], Type::optional(a()))
                .row([Type::optional(list_of_a()), Type::Int], Type::optional(a()))
                .row([map_of_ab(), a()], Type::optional(b()))
                .row([Type::optional(map_of_ab()), a()], Type::optional(b())),
            map_insert: Operator::new("cel.@mapInsert")
                .row([map_of_ab(), a(), b()], map_of_ab())
                .row([map_of_ab(), map_of_ab()], map_of_ab()),
            has_value: Operator::method("hasValue").row([Type::optional(a())], Type::Bool),
            value: Operator::method("value").row([Type::optional(a())], a()),
            optional_of: Operator::new("optional.of").row([a()], Type::optional(a())),
            optional_none: Operator::new("optional.none").row([], Type::optional(a())),
        }
    }
}

/// In the order of [`BinaryOp`].
fn declare_binary() -> [Operator; 12] {
    let a = || Type::Param(0);
    let (timestamp, duration) = (|| Type::Timestamp, || Type::Duration);
    [
        Operator::new("_+_")
            .closed_over(&[Type::Bytes, Type::Double, Type::Duration])
            .row([duration(), timestamp()], timestamp())
            .row([timestamp(), duration()], timestamp())
            .closed_over(&[Type::Int, list_of_a(), Type::String, Type::Uint]),
        Operator::new("_-_")
            .closed_over(&[Type::Double, Type::Duration, Type::Int])
            .row([timestamp(), duration()], timestamp())
            .row([timestamp(), timestamp()], duration())
            .closed_over(&[Type::Uint]),
        Operator::new("_*_").closed_over(&[Type::Double, Type::Int, Type::Uint]),
        Operator::new("_/_").closed_over(&[Type::Double, Type::Int, Type::Uint]),
        Operator::new("_%_").closed_over(&[Type::Int, Type::Uint]),
        Operator::new("_==_").row([a(), a()], Type::Bool),
        Operator::new("_!=_").row([a(), a()], Type::Bool),
        Operator::comparison("_<_"),
        Operator::comparison("_<=_"),
        Operator::comparison("_>_"),
        Operator::comparison("_>=_"),
        Operator::new("@in").row([a(), list_of_a()], Type::Bool).row([a(), map_of_ab()], Type::Bool),
    ]
}

fn list_of_a() -> Type {
    Type::list(Type::Param(0))
}

fn map_of_ab() -> Type {
    Type::map(Type::Param(0), Type::Param(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_operators_stand_in_the_order_of_their_enumeration() {
        let check = |op: BinaryOp, name: &str| assert_eq!(OPERATORS.binary(op).name, name);
        check(BinaryOp::Add, "_+_");
        check(BinaryOp::Subtract, "_-_");
        check(BinaryOp::Multiply, "_*_");
        check(BinaryOp::Divide, "_/_");
        check(BinaryOp::Modulo, "_%_");
        check(BinaryOp::Equal, "_==_");
        check(BinaryOp::NotEqual, "_!=_");
        check(BinaryOp::Less, "_<_");
        check(BinaryOp::LessEqual, "_<=_");
        check(BinaryOp::Greater, "_>_");
        check(BinaryOp::GreaterEqual, "_>=_");
        check(BinaryOp::In, "@in");
    }
}
