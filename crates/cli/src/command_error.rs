//! What a command may end with, and the exit code of each: the only place that knows both.

use std::io;

use crate::document::DocumentError;

/// What went wrong, and what to do next.
#[derive(Debug)]
pub(crate) struct CommandError {
    pub(crate) kind: ErrorKind,
    pub(crate) finding: Finding,
    pub(crate) hints: Vec<String>,
}

/// How the error is told.
#[derive(Debug)]
pub(crate) enum Finding {
    /// One sentence, printed after `error:`.
    Sentence(String),
    /// Lines that carry their own labels, printed as they are.
    Report(String),
}

/// The exit codes of `krono --help`, but for 0; the worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ErrorKind {
    /// The reader of our output went away; it has what it wanted.
    BrokenPipe,
    /// There are changes, and somebody wants to know by the exit code.
    Changes,
    /// What was to be checked or evaluated is wrong.
    Wrong,
    /// A change is breaking.
    Breaking,
    /// The command line is wrong or names something that cannot be read.
    Usage,
    /// A defect of krono or of the machine.
    Internal,
}

impl ErrorKind {
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            ErrorKind::BrokenPipe => 0,
            ErrorKind::Wrong => 1,
            ErrorKind::Breaking => 3,
            ErrorKind::Changes | ErrorKind::Usage => 2,
            ErrorKind::Internal => 70,
        }
    }
}

impl CommandError {
    /// Something checked is wrong, in one sentence.
    pub(crate) fn wrong(sentence: impl Into<String>) -> Self {
        Self::of(ErrorKind::Wrong, sentence)
    }

    /// The command line is wrong.
    pub(crate) fn usage(sentence: impl Into<String>) -> Self {
        Self::of(ErrorKind::Usage, sentence)
    }

    /// Something checked is wrong, in many lines.
    pub(crate) fn report(lines: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Wrong, finding: Finding::Report(lines.into()), hints: Vec::new() }
    }

    /// Two errors in many lines as one.
    pub(crate) fn and(self, other: &Self) -> Self {
        match (&self.finding, &other.finding) {
            (Finding::Report(one), Finding::Report(two)) => Self::report(format!("{one}{two}")),
            (Finding::Sentence(_), _) | (_, Finding::Sentence(_)) => self,
        }
    }

    /// An error that the user has been told of.
    pub(crate) fn told(kind: ErrorKind) -> Self {
        Self { kind, ..Self::report("") }
    }

    /// The same error with a next step.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// An error of any kind, in one sentence.
    pub(crate) fn of(kind: ErrorKind, sentence: impl Into<String>) -> Self {
        Self { kind, finding: Finding::Sentence(sentence.into()), hints: Vec::new() }
    }
}

/// Writing our own output is the one thing done through `io` without a file name.
impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::of(ErrorKind::BrokenPipe, error.to_string());
        }
        Self::of(ErrorKind::Internal, format!("cannot write the output: {error}")).hint("is the disk full?")
    }
}

/// What cannot be read is named wrongly; what can be read and makes no sense is wrong itself.
impl From<DocumentError> for CommandError {
    fn from(error: DocumentError) -> Self {
        let kind = match error {
            DocumentError::Unreadable { .. } => ErrorKind::Usage,
            DocumentError::Malformed { .. } | DocumentError::Count { .. } => ErrorKind::Wrong,
        };
        Self { hints: error.hint().into_iter().collect(), ..Self::of(kind, error.to_string()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_pipe_is_no_failure() {
        let code = |kind: io::ErrorKind| CommandError::from(io::Error::from(kind)).kind.exit_code();
        assert_eq!(code(io::ErrorKind::BrokenPipe), 0);
        assert_eq!(code(io::ErrorKind::StorageFull), 70);
    }
}
