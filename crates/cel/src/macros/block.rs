//! `cel.block`: an expression with numbered subexpressions, each evaluated at most once.

use super::{Expander, Macro};
use crate::ast::{Element, Expr, ExprId, Literal};
use crate::source::Issue;

/// `cel.block([values], expression)` and what stands for names in it: `cel.index`, `cel.iterVar` and `cel.accuVar`.
pub const BLOCK: &[Macro] = &[
    Macro::method("block", Some(2), block),
    Macro::method("index", Some(1), index),
    Macro::method("iterVar", Some(2), iteration_variable),
    Macro::method("accuVar", Some(2), accumulator_variable),
];

type Expanded = Result<Option<ExprId>, Issue>;

fn block(expander: &mut Expander<'_>, target: Option<ExprId>, args: &[ExprId]) -> Expanded {
    let &[values, body] = args else { return Ok(None) };
    if !expander.is_namespace(target, "cel") {
        return Ok(None);
    }
    let Expr::List(elements) = expander.expr(values) else {
        return Err(expander.issue(values, "cel.block requires the first arg to be a list literal"));
    };
    if let Some(Element { value, .. }) = elements.iter().find(|it| it.optional) {
        return Err(expander.issue(*value, "cel.block elements must not be optional"));
    }
    let values: Vec<ExprId> = elements.iter().map(|it| it.value).collect();
    let nested = values.iter().enumerate().rev().fold(body, |body, (number, init)| {
        expander.add(Expr::Bind { name: format!("@index{number}").into(), init: *init, body })
    });
    Ok(Some(nested))
}

fn index(expander: &mut Expander<'_>, target: Option<ExprId>, args: &[ExprId]) -> Expanded {
    let &[number] = args else { return Ok(None) };
    if !expander.is_namespace(target, "cel") {
        return Ok(None);
    }
    let Some(number) = natural(expander, number) else {
        let message = "cel.index requires a single non-negative int constant arg";
        return Err(expander.issue(number, message));
    };
    Ok(Some(expander.ident(&format!("@index{number}"))))
}

fn iteration_variable(expander: &mut Expander<'_>, target: Option<ExprId>, args: &[ExprId]) -> Expanded {
    comprehension_variable(expander, target, args, "iterVar", "@it")
}

fn accumulator_variable(expander: &mut Expander<'_>, target: Option<ExprId>, args: &[ExprId]) -> Expanded {
    comprehension_variable(expander, target, args, "accuVar", "@ac")
}

fn comprehension_variable(
    expander: &mut Expander<'_>,
    target: Option<ExprId>,
    args: &[ExprId],
    function: &str,
    prefix: &str,
) -> Expanded {
    let &[depth, unique] = args else { return Ok(None) };
    if !expander.is_namespace(target, "cel") {
        return Ok(None);
    }
    let number = |argument| {
        let message = || format!("cel.{function} requires two non-negative int constant args");
        natural(expander, argument).ok_or_else(|| expander.issue(argument, message()))
    };
    let name = format!("{prefix}:{}:{}", number(depth)?, number(unique)?);
    Ok(Some(expander.ident(&name)))
}

fn natural(expander: &Expander<'_>, argument: ExprId) -> Option<u64> {
    let Expr::Literal(Literal::Int(number)) = expander.expr(argument) else { return None };
    u64::try_from(*number).ok()
}
