//! A child process that ends when it is dropped.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

/// A running program whose output goes to a file.
#[derive(Debug)]
pub struct Process {
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts the program; both its outputs go to the file.
    pub fn start(program: &Path, arguments: &[String], log: &Path) -> io::Result<Self> {
        let out = File::create(log)?;
        let errors = out.try_clone()?;
        let child =
            Command::new(program).args(arguments).stdin(Stdio::null()).stdout(out).stderr(errors).spawn()?;
        Ok(Self { child, log: log.to_owned() })
    }

    /// The id that the system knows it by.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How it ended, when it has.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// The last lines it wrote.
    pub fn last_words(&self) -> String {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(10)..].join("\n")
    }
}

impl Drop for Process {
    /// The data of a run is temporary: nothing has to be flushed, so the program need not be asked politely.
    fn drop(&mut self) {
        if self.child.kill().is_ok() {
            self.child.wait().ok();
        }
    }
}
