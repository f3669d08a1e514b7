//! Text to values, with the place of the first mistake.

use std::fmt;

use serde_json::Value;
use serde_saphyr::{DuplicateKeyPolicy, MessageFormatter, Options, UserMessageFormatter};

use super::keys::{self, BooleanKey};

/// As deep as `serde_json` goes; schemas in use stay below half of it.
const DEEPEST: usize = 128;
/// A bundle of large CRDs has some hundred thousand nodes.
const MOST_NODES: usize = 5_000_000;

#[derive(Clone, Copy, Debug)]
pub(super) enum Syntax {
    Json,
    Yaml,
}

/// A line and a column, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) line: u64,
    pub(crate) column: u64,
}

#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) values: Vec<Value>,
    /// The first key that a mapping of YAML has twice.
    pub(super) duplicate: Option<(Place, String)>,
    pub(super) booleans: Vec<BooleanKey>,
}

impl Syntax {
    pub(super) fn parse(self, text: &str) -> Result<Parsed, (Place, String)> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        match self {
            Syntax::Json => parse_json(text),
            // Most JSON is YAML, but reading it as JSON is many times faster.
            Syntax::Yaml if text.trim_start().starts_with(['{', '[']) => {
                parse_json(text).or_else(|_| parse_yaml(text))
            }
            Syntax::Yaml => parse_yaml(text),
        }
    }
}

impl Syntax {
    /// The same text with blank lines in place of the documents that make no sense, and what is wrong with each of them.
    pub(super) fn readable(self, text: String) -> (String, Vec<(Place, String)>) {
        if matches!(self, Syntax::Json) || self.parse(&text).is_ok() {
            return (text, Vec::new());
        }
        let (mut kept, mut wrong, mut above) = (String::with_capacity(text.len()), Vec::new(), 0);
        for document in documents(&text) {
            let lines = document.matches('\n').count();
            match self.parse(document) {
                Ok(_) => kept.push_str(document),
                Err((place, message)) => {
                    wrong.push((Place { line: place.line + above, ..place }, message));
                    kept.push_str(&"\n".repeat(lines));
                }
            }
            above += lines as u64;
        }
        (kept, wrong)
    }
}

/// The parts of a text that begin with `---`; that line ends whatever stands before it, even where something is not closed.
fn documents(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut at) = (0, 0);
    for line in text.split_inclusive('\n') {
        let is_border =
            line.strip_prefix("---").is_some_and(|it| it.is_empty() || it.starts_with(char::is_whitespace));
        if is_border && at > start {
            parts.extend(text.get(start..at));
            start = at;
        }
        at += line.len();
    }
    parts.extend(text.get(start..));
    parts
}

fn parse_json(text: &str) -> Result<Parsed, (Place, String)> {
    match serde_json::from_str(text) {
        Ok(value) => Ok(Parsed { values: vec![value], duplicate: None, booleans: Vec::new() }),
        Err(error) => {
            let place = Place { line: error.line() as u64, column: error.column() as u64 };
            let message = error.to_string();
            let position = format!(" at line {} column {}", place.line, place.column);
            Err((place, message.strip_suffix(&position).unwrap_or(&message).to_owned()))
        }
    }
}

fn parse_yaml(text: &str) -> Result<Parsed, (Place, String)> {
    let (mut values, duplicate) = parse_values(text)?;
    let booleans = keys::rename(text, &mut values);
    Ok(Parsed { values, duplicate, booleans })
}

type WithDuplicate = (Vec<Value>, Option<(Place, String)>);

/// A key given twice is forgiven, as `kubectl` does, but it is told.
fn parse_values(text: &str) -> Result<WithDuplicate, (Place, String)> {
    match serde_saphyr::from_multiple_with_options(text, options(DuplicateKeyPolicy::Error)) {
        Ok(values) => Ok((values, None)),
        Err(error) => {
            let (place, message) = described(&error);
            let serde_saphyr::Error::DuplicateMappingKey { key, .. } = error.without_snippet() else {
                return Err((place, message));
            };
            let values =
                serde_saphyr::from_multiple_with_options(text, options(DuplicateKeyPolicy::LastWins))
                    .map_err(|it| described(&it))?;
            Ok((values, Some((place, key.clone().unwrap_or_default()))))
        }
    }
}

/// What Kubernetes' own reader understands: `0644` is octal, `yes` is true.
pub(super) fn options(duplicates: DuplicateKeyPolicy) -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_depth: DEEPEST, max_nodes: MOST_NODES, max_events: 2 * MOST_NODES },
        duplicate_keys: duplicates,
        legacy_octal_numbers: true,
        with_snippet: false,
    }
}

fn described(error: &serde_saphyr::Error) -> (Place, String) {
    let error = error.without_snippet();
    let place = error
        .location()
        .map_or(Place { line: 1, column: 1 }, |it| Place { line: it.line(), column: it.column() });
    let message = UserMessageFormatter.format_message(error).into_owned();
    // The rest names a counter of the parser.
    let short = message.split_once(": limits breached").map(|(it, _)| it.to_owned());
    (place, short.unwrap_or(message))
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.line, self.column)
    }
}
