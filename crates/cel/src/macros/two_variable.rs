//! Comprehensions with two variables: index and element of a list, key and value of a map.

use std::sync::Arc;

use super::standard::refuse_accumulator;
use super::{Expander, Macro};
use crate::ast::{Expr, ExprId, Loop, LoopKind};
use crate::source::Issue;

/// `all`, `exists`, `exists_one`, `existsOne`, `transformList`, `transformMap` and `transformMapEntry` with two variables.
pub const TWO_VARIABLE: &[Macro] = &[
    Macro::method("all", Some(3), all),
    Macro::method("exists", Some(3), exists),
    Macro::method("exists_one", Some(3), exists_one),
    Macro::method("existsOne", Some(3), exists_one),
    Macro::method("transformList", Some(3), transform_list),
    Macro::method("transformList", Some(4), transform_list),
    Macro::method("transformMap", Some(3), transform_map),
    Macro::method("transformMap", Some(4), transform_map),
    Macro::method("transformMapEntry", Some(3), transform_map_entry),
    Macro::method("transformMapEntry", Some(4), transform_map_entry),
];

type Expanded = Result<Option<ExprId>, Issue>;

fn all(expander: &mut Expander<'_>, target: Option<ExprId>, args: &[ExprId]) -> Expanded {
    expand(expander, LoopKind::All, target, args)
}

fn exists(expander: &mut Expander<'_>, target: Option<ExprId>, args: &[ExprId]) -> Expanded {
    expand(expander, LoopKind::Exists, target, args)
}

fn exists_one(expander: &mut Expander<'_>, target: Option<ExprId>, args: &[ExprId]) -> Expanded {
    expand(expander, LoopKind::ExistsOne, target, args)
}

fn transform_list(expander: &mut Expander<'_>, target: Option<ExprId>, args: &[ExprId]) -> Expanded {
    expand(expander, LoopKind::Map, target, args)
}

fn transform_map(expander: &mut Expander<'_>, target: Option<ExprId>, args: &[ExprId]) -> Expanded {
    expand(expander, LoopKind::TransformMap, target, args)
}

fn transform_map_entry(expander: &mut Expander<'_>, target: Option<ExprId>, args: &[ExprId]) -> Expanded {
    expand(expander, LoopKind::TransformMapEntry, target, args)
}

fn expand(expander: &mut Expander<'_>, kind: LoopKind, target: Option<ExprId>, args: &[ExprId]) -> Expanded {
    let Some(range) = target else { return Ok(None) };
    let (first, second, filter, body) = match *args {
        [first, second, body] => (first, second, None, body),
        [first, second, filter, body] => (first, second, Some(filter), body),
        _ => return Ok(None),
    };
    let (variable, second) = variables(expander, first, second)?;
    let comprehension = Loop { kind, range, variable, second: Some(second), filter, body };
    Ok(Some(expander.add(Expr::Loop(Box::new(comprehension)))))
}

fn variables(expander: &Expander<'_>, first: ExprId, second: ExprId) -> Result<(Arc<str>, Arc<str>), Issue> {
    let name = |argument| {
        let issue = || expander.issue(argument, "argument must be a simple name");
        expander.simple_name(argument).ok_or_else(issue)
    };
    let (first_name, second_name) = (name(first)?, name(second)?);
    if first_name == second_name {
        return Err(expander.issue(second, format!("duplicate variable name: {first_name}")));
    }
    refuse_accumulator(expander, first, &first_name)?;
    refuse_accumulator(expander, second, &second_name)?;
    Ok((first_name, second_name))
}
