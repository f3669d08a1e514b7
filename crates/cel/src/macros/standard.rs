//! The macros of the language itself.

use std::sync::Arc;

use super::{Expander, Macro};
use crate::ast::{Expr, ExprId, Loop, LoopKind};
use crate::source::Issue;

/// `has`, `all`, `exists`, `exists_one`, `existsOne`, `map` and `filter`.
pub const STANDARD: &[Macro] = &[
    Macro::function("has", Some(1), has),
    Macro::method("all", Some(2), all),
    Macro::method("exists", Some(2), exists),
    Macro::method("exists_one", Some(2), exists_one),
    Macro::method("existsOne", Some(2), exists_one),
    Macro::method("map", Some(2), map),
    Macro::method("map", Some(3), map),
    Macro::method("filter", Some(2), filter),
];

type Expanded = Result<Option<ExprId>, Issue>;

fn has(expander: &mut Expander<'_>, _: Option<ExprId>, args: &[ExprId]) -> Expanded {
    let &[argument] = args else { return Ok(None) };
    let (Expr::Select { operand, field, optional: false } | Expr::Has { operand, field }) =
        expander.expr(argument)
    else {
        return Err(expander.issue(argument, "invalid argument to has() macro"));
    };
    let test = Expr::Has { operand: *operand, field: Arc::clone(field) };
    Ok(Some(expander.add(test)))
}

fn all(expander: &mut Expander<'_>, target: Option<ExprId>, args: &[ExprId]) -> Expanded {
    quantifier(expander, LoopKind::All, target, args)
}

fn exists(expander: &mut Expander<'_>, target: Option<ExprId>, args: &[ExprId]) -> Expanded {
    quantifier(expander, LoopKind::Exists, target, args)
}

fn exists_one(expander: &mut Expander<'_>, target: Option<ExprId>, args: &[ExprId]) -> Expanded {
    quantifier(expander, LoopKind::ExistsOne, target, args)
}

fn quantifier(
    expander: &mut Expander<'_>,
    kind: LoopKind,
    target: Option<ExprId>,
    args: &[ExprId],
) -> Expanded {
    let (Some(range), &[variable, body]) = (target, args) else { return Ok(None) };
    let variable = iteration_variable(expander, variable, "argument must be a simple name")?;
    Ok(Some(add_loop(expander, kind, range, variable, None, body)))
}

fn filter(expander: &mut Expander<'_>, target: Option<ExprId>, args: &[ExprId]) -> Expanded {
    let (Some(range), &[variable, body]) = (target, args) else { return Ok(None) };
    let variable = iteration_variable(expander, variable, "argument is not an identifier")?;
    Ok(Some(add_loop(expander, LoopKind::Filter, range, variable, None, body)))
}

fn map(expander: &mut Expander<'_>, target: Option<ExprId>, args: &[ExprId]) -> Expanded {
    let Some(range) = target else { return Ok(None) };
    let (variable, filter, body) = match *args {
        [variable, body] => (variable, None, body),
        [variable, filter, body] => (variable, Some(filter), body),
        _ => return Ok(None),
    };
    map_over(expander, range, variable, filter, body).map(Some)
}

/// The node for `range.map(variable, filter, body)`.
pub(super) fn map_over(
    expander: &mut Expander<'_>,
    range: ExprId,
    variable: ExprId,
    filter: Option<ExprId>,
    body: ExprId,
) -> Result<ExprId, Issue> {
    let variable = iteration_variable(expander, variable, "argument is not an identifier")?;
    Ok(add_loop(expander, LoopKind::Map, range, variable, filter, body))
}

fn add_loop(
    expander: &mut Expander<'_>,
    kind: LoopKind,
    range: ExprId,
    variable: Arc<str>,
    filter: Option<ExprId>,
    body: ExprId,
) -> ExprId {
    expander.add(Expr::Loop(Box::new(Loop { kind, range, variable, second: None, filter, body })))
}

fn iteration_variable(expander: &Expander<'_>, argument: ExprId, message: &str) -> Result<Arc<str>, Issue> {
    let name = expander.simple_name(argument).ok_or_else(|| expander.issue(argument, message))?;
    refuse_accumulator(expander, argument, &name)?;
    Ok(name)
}

/// cel-go keeps results under this name while iterating, so no variable may have it.
pub(super) fn refuse_accumulator(expander: &Expander<'_>, argument: ExprId, name: &str) -> Result<(), Issue> {
    if name == "__result__" {
        return Err(expander.issue(argument, "iteration variable overwrites accumulator variable"));
    }
    Ok(())
}
