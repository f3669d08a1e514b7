//! Definitions compiled into typed graphs of resources, and evaluated for one instance.
//!
//! Pure: no clock, no randomness, no files, no network. Nothing here panics on any input.

mod budget;
mod compile;
mod cure;
mod diagnostic;
mod evaluate;
mod expression;
mod fields;
mod gates;
mod graph;
mod identity;
mod interface;
mod kinds;
mod mismatch;
mod names;
mod order;
mod reads;
mod rgd;
mod shape;
mod sources;

pub use compile::{Options, compile, compile_in_part};
pub use diagnostic::Diagnostic;
pub use evaluate::{
    Authored, Draft, Evaluation, NodeError, NodeState, Observed, Readiness, Resolved, Target, UNKNOWN,
};
pub use expression::Expression;
pub use gates::{Asking, Closed, Known, ResourceGates};
pub use graph::{CompiledGraph, Dimension, KindName, Manifest, Node, Reference, Subject};
pub use identity::Identity;
pub use interface::{Interface, UnreadableInterface, mentioned_kinds};
pub use kinds::{Kinds, KnownKind};
pub use order::Order;
pub use rgd::{DeletionPolicy, unknown_fields};
pub use shape::{FillError, Shape, TextPart};
