//! Hints for the mistakes that people make.

mod name;
mod overload;
mod similar;
mod syntax;
#[cfg(test)]
mod tests;

use krono_cel::{EvalError, EvalErrorKind, Issue};

use super::inputs::Inputs;

const ABSENT: &str =
    "a field that may be absent is read with `.?field.orValue(…)`, or asked for with `has(….field)`";

const OVERLOAD: &str =
    "a value is not of the type that is needed here; with `--schema` this is found before anything runs";

/// Whether the parser, not the checker, found it.
pub(super) fn is_ungrammatical(issue: &Issue) -> bool {
    issue.message.starts_with("Syntax error") || issue.message.starts_with("reserved identifier")
}

/// What to do about something the parser or the checker found.
pub(super) fn on_issue(issue: &Issue, inputs: &Inputs) -> Option<String> {
    let message = issue.message.as_str();
    let quoted = message.split('\'').nth(1).unwrap_or_default();
    if message.starts_with("Syntax error") {
        syntax::hint(&inputs.expression, issue.at)
    } else if let Some(word) = message.strip_prefix("reserved identifier: ") {
        Some(syntax::reserved(word))
    } else if message.starts_with("undeclared reference to ") {
        Some(name::undeclared(quoted, issue.at, inputs))
    } else if message.starts_with("undefined field ") {
        Some(name::undefined_field(quoted, inputs))
    } else if message.starts_with("invalid argument to has() macro") {
        Some("`has` asks whether a field is there: has(app.spec.replicas)".to_owned())
    } else {
        overload::hint(message)
    }
}

/// What to do about an evaluation that stopped.
pub(super) fn on_eval_error(error: &EvalError, inputs: &Inputs) -> Option<String> {
    match error.kind() {
        EvalErrorKind::NoSuchKey => Some(no_such_key(error.message(), inputs)),
        EvalErrorKind::NoSuchAttribute => no_such_attribute(error.message(), inputs),
        EvalErrorKind::IndexOutOfBounds => {
            Some("an element that may be absent is read with `list[?0].orValue(…)`".to_owned())
        }
        EvalErrorKind::NoSuchOverload => {
            overload::at_run_time(error.message()).or_else(|| Some(OVERLOAD.to_owned()))
        }
        EvalErrorKind::BudgetExceeded => {
            Some("loops inside loops multiply; `--budget` allows more steps".to_owned())
        }
        EvalErrorKind::DivideByZero
        | EvalErrorKind::Overflow
        | EvalErrorKind::InvalidArgument
        | EvalErrorKind::Cancelled => None,
    }
}

fn no_such_key(message: &str, inputs: &Inputs) -> String {
    let key = message.strip_prefix("no such key: ").unwrap_or_default();
    match similar::nearest(key, &name::keys(inputs)) {
        Some(near) => format!("did you mean `{near}`? Otherwise: {ABSENT}"),
        None => ABSENT.to_owned(),
    }
}

fn no_such_attribute(message: &str, inputs: &Inputs) -> Option<String> {
    let without_value = inputs.variables.iter().filter(|it| it.value.is_none());
    let name = &without_value.map(|it| &it.name).find(|it| message.contains(it.as_str()))?;
    Some(format!("`{name}` has a schema and no value; add `--var {name}=FILE` or `--set {name}=JSON`"))
}
