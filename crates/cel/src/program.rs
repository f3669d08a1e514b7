//! Programs: expressions made ready to be evaluated many times.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "an operation takes a few kinds of value and refuses all others alike"
)]

mod access;
mod bindings;
mod eval;
mod failure;
mod fold;
mod ir;
mod loops;
mod lower;
mod operators;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::checked::Checked;
use crate::env::Env;
use crate::error::EvalError;
use crate::meter::Meter;
use crate::source::Issues;
use crate::types::Type;
use crate::value::Val;

pub use bindings::Bindings;
use eval::Frame;
use ir::Ir;

/// An expression made ready to be evaluated many times, from any thread.
///
/// ```
/// use krono_cel::{Env, Type, Val, library};
/// use serde_json::json;
///
/// let env = Env::builder().library(library::standard()).variable("spec", Type::Dyn).build();
/// let program = env.compile("spec.replicas * 2")?;
/// let spec = json!({"replicas": 3});
/// let value = program.eval(&env.bindings().with("spec", &spec))?;
/// assert_eq!(value, Val::Int(6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    root: Ir,
    locals: usize,
    result_type: Type,
    source: Arc<str>,
}

impl Program {
    fn new(checked: &Checked) -> Self {
        Self(Arc::new(Inner {
            root: lower::lower(checked),
            locals: checked.locals as usize,
            result_type: checked.result_type().clone(),
            source: checked.ast().source().into(),
        }))
    }

    /// The type of the result; `dyn` when only evaluation can tell.
    pub fn result_type(&self) -> &Type {
        &self.0.result_type
    }

    /// The source text.
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// The value, within the default budget.
    pub fn eval<'a>(&'a self, bindings: &Bindings<'a>) -> Result<Val<'a>, EvalError> {
        self.eval_metered(bindings, &Meter::default())
    }

    /// The value, within the meter's budget.
    pub fn eval_metered<'a>(
        &'a self,
        bindings: &Bindings<'a>,
        meter: &Meter<'_>,
    ) -> Result<Val<'a>, EvalError> {
        const INLINE: usize = 6;
        let inner = &*self.0;
        if inner.locals <= INLINE {
            let mut locals = [const { Val::Null }; INLINE];
            Frame { bindings, locals: &mut locals, meter }.eval(&inner.root)
        } else {
            let mut locals = vec![Val::Null; inner.locals];
            Frame { bindings, locals: &mut locals, meter }.eval(&inner.root)
        }
    }
}

impl Env {
    /// Parses, checks and prepares an expression.
    pub fn compile(&self, source: &str) -> Result<Program, Issues> {
        Ok(self.program(&self.check(self.parse(source)?)?))
    }

    /// Prepares a checked expression.
    pub fn program(&self, checked: &Checked) -> Program {
        Program::new(checked)
    }

    /// Values for the variables, none set.
    pub fn bindings(&self) -> Bindings<'_> {
        Bindings::new(self)
    }
}
