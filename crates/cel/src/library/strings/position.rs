//! Functions that take or give positions in a text, counted in code points.

use crate::error::EvalError;
use crate::library::Dialect;
use crate::meter::Meter;
use crate::value::Val;

use super::super::arity;

pub(super) fn char_at<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let [text, index] = arity(args)?;
    let (text, index) = (text.as_text()?, index.int()?);
    meter.charge_text(text.len())?;
    let start = byte_offset(text, index).ok_or_else(|| out_of_range(index))?;
    let length = text[start..].chars().next().map_or(0, char::len_utf8);
    Ok(text.slice(start..start + length))
}

pub(super) fn substring<'a>(meter: &Meter<'_>, args: &[Val<'a>]) -> Result<Val<'a>, EvalError> {
    let (text, start, end) = match args {
        [text, start] => (text.as_text()?, start.int()?, None),
        [text, start, end] => (text.as_text()?, start.int()?, Some(end.int()?)),
        _ => return Err(EvalError::no_such_overload()),
    };
    meter.charge_text(text.len())?;
    if let Some(end) = end.filter(|end| start > *end) {
        let message = format!("invalid substring range. start: {start}, end: {end}");
        return Err(EvalError::invalid(message));
    }
    let from = byte_offset(text, start).ok_or_else(|| out_of_range(start))?;
    let to = match end {
        Some(end) => from + byte_offset(&text[from..], end - start).ok_or_else(|| out_of_range(end))?,
        None => text.len(),
    };
    Ok(text.slice(from..to))
}

/// `text.indexOf(part)`, `text.indexOf(part, offset)`.
pub(super) fn index_of(
    dialect: Dialect,
) -> impl for<'a> Fn(&Meter<'_>, &[Val<'a>]) -> Result<Val<'a>, EvalError> + Send + Sync + 'static {
    move |meter, args| {
        let search = Search::of(args)?;
        meter.charge_text(search.text.len() + search.part.len())?;
        let Some(from) = search.start(dialect, 0)? else { return Ok(search.beyond_the_end()) };
        let found = search.text[from..].find(search.part).map(|at| from + at);
        Ok(Val::Int(search.position(found)))
    }
}

/// `text.lastIndexOf(part)`, `text.lastIndexOf(part, offset)`: the last occurrence that starts at the offset or before.
pub(super) fn last_index_of(
    dialect: Dialect,
) -> impl for<'a> Fn(&Meter<'_>, &[Val<'a>]) -> Result<Val<'a>, EvalError> + Send + Sync + 'static {
    move |meter, args| {
        let search = Search::of(args)?;
        meter.charge_text(search.text.len() + search.part.len())?;
        let Some(last) = search.start(dialect, search.text.len())? else {
            return Ok(search.beyond_the_end());
        };
        if dialect == Dialect::CelGo && search.offset.is_some() && last == search.text.len() {
            return Ok(search.beyond_the_end());
        }
        // An occurrence that starts at `last` ends here; if no character ends here, there is none.
        let end = search.text.floor_char_boundary(last.saturating_add(search.part.len()));
        Ok(Val::Int(search.position(search.text[..end].rfind(search.part))))
    }
}

struct Search<'v> {
    text: &'v str,
    part: &'v str,
    offset: Option<i64>,
}

impl<'v> Search<'v> {
    fn of(args: &'v [Val<'_>]) -> Result<Self, EvalError> {
        match args {
            [text, part] => Ok(Self { text: text.text()?, part: part.text()?, offset: None }),
            [text, part, offset] => {
                Ok(Self { text: text.text()?, part: part.text()?, offset: Some(offset.int()?) })
            }
            _ => Err(EvalError::no_such_overload()),
        }
    }

    /// The byte the search starts at; `None` when there is no character at the offset and that is no error.
    fn start(&self, dialect: Dialect, default: usize) -> Result<Option<usize>, EvalError> {
        let Some(offset) = self.offset else { return Ok(Some(default)) };
        match byte_offset(self.text, offset) {
            None if offset < 0 || dialect == Dialect::Specification => Err(out_of_range(offset)),
            found => Ok(found.filter(|byte| dialect == Dialect::Specification || *byte < self.text.len())),
        }
    }

    /// What cel-go answers when there is no character at the offset: empty text is found even there.
    fn beyond_the_end(&self) -> Val<'static> {
        Val::Int(self.position(self.part.is_empty().then_some(self.text.len())))
    }

    fn position(&self, byte: Option<usize>) -> i64 {
        byte.map_or(-1, |byte| i64::try_from(self.text[..byte].chars().count()).unwrap_or(i64::MAX))
    }
}

/// The byte at which a code point starts; the end of the text counts as the start of one more.
fn byte_offset(text: &str, index: i64) -> Option<usize> {
    let index = usize::try_from(index).ok()?;
    let mut starts = text.char_indices().map(|(start, _)| start).chain([text.len()]);
    starts.nth(index)
}

fn out_of_range(index: i64) -> EvalError {
    EvalError::invalid(format!("index out of range: {index}"))
}
