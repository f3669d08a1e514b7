//! Hints for the mistakes that people make.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use krono_cel::{Env, EvalError, EvalErrorKind, Issue, advice};
use serde_json::Value;

use super::inputs::Inputs;

const ABSENT: &str =
    "a field that may be absent is read with `.?field.orValue(…)`, or asked for with `has(….field)`";

const OVERLOAD: &str =
    "a value is not of the type that is needed here; with `--schema` this is found before anything runs";

/// What to do about something the parser or the checker found.
pub(super) fn on_issue(issue: &Issue, inputs: &Inputs, env: &Env) -> Option<String> {
    let unknown = || advice::undeclared(issue).map(|name| undeclared(name, inputs));
    advice::on_issue(issue, &inputs.expression, env).or_else(unknown)
}

fn undeclared(name: &str, inputs: &Inputs) -> String {
    let known: BTreeSet<&str> = inputs.variables.iter().map(|it| it.name.as_str()).collect();
    let declared = match known.into_iter().collect::<Vec<_>>()[..] {
        [] => "no variables are given".to_owned(),
        [only] => format!("the only variable is {only}"),
        ref several => format!("the variables are {}", several.join(", ")),
    };
    format!(
        "{declared}; add one with `--var {name}=FILE` or `--set {name}=JSON`, or put text in quotes: \"{name}\""
    )
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
            advice::on_overload(error.message()).or_else(|| Some(OVERLOAD.to_owned()))
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
    match advice::nearest(key, &keys(inputs)) {
        Some(near) => format!("did you mean `{near}`? Otherwise: {ABSENT}"),
        None => ABSENT.to_owned(),
    }
}

fn no_such_attribute(message: &str, inputs: &Inputs) -> Option<String> {
    let without_value = inputs.variables.iter().filter(|it| it.value.is_none());
    let name = &without_value.map(|it| &it.name).find(|it| message.contains(it.as_str()))?;
    Some(format!("`{name}` has a schema and no value; add `--var {name}=FILE` or `--set {name}=JSON`"))
}

/// Every key in the values of the variables.
fn keys(inputs: &Inputs) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    let mut pending: Vec<&Value> = inputs.variables.iter().filter_map(|it| it.value.as_ref()).collect();
    while let Some(value) = pending.pop() {
        match value {
            Value::Object(map) => {
                names.extend(map.keys().map(String::as_str));
                pending.extend(map.values());
            }
            Value::Array(elements) => pending.extend(elements),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    names
}
