//! `cel.bind`: names for intermediate values.

use super::{Expander, Macro};
use crate::ast::{Expr, ExprId};
use crate::source::Issue;

/// `cel.bind(name, value, expression)`.
pub const BINDINGS: &[Macro] = &[Macro::method("bind", Some(3), bind)];

fn bind(
    expander: &mut Expander<'_>,
    target: Option<ExprId>,
    args: &[ExprId],
) -> Result<Option<ExprId>, Issue> {
    let &[variable, init, body] = args else { return Ok(None) };
    if !expander.is_namespace(target, "cel") {
        return Ok(None);
    }
    let Some(name) = expander.simple_name(variable) else {
        return Err(expander.issue(variable, "cel.bind() variable names must be simple identifiers"));
    };
    Ok(Some(expander.add(Expr::Bind { name, init, body })))
}
