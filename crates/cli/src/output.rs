//! The one owner of stdout and stderr.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use clap::builder::StyledStr;

use crate::command_error::{CommandError, ErrorKind, Finding};

const ERROR_STYLE: &str = "\x1b[1;31m";
const WARNING_STYLE: &str = "\x1b[1;33m";
const HINT_STYLE: &str = "\x1b[1;36m";
const REMOVED_STYLE: &str = "\x1b[31m";
const ADDED_STYLE: &str = "\x1b[32m";
const PLACE_STYLE: &str = "\x1b[36m";
const PLAIN: &str = "\x1b[0m";

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
        if self.colours.stdout && !last.is_empty() {
            // Up by as many lines, and all below is cleared.
            write!(self.stdout, "\x1b[{}A\x1b[J", last.lines().count())?;
        }
        self.text(text)?;
        self.flush()
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
