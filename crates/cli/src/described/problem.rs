//! What is wrong with a document that should describe a schema.

use krono_schema::crd::InvalidInstanceSchema;
use krono_schema::simple::SimpleSchemaErrors;
use krono_schema::{FieldError, crd};

use crate::command_error::CommandError;
use crate::document::{Places, Source};

const VALUE: &str = "a SimpleSchema says `name: type`; is this a value rather than a schema?";

/// Something wrong with one field of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The field, such as `spec.schema.spec.replicas`; empty for the document as a whole.
    pub(crate) path: String,
    pub(crate) message: String,
}

impl Problem {
    pub(super) fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }

    /// The same problem in a document that has the path's root at `prefix`.
    pub(super) fn below(mut self, prefix: &str) -> Self {
        let separator =
            if prefix.is_empty() || self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path = format!("{prefix}{separator}{}", self.path);
        self
    }
}

/// All problems of a file, one line each, in the order of the file.
pub(super) fn report(source: &Source, places: &Places, problems: &[(usize, Problem)]) -> CommandError {
    let find = |(document, problem): &'_ (usize, Problem)| places.find(*document, &problem.path);
    let mut sorted: Vec<_> = problems.iter().map(|it| (find(it), &it.1)).collect();
    sorted.sort_by_key(|(place, _)| *place);
    let lines = sorted.into_iter().map(|(place, problem)| {
        let place = place.map_or(String::new(), |it| format!(":{it}"));
        let path = if problem.path.is_empty() { String::new() } else { format!("{}: ", problem.path) };
        format!("error: {source}{place}: {path}{}", problem.message)
    });
    let report = CommandError::report(lines.collect::<Vec<_>>().join("\n"));
    let is_value = |(_, it): &(usize, Problem)| it.message.starts_with("expected a type such as");
    if problems.iter().any(is_value) { report.hint(VALUE) } else { report }
}

impl From<FieldError> for Problem {
    fn from(error: FieldError) -> Self {
        Self::new(error.path.clone(), words(&error))
    }
}

/// The API server's words; for an expression that does not compile, without the dump of the rule around it.
pub(super) fn words(error: &FieldError) -> String {
    if error.detail.starts_with("compilation failed") { error.detail.clone() } else { error.body() }
}

/// The problems of `spec` and `types`, with paths that begin so.
pub(super) fn of_simple(errors: SimpleSchemaErrors) -> Vec<Problem> {
    errors.errors.into_iter().map(|it| Problem::new(it.path, it.problem.to_string())).collect()
}

/// The problems of a status, with paths that begin so.
pub(super) fn of_status(errors: crd::StatusErrors) -> Vec<Problem> {
    errors.errors.into_iter().map(|it| Problem::new(it.path, it.problem)).collect()
}

/// The problems of a definition's `schema`, with paths from there on.
pub(super) fn of_instance(invalid: InvalidInstanceSchema) -> Vec<Problem> {
    match invalid {
        InvalidInstanceSchema::Fields(lines) => lines.iter().map(|it| of_line(it)).collect(),
        InvalidInstanceSchema::Spec(errors) => of_simple(errors),
        InvalidInstanceSchema::Status(errors) => of_status(errors),
    }
}

/// From `spec.schema.kind: what is wrong`.
fn of_line(line: &str) -> Problem {
    let (path, message) = line.split_once(": ").unwrap_or(("", line));
    let path = path.strip_prefix("spec.schema").unwrap_or(path);
    Problem::new(path.strip_prefix('.').unwrap_or(path), message)
}
