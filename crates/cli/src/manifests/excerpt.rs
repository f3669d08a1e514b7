//! The part of a manifest's text that is meant.

use std::fmt;

use krono_cel::{Position, Span, position};

use crate::document::Place;

/// In characters; a longer line is cut around the carets.
const WIDEST: usize = 110;
/// In lines; how much further down than expected a line of a block may stand.
const SLACK: usize = 2;

/// A line and the part of it that is meant.
#[derive(Debug)]
pub(crate) struct Excerpt {
    line: String,
    /// In characters.
    start: usize,
    length: usize,
    /// Where the part stands in the file, when that can be told.
    pub(crate) place: Option<Place>,
}

impl Excerpt {
    /// The part `span` of a text, which begins at a place of a file; none when there is nothing to show.
    pub(crate) fn of(value: &str, span: Span, file: Option<(Place, &str)>) -> Option<Self> {
        let Position { line, column } = position(value, span.start);
        let text = value.lines().nth(line as usize - 1)?;
        let start = column as usize - 1;
        let end = position(value, span.end);
        let rest = text.chars().count().saturating_sub(start);
        let length = if end.line == line { (end.column as usize - 1).saturating_sub(start) } else { rest };
        let own = Self { line: text.to_owned(), start, length: length.clamp(1, rest.max(1)), place: None };
        let found = file.and_then(|(place, file)| own.located(place, line as usize - 1, file));
        Some(found.unwrap_or(own).cut())
    }

    /// The same part in the line of the file, which has more around it.
    fn located(&self, place: Place, below: usize, file: &str) -> Option<Self> {
        let first = usize::try_from(place.line).ok()?.checked_sub(1)?;
        let column = usize::try_from(place.column).ok()?.saturating_sub(1);
        let trimmed = self.line.trim_start();
        let indent = self.line.chars().count() - trimmed.chars().count();
        let lines = file.lines().enumerate().skip(first + below).take(SLACK);
        for (index, line) in lines {
            let skipped: usize =
                if index == first { line.chars().take(column).map(char::len_utf8).sum() } else { 0 };
            let Some(at) = line.get(skipped..).and_then(|it| it.find(trimmed.trim_end())) else { continue };
            let before = line.get(..skipped + at)?.chars().count();
            let start = before + self.start.checked_sub(indent)?;
            let place = Place { line: index as u64 + 1, column: start as u64 + 1 };
            return Some(Self { line: line.to_owned(), start, length: self.length, place: Some(place) });
        }
        None
    }

    /// Without indentation, and no wider than a terminal.
    fn cut(mut self) -> Self {
        let indent = self.line.chars().take_while(|it| it.is_whitespace()).count().min(self.start);
        let length = self.line.chars().count();
        let first = if length - indent <= WIDEST {
            indent
        } else {
            self.start.saturating_sub(WIDEST / 2).clamp(indent, length - WIDEST)
        };
        let lead = if first > indent { "…" } else { "" };
        let trail = if first + WIDEST < length { "…" } else { "" };
        let part: String = self
            .line
            .chars()
            .skip(first)
            .take(WIDEST)
            .map(|it| if it.is_control() { ' ' } else { it })
            .collect();
        self.start = self.start - first + usize::from(first > indent);
        self.length = self
            .length
            .min((part.chars().count() + usize::from(first > indent)).saturating_sub(self.start))
            .max(1);
        self.line = format!("{lead}{part}{trail}");
        self
    }

    /// The part that is meant.
    pub(crate) fn marked(&self) -> String {
        self.line.chars().skip(self.start).take(self.length).collect()
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "  | {}", self.line.trim_end())?;
        writeln!(formatter, "  | {}{}", " ".repeat(self.start), "^".repeat(self.length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The excerpt of a part of a text that begins at a place of a file.
    fn check(value: &str, span: (u32, u32), place: (u64, u64), file: &str, expect: &str) {
        let place = Place { line: place.0, column: place.1 };
        let excerpt = Excerpt::of(value, Span::new(span.0, span.1), Some((place, file))).unwrap();
        let found = excerpt.place.map_or(String::from("?"), |it| it.to_string());
        assert_eq!(format!("{found}\n{excerpt}"), expect);
    }

    #[test]
    fn scalars_and_blocks() {
        check("${a.b}", (2, 3), (2, 8), "x:\n  key: ${a.b}\n", "2:10\n  | key: ${a.b}\n  |        ^\n");
        check(
            "${a.b}",
            (2, 5),
            (2, 8),
            "x:\n  key: \"${a.b}\"\n",
            "2:11\n  | key: \"${a.b}\"\n  |         ^^^\n",
        );
        check("é ${a}\nz", (5, 6), (1, 4), "k: |\n  é ${a}\n  z\n", "2:7\n  | é ${a}\n  |     ^\n");
        check("x\n${b}\n", (4, 5), (1, 4), "k: |\n  x\n  ${b}\n", "3:5\n  | ${b}\n  |   ^\n");
    }

    #[test]
    fn what_the_file_writes_otherwise_is_shown_as_it_is_read() {
        check("${\"a\"}", (2, 5), (1, 4), "k: \"${\\\"a\\\"}\"\n", "?\n  | ${\"a\"}\n  |   ^^^\n");
        check("${a}", (9, 12), (1, 4), "k: ${a}\n", "1:8\n  | k: ${a}\n  |        ^\n");
    }

    #[test]
    fn long_lines_are_cut() {
        let value = format!("${{{}x{}}}", "a".repeat(300), "b".repeat(300));
        let file = format!("k: {value}\n");
        let place = Place { line: 1, column: 4 };
        let excerpt = Excerpt::of(&value, Span::new(302, 303), Some((place, &file))).unwrap();
        assert_eq!(excerpt.marked(), "x");
        assert!(excerpt.line.chars().count() <= WIDEST + 2, "{excerpt}");
    }
}
