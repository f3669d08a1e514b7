//! Where things stand in the source text, and how a position is shown to people.

use std::fmt;

/// Lines longer than this many bytes are not shown.
const LONGEST_EXCERPT: usize = 16_384;

/// A half-open range of byte offsets in the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The range from `start` up to, not including, `end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The smallest span that covers both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A position as people count: the line from 1, the column in characters from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, counted from 1.
    pub line: u32,
    /// Column in Unicode scalar values, counted from 1.
    pub column: u32,
}

/// One thing that is wrong with an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Byte offset that cel-go would point at: for `a + b` the operator, for `f(x)` the parenthesis.
    pub at: u32,
    /// The text the issue is about.
    pub span: Span,
    /// What is wrong, in cel-go's words.
    pub message: String,
}

/// Everything that is wrong with an expression, with the source it is about.
///
/// `Display` prints cel-go's form: location, message, the line, and a caret.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "issues are what there is of them")]
pub struct Issues {
    source: String,
    issues: Vec<Issue>,
    omitted: usize,
}

impl std::error::Error for Issues {}

/// As in cel-go, a hundred issues are told, and the parser's line that there are more.
const MOST_ISSUES: usize = 101;

impl Issues {
    /// Issues in the order in which they stand in the source.
    pub(crate) fn new(source: &str, mut issues: Vec<Issue>) -> Self {
        issues.sort_by_key(|it| it.at);
        let omitted = issues.len().saturating_sub(MOST_ISSUES);
        issues.truncate(MOST_ISSUES);
        Self { source: source.to_owned(), issues, omitted }
    }

    /// The same, with so many more that were found and not kept.
    pub(crate) fn with_omitted(mut self, more: usize) -> Self {
        self.omitted += more;
        self
    }

    /// How many more issues were found than are told.
    pub fn omitted(&self) -> usize {
        self.omitted
    }

    /// The issues, ordered by position.
    pub fn iter(&self) -> impl Iterator<Item = &Issue> {
        self.issues.iter()
    }

    /// How many issues are told; never zero.
    pub fn len(&self) -> usize {
        self.issues.len()
    }

    /// Always false: there is no `Issues` value without an issue.
    pub fn is_empty(&self) -> bool {
        self.issues.is_empty()
    }

    /// Line and column of an issue.
    pub fn position(&self, issue: &Issue) -> Position {
        position(&self.source, issue.at)
    }

    /// The line and, below it, a caret at the column.
    fn fmt_excerpt(&self, f: &mut fmt::Formatter<'_>, line: u32, column: u32) -> fmt::Result {
        let Some(text) = self.source.split('\n').nth(line as usize - 1) else { return Ok(()) };
        if self.source.is_empty() || text.len() > LONGEST_EXCERPT {
            return Ok(());
        }
        let text = text.trim_end_matches('\r').replace('\t', " ");
        let mut rest = text.chars();
        let before = rest.by_ref().take(column as usize - 1);
        // As in cel-go, full-width signs stand below characters outside ASCII.
        let dots: String = before.map(|it| if it.is_ascii() { '.' } else { '\u{ff0e}' }).collect();
        let caret = if rest.next().is_none_or(|it| it.is_ascii()) { '^' } else { '\u{ff3e}' };
        write!(f, "\n | {text}\n | {dots}{caret}")
    }
}

impl fmt::Display for Issues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, issue) in self.issues.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            let Position { line, column } = self.position(issue);
            write!(f, "ERROR: <input>:{line}:{column}: {}", issue.message)?;
            self.fmt_excerpt(f, line, column)?;
        }
        match self.omitted {
            0 => Ok(()),
            more => write!(f, "\n{more} more errors were truncated"),
        }
    }
}

/// Line and column of a byte offset; an offset past the end counts as the end.
pub fn position(source: &str, offset: u32) -> Position {
    let mut offset = (offset as usize).min(source.len());
    while !source.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &source[..offset];
    let line_start = before.rfind('\n').map_or(0, |it| it + 1);
    let line = before.bytes().filter(|it| *it == b'\n').count() + 1;
    let column = before[line_start..].chars().count() + 1;
    Position { line: count(line), column: count(column) }
}

fn count(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_not_bytes() {
        let check = |source: &str, offset, line, column| {
            assert_eq!(position(source, offset), Position { line, column }, "{source:?} at {offset}");
        };
        check("", 0, 1, 1);
        check("ab", 1, 1, 2);
        check("ab", 99, 1, 3);
        check("a\nbc", 3, 2, 2);
        check("'é' + x", 7, 1, 7);
        check("é", 1, 1, 1);
    }

    #[test]
    fn issues_print_as_cel_go_does() {
        let issue = Issue { at: 4, span: Span::new(4, 5), message: "undeclared reference to 'x'".into() };
        let issues = Issues::new("1 + x", vec![issue]);
        assert_eq!(issues.to_string(), "ERROR: <input>:1:5: undeclared reference to 'x'\n | 1 + x\n | ....^");
    }

    #[test]
    fn excerpts() {
        let check = |source: &str, at, expect: &str| {
            let issue = Issue { at, span: Span::new(at, at), message: "no".into() };
            assert_eq!(Issues::new(source, vec![issue]).to_string(), format!("ERROR: <input>:{expect}"));
        };
        check("", 0, "1:1: no");
        check("a +\n", 4, "2:1: no\n | \n | ^");
        check("a\r\n\tb", 4, "2:2: no\n |  b\n | .^");
        check("'é' + é", 7, "1:7: no\n | 'é' + é\n | .．....＾");
        check(&"a".repeat(20_000), 7, "1:8: no");
    }
}
