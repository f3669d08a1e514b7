//! Makes the nodes of an expression, by parsing or by expanding a macro.

use std::sync::Arc;

use super::{Ast, Expr, ExprId, Node, operator_after};
use crate::source::Span;

/// An [`Ast`] under construction, by the parser and by macros.
#[derive(Debug)]
pub struct AstBuilder {
    source: Arc<str>,
    nodes: Vec<Node>,
}

impl AstBuilder {
    /// An empty arena for this source.
    pub(crate) fn new(source: &str) -> Self {
        // Most tokens make a node, and few tokens are shorter than four bytes with the space around them.
        let nodes = Vec::with_capacity((source.len() / 4).clamp(4, 1024));
        Self { source: source.into(), nodes }
    }

    /// Adds a node.
    pub fn add(&mut self, expr: Expr, span: Span, at: u32) -> ExprId {
        // Sources are bounded well below 4 GiB, so the index always fits.
        let id = ExprId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(Node { expr, span, at });
        id
    }

    /// A node added before.
    pub fn node(&self, id: ExprId) -> &Node {
        &self.nodes[id.index()]
    }

    /// What a node added before is.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.node(id).expr
    }

    /// Where the operator stands that follows an operand.
    pub(crate) fn operator_after(&self, operand: ExprId) -> u32 {
        operator_after(&self.source, self.node(operand))
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Takes the newest nodes away, leaving `len`.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.nodes.truncate(len);
    }

    pub(crate) fn finish(self, root: ExprId) -> Ast {
        Ast { source: self.source, nodes: self.nodes, root }
    }
}
