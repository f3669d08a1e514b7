//! Work that is done once, when a program is made, because its arguments never change.

use std::sync::Arc;

use super::ir::{Call, Ir, Op};
use crate::function::Overload;
use crate::meter::Meter;
use crate::value::Val;

/// What a call with fixed arguments may cost before it is left to run time.
const FOLDING_BUDGET: u64 = 1_000;

/// The call, or what is known of it beforehand: its value, or an overload prepared for its fixed arguments.
pub(super) fn call(mut call: Call) -> Op {
    let [overload] = call.overloads.as_slice() else {
        return Op::Call(Box::new(call));
    };
    if let Some(value) = value_of(overload, &call.args) {
        return Op::Constant(value);
    }
    if let Some(prepared) = prepare(overload, &call.args) {
        call.overloads = vec![prepared];
    }
    Op::Call(Box::new(call))
}

/// Functions are pure, so a call with fixed arguments always gives the same; one that fails is left to fail at run time.
fn value_of(overload: &Overload, args: &[Ir]) -> Option<Val<'static>> {
    let values: Vec<Val<'static>> = args.iter().map(|it| fixed(it).cloned()).collect::<Option<_>>()?;
    (overload.implementation)(&Meter::new(FOLDING_BUDGET), &values).ok()
}

fn prepare(overload: &Overload, args: &[Ir]) -> Option<Arc<Overload>> {
    let values: Vec<_> = args.iter().map(fixed).collect();
    let implementation = overload.prepare?(&values)?;
    Some(Arc::new(Overload { implementation, ..overload.clone() }))
}

fn fixed(node: &Ir) -> Option<&Val<'static>> {
    match &node.op {
        Op::Constant(value) => Some(value),
        _ => None,
    }
}
