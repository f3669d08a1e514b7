//! What a command may end with, and the exit code of each: the only place that knows both.

use std::io;

/// Kind, sentence and hint.
#[derive(Debug)]
pub(crate) struct CommandError {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

/// The exit codes of `krono --help`, but for 2, which the argument parser also gives, and 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    /// A defect of krono or of the machine.
    Internal,
    /// The reader of our output went away; it has what it wanted.
    BrokenPipe,
}

impl ErrorKind {
    pub(crate) fn exit_code(self) -> u8 {
        match self {
            ErrorKind::Internal => 70,
            ErrorKind::BrokenPipe => 0,
        }
    }
}

/// Writing our own output is the one thing done through `io` without a file name.
impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self { kind: ErrorKind::BrokenPipe, message: error.to_string(), hint: None };
        }
        Self {
            kind: ErrorKind::Internal,
            message: format!("cannot write the output: {error}"),
            hint: Some("is the disk full?".to_owned()),
        }
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
