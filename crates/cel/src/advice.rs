//! What to do about the mistakes that people make in expressions.

mod field;
mod name;
mod overload;
mod similar;
mod syntax;

use crate::env::Env;
use crate::source::Issue;

pub use overload::at_run_time as on_overload;
pub use similar::nearest;

/// Whether the parser, not the checker, found it.
pub fn is_ungrammatical(issue: &Issue) -> bool {
    issue.message.starts_with("Syntax error") || issue.message.starts_with("reserved identifier")
}

/// The variable that an issue says is not declared.
///
/// Nothing is said of it by [`on_issue`] unless a declared one looks alike: where variables come from is known to the caller.
pub fn undeclared(issue: &Issue) -> Option<&str> {
    issue.message.strip_prefix("undeclared reference to '")?.split('\'').next()
}

/// What to do about something that the parser or the checker found in `source`, where that can be told.
pub fn on_issue(issue: &Issue, source: &str, env: &Env) -> Option<String> {
    let message = issue.message.as_str();
    if message.starts_with("Syntax error") {
        syntax::hint(source, issue.at)
    } else if let Some(word) = message.strip_prefix("reserved identifier: ") {
        Some(syntax::reserved(word))
    } else if let Some(name) = undeclared(issue) {
        name::hint(name, issue.at, source, env)
    } else if let Some(rest) = message.strip_prefix("undefined field '") {
        Some(field::hint(rest.trim_end_matches('\''), issue.at, source, env))
    } else if message.starts_with("invalid argument to has() macro") {
        Some("`has` asks whether a field is there: has(app.spec.replicas)".to_owned())
    } else if let Some(ty) = message.strip_suffix(" does not support field selection") {
        Some(without_fields(ty).to_owned())
    } else {
        overload::hint(message)
    }
}

fn without_fields(ty: &str) -> &'static str {
    if ty.starts_with("type 'list(") {
        "a list has elements: `list[0].field` reads one, `list.map(x, x.field)` all of them"
    } else if ty.starts_with("type 'optional_type(") {
        "an optional is read with `.?field`, or opened with `.orValue(…)` first"
    } else {
        "only objects and maps have fields"
    }
}
