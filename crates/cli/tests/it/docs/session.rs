//! A shell in a folder of its own.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What one document's commands share.
pub(super) struct Session {
    folder: PathBuf,
    /// Of the last command, for `$?`.
    code: i32,
}

impl Session {
    /// A new, empty folder for the document at this path.
    pub(super) fn new(document: &Path) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("docs").join(document.file_stem().unwrap());
        if folder.exists() {
            fs::remove_dir_all(&folder).unwrap();
        }
        fs::create_dir_all(&folder).unwrap();
        Self { folder, code: 0 }
    }

    /// Makes the block a file.
    pub(super) fn write(&mut self, file: &str, block: &[&str]) -> String {
        let text: String = block.iter().flat_map(|it| [it, "\n"]).collect();
        fs::write(self.folder.join(file), &text).unwrap();
        text
    }

    /// Runs the commands of a block; gives the block as it should be.
    pub(super) fn play(&mut self, block: &[&str]) -> String {
        let mut out = String::new();
        for line in block.iter().filter(|it| it.starts_with("$ ")) {
            out.push_str(line);
            out.push('\n');
            out.push_str(&self.run(&line[2..]));
        }
        out
    }

    /// What the command prints to stdout and stderr, in the order of printing.
    fn run(&mut self, command: &str) -> String {
        let output = Command::new("sh")
            .arg("-c")
            .arg(format!("exec 2>&1\n(exit {})\n{command}\n", self.code))
            .current_dir(&self.folder)
            .env("PATH", search_path())
            .env("HOME", &self.folder)
            .env("KRONO_LISTEN", "127.0.0.1:0")
            .env_remove("XDG_DATA_HOME")
            .env_remove("COLUMNS")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        self.code = output.status.code().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.is_empty() || text.ends_with('\n'), "{command} ends within a line: {text}");
        // The documents keep no spaces at the ends of lines.
        text.lines().flat_map(|it| [steady(it.trim_end()), "\n".to_owned()]).collect()
    }
}

impl Drop for Session {
    /// Whatever became of the document, no server of it goes on.
    fn drop(&mut self) {
        self.run("krono down");
    }
}

/// The line with what differs from run to run replaced: the server's port and process.
fn steady(line: &str) -> String {
    let with_port = replace_digits(line, "127.0.0.1:", "6443");
    replace_digits(&with_port, "process ", "4242")
}

fn replace_digits(line: &str, before: &str, instead: &str) -> String {
    let Some((begin, rest)) = line.split_once(before) else { return line.to_owned() };
    let end = rest.trim_start_matches(|it: char| it.is_ascii_digit());
    if end.len() == rest.len() { line.to_owned() } else { format!("{begin}{before}{instead}{end}") }
}

/// The folder of the binary under test first.
fn search_path() -> OsString {
    let binary = Path::new(env!("CARGO_BIN_EXE_krono")).parent().unwrap();
    let inherited = env::var_os("PATH").unwrap();
    env::join_paths([binary.to_owned()].into_iter().chain(env::split_paths(&inherited))).unwrap()
}
