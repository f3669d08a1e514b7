//! The one owner of stdout and stderr.

mod progress;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use clap::builder::StyledStr;

use crate::command_error::{CommandError, ErrorKind, Finding};

pub(crate) use self::progress::Progress;

const ERROR_STYLE: &str = "\x1b[1;31m";
const WARNING_STYLE: &str = "\x1b[1;33m";
const HINT_STYLE: &str = "\x1b[1;36m";
const REMOVED_STYLE: &str = "\x1b[31m";
const ADDED_STYLE: &str = "\x1b[32m";
const PLACE_STYLE: &str = "\x1b[36m";
const PLAIN: &str = "\x1b[0m";
/// Whether what is longer than a row goes on in the next.
const WRAP_OFF: &str = "\x1b[?7l";
const WRAP_ON: &str = "\x1b[?7h";

/// Results go to stdout, everything said about them to stderr.
pub(crate) struct Output {
    stdout: Box<dyn Write>,
    stderr: Box<dyn Write>,
    colours: Colours,
}

/// Whether each stream may be coloured.
#[derive(Clone, Copy, Debug)]
struct Colours {
    stdout: bool,
    stderr: bool,
}

impl Output {
    /// Colours only on a terminal, and there only when the user did not refuse them.
    pub(crate) fn of_this_process() -> Self {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|it| !it.is_empty())
            || std::env::var_os("TERM").is_some_and(|it| it == "dumb");
        let colours = Colours {
            stdout: !refused && io::stdout().is_terminal(),
            stderr: !refused && io::stderr().is_terminal(),
        };
        Self { stdout: Box::new(BufWriter::new(io::stdout())), stderr: Box::new(io::stderr()), colours }
    }

    /// Writes a result as it is.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), CommandError> {
        Ok(self.stdout.write_all(bytes)?)
    }

    /// Writes a result as it is.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), CommandError> {
        self.bytes(text.as_bytes())
    }

    /// Writes a difference as a result, its lines coloured by what begins them.
    pub(crate) fn difference(&mut self, text: &str) -> Result<(), CommandError> {
        Ok(write_difference(&mut self.stdout, text, self.colours.stdout)?)
    }

    /// Writes a difference that is no result, before a question about it.
    pub(crate) fn aside(&mut self, text: &str) -> Result<(), CommandError> {
        self.stdout.flush()?;
        Ok(write_difference(&mut self.stderr, text, self.colours.stderr)?)
    }

    /// Writes a result that takes the place of what was written last, where the terminal can do so.
    pub(crate) fn again(&mut self, last: &str, text: &str) -> Result<(), CommandError> {
        if !self.colours.stdout {
            self.text(text)?;
            return self.flush();
        }
        self.clear(last)?;
        // What is longer than a row must not become two, or the next would not know how far to go up.
        write!(self.stdout, "{WRAP_OFF}{text}{WRAP_ON}")?;
        self.flush()
    }

    /// Writes what was written last once more, for good: with all that rows had no room for.
    pub(crate) fn once_more(&mut self, last: &str) -> Result<(), CommandError> {
        if self.colours.stdout {
            self.clear(last)?;
            self.text(last)?;
        }
        self.flush()
    }

    /// Up by as many rows as that has lines, and all below is cleared.
    fn clear(&mut self, last: &str) -> Result<(), CommandError> {
        let rows = last.lines().count();
        if rows > 0 {
            write!(self.stdout, "\x1b[{rows}A\x1b[J")?;
        }
        Ok(())
    }

    /// Asks whoever sits at the terminal; nothing where nobody does.
    pub(crate) fn ask(&mut self, question: &str) -> Result<Option<bool>, CommandError> {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return Ok(None);
        }
        self.stdout.flush()?;
        write!(self.stderr, "{question} [y/N] ")?;
        self.stderr.flush()?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer)?;
        Ok(Some(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")))
    }

    /// Tells on a terminal how far some work has come, until what is returned is dropped; to be dropped before more is written.
    pub(crate) fn progress(&mut self, what: &str) -> Result<Progress, CommandError> {
        self.stdout.flush()?;
        Ok(Progress::of(what, self.colours.stderr))
    }

    /// Makes all that was written be seen.
    pub(crate) fn flush(&mut self) -> Result<(), CommandError> {
        Ok(self.stdout.flush()?)
    }

    /// Tells something that does not keep the command from its result.
    pub(crate) fn warn(&mut self, text: &str) -> Result<(), CommandError> {
        self.stdout.flush()?;
        Ok(labelled(&mut self.stderr, "warning", WARNING_STYLE, self.colours.stderr, text)?)
    }

    /// Tells something worth knowing about a result.
    pub(crate) fn note(&mut self, text: &str) -> Result<(), CommandError> {
        self.stdout.flush()?;
        Ok(labelled(&mut self.stderr, "note", HINT_STYLE, self.colours.stderr, text)?)
    }

    /// Ends the process' output: flushes, tells the error, gives the exit code.
    pub(crate) fn finish(mut self, result: Result<(), CommandError>) -> ExitCode {
        let flushed = self.stdout.flush().map_err(CommandError::from);
        match result.and(flushed) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                let told =
                    if error.kind == ErrorKind::BrokenPipe { Ok(()) } else { self.write_error(&error) };
                // With stderr gone as well, the exit code is all that is left to tell.
                drop(told);
                ExitCode::from(error.kind.exit_code())
            }
        }
    }

    /// Ends the process after the argument parser did: with help, the version or a usage error.
    pub(crate) fn finish_parsing(mut self, error: &clap::Error) -> ExitCode {
        let text = error.render();
        let code = u8::try_from(error.exit_code()).unwrap_or(2);
        let written = if error.use_stderr() {
            write_styled(&mut self.stderr, &text, self.colours.stderr)
        } else {
            write_styled(&mut self.stdout, &text, self.colours.stdout)
        };
        match self.finish(written.map_err(CommandError::from)) {
            ExitCode::SUCCESS => ExitCode::from(code),
            failure => failure,
        }
    }

    /// Tells an error, after all that was written before it.
    pub(crate) fn tell(&mut self, error: &CommandError) -> Result<(), CommandError> {
        self.stdout.flush()?;
        Ok(self.write_error(error)?)
    }

    fn write_error(&mut self, error: &CommandError) -> io::Result<()> {
        let coloured = self.colours.stderr;
        match &error.finding {
            Finding::Sentence(text) => labelled(&mut self.stderr, "error", ERROR_STYLE, coloured, text)?,
            Finding::Report(lines) => write_report(&mut self.stderr, lines, coloured)?,
        }
        error.hints.iter().try_for_each(|it| labelled(&mut self.stderr, "hint", HINT_STYLE, coloured, it))
    }
}

/// Lines that begin with a label have that coloured.
fn write_report(to: &mut dyn Write, lines: &str, coloured: bool) -> io::Result<()> {
    for line in lines.lines() {
        let labels = [("ERROR:", ERROR_STYLE), ("error:", ERROR_STYLE), ("hint:", HINT_STYLE)];
        match labels.into_iter().find(|(it, _)| coloured && line.starts_with(it)) {
            Some((label, style)) => writeln!(to, "{style}{label}{PLAIN}{}", &line[label.len()..])?,
            None => writeln!(to, "{line}")?,
        }
    }
    Ok(())
}

fn write_difference(to: &mut dyn Write, text: &str, coloured: bool) -> io::Result<()> {
    let styles = [("-", REMOVED_STYLE), ("+", ADDED_STYLE), ("@@", PLACE_STYLE), ("!", WARNING_STYLE)];
    for line in text.lines() {
        match styles.into_iter().find(|(it, _)| coloured && line.starts_with(it)) {
            Some((_, style)) => writeln!(to, "{style}{line}{PLAIN}")?,
            None => writeln!(to, "{line}")?,
        }
    }
    Ok(())
}

fn labelled(to: &mut dyn Write, label: &str, style: &str, coloured: bool, text: &str) -> io::Result<()> {
    if coloured { writeln!(to, "{style}{label}:{PLAIN} {text}") } else { writeln!(to, "{label}: {text}") }
}

fn write_styled(to: &mut dyn Write, text: &StyledStr, coloured: bool) -> io::Result<()> {
    if coloured { write!(to, "{}", text.ansi()) } else { write!(to, "{text}") }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Buffer(Arc<Mutex<Vec<u8>>>);

    impl Write for Buffer {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("a buffer").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// As many columns as a row has.
    const WIDTH: usize = 10;

    /// The rows that a terminal shows of it; it knows what is used here and nothing else.
    fn shown(bytes: &str) -> Vec<String> {
        let (mut rows, mut row, mut wraps) = (vec![String::new()], 0, true);
        let mut rest = bytes;
        while let Some(letter) = rest.chars().next() {
            rest = &rest[letter.len_utf8()..];
            if letter == '\x1b' {
                let end = rest.find(char::is_alphabetic).expect("an end");
                match (&rest[1..end], &rest[end..=end]) {
                    (up, "A") => row -= up.parse::<usize>().expect("a number"),
                    ("", "J") => {
                        rows.truncate(row);
                        rows.push(String::new());
                    }
                    ("?7", switch) => wraps = switch == "h",
                    other => panic!("{other:?} is not known"),
                }
                rest = &rest[end + 1..];
                continue;
            }
            let is_full = rows[row].chars().count() == WIDTH;
            if letter == '\n' || is_full && wraps {
                row += 1;
                rows.resize(rows.len().max(row + 1), String::new());
            }
            if letter != '\n' && (!is_full || wraps) {
                rows[row].push(letter);
            }
        }
        rows
    }

    fn written(is_terminal: bool, write: impl FnOnce(&mut Output)) -> String {
        let buffer = Buffer::default();
        let colours = Colours { stdout: is_terminal, stderr: false };
        let mut output =
            Output { stdout: Box::new(buffer.clone()), stderr: Box::new(Buffer::default()), colours };
        write(&mut output);
        let bytes = buffer.0.lock().expect("a buffer").clone();
        String::from_utf8(bytes).expect("a text")
    }

    const FIRST: &str = "Revision 2\n  3 wait: the first is not true\n  done\n";
    const SECOND: &str = "Revision 2\n  2 wait: the first is not true\n";

    #[test]
    fn v42_what_takes_the_place_of_longer_lines_leaves_nothing_of_them() {
        let frames = |output: &mut Output| {
            output.again("", FIRST).expect("a frame");
            output.again(FIRST, SECOND).expect("a frame");
        };
        assert_eq!(shown(&written(true, frames)), ["Revision 2", "  2 wait: ", ""]);
        let ended = |output: &mut Output| {
            frames(output);
            output.once_more(SECOND).expect("a frame");
        };
        let all = ["Revision 2", "  2 wait: ", "the first ", "is not tru", "e", ""];
        assert_eq!(shown(&written(true, ended)), all);
        assert_eq!(written(false, ended), format!("{FIRST}{SECOND}"));
    }
}
