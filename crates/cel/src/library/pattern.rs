//! Regular expressions in RE2's notation, as Go reads it.

mod class;
mod translate;

use regex::{Regex, RegexBuilder};

use crate::error::EvalError;
use crate::meter::Meter;
use crate::value::{Text, Val};

/// What a compiled expression may take in memory, in bytes.
const SIZE_LIMIT: usize = 10 << 20;

/// A compiled regular expression in RE2's notation, as Go reads it.
///
/// ```
/// use krono_cel::library::Pattern;
///
/// assert!(Pattern::new(r"^\d+$")?.matches("42"));
/// assert!(!Pattern::new(r"^\d+$")?.matches("٤٢"));
/// assert_eq!(Pattern::new("[a").unwrap_err().to_string(), "error parsing regexp: missing closing ]: `[a`");
/// # Ok::<(), krono_cel::library::PatternError>(())
/// ```
///
/// Matching takes time linear in the text; the factor grows with the expression, and is part of what is charged.
#[derive(Clone, Debug)]
pub struct Pattern {
    regex: Regex,
    /// About how many places of the expression are looked at for each character.
    weight: u64,
}

/// Why a text is no regular expression, in Go's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("error parsing regexp: {problem}: `{part}`")]
pub struct PatternError {
    problem: &'static str,
    part: String,
}

/// Compiles a pattern; the price grows with its length.
pub(super) fn compile(source: &str, meter: &Meter<'_>) -> Result<Pattern, EvalError> {
    meter.charge(100 + source.len() as u64)?;
    Pattern::new(source).map_err(|error| EvalError::invalid(error.to_string()))
}

impl PatternError {
    fn new(problem: &'static str, part: &str) -> Self {
        let shown = part.floor_char_boundary(200);
        let more = if shown < part.len() { "…" } else { "" };
        Self { problem, part: format!("{}{more}", &part[..shown]) }
    }
}

impl Pattern {
    /// Compiles an expression.
    pub fn new(source: &str) -> Result<Self, PatternError> {
        let translated = translate::translate(source)?;
        let regex =
            RegexBuilder::new(&translated.pattern).size_limit(SIZE_LIMIT).build().map_err(|error| {
                let problem = match error {
                    regex::Error::CompiledTooBig(_) => "expression too large",
                    _ => "invalid or unsupported Perl syntax",
                };
                PatternError::new(problem, source)
            })?;
        Ok(Self { regex, weight: translated.weight })
    }

    /// Whether some part of the text matches.
    pub fn matches(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// Whether some part of the text matches, within a budget.
    pub(super) fn is_match(&self, text: &str, meter: &Meter<'_>) -> Result<bool, EvalError> {
        self.charge(text, meter)?;
        Ok(self.regex.is_match(text))
    }

    /// The first part that matches, or empty text.
    pub(super) fn find<'a>(&self, text: &Text<'a>, meter: &Meter<'_>) -> Result<Val<'a>, EvalError> {
        self.charge(text, meter)?;
        let range = self.regex.find(text).map_or(0..0, |found| found.range());
        Ok(text.slice(range))
    }

    /// The parts that match, from the first on, at most so many.
    pub(super) fn find_all<'a>(
        &self,
        text: &Text<'a>,
        limit: usize,
        meter: &Meter<'_>,
    ) -> Result<Val<'a>, EvalError> {
        self.charge(text, meter)?;
        let mut parts = Vec::new();
        for found in self.regex.find_iter(text).take(limit) {
            meter.charge(1)?;
            parts.push(text.slice(found.range()));
        }
        Ok(Val::list(parts))
    }

    fn charge(&self, text: &str, meter: &Meter<'_>) -> Result<(), EvalError> {
        let characters = text.len() as u64 / 10 + 1;
        meter.charge(characters.saturating_mul(self.weight / 4 + 1))
    }
}

#[cfg(test)]
mod tests;
