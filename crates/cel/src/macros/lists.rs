//! `sortBy`: sorts a list by a key computed from each element.

use super::standard::map_over;
use super::{Expander, Macro};
use crate::ast::{Expr, ExprId};
use crate::source::Issue;

/// `list.sortBy(name, key)`.
pub const LISTS: &[Macro] = &[Macro::method("sortBy", Some(2), sort_by)];

// No source can contain this name, so nothing is shadowed.
const INPUT: &str = "@__sortBy_input__";

/// Rewrites `list.sortBy(it, key)` to a call of `@sortByAssociatedKeys` on the list with the list of its keys.
fn sort_by(
    expander: &mut Expander<'_>,
    target: Option<ExprId>,
    args: &[ExprId],
) -> Result<Option<ExprId>, Issue> {
    let (Some(init), &[variable, key]) = (target, args) else { return Ok(None) };
    if matches!(expander.expr(init), Expr::Literal(_) | Expr::Map(_) | Expr::Struct { .. }) {
        let message =
            "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
        return Err(expander.issue(init, message));
    }
    let range = expander.ident(INPUT);
    let keys = map_over(expander, range, variable, None, key)?;
    let list = expander.ident(INPUT);
    let function = "@sortByAssociatedKeys".into();
    let body = expander.add(Expr::Call { target: Some(list), function, args: vec![keys] });
    Ok(Some(expander.add(Expr::Bind { name: INPUT.into(), init, body })))
}
