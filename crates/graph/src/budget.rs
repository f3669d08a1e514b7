//! What one evaluation of a graph may cost.

use std::cell::Cell;

use krono_cel::{Bindings, EvalError, EvalErrorKind, Meter, Program, Val};
use serde_json::Value;

/// Ten times what one expression may cost: a thousand objects with ten expressions over a thousand elements pass.
const STEPS: u64 = 10 * ONE_EXPRESSION;
/// More than any API server keeps for one instance: a thousand objects of 64 KB.
const MEGABYTES: usize = 64;
/// Kubernetes' limit.
const ONE_EXPRESSION: u64 = krono_cel::DEFAULT_BUDGET;

/// What one evaluation may still cost: its expressions together, and the values that are made of them.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    steps: Cell<u64>,
    bytes: Cell<usize>,
}

impl Default for Budget {
    fn default() -> Self {
        Self { steps: Cell::new(STEPS), bytes: Cell::new(MEGABYTES << 20) }
    }
}

impl Budget {
    /// The value of an expression.
    pub(crate) fn evaluate<'a>(
        &self,
        program: &'a Program,
        bindings: &Bindings<'a>,
    ) -> Result<Val<'a>, EvalError> {
        self.metered(|meter| program.eval_metered(bindings, meter))
    }

    /// A value as JSON that is kept.
    pub(crate) fn write(&self, value: &Val<'_>) -> Result<Value, EvalError> {
        let written = self.metered(|meter| value.to_json_metered(meter))?;
        self.keep(size(&written))?;
        Ok(written)
    }

    /// A value that is kept once more.
    pub(crate) fn copy(&self, value: &Value) -> Result<Value, EvalError> {
        self.keep(size(value))?;
        Ok(value.clone())
    }

    /// So much text is about to be kept.
    pub(crate) fn keep(&self, bytes: usize) -> Result<(), EvalError> {
        let left = self.bytes.get().checked_sub(bytes);
        self.bytes.set(left.unwrap_or_default());
        left.map(drop).ok_or_else(|| {
            exceeded(format!(
                "all that is made for one instance may have {MEGABYTES} MB together; \
                 make collections smaller or texts shorter"
            ))
        })
    }

    /// No expression has more than one may cost, nor more than is left.
    fn metered<T>(&self, evaluate: impl FnOnce(&Meter<'_>) -> Result<T, EvalError>) -> Result<T, EvalError> {
        let left = self.steps.get();
        let meter = Meter::new(left.min(ONE_EXPRESSION));
        let result = evaluate(&meter);
        self.steps.set(left - meter.used());
        result.map_err(|error| {
            if error.kind() != EvalErrorKind::BudgetExceeded || left >= ONE_EXPRESSION {
                return error;
            }
            exceeded(format!(
                "all expressions of one instance may cost {STEPS} steps together; \
                 make collections smaller or expressions simpler"
            ))
        })
    }
}

fn exceeded(message: String) -> EvalError {
    EvalError::new(EvalErrorKind::BudgetExceeded, message)
}

/// About how many bytes a value takes as JSON.
fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len(),
        Value::Array(elements) => elements.iter().map(size).sum(),
        Value::Object(fields) => fields.iter().map(|(name, it)| name.len() + size(it)).sum(),
    }
}
