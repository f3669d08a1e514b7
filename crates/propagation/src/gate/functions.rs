//! What expressions about a fleet may call.

use krono_cel::ast::{BinaryOp, Expr, ExprId, Literal};
use krono_cel::{EvalError, Expander, Issue, Library, Macro, Overload, Type, Val};

use super::values::FACTS;

pub(super) const EXPONENTIAL: &str = "exponentiallyUpdated";
pub(super) const LINEAR: &str = "linearlyUpdated";
/// Those that take one instance, or one resource.
pub(super) const FACT_FUNCTIONS: [&str; 4] = [UPDATED, READY, "failed", "settled"];
pub(super) const UPDATED: &str = "updated";
pub(super) const READY: &str = "ready";
pub(super) const EXPONENTIAL_TARGET: &str = "exponentialTarget";
// No source can contain this name.
pub(super) const LINEAR_TARGET: &str = "@linearTarget";

/// For gates of instances, where the list of all is counted beforehand.
pub(super) fn library() -> Library {
    plain().with_macros(&[
        Macro::function(EXPONENTIAL, Some(2), expand_exponential),
        Macro::function(LINEAR, Some(3), expand_linear),
    ])
}

/// For gates of resources.
pub(super) fn plain() -> Library {
    let library = Library::new()
        .function(
            EXPONENTIAL_TARGET,
            [Overload::function("exponential_target_int", [Type::Int], Type::Int, |_, args| {
                exponential_target(args[0].int()?).map(Val::Int)
            })],
        )
        .function(
            LINEAR_TARGET,
            [Overload::function("linear_target_int_int", [Type::Int, Type::Int], Type::Int, |_, args| {
                linear_target(args[0].int()?, args[1].int()?).map(Val::Int)
            })],
        )
        .function(EXPONENTIAL, [exponential()])
        .function(LINEAR, [linear()]);
    FACT_FUNCTIONS.into_iter().fold(library, |library, name| library.function(name, [fact_function(name)]))
}

fn fact_function(name: &'static str) -> Overload {
    Overload::function(name, [Type::Dyn], Type::Bool, move |_, args| fact(&args[0], name).map(Val::Bool))
}

/// Of a list of the author's choice; that of all instances is counted beforehand.
fn exponential() -> Overload {
    let params = [Type::list(Type::Dyn), Type::Dyn];
    Overload::function("exponentially_updated_list", params, Type::Bool, |meter, args| {
        meter.charge(args[0].elements()?.len() as u64)?;
        Ok(Val::Bool(settled(&args[0])? >= exponential_target(index(&args[1])?)?))
    })
}

fn linear() -> Overload {
    let params = [Type::list(Type::Dyn), Type::Dyn, Type::Int];
    Overload::function("linearly_updated_list", params, Type::Bool, |meter, args| {
        meter.charge(args[0].elements()?.len() as u64)?;
        Ok(Val::Bool(settled(&args[0])? >= linear_target(index(&args[1])?, args[2].int()?)?))
    })
}

/// `exponentiallyUpdated(instances, each)` is `fleet.settled >= exponentialTarget(each.index)`.
#[expect(clippy::unnecessary_wraps, reason = "the form that macros have")]
fn expand_exponential(
    expander: &mut Expander<'_>,
    _: Option<ExprId>,
    args: &[ExprId],
) -> Result<Option<ExprId>, Issue> {
    let &[instances, each] = args else { return Ok(None) };
    Ok(of_all(expander, instances, each).map(|()| {
        let index = select(expander, "each", "index");
        compare(expander, EXPONENTIAL_TARGET, vec![index])
    }))
}

/// `linearlyUpdated(instances, each, n)` likewise.
fn expand_linear(
    expander: &mut Expander<'_>,
    _: Option<ExprId>,
    args: &[ExprId],
) -> Result<Option<ExprId>, Issue> {
    let &[instances, each, step] = args else { return Ok(None) };
    if let Expr::Literal(Literal::Int(number)) = *expander.expr(step)
        && let Err(error) = linear_target(0, number)
    {
        return Err(expander.issue(step, error.message()));
    }
    Ok(of_all(expander, instances, each).map(|()| {
        let index = select(expander, "each", "index");
        compare(expander, LINEAR_TARGET, vec![index, step])
    }))
}

/// A message about what a call became, in words of the call.
pub(super) fn as_written(message: &str) -> String {
    message.replace(
        &format!("'{LINEAR_TARGET}' applied to '(int, "),
        &format!("'{LINEAR}' applied to '(instances, each, "),
    )
}

/// Something only when a call is about all instances and the candidate.
fn of_all(expander: &Expander<'_>, instances: ExprId, each: ExprId) -> Option<()> {
    let is = |id, name: &str| expander.simple_name(id).is_some_and(|it| *it == *name);
    (is(instances, "instances") && is(each, "each")).then_some(())
}

fn select(expander: &mut Expander<'_>, of: &str, field: &str) -> ExprId {
    let operand = expander.ident(of);
    expander.add(Expr::Select { operand, field: field.into(), optional: false })
}

fn compare(expander: &mut Expander<'_>, target: &str, args: Vec<ExprId>) -> ExprId {
    let lhs = select(expander, "fleet", "settled");
    let rhs = expander.add(Expr::Call { target: None, function: target.into(), args });
    expander.add(Expr::Binary { op: BinaryOp::GreaterEqual, lhs, rhs })
}

/// How many must have settled before the instance of this rank may move, where 1, 2, 4, 8 … move at once.
pub(super) fn exponential_target(index: i64) -> Result<i64, EvalError> {
    let place = index.checked_add(1).filter(|it| *it > 0).ok_or_else(|| no_rank(index))?;
    // A power of two that is no greater than `place`, less one.
    Ok((1_i64 << place.ilog2()) - 1)
}

/// The same, where `step` move at once.
pub(super) fn linear_target(index: i64, step: i64) -> Result<i64, EvalError> {
    if step < 1 {
        return Err(EvalError::invalid(format!("linearlyUpdated moves at least 1 at a time, not {step}")));
    }
    if index < 0 {
        return Err(no_rank(index));
    }
    Ok(index / step * step)
}

fn no_rank(index: i64) -> EvalError {
    EvalError::invalid(format!("{index} is not an index"))
}

fn index(each: &Val<'_>) -> Result<i64, EvalError> {
    let found = each.entries()?.get_str("index").ok_or_else(|| EvalError::no_such_key("index"))?;
    found.int().map_err(|_| EvalError::invalid("the instance takes no part, so it has no index"))
}

fn settled(instances: &Val<'_>) -> Result<i64, EvalError> {
    let mut count = 0;
    for instance in instances.elements()?.iter() {
        count += i64::from(fact(&instance, "settled")?);
    }
    Ok(count)
}

fn fact(instance: &Val<'_>, name: &str) -> Result<bool, EvalError> {
    let facts = instance.entries()?.get_str(FACTS);
    let fact = facts.as_ref().and_then(Val::as_map).and_then(|it| it.get_str(name));
    match fact {
        Some(Val::Bool(fact)) => Ok(fact),
        _ => Err(EvalError::invalid(format!("{name}() takes `each`, or one of its kind"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v35_batches_double() {
        let targets: Vec<i64> = (0..16).map(|it| exponential_target(it).unwrap()).collect();
        assert_eq!(targets, [0, 1, 1, 3, 3, 3, 3, 7, 7, 7, 7, 7, 7, 7, 7, 15]);
        assert_eq!(exponential_target(i64::MAX - 1), Ok(i64::MAX >> 1));
        assert!(exponential_target(-1).is_err() && exponential_target(i64::MAX).is_err());
    }

    #[test]
    fn v35_batches_of_n() {
        let targets: Vec<i64> = (0..8).map(|it| linear_target(it, 3).unwrap()).collect();
        assert_eq!(targets, [0, 0, 0, 3, 3, 3, 6, 6]);
        assert!(linear_target(1, 0).is_err() && linear_target(-1, 1).is_err());
    }
}
