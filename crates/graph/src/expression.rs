//! Expressions of a definition, compiled.

#![expect(clippy::wildcard_enum_match_arm, reason = "every other type is itself")]

use std::collections::BTreeSet;
use std::fmt::Display;

use krono_cel::{Bindings, Env, EvalError, Placed, Program, Span, Template, TemplateError, Type, Val};

use crate::diagnostic::Diagnostics;

/// A compiled expression.
#[derive(Clone, Debug)]
pub struct Expression {
    program: Program,
    variables: BTreeSet<usize>,
}

impl Expression {
    /// What the author wrote, without `${` and `}`.
    pub fn source(&self) -> &str {
        self.program.source()
    }

    /// The type of its values.
    pub fn result_type(&self) -> &Type {
        self.program.result_type()
    }

    /// The variables it mentions, by their slots in the environment.
    pub(crate) fn variables(&self) -> &BTreeSet<usize> {
        &self.variables
    }

    pub(crate) fn evaluate<'a>(&'a self, bindings: &Bindings<'a>) -> Result<Val<'a>, EvalError> {
        self.program.eval(bindings)
    }
}

/// Compiles expressions and reports what is wrong with them.
pub(crate) struct Expressions<'a> {
    pub(crate) env: &'a Env,
    pub(crate) diagnostics: &'a mut Diagnostics,
}

impl Expressions<'_> {
    /// The expression that stands at a place in a text.
    pub(crate) fn compile(&mut self, placed: Placed<'_>, path: &dyn Display) -> Option<Expression> {
        let checked = self.env.parse(placed.source).and_then(|ast| self.env.check(ast));
        match checked {
            Ok(checked) => {
                Some(Expression { program: self.env.program(&checked), variables: checked.variables() })
            }
            Err(issues) => {
                for issue in issues.iter() {
                    self.diagnostics.report(path, issue.message.as_str()).at(shifted(issue.span, placed.at));
                }
                None
            }
        }
    }

    /// A text that must be one expression and nothing else.
    pub(crate) fn standalone(&mut self, text: &str, path: &dyn Display) -> Option<Expression> {
        match Template::parse(text) {
            Ok(Template::Expression(placed)) => self.compile(placed, path),
            Ok(Template::Literal | Template::Mixed(_)) => {
                self.diagnostics.report(path, "expected one expression, ${…}, with nothing around it");
                None
            }
            Err(error) => {
                self.unreadable(error, path);
                None
            }
        }
    }

    /// An expression that says yes or no.
    pub(crate) fn condition(&mut self, text: &str, path: &dyn Display) -> Option<Expression> {
        let expression = self.standalone(text, path)?;
        let fits = matches!(unwrapped(expression.result_type()), Type::Bool | Type::Dyn);
        if !fits {
            let message = format!("returns type \"{}\" but expected \"bool\"", expression.result_type());
            self.diagnostics.report(path, message).advise("compare it with something, as in `== 'Ready'`");
        }
        fits.then_some(expression)
    }

    pub(crate) fn unreadable(&mut self, error: TemplateError, path: &dyn Display) {
        let at = u32::try_from(error.at()).unwrap_or(u32::MAX);
        self.diagnostics.report(path, error.to_string()).at(Span::new(at, at.saturating_add(2)));
    }
}

/// What an optional may hold.
pub(crate) fn unwrapped(ty: &Type) -> &Type {
    match ty {
        Type::Optional(inner) => inner,
        other => other,
    }
}

fn shifted(span: Span, by: usize) -> Span {
    let by = u32::try_from(by).unwrap_or(u32::MAX);
    Span::new(span.start.saturating_add(by), span.end.saturating_add(by))
}
