//! kro's `runtime.newCondition`, whose argument is written with bare names as keys.

use std::sync::Arc;

use super::{Expander, Macro};
use crate::ast::{Entry, Expr, ExprId, Literal};
use crate::quote::quoted;
use crate::source::Issue;

/// `runtime.newCondition({type: …, status: …, reason: …, message: …})`.
pub const RUNTIME: &[Macro] = &[Macro::method("newCondition", Some(1), new_condition)];

const KEYS: [&str; 4] = ["type", "status", "reason", "message"];

fn new_condition(
    expander: &mut Expander<'_>,
    target: Option<ExprId>,
    args: &[ExprId],
) -> Result<Option<ExprId>, Issue> {
    let &[argument] = args else { return Ok(None) };
    if !expander.is_namespace(target, "runtime") {
        return Ok(None);
    }
    let Expr::Map(entries) = expander.expr(argument) else {
        return Err(expander.issue(argument, "runtime.newCondition: argument must be a map literal"));
    };
    let entries = entries.clone();
    let keys = checked_keys(expander, argument, &entries)?;
    let quoted_entries = keys.into_iter().zip(&entries).map(|(key, entry)| {
        let key = expander.add(Expr::Literal(Literal::String(key)));
        Entry { key, value: entry.value, optional: false }
    });
    let map = Expr::Map(quoted_entries.collect());
    let args = vec![expander.add(map)];
    Ok(Some(expander.add(Expr::Call { target, function: "newCondition".into(), args })))
}

fn checked_keys(expander: &Expander<'_>, map: ExprId, entries: &[Entry]) -> Result<Vec<Arc<str>>, Issue> {
    let mut keys: Vec<Arc<str>> = Vec::with_capacity(KEYS.len());
    for entry in entries {
        keys.push(checked_key(expander, entry.key, &keys)?);
    }
    for required in ["type", "status"] {
        if !keys.iter().any(|it| **it == *required) {
            return Err(expander.issue(map, format!("runtime.newCondition: '{required}' is required")));
        }
    }
    Ok(keys)
}

fn checked_key(expander: &Expander<'_>, key: ExprId, seen: &[Arc<str>]) -> Result<Arc<str>, Issue> {
    let Expr::Ident(name) = expander.expr(key) else {
        let message = "keys must be bare identifiers (type, status, reason, message); \
                       quoted or computed keys are not allowed";
        return Err(expander.issue(key, format!("runtime.newCondition: {message}")));
    };
    let problem = if !KEYS.contains(&&**name) {
        format!("unknown key {} (allowed: type, status, reason, message)", quoted(name))
    } else if seen.contains(name) {
        format!("duplicate key {}", quoted(name))
    } else {
        return Ok(Arc::clone(name));
    };
    Err(expander.issue(key, format!("runtime.newCondition: {problem}")))
}
