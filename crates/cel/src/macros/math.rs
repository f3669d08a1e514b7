//! `math.greatest` and `math.least` of any number of arguments.

use super::{Expander, Macro};
use crate::ast::{Element, Expr, ExprId, Literal};
use crate::source::Issue;

/// `math.greatest(…)` and `math.least(…)`.
pub const MATH: &[Macro] = &[Macro::method("greatest", None, greatest), Macro::method("least", None, least)];

type Expanded = Result<Option<ExprId>, Issue>;

fn greatest(expander: &mut Expander<'_>, target: Option<ExprId>, args: &[ExprId]) -> Expanded {
    expand(expander, target, args, "math.greatest()", "math.@max")
}

fn least(expander: &mut Expander<'_>, target: Option<ExprId>, args: &[ExprId]) -> Expanded {
    expand(expander, target, args, "math.least()", "math.@min")
}

fn expand(
    expander: &mut Expander<'_>,
    target: Option<ExprId>,
    args: &[ExprId],
    name: &str,
    function: &str,
) -> Expanded {
    let Some(namespace) = target.filter(|it| expander.is_namespace(Some(*it), "math")) else {
        return Ok(None);
    };
    check_arguments(expander, namespace, args, name)?;
    let args = if args.len() > 2 {
        let elements = args.iter().map(|it| Element { value: *it, optional: false }).collect();
        vec![expander.add(Expr::List(elements))]
    } else {
        args.to_vec()
    };
    Ok(Some(expander.add(Expr::Call { target: None, function: function.into(), args })))
}

fn check_arguments(
    expander: &Expander<'_>,
    namespace: ExprId,
    args: &[ExprId],
    name: &str,
) -> Result<(), Issue> {
    match args {
        [] => Err(expander.issue(namespace, format!("{name} requires at least one argument"))),
        [only] if may_be_number(expander, *only) || may_be_numbers(expander, *only) => Ok(()),
        [only] => Err(expander.issue(*only, format!("{name} invalid single argument value"))),
        _ => match args.iter().find(|it| !may_be_number(expander, **it)) {
            None => Ok(()),
            Some(wrong) => {
                Err(expander.issue(*wrong, format!("{name} simple literal arguments must be numeric")))
            }
        },
    }
}

fn may_be_number(expander: &Expander<'_>, argument: ExprId) -> bool {
    let expr = expander.expr(argument);
    if let Expr::Literal(literal) = expr {
        return matches!(literal, Literal::Int(_) | Literal::Uint(_) | Literal::Double(_));
    }
    !matches!(expr, Expr::List(_) | Expr::Map(_) | Expr::Struct { .. })
}

fn may_be_numbers(expander: &Expander<'_>, argument: ExprId) -> bool {
    let Expr::List(elements) = expander.expr(argument) else { return false };
    !elements.is_empty() && elements.iter().all(|it| may_be_number(expander, it.value))
}
