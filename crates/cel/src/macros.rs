//! Macros: calls that are rewritten while parsing.
//!
//! The constants here are the macros of cel-go and kro by library; an environment has those its libraries bring.

mod bindings;
mod block;
mod lists;
mod math;
mod optional;
mod runtime;
mod standard;
mod two_variable;

use std::fmt;
use std::sync::Arc;

use crate::ast::{AstBuilder, Expr, ExprId};
use crate::source::{Issue, Span};

pub use bindings::BINDINGS;
pub use block::BLOCK;
pub use lists::LISTS;
pub use math::MATH;
pub use optional::OPTIONAL;
pub use runtime::RUNTIME;
pub use standard::STANDARD;
pub use two_variable::TWO_VARIABLE;

/// A call that is rewritten while parsing.
#[derive(Clone, Copy)]
pub struct Macro {
    /// The name as called.
    pub name: &'static str,
    /// Called as `target.name(args)`.
    pub receiver: bool,
    /// How many arguments it takes; `None` for any number.
    pub arity: Option<usize>,
    /// Rewrites the call.
    pub expand: Expand,
}

/// Rewrites a macro call: `Ok(None)` leaves it an ordinary call.
pub type Expand = fn(&mut Expander<'_>, Option<ExprId>, &[ExprId]) -> Result<Option<ExprId>, Issue>;

impl Macro {
    /// A macro called as `name(args)`.
    pub const fn function(name: &'static str, arity: Option<usize>, expand: Expand) -> Self {
        Self { name, receiver: false, arity, expand }
    }

    /// A macro called as `target.name(args)`.
    pub const fn method(name: &'static str, arity: Option<usize>, expand: Expand) -> Self {
        Self { name, receiver: true, arity, expand }
    }
}

impl fmt::Debug for Macro {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Macro").field("name", &self.name).field("arity", &self.arity).finish_non_exhaustive()
    }
}

/// What a macro sees of the expression being parsed.
#[derive(Debug)]
pub struct Expander<'p> {
    ast: &'p mut AstBuilder,
    span: Span,
    at: u32,
}

impl<'p> Expander<'p> {
    /// An expander for the call with this place.
    pub(crate) fn new(ast: &'p mut AstBuilder, span: Span, at: u32) -> Self {
        Self { ast, span, at }
    }

    /// What a node is.
    pub fn expr(&self, id: ExprId) -> &Expr {
        self.ast.expr(id)
    }

    /// Adds a node at the place of the macro call.
    pub fn add(&mut self, expr: Expr) -> ExprId {
        self.ast.add(expr, self.span, self.at)
    }

    /// Adds a name at the place of the macro call.
    pub fn ident(&mut self, name: &str) -> ExprId {
        self.add(Expr::Ident(name.into()))
    }

    /// An issue about an argument.
    pub fn issue(&self, id: ExprId, message: impl Into<String>) -> Issue {
        let node = self.ast.node(id);
        Issue { at: node.at, span: node.span, message: message.into() }
    }

    /// The name that an argument is, if it is a plain one.
    pub fn simple_name(&self, id: ExprId) -> Option<Arc<str>> {
        let Expr::Ident(name) = self.ast.expr(id) else { return None };
        (!name.starts_with('.')).then(|| Arc::clone(name))
    }

    /// Whether a macro's target is a namespace of this name rather than a value.
    pub fn is_namespace(&self, target: Option<ExprId>, name: &str) -> bool {
        target.is_some_and(|it| matches!(self.expr(it), Expr::Ident(found) if **found == *name))
    }
}
