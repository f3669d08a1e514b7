//! What is wrong with a manifest, and where.

use krono_cel::Span;
use krono_graph::Diagnostic;
use krono_propagation::Problem;
use krono_schema::FieldError;
use serde_json::{Value, json};

use super::Manifest;
use super::excerpt::Excerpt;
use crate::command_error::CommandError;
use crate::document::{Place, Source};

/// What takes the place of installing a kind where there is no cluster.
const CRDS: &str = "give its CustomResourceDefinition with --crds";

/// One thing that is wrong with a manifest.
#[derive(Debug)]
pub(crate) struct Finding {
    file: String,
    place: Option<Place>,
    path: String,
    message: String,
    advice: String,
    excerpt: Option<Excerpt>,
}

impl Finding {
    /// Something wrong with a field.
    pub(crate) fn at(manifest: &Manifest<'_>, path: &str, message: &str, advice: &str) -> Self {
        Self {
            file: manifest.file.source.to_string(),
            place: manifest.place(path),
            path: path.to_owned(),
            message: message.to_owned(),
            advice: advice.to_owned(),
            excerpt: None,
        }
    }

    /// What the compiler found.
    pub(crate) fn of_diagnostic(manifest: &Manifest<'_>, diagnostic: &Diagnostic) -> Self {
        let advice = diagnostic.advice.replace("install its CustomResourceDefinition first", CRDS);
        Self::at(manifest, &diagnostic.path, &diagnostic.message, &advice).within(manifest, diagnostic.span)
    }

    /// What is wrong with what a definition says about propagation.
    pub(crate) fn of_problem(manifest: &Manifest<'_>, problem: &Problem) -> Self {
        Self::at(manifest, &problem.path, &problem.message, &problem.advice).within(manifest, problem.span)
    }

    /// The same with the part of the field's text that is meant.
    fn within(mut self, manifest: &Manifest<'_>, span: Option<Span>) -> Self {
        if let Some(excerpt) = span.and_then(|span| self.excerpt(manifest, span)) {
            self.place = excerpt.place.or(self.place);
            self.excerpt = Some(excerpt);
        }
        self
    }

    /// What the API server refuses.
    pub(crate) fn of_field(manifest: &Manifest<'_>, error: &FieldError, advice: &str) -> Self {
        Self::at(manifest, &error.path, &error.body(), advice)
    }

    /// Something wrong with a file as a whole.
    pub(crate) fn of_file(file: &Source, message: &str, advice: &str) -> Self {
        Self {
            file: file.to_string(),
            place: None,
            path: String::new(),
            message: message.to_owned(),
            advice: advice.to_owned(),
            excerpt: None,
        }
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Whether it is about the field of that path, or about something in it.
    pub(crate) fn is_about(&self, path: &str) -> bool {
        let rest = self.path.strip_prefix(path);
        rest.is_some_and(|it| it.is_empty() || path.is_empty() || it.starts_with(['.', '[']))
    }

    fn excerpt(&self, manifest: &Manifest<'_>, span: Span) -> Option<Excerpt> {
        let value = value_at(manifest.value, &self.path)?.as_str()?;
        Excerpt::of(value, span, self.place.map(|place| (place, manifest.file.text.as_str())))
    }

    /// The finding for programs.
    pub(crate) fn to_json(&self) -> Value {
        let mut json = json!({"file": self.file, "path": self.path, "message": self.message});
        if let Some(place) = self.place {
            json["line"] = place.line.into();
            json["column"] = place.column.into();
        }
        if !self.advice.is_empty() {
            json["advice"] = self.advice.clone().into();
        }
        if let Some(excerpt) = &self.excerpt {
            json["excerpt"] = excerpt.marked().into();
        }
        json
    }

    /// The finding for people: a line, the expression with carets below the part that is meant, and what to do.
    fn lines(&self) -> String {
        let place = self.place.map_or(String::new(), |it| format!(":{it}"));
        let path = if self.path.is_empty() { String::new() } else { format!("{}: ", self.path) };
        let mut lines = format!("error: {}{place}: {path}{}\n", self.file, self.message);
        if let Some(excerpt) = &self.excerpt {
            lines.push_str(&excerpt.to_string());
        }
        if !self.advice.is_empty() {
            lines.extend([format!("hint: {}\n", self.advice)]);
        }
        lines
    }
}

/// All that is wrong, in the order of the files' lines.
pub(crate) fn report(findings: &[Finding]) -> CommandError {
    CommandError::report(sorted(findings).into_iter().map(Finding::lines).collect::<String>())
}

/// In the order of the files' lines.
pub(crate) fn sorted(findings: &[Finding]) -> Vec<&Finding> {
    let mut findings: Vec<_> = findings.iter().collect();
    findings.sort_by(|a, b| (&a.file, a.place).cmp(&(&b.file, b.place)));
    findings
}

/// The value at a path such as `spec.resources[0].template.data.key`; keys may have dots in them.
fn value_at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let path = path.trim_start_matches('.');
    if path.is_empty() {
        return Some(value);
    }
    if let Some((key, rest)) = path.strip_prefix('[').and_then(|it| it.split_once(']')) {
        let inner = value.get(key).or_else(|| value.get(key.parse::<usize>().ok()?));
        return value_at(inner?, rest);
    }
    let mut fields = value.as_object()?.iter().filter_map(|(name, inner)| {
        let rest = path.strip_prefix(name.as_str())?;
        (rest.is_empty() || rest.starts_with(['.', '['])).then(|| value_at(inner, rest))?
    });
    // Of two keys that fit, the longer one stands later.
    fields.next_back()
}
