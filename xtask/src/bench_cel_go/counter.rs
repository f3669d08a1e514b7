//! Counting the instructions a program executes.

use std::process::{Command, Stdio};

use anyhow::{Context, bail};

use crate::command;

/// A program that counts the instructions of another. Callgrind is not among them: it aborts on Go programs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Counter {
    Perf,
    Cachegrind,
}

const PERF: &[&str] = &["perf", "stat", "-x,", "-e", "instructions:u"];
const CACHEGRIND: &[&str] =
    &["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"];

impl Counter {
    /// The best counter that gives a number on this machine.
    pub(super) fn working() -> Option<Self> {
        [Self::Perf, Self::Cachegrind].into_iter().find(|it| it.count(&Command::new("true")).is_ok())
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Perf => "perf stat, user instructions",
            Self::Cachegrind => "valgrind cachegrind, instruction reads",
        }
    }

    /// Instructions of the whole life of the program.
    pub(super) fn count(self, program: &Command) -> anyhow::Result<u64> {
        let mut counting = self.around(program);
        let output =
            counting.output().with_context(|| format!("cannot start {}", command::shown(&counting)))?;
        let report = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            bail!("`{}` failed: {}\n{report}", command::shown(&counting), output.status);
        }
        self.read(&report).with_context(|| format!("`{}` counted nothing", command::shown(&counting)))
    }

    fn around(self, program: &Command) -> Command {
        let words = match self {
            Self::Perf => PERF,
            Self::Cachegrind => CACHEGRIND,
        };
        let mut counting = Command::new(words[0]);
        counting.args(&words[1..]).arg(program.get_program()).args(program.get_args()).stdout(Stdio::null());
        // With one thread at a time Go's collector does the same amount of work in every run, nearly.
        counting.env("GOMAXPROCS", "1");
        if let Some(folder) = program.get_current_dir() {
            counting.current_dir(folder);
        }
        counting
    }

    fn read(self, report: &str) -> Option<u64> {
        match self {
            Self::Perf => report.lines().find_map(perf_line),
            Self::Cachegrind => report.lines().find_map(cachegrind_line),
        }
    }
}

/// `1234,,instructions:u,…`, or `<not supported>,,instructions:u,…`.
fn perf_line(line: &str) -> Option<u64> {
    let (number, rest) = line.split_once(',')?;
    if rest.contains("instructions") { number.parse().ok() } else { None }
}

/// `==99== I   refs:      62,517,526`
fn cachegrind_line(line: &str) -> Option<u64> {
    let (label, number) = line.split_once("refs:")?;
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    if label.trim_end().ends_with('I') { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports() {
        assert_eq!(Counter::Perf.read("noise\n1234,,instructions:u,99,100.00,,\n"), Some(1234));
        assert_eq!(Counter::Perf.read("<not supported>,,instructions:u,0,100.00,,"), None);
        let report = "==9== Command: x\n==9== \n==9== I   refs:      62,517,526\n";
        assert_eq!(Counter::Cachegrind.read(report), Some(62_517_526));
        assert_eq!(Counter::Cachegrind.read("==9== D   refs:  1"), None);
    }
}
