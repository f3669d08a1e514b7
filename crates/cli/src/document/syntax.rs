//! Text to values, with the place of the first mistake.

use std::fmt;

use serde_json::Value;
use serde_saphyr::{DuplicateKeyPolicy, MessageFormatter, Options, UserMessageFormatter};

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

fn parse_json(text: &str) -> Result<Parsed, (Place, String)> {
    match serde_json::from_str(text) {
        Ok(value) => Ok(Parsed { values: vec![value], duplicate: None }),
        Err(error) => {
            let place = Place { line: error.line() as u64, column: error.column() as u64 };
            let message = error.to_string();
            let position = format!(" at line {} column {}", place.line, place.column);
            Err((place, message.strip_suffix(&position).unwrap_or(&message).to_owned()))
        }
    }
}

/// A key given twice is forgiven, as `kubectl` does, but it is told.
fn parse_yaml(text: &str) -> Result<Parsed, (Place, String)> {
    match serde_saphyr::from_multiple_with_options(text, options(DuplicateKeyPolicy::Error)) {
        Ok(values) => Ok(Parsed { values, duplicate: None }),
        Err(error) => {
            let (place, message) = described(&error);
            let serde_saphyr::Error::DuplicateMappingKey { key, .. } = error.without_snippet() else {
                return Err((place, message));
            };
            let values =
                serde_saphyr::from_multiple_with_options(text, options(DuplicateKeyPolicy::LastWins))
                    .map_err(|it| described(&it))?;
            Ok(Parsed { values, duplicate: Some((place, key.clone().unwrap_or_default())) })
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
