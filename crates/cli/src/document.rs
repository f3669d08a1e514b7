//! Reading YAML and JSON from files and stdin.

mod keys;
mod places;
mod syntax;
#[cfg(test)]
mod tests;
mod tree;

use std::convert::Infallible;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::str::FromStr;

use serde_json::Value;

use crate::command_error::CommandError;

use self::keys::BooleanKey;
pub(crate) use self::places::Places;
pub(crate) use self::syntax::Place;
use self::syntax::{Parsed, Syntax};

/// In bytes. The largest objects of Kubernetes have a hundredth of it; a device that never ends has more.
const LARGEST: u64 = 64 << 20;

/// Where a text comes from; `-` on the command line is stdin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Stdin,
    File(PathBuf),
}

/// The documents of one source, none of them empty.
#[derive(Debug)]
pub(crate) struct Documents {
    pub(crate) values: Vec<Value>,
    /// What was accepted but is likely a mistake.
    pub(crate) warnings: Vec<String>,
    /// What they were read from.
    pub(crate) text: String,
}

/// Why a source gave no documents.
#[derive(Debug)]
pub(crate) enum DocumentError {
    /// It cannot be read at all.
    Unreadable { source: Source, error: io::Error },
    /// It is not YAML or JSON.
    Malformed { source: Source, place: Place, message: String },
    /// One document was wanted.
    Count { source: Source, found: usize },
}

impl Source {
    /// All that the source holds, as text.
    pub(crate) fn read_text(&self) -> Result<String, DocumentError> {
        let read = match self {
            Source::File(path) => File::open(path).and_then(read_bounded),
            Source::Stdin => read_bounded(io::stdin().lock()),
        };
        read.map_err(|error| DocumentError::Unreadable { source: self.clone(), error })
    }

    /// Every document of the source.
    pub(crate) fn read_documents(&self) -> Result<Documents, DocumentError> {
        let text = self.read_text()?;
        let parsed = self.syntax().parse(&text).map_err(|(place, message)| DocumentError::Malformed {
            source: self.clone(),
            place,
            message,
        })?;
        Ok(self.documents(parsed, text))
    }

    /// The documents of the source that make sense, and what is wrong with the others.
    pub(crate) fn read_documents_in_part(&self) -> Result<(Documents, Vec<DocumentError>), DocumentError> {
        let text = self.read_text()?;
        let (text, wrong) = self.syntax().readable(text);
        let malformed = |(place, message)| DocumentError::Malformed { source: self.clone(), place, message };
        let parsed = self.syntax().parse(&text).map_err(malformed)?;
        Ok((self.documents(parsed, text), wrong.into_iter().map(malformed).collect()))
    }

    /// The only document of the source, and the warnings about it.
    pub(crate) fn read_document(&self) -> Result<(Value, Vec<String>), DocumentError> {
        let Documents { mut values, warnings, .. } = self.read_documents()?;
        match (values.len(), values.pop()) {
            (1, Some(value)) => Ok((value, warnings)),
            (found, _) => Err(DocumentError::Count { source: self.clone(), found }),
        }
    }

    /// JSON only where the name says so: YAML reads JSON as well.
    fn syntax(&self) -> Syntax {
        match self {
            Source::File(path) if path.extension().is_some_and(|it| it == "json") => Syntax::Json,
            Source::File(_) | Source::Stdin => Syntax::Yaml,
        }
    }

    fn documents(&self, parsed: Parsed, text: String) -> Documents {
        let twice = |(place, key): (Place, String)| {
            format!("{self}:{place}: the key `{key}` is given twice; the last one counts")
        };
        let boolean = |BooleanKey { place, written, read }: BooleanKey| {
            format!(
                "{self}:{place}: the key `{written}` is read as `{read}`, as kubectl does; write it in quotes, \"{written}\""
            )
        };
        let warnings =
            parsed.duplicate.map(twice).into_iter().chain(parsed.booleans.into_iter().map(boolean));
        Documents { values: parsed.values, warnings: warnings.collect(), text }
    }
}

/// Refuses a command line that names stdin more than once.
pub(crate) fn read_stdin_once<'s>(sources: impl Iterator<Item = &'s Source>) -> Result<(), CommandError> {
    match sources.filter(|it| **it == Source::Stdin).count() {
        0 | 1 => Ok(()),
        _ => Err(CommandError::usage("`-` stands for stdin more than once; it can be read only once")),
    }
}

fn read_bounded(from: impl Read) -> io::Result<String> {
    let mut text = String::new();
    from.take(LARGEST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LARGEST { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(text) }
}

impl FromStr for Source {
    type Err = Infallible;

    fn from_str(written: &str) -> Result<Self, Infallible> {
        Ok(if written == "-" { Source::Stdin } else { Source::File(PathBuf::from(written)) })
    }
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Stdin => formatter.write_str("<stdin>"),
            Source::File(path) => path.display().fmt(formatter),
        }
    }
}

impl fmt::Display for DocumentError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DocumentError::Unreadable { source, error } => {
                write!(formatter, "cannot read {source}: {}", unreadable(error))
            }
            DocumentError::Malformed { source, place, message } => {
                write!(formatter, "{source}:{place}: {message}")
            }
            DocumentError::Count { source, found: 0 } => write!(formatter, "{source} holds no document"),
            DocumentError::Count { source, found } => {
                write!(formatter, "{source} holds {found} documents where one is expected")
            }
        }
    }
}

impl DocumentError {
    /// What to do about it, where that can be told.
    pub(crate) fn hint(&self) -> Option<String> {
        let hint = match self {
            DocumentError::Malformed { message, .. } if message.contains("tabs") => {
                "YAML is indented with spaces only"
            }
            DocumentError::Malformed { message, .. } if message.contains("mapping values") => {
                "is a line not indented as the one above it? text with `: ` in it stands in quotes"
            }
            DocumentError::Malformed { source, .. } if matches!(source.syntax(), Syntax::Yaml) => {
                "look there and at the lines above: an indentation, a quote or a bracket is not as it should be"
            }
            DocumentError::Unreadable { .. } | DocumentError::Malformed { .. } => return None,
            DocumentError::Count { found: 0, .. } => "is the file empty, or all of it a comment?",
            DocumentError::Count { .. } => {
                "keep one of the documents that `---` separates, or split the file"
            }
        };
        Some(hint.to_owned())
    }
}

/// Without the number of the operating system's error.
#[expect(clippy::wildcard_enum_match_arm, reason = "these few are what people meet; the list is not ours")]
fn unreadable(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "there is no such file".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::InvalidData => "it is not UTF-8 text".to_owned(),
        io::ErrorKind::FileTooLarge => format!("it holds more than {} MiB", LARGEST >> 20),
        _ => error.to_string(),
    }
}
