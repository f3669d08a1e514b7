//! Regular expressions with RE2's meaning.

use regex::{Regex, RegexBuilder};

use crate::error::EvalError;
use crate::meter::Meter;

/// Compiled patterns larger than this are refused.
const SIZE_LIMIT: usize = 1 << 20;

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Pattern(Regex);

/// Compiles a pattern; the price grows with its length.
pub(super) fn compile(pattern: &str, meter: &Meter<'_>) -> Result<Pattern, EvalError> {
    meter.charge(100 + pattern.len() as u64)?;
    RegexBuilder::new(&ascii_classes(pattern))
        .size_limit(SIZE_LIMIT)
        .dfa_size_limit(SIZE_LIMIT)
        .build()
        .map(Pattern)
        .map_err(|error| EvalError::invalid(format!("error parsing regexp: {}", last_line(&error))))
}

impl Pattern {
    /// Whether the pattern is found anywhere in the text.
    pub(super) fn is_match(&self, text: &str, meter: &Meter<'_>) -> Result<bool, EvalError> {
        meter.charge_text(text.len())?;
        Ok(self.0.is_match(text))
    }

    /// The pattern itself.
    pub(super) fn regex(&self) -> &Regex {
        &self.0
    }
}

/// RE2's `\d`, `\s`, `\w` and `\b` mean ASCII; those of the `regex` crate mean Unicode unless told otherwise.
fn ascii_classes(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    let mut class_depth = 0_u32;
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.push_str(&ascii_escape(chars.next(), class_depth > 0)),
            '[' => {
                class_depth += 1;
                out.push(c);
            }
            ']' => {
                class_depth = class_depth.saturating_sub(1);
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

fn ascii_escape(escaped: Option<char>, in_class: bool) -> String {
    let class = match escaped {
        Some('d') => "0-9",
        Some('s') => r"\t\n\f\r ",
        Some('w') => "0-9A-Za-z_",
        Some('D') => return r"[^0-9]".into(),
        Some('S') => return r"[^\t\n\f\r ]".into(),
        Some('W') => return r"[^0-9A-Za-z_]".into(),
        Some('b') if !in_class => return r"(?-u:\b)".into(),
        // RE2 has no `\<` and `\>`; the `regex` crate reads them as word boundaries.
        Some(c @ ('<' | '>')) => return c.into(),
        Some('z') => return r"\z".into(),
        Some(c) => return format!("\\{c}"),
        None => return "\\".into(),
    };
    if in_class { class.into() } else { format!("[{class}]") }
}

fn last_line(error: &regex::Error) -> String {
    let text = error.to_string();
    text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_what_re2_means() {
        let check = |pattern, text, expected| {
            let found =
                compile(pattern, &Meter::default()).unwrap().is_match(text, &Meter::default()).unwrap();
            assert_eq!(found, expected, "{pattern} on {text}");
        };
        check(r"^\d+$", "12", true);
        check(r"^\d+$", "١", false);
        check(r"^[\d_]+$", "1_2", true);
        check(r"^\w$", "é", false);
        check(r"^\W$", "é", true);
        check(r"^[^\d]$", "x", true);
        check(r"\bcat\b", "a cat", true);
        check("^a.c$", "abc", true);
        check(r"^\pL$", "é", true);
    }

    #[test]
    fn hostile_patterns_are_refused() {
        let error = compile("((a{1000}){1000}){1000}", &Meter::default()).unwrap_err();
        assert!(error.message().contains("size limit"), "{error}");
        assert!(compile("(", &Meter::default()).is_err());
    }
}
