//! What expressions read of the variables that they mention.

#![expect(clippy::wildcard_enum_match_arm, reason = "nothing else is a step")]

use std::collections::{BTreeMap, BTreeSet};

use krono_cel::ast::{Ast, Expr, ExprId, Literal};
use krono_cel::{Checked, Env};

/// A part of a variable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Read {
    /// The variable, by its slot in the environment.
    pub(crate) slot: usize,
    /// The fields that lead to it; none for the whole.
    pub(crate) path: Vec<String>,
}

/// What an expression reads; where that cannot be told, it is all of a variable.
pub(crate) fn reads(checked: &Checked, env: &Env) -> BTreeSet<Read> {
    let (ast, variables) = (checked.ast(), checked.variables());
    let steps: BTreeMap<ExprId, (ExprId, &str)> = ast.ids().filter_map(|id| step(ast, id)).collect();
    // A loop may take the name of a variable that is mentioned too: then it reads too much, which does no harm.
    let named = |id: ExprId| match ast.expr(id) {
        Expr::Ident(name) => env.slot(name.trim_start_matches('.')).filter(|it| variables.contains(it)),
        _ => None,
    };
    let read = |id: ExprId| Some(Read { slot: named(id)?, path: path(&steps, id) });
    let mut reads: BTreeSet<Read> = ast.ids().filter_map(read).collect();
    let known: BTreeSet<usize> = reads.iter().map(|it| it.slot).collect();
    reads.extend(variables.difference(&known).map(|slot| Read { slot: *slot, path: Vec::new() }));
    reads
}

/// From what is selected from to what selects, with the field.
fn step(ast: &Ast, id: ExprId) -> Option<(ExprId, (ExprId, &str))> {
    match ast.expr(id) {
        Expr::Select { operand, field, .. } | Expr::Has { operand, field } => Some((*operand, (id, field))),
        Expr::Index { operand, index, .. } => match ast.expr(*index) {
            Expr::Literal(Literal::String(key)) => Some((*operand, (id, key))),
            _ => None,
        },
        _ => None,
    }
}

fn path(steps: &BTreeMap<ExprId, (ExprId, &str)>, from: ExprId) -> Vec<String> {
    let up = |(id, _): &(ExprId, &str)| steps.get(id).copied();
    std::iter::successors(steps.get(&from).copied(), up).map(|(_, field)| field.to_owned()).collect()
}
