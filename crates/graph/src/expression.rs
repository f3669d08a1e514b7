//! Expressions of a definition, compiled.

#![expect(clippy::wildcard_enum_match_arm, reason = "every other type is itself")]

use std::collections::BTreeSet;
use std::fmt::Display;

use krono_cel::ast::Expr;
use krono_cel::{
    Bindings, Checked, Env, EvalError, Issue, Placed, Program, Span, Template, TemplateError, Type, Val,
    advice,
};

use crate::budget::Budget;
use crate::diagnostic::Diagnostics;
use crate::reads::{self, Read};

/// More names than this are no help.
const MOST_NAMES: usize = 12;
/// The library of conditions.
const RUNTIME: &str = "runtime";

/// A compiled expression.
#[derive(Clone, Debug)]
pub struct Expression {
    program: Program,
    variables: BTreeSet<usize>,
    reads: BTreeSet<Read>,
    /// Where it stands in the text of its field.
    span: Span,
    omits: bool,
    tests_presence: bool,
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

    /// What it reads of them.
    pub(crate) fn reads(&self) -> &BTreeSet<Read> {
        &self.reads
    }

    /// Where it stands in the text of its field, without `${` and `}`.
    pub(crate) fn span(&self) -> Span {
        self.span
    }

    /// Whether it calls `omit()`.
    pub(crate) fn omits(&self) -> bool {
        self.omits
    }

    /// Whether it asks if something is there, so that it has a value whether it is or not.
    pub(crate) fn tests_presence(&self) -> bool {
        self.tests_presence
    }

    pub(crate) fn evaluate<'a>(
        &'a self,
        bindings: &Bindings<'a>,
        budget: &Budget,
    ) -> Result<Val<'a>, EvalError> {
        budget.evaluate(&self.program, bindings)
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
            Ok(checked) => Some(Expression {
                program: self.env.program(&checked),
                variables: checked.variables(),
                reads: reads::reads(&checked, self.env),
                span: span_of(placed),
                omits: calls_omit(&checked),
                tests_presence: tests_presence(&checked),
            }),
            Err(issues) => {
                for issue in told(issues.iter().collect()) {
                    let advice = self.advice(issue, placed.source);
                    let span = visible(shifted(narrowed(issue), placed.at), placed);
                    self.diagnostics.report(path, message(issue)).at(span).advise(advice);
                }
                None
            }
        }
    }

    fn advice(&self, issue: &Issue, source: &str) -> String {
        if let Some(elsewhere) = elsewhere(issue, source) {
            return elsewhere.to_owned();
        }
        let known = advice::on_issue(issue, source, self.env);
        let names = || advice::undeclared(issue).map(|name| names_here(name, self.env));
        known.or_else(names).unwrap_or_else(|| by_default(issue).to_owned())
    }

    /// A text that must be one expression and nothing else.
    pub(crate) fn standalone(&mut self, text: &str, path: &dyn Display) -> Option<Expression> {
        match Template::parse(text) {
            Ok(Template::Expression(placed)) => self.compile(placed, path),
            Ok(Template::Literal | Template::Mixed(_)) => {
                let advice = if text.contains("${") {
                    "join the parts within one expression, as in `${a + \"-\" + b}`".to_owned()
                } else if text.trim().is_empty() {
                    "write an expression, or remove the entry".to_owned()
                } else {
                    format!("write ${{{}}}", text.trim())
                };
                self.diagnostics
                    .report(path, "expected one expression, ${…}, with nothing around it")
                    .advise(advice);
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
            self.diagnostics
                .report(path, message)
                .at(expression.span())
                .advise("compare it with something, as in `== 'Ready'`");
        }
        self.refuse_omit(&expression, path);
        fits.then_some(expression)
    }

    /// Only a field or an element of a template can be left out.
    pub(crate) fn refuse_omit(&mut self, expression: &Expression, path: &dyn Display) {
        if expression.omits() {
            self.diagnostics
                .report(path, "omit() leaves out a field or an element of a template; here is none")
                .at(expression.span())
                .advise("give a value in every case");
        }
    }

    pub(crate) fn unreadable(&mut self, error: TemplateError, path: &dyn Display) {
        let at = u32::try_from(error.at()).unwrap_or(u32::MAX);
        let text = error.to_string();
        let (message, advice) = text.split_once("; ").unwrap_or((&text, ""));
        self.diagnostics.report(path, message).at(Span::new(at, at.saturating_add(2))).advise(advice);
    }
}

/// What an optional may hold.
pub(crate) fn unwrapped(ty: &Type) -> &Type {
    match ty {
        Type::Optional(inner) => inner,
        other => other,
    }
}

/// What follows the first mistake in the grammar, or a library that is not there, is mostly its consequence.
fn told(issues: Vec<&Issue>) -> Vec<&Issue> {
    let decisive =
        |it: &Issue| advice::is_ungrammatical(it) || advice::undeclared(it).is_some_and(|it| it == RUNTIME);
    let first = issues.iter().copied().find(|it| decisive(it));
    first.map_or(issues, |first| vec![first])
}

/// Without the container, which is always the same, and the tokens that the grammar has in store.
fn message(issue: &Issue) -> &str {
    let message = issue.message.trim_end_matches(" (in container '')");
    message.split_once(" expecting {").map_or(message, |(message, _)| message)
}

/// What is known in other places of a definition.
fn elsewhere(issue: &Issue, source: &str) -> Option<&'static str> {
    match (advice::undeclared(issue), issue.message.as_str()) {
        (Some(RUNTIME), _) => Some("`runtime` is known in the conditions of a status only"),
        (Some("omit"), _) => Some("omit() may be used in templates only"),
        (_, "undefined field 'status'") if source.contains("schema.status") => Some(
            "resources make the status of an instance, so they cannot be made from it; read the resource itself",
        ),
        (_, "undefined field 'namespace'") if source.contains("schema.metadata.namespace") => {
            Some("instances of this definition are in no namespace; let the instance name one in its spec")
        }
        _ => None,
    }
}

fn by_default(issue: &Issue) -> &'static str {
    let message = issue.message.as_str();
    if message.starts_with("Syntax error") && message.contains("<EOF>") {
        "the expression ends before it is complete"
    } else if message.starts_with("Syntax error") {
        "look at what stands before it: an operator, a quote or a bracket is missing"
    } else if message.contains("recursion limit") {
        "it is nested too deeply; make it shorter, or put a part of it into a resource that it can mention"
    } else if message.starts_with("runtime.") {
        "write ${runtime.newCondition({type: \"…\", status: \"True\"})}, the keys without quotes"
    } else {
        "docs/cel.md lists what there is"
    }
}

/// Of a path to a field that is not there, the field.
fn narrowed(issue: &Issue) -> Span {
    let field = issue.message.strip_prefix("undefined field '").map(|it| it.trim_end_matches('\''));
    let length = field.and_then(|it| u32::try_from(it.len()).ok()).unwrap_or(u32::MAX);
    Span::new(issue.span.end.saturating_sub(length).max(issue.span.start), issue.span.end)
}

/// A part of the text that can be shown: the end of an expression is shown as its last character.
fn visible(span: Span, placed: Placed<'_>) -> Span {
    let whole = span_of(placed);
    let last = placed.source.chars().next_back().map_or(2, char::len_utf8);
    let last = whole.end.saturating_sub(u32::try_from(last).unwrap_or(1));
    let start = span.start.min(last);
    Span::new(start, span.end.max(start).min(whole.end).max(start.saturating_add(1)))
}

fn names_here(name: &str, env: &Env) -> String {
    let names: Vec<&str> = env.variables().iter().map(|it| it.name.as_ref()).collect();
    match names.as_slice() {
        [only] => format!("the only name here is `{only}`"),
        _ if names.len() <= MOST_NAMES => {
            format!("the names here are {}; text stands in quotes, \"{name}\"", names.join(", "))
        }
        _ => format!("no resource and no iterator has that name; text stands in quotes, \"{name}\""),
    }
}

fn calls_omit(checked: &Checked) -> bool {
    let ast = checked.ast();
    let is_omit =
        |expr: &Expr| matches!(expr, Expr::Call { target: None, function, .. } if **function == *"omit");
    ast.ids().any(|id| is_omit(ast.expr(id)))
}

fn tests_presence(checked: &Checked) -> bool {
    let ast = checked.ast();
    let tests = |expr: &Expr| {
        matches!(
            expr,
            Expr::Has { .. } | Expr::Select { optional: true, .. } | Expr::Index { optional: true, .. }
        )
    };
    ast.ids().any(|id| tests(ast.expr(id)))
}

fn span_of(placed: Placed<'_>) -> Span {
    let end = u32::try_from(placed.source.len()).unwrap_or(u32::MAX);
    shifted(Span::new(0, end), placed.at)
}

fn shifted(span: Span, by: usize) -> Span {
    let by = u32::try_from(by).unwrap_or(u32::MAX);
    Span::new(span.start.saturating_add(by), span.end.saturating_add(by))
}
