//! `optMap` and `optFlatMap`: work on the value of an optional, if it has one.

use super::{Expander, Macro};
use crate::ast::{Expr, ExprId};
use crate::source::Issue;

/// `target.optMap(name, expression)` and `target.optFlatMap(name, expression)`.
pub const OPTIONAL: &[Macro] =
    &[Macro::method("optMap", Some(2), opt_map), Macro::method("optFlatMap", Some(2), opt_flat_map)];

type Expanded = Result<Option<ExprId>, Issue>;

fn opt_map(expander: &mut Expander<'_>, target: Option<ExprId>, args: &[ExprId]) -> Expanded {
    expand(expander, target, args, false)
}

fn opt_flat_map(expander: &mut Expander<'_>, target: Option<ExprId>, args: &[ExprId]) -> Expanded {
    expand(expander, target, args, true)
}

fn expand(expander: &mut Expander<'_>, target: Option<ExprId>, args: &[ExprId], flat: bool) -> Expanded {
    let (Some(target), &[variable, body]) = (target, args) else { return Ok(None) };
    let Some(name) = expander.simple_name(variable) else {
        let function = if flat { "optFlatMap" } else { "optMap" };
        let message = format!("{function}() variable name must be a simple identifier");
        return Err(expander.issue(variable, message));
    };
    Ok(Some(expander.add(Expr::OptionalMap { target, name, body, flat })))
}
