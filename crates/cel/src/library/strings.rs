//! Text functions: cel-go's `strings` extension.

mod format;
mod older;
mod position;
mod validate;

use format::{Style, format};
use position::{char_at, index_of, last_index_of, substring};

use super::{Dialect, arity};
use crate::error::EvalError;
use crate::function::{Library, Overload};
use crate::meter::Meter;
use crate::types::Type::{self, Int, String};
use crate::value::{ListView, Val};

/// `charAt`, `indexOf`, `join`, `split`, `format` and the like.
///
/// The dialects differ in searches that start behind the end: the specification has an error, cel-go finds nothing.
pub fn strings(dialect: Dialect) -> Library {
    common(dialect)
        .function("reverse", [Overload::method("string_reverse", [String], String, reverse)])
        .function("format", [formatting(Style::Current).validated_by(validate::validate)])
}

/// The same as it was in version 2, for Kubernetes.
pub(super) fn version_2() -> Library {
    common(Dialect::CelGo)
        .function("format", [formatting(Style::Older).validated_by(validate::validate_older)])
}

fn formatting(style: Style) -> Overload {
    Overload::method("string_format", [String, Type::list(Type::Dyn)], String, format(style))
}

fn common(dialect: Dialect) -> Library {
    let strings = || Type::list(String);
    Library::new()
        .function("charAt", [Overload::method("string_char_at_int", [String, Int], String, char_at)])
        .function(
            "indexOf",
            [
                Overload::method("string_index_of_string", [String, String], Int, index_of(dialect)),
                Overload::method("string_index_of_string_int", [String, String, Int], Int, index_of(dialect)),
            ],
        )
        .function(
            "lastIndexOf",
            [
                Overload::method(
                    "string_last_index_of_string",
                    [String, String],
                    Int,
                    last_index_of(dialect),
                ),
                Overload::method(
                    "string_last_index_of_string_int",
                    [String, String, Int],
                    Int,
                    last_index_of(dialect),
                ),
            ],
        )
        .function("lowerAscii", [Overload::method("string_lower_ascii", [String], String, lower_ascii)])
        .function("upperAscii", [Overload::method("string_upper_ascii", [String], String, upper_ascii)])
        .function(
            "replace",
            [
                Overload::method("string_replace_string_string", [String, String, String], String, replace),
                Overload::method(
                    "string_replace_string_string_int",
                    [String, String, String, Int],
                    String,
                    replace,
                ),
            ],
        )
        .function(
            "split",
            [
                Overload::method("string_split_string", [String, String], strings(), split),
                Overload::method("string_split_string_int", [String, String, Int], strings(), split),
            ],
        )
        .function(
            "substring",
            [
                Overload::method("string_substring_int", [String, Int], String, substring),
                Overload::method("string_substring_int_int", [String, Int, Int], String, substring),
            ],
        )
        .function("trim", [Overload::method("string_trim", [String], String, trim)])
        .function(
            "join",
            [
                Overload::method("list_join", [strings()], String, join),
                Overload::method("list_join_string", [strings(), String], String, join),
            ],
        )
        .function("strings.quote", [Overload::function("strings_quote", [String], String, quote)])
}

fn lower_ascii<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [text] = arity(args)?;
    meter.charge_text(text.text()?.len())?;
    Ok(Val::string(text.text()?.to_ascii_lowercase()))
}

fn upper_ascii<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [text] = arity(args)?;
    meter.charge_text(text.text()?.len())?;
    Ok(Val::string(text.text()?.to_ascii_uppercase()))
}

fn reverse<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [text] = arity(args)?;
    meter.charge_text(text.text()?.len())?;
    Ok(Val::string(text.text()?.chars().rev().collect::<std::string::String>()))
}

fn trim<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [text] = arity(args)?;
    let text = text.as_text()?;
    meter.charge_text(text.len())?;
    let start = text.len() - text.trim_start().len();
    let end = text.trim_end().len().max(start);
    Ok(text.slice(start..end))
}

fn quote<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [text] = arity(args)?;
    let text = text.text()?;
    meter.charge_text(text.len())?;
    let mut quoted = std::string::String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match escape(character) {
            Some(escaped) => quoted.push_str(escaped),
            None => quoted.push(character),
        }
    }
    quoted.push('"');
    Ok(Val::string(quoted))
}

fn escape(character: char) -> Option<&'static str> {
    Some(match character {
        '\x07' => "\\a",
        '\x08' => "\\b",
        '\x0c' => "\\f",
        '\n' => "\\n",
        '\r' => "\\r",
        '\t' => "\\t",
        '\x0b' => "\\v",
        '\\' => "\\\\",
        '"' => "\\\"",
        _ => return None,
    })
}

fn join<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let (list, separator) = match args {
        [list] => (list.elements()?, ""),
        [list, separator] => (list.elements()?, separator.text()?),
        _ => return Err(EvalError::no_such_overload()),
    };
    meter.charge_text(joined_length(list, separator)?)?;
    let mut joined = std::string::String::new();
    for (index, element) in list.iter().enumerate() {
        if index > 0 {
            joined.push_str(separator);
        }
        joined.push_str(element.as_str().unwrap_or_default());
    }
    Ok(Val::string(joined))
}

fn joined_length(list: ListView<'_, '_>, separator: &str) -> Result<usize, EvalError> {
    list.iter().try_fold(0_usize, |length, element| {
        let text = element.as_str().ok_or_else(|| {
            EvalError::invalid(format!("join: invalid input: {}", element.type_of().runtime_name()))
        })?;
        Ok(length.saturating_add(text.len()).saturating_add(separator.len()))
    })
}

fn replace<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let (text, from, to, limit) = match args {
        [text, from, to] => (text.text()?, from.text()?, to.text()?, usize::MAX),
        [text, from, to, limit] => (text.text()?, from.text()?, to.text()?, at_most(limit.int()?)),
        _ => return Err(EvalError::no_such_overload()),
    };
    meter.charge_text(text.len())?;
    let replacements = text.matches(from).count().min(limit);
    meter.charge_text(replacements.saturating_mul(to.len()))?;
    Ok(Val::string(text.replacen(from, to, limit)))
}

/// A negative number of times means as often as possible.
fn at_most(times: i64) -> usize {
    usize::try_from(times).unwrap_or(usize::MAX)
}

fn split<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let (text, separator, limit) = match args {
        [text, separator] => (text.as_text()?, separator.text()?, usize::MAX),
        [text, separator, limit] => (text.as_text()?, separator.text()?, at_most(limit.int()?)),
        _ => return Err(EvalError::no_such_overload()),
    };
    meter.charge_text(text.len())?;
    let ends: Vec<(usize, usize)> = if separator.is_empty() {
        character_parts(text, limit)
    } else {
        separated_parts(text, separator, limit)
    };
    meter.charge(ends.len() as u64)?;
    Ok(Val::list(ends.into_iter().map(|(start, end)| text.slice(start..end)).collect()))
}

/// Each character by itself; the last part takes what is beyond the limit.
fn character_parts(text: &str, limit: usize) -> Vec<(usize, usize)> {
    let starts: Vec<usize> = text.char_indices().map(|(start, _)| start).take(limit).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().copied().zip(ends).collect()
}

fn separated_parts(text: &str, separator: &str, limit: usize) -> Vec<(usize, usize)> {
    let mut parts = Vec::new();
    let mut start = 0;
    for part in text.splitn(limit, separator) {
        parts.push((start, start + part.len()));
        start += part.len() + separator.len();
    }
    parts
}

#[cfg(test)]
#[path = "strings_tests.rs"]
mod tests;
