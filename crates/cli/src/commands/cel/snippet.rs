//! A message with its place, the line of source and a caret, as cel-go prints them.

use krono_cel::{Position, Span, position};

/// In characters; a longer line is cut around the caret.
const WIDEST: usize = 160;

/// `ERROR: <input>:1:5: message`, the line, and a caret below the offset `at`.
pub(super) fn at_point(source: &str, at: u32, message: &str) -> String {
    render(source, at, at, message)
}

/// The same with carets below the part of the span that is on its first line.
pub(super) fn at_span(source: &str, span: Span, message: &str) -> String {
    render(source, span.start, span.end, message)
}

fn render(source: &str, start: u32, end: u32, message: &str) -> String {
    let Position { line, column } = position(source, start);
    let title = format!("ERROR: <input>:{line}:{column}: {message}");
    let Some(text) = source.lines().nth(line as usize - 1) else { return title };
    let before = column as usize - 1;
    let length = text.chars().count();
    let finish = position(source, end);
    let last = if finish.line == line { finish.column as usize - 1 } else { length };
    let (shown, dots) = window(text, length, before);
    let carets = last.saturating_sub(before).clamp(1, shown.chars().count().saturating_sub(dots).max(1));
    format!("{title}\n | {shown}\n | {}{}", ".".repeat(dots), "^".repeat(carets))
}

/// The part of a line that is shown, and how many of its characters stand before the caret.
fn window(text: &str, length: usize, before: usize) -> (String, usize) {
    let text: String = text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect();
    if length <= WIDEST {
        return (text, before);
    }
    let first = before.saturating_sub(WIDEST / 2).min(length - WIDEST);
    let lead = if first > 0 { "…" } else { "" };
    let trail = if first + WIDEST < length { "…" } else { "" };
    let part: String = text.chars().skip(first).take(WIDEST).collect();
    (format!("{lead}{part}{trail}"), before - first + usize::from(first > 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use krono_cel::Env;

    #[test]
    fn short_lines_are_as_the_engine_prints_them() {
        for source in ["1 + x", "'é' +\n\tx", "(", "", "x.", "[1,\n  y"] {
            let issues = Env::builder().build().compile(source).unwrap_err();
            let ours: Vec<_> = issues.iter().map(|it| at_point(source, it.at, &it.message)).collect();
            assert_eq!(ours.join("\n"), issues.to_string());
        }
    }

    #[test]
    fn a_span_is_underlined_up_to_the_end_of_its_line() {
        let check = |source: &str, start, end, expected: &str| {
            assert_eq!(at_span(source, Span::new(start, end), "m"), expected);
        };
        check("a.b + c", 0, 3, "ERROR: <input>:1:1: m\n | a.b + c\n | ^^^");
        check("a +\nb", 0, 5, "ERROR: <input>:1:1: m\n | a +\n | ^^^");
        check("a +\nb", 4, 5, "ERROR: <input>:2:1: m\n | b\n | ^");
        check("a", 9, 12, "ERROR: <input>:1:2: m\n | a\n | .^");
    }

    #[test]
    fn long_lines_are_cut() {
        let check = |at: u32, expected: &str| {
            let source = format!("{}x{}", "a".repeat(500), "b".repeat(500));
            let shown = at_point(&source, at, "m");
            let (_, caret) = shown.rsplit_once('\n').unwrap();
            assert_eq!(format!("{} {}", shown.chars().count() < 400, caret.len()), expected, "{shown}");
        };
        check(500, "true 85");
        check(0, "true 4");
        check(1001, "true 165");
    }
}
