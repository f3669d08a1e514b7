//! The form that is evaluated: names are slots, overloads are code, and each access knows the type it yields.

use std::sync::Arc;

use crate::ast::{BinaryOp, LogicOp, LoopKind};
use crate::function::{Message, Overload};
use crate::source::Span;
use crate::types::Type;
use crate::value::Val;

/// A node with the source text it came from.
#[derive(Debug)]
pub(super) struct Ir {
    pub(super) op: Op,
    pub(super) span: Span,
}

/// What a node does. Variants are small, so that a tree stays close together in memory.
#[derive(Debug)]
pub(super) enum Op {
    Constant(Val<'static>),
    Variable(u32),
    Local(u32),
    /// Fields below a variable or local, followed without making values in between.
    Path(Box<Path>),
    /// Whether a path's last field is there.
    HasPath(Box<Path>),
    Select(Box<Select>),
    Has(Box<Select>),
    Index(Box<Index>),
    Call(Box<Call>),
    Not(Box<Ir>),
    Negate(Box<Ir>),
    /// `first op rest[0] op rest[1] …`, from left to right.
    Arithmetic(Box<Arithmetic>),
    /// Text only, put together in one go.
    Concat(Vec<Ir>),
    Equal(Box<(Ir, Ir)>),
    NotEqual(Box<(Ir, Ir)>),
    /// A path compared with fixed text, the commonest question asked of a Kubernetes object.
    PathIsText(Box<(Path, Arc<str>)>),
    Order(BinaryOp, Box<(Ir, Ir)>),
    In(Box<(Ir, Ir)>),
    Logic(LogicOp, Vec<Ir>),
    Ternary(Box<(Ir, Ir, Ir)>),
    List(Vec<Ir>),
    /// Some elements are optional.
    ListOptional(Vec<(Ir, bool)>),
    /// All keys are text known beforehand, sorted and distinct.
    Record(Vec<(Arc<str>, Ir)>),
    Map(Vec<MapEntry>),
    Struct(Box<StructLiteral>),
    Loop(Box<LoopIr>),
    Bind(Box<BindIr>),
    OptionalMap(Box<OptionalMapIr>),
    /// `first.or(second)`
    Or(Box<(Ir, Ir)>),
    /// `first.orValue(second)`
    OrValue(Box<(Ir, Ir)>),
    /// A name that means nothing.
    Unknown(Arc<str>),
}

#[derive(Debug)]
pub(super) struct Path {
    pub(super) root: Root,
    /// At least one.
    pub(super) steps: Vec<Step>,
    /// Type of the last step, [`Type::Dyn`] when only the value knows.
    pub(super) ty: Type,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Root {
    Variable(u32),
    Local(u32),
}

#[derive(Debug)]
pub(super) struct Step {
    pub(super) field: Arc<str>,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) struct Select {
    pub(super) operand: Ir,
    pub(super) field: Arc<str>,
    pub(super) optional: bool,
    pub(super) ty: Type,
}

#[derive(Debug)]
pub(super) struct Index {
    pub(super) operand: Ir,
    pub(super) key: Ir,
    pub(super) optional: bool,
    pub(super) ty: Type,
}

#[derive(Debug)]
pub(super) struct Call {
    pub(super) name: Arc<str>,
    /// Tried in order; a single one is called without asking whether it fits.
    pub(super) overloads: Vec<Arc<Overload>>,
    pub(super) args: Vec<Ir>,
}

#[derive(Debug)]
pub(super) struct Arithmetic {
    pub(super) first: Ir,
    pub(super) rest: Vec<(BinaryOp, Ir, Span)>,
}

#[derive(Debug)]
pub(super) struct MapEntry {
    pub(super) key: Ir,
    pub(super) value: Ir,
    pub(super) optional: bool,
}

#[derive(Debug)]
pub(super) struct StructLiteral {
    pub(super) message: Arc<Message>,
    pub(super) fields: Vec<(Arc<str>, Ir, bool)>,
}

#[derive(Debug)]
pub(super) struct LoopIr {
    pub(super) kind: LoopKind,
    pub(super) range: Ir,
    pub(super) slot: u32,
    /// Two variables, the second in the next slot.
    pub(super) pair: bool,
    pub(super) filter: Option<Ir>,
    pub(super) body: Ir,
}

#[derive(Debug)]
pub(super) struct BindIr {
    pub(super) slot: u32,
    pub(super) init: Ir,
    pub(super) body: Ir,
}

#[derive(Debug)]
pub(super) struct OptionalMapIr {
    pub(super) target: Ir,
    pub(super) slot: u32,
    pub(super) body: Ir,
    pub(super) flat: bool,
}
