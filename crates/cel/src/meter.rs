//! Bounds on what an evaluation may cost.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{EvalError, EvalErrorKind};

/// What an evaluation may still cost.
///
/// One unit is one step: an iteration of a loop, an element or about ten characters produced or looked at. Code outside loops and
/// calls is not charged, because its cost is bounded by the size of the expression.
#[derive(Debug)]
pub struct Meter<'c> {
    left: Cell<u64>,
    limit: u64,
    cancelled: Option<&'c AtomicBool>,
}

/// The budget of an evaluation that sets no other: Kubernetes' limit for one expression.
pub const DEFAULT_BUDGET: u64 = 10_000_000;

impl Default for Meter<'_> {
    fn default() -> Self {
        Self::new(DEFAULT_BUDGET)
    }
}

impl<'c> Meter<'c> {
    /// A meter with this many units.
    pub fn new(limit: u64) -> Self {
        Self { left: Cell::new(limit), limit, cancelled: None }
    }

    /// The same, stopping soon after `flag` becomes true.
    #[must_use]
    pub fn cancelled_by(mut self, flag: &'c AtomicBool) -> Self {
        self.cancelled = Some(flag);
        self
    }

    /// Units used so far.
    pub fn used(&self) -> u64 {
        self.limit - self.left.get()
    }

    /// Takes `units` from the budget; call it before doing the work they stand for.
    pub fn charge(&self, units: u64) -> Result<(), EvalError> {
        let Some(left) = self.left.get().checked_sub(units) else {
            return Err(self.exhausted());
        };
        self.left.set(left);
        match self.cancelled {
            Some(flag) if flag.load(Ordering::Relaxed) => Err(cancelled()),
            _ => Ok(()),
        }
    }

    /// Takes the price of producing or scanning `bytes` of text.
    pub fn charge_text(&self, bytes: usize) -> Result<(), EvalError> {
        self.charge(bytes as u64 / 10 + 1)
    }

    #[cold]
    fn exhausted(&self) -> EvalError {
        self.left.set(0);
        let message = format!("operation cancelled: actual cost limit exceeded ({} units)", self.limit);
        EvalError::new(EvalErrorKind::BudgetExceeded, message)
    }
}

#[cold]
fn cancelled() -> EvalError {
    EvalError::new(EvalErrorKind::Cancelled, "operation interrupted")
}
