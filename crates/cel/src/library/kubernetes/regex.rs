//! Parts of texts that match a regular expression.

use std::sync::Arc;

use super::super::pattern;
use crate::ast::{Expr, ExprId, Literal};
use crate::checked::Checked;
use crate::error::EvalError;
use crate::function::{Implementation, Library, Overload};
use crate::meter::Meter;
use crate::source::Issue;
use crate::types::Type::{self, Int, String};
use crate::value::Val;

/// `find` and `findAll`.
pub fn regex() -> Library {
    let strings = || Type::list(String);
    let find_all_upto = [String, String, Int];
    Library::new()
        .function(
            "find",
            [Overload::method("string_find_string", [String, String], String, find)
                .prepared_by(prepare_find)
                .validated_by(validate)],
        )
        .function(
            "findAll",
            [
                Overload::method("string_find_all_string", [String, String], strings(), find_all)
                    .prepared_by(prepare_find_all)
                    .validated_by(validate),
                Overload::method("string_find_all_string_int", find_all_upto, strings(), find_all)
                    .prepared_by(prepare_find_all)
                    .validated_by(validate),
            ],
        )
}

/// A wrong literal is refused before it is evaluated: Kubernetes compiles it with the program.
fn validate(checked: &Checked, call: ExprId) -> Option<Issue> {
    let ast = checked.ast();
    let Expr::Call { args, .. } = ast.expr(call) else { return None };
    let pattern = ast.node(*args.first()?);
    let Expr::Literal(Literal::String(text)) = &pattern.expr else { return None };
    let message = pattern::Pattern::new(text).err()?.to_string();
    Some(Issue { at: pattern.at, span: pattern.span, message })
}

fn compile(pattern: &Val<'_>, meter: &Meter<'_>) -> Result<pattern::Pattern, EvalError> {
    pattern::compile(pattern.text()?, meter).map_err(|error| match error.kind() {
        crate::EvalErrorKind::InvalidArgument => EvalError::invalid(format!("Illegal regex: {error}")),
        _ => error,
    })
}

fn fixed(args: &[Option<&Val<'static>>]) -> Option<pattern::Pattern> {
    compile((*args.get(1)?)?, &Meter::default()).ok()
}

fn find<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    compile(&args[1], meter)?.find(args[0].as_text()?, meter)
}

fn prepare_find(args: &[Option<&Val<'static>>]) -> Option<Implementation> {
    let pattern = fixed(args)?;
    Some(Arc::new(move |meter, args| pattern.find(args[0].as_text()?, meter)))
}

fn find_all<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    compile(&args[1], meter)?.find_all(args[0].as_text()?, limit(args)?, meter)
}

fn prepare_find_all(args: &[Option<&Val<'static>>]) -> Option<Implementation> {
    let pattern = fixed(args)?;
    Some(Arc::new(move |meter, args| pattern.find_all(args[0].as_text()?, limit(args)?, meter)))
}

/// How many parts are wanted at most; a negative number means all.
fn limit(args: &[Val<'_>]) -> Result<usize, EvalError> {
    match args.get(2) {
        Some(limit) => Ok(usize::try_from(limit.int()?).unwrap_or(usize::MAX)),
        None => Ok(usize::MAX),
    }
}
