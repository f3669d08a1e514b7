//! What is wrong with an expression, for the person who wrote it.

use krono_cel::advice::is_ungrammatical;
use krono_cel::{EvalError, Issues};

use super::advice;
use super::inputs::Inputs;
use super::snippet;
use crate::command_error::CommandError;

/// More hints than this tell a newcomer nothing.
const MOST_HINTS: usize = 3;

/// Errors about one expression and its inputs.
pub(super) struct Diagnosis<'i> {
    inputs: &'i Inputs,
}

impl<'i> Diagnosis<'i> {
    pub(super) fn of(inputs: &'i Inputs) -> Self {
        Self { inputs }
    }

    /// All that the parser or the checker found, with a hint for each kind of mistake.
    pub(super) fn issues(&self, issues: &Issues) -> CommandError {
        let shown = issues.iter().map(|it| snippet::at_point(&self.inputs.expression, it.at, &it.message));
        let mut shown: Vec<_> = shown.collect();
        if issues.omitted() > 0 {
            shown.push(format!("{} more errors were truncated", issues.omitted()));
        }
        let mut error = CommandError::report(shown.join("\n"));
        error.hints = self.hints(issues);
        error
    }

    /// One hint for text outside the grammar, whose further mistakes are mostly consequences of the first.
    fn hints(&self, issues: &Issues) -> Vec<String> {
        let env = self.inputs.environment();
        let advice = |it| advice::on_issue(it, self.inputs, &env);
        let mut ungrammatical = issues.iter().filter(|it| is_ungrammatical(it)).peekable();
        if ungrammatical.peek().is_some() {
            return ungrammatical.find_map(advice).into_iter().collect();
        }
        let mut hints = Vec::new();
        for hint in issues.iter().filter_map(advice) {
            if hints.len() < MOST_HINTS && !hints.contains(&hint) {
                hints.push(hint);
            }
        }
        hints
    }

    /// What stopped an evaluation, with the part of the expression that did.
    pub(super) fn eval_error(&self, error: &EvalError) -> CommandError {
        let shown = match error.span() {
            Some(span) => snippet::at_span(&self.inputs.expression, span, error.message()),
            None => format!("ERROR: {}", error.message()),
        };
        let told = CommandError::report(shown);
        match advice::on_eval_error(error, self.inputs) {
            Some(hint) => told.hint(hint),
            None => told,
        }
    }
}
