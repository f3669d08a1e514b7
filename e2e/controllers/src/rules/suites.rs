//! Which tests are played on the real server.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use serde_json::Value;

/// Tests that cannot be played on a real server, and why.
pub(super) const EXCEPTED: [(&str, &str); 1] = [(
    "revisions::v11_a_timeline_tells_of_users_and_of_what_was_told",
    "users are known where krono's own server notes them",
)];

/// The tests of one package that are about rules.
pub(super) struct Suite {
    pub(super) package: &'static str,
    /// The modules that play at a server; all where none is named.
    modules: &'static [&'static str],
    /// The rules that must have a test here; others are about what is decided or shown without a server.
    pub(super) rules: &'static [u8],
}

/// A test of a rule.
#[derive(Clone, Debug)]
pub(super) struct Test {
    pub(super) package: &'static str,
    /// The program that it is in.
    pub(super) program: PathBuf,
    pub(super) name: String,
    /// Whether Deployments and the like have to become ready.
    pub(super) needs_workloads: bool,
}

/// The tests of the controllers, and those of the commands.
pub(super) const SUITES: [Suite; 2] = [
    Suite {
        package: "krono-controller",
        modules: &[],
        rules: &[
            1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
            27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 40, 41, 42, 45,
        ],
    },
    Suite {
        package: "krono-cli",
        modules: &[
            "answered",
            BESIDE_WORKLOADS,
            "handback",
            "pins",
            "propagation",
            "prospects",
            "revisions",
            "rollback",
            "seed",
        ],
        rules: &[2, 5, 10, 19, 20, 21, 22, 25, 26, 27, 29, 36, 42, 43, 45],
    },
];
/// The module whose tests make the examples' workloads.
const BESIDE_WORKLOADS: &str = "foretold";

impl fmt::Display for Test {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.package, self.name)
    }
}

impl Suite {
    /// The tests whose names contain a word, as their program tells them.
    pub(super) fn tests(&self, only: &str) -> anyhow::Result<Vec<Test>> {
        let program = self.program()?;
        let listed = output(Command::new(&program).args(["--list", "--format", "terse"]))?;
        let names = listed.lines().filter_map(|it| it.strip_suffix(": test"));
        let names = names.filter(|it| it.contains(only) && self.plays(it));
        Ok(names
            .map(|name| Test {
                package: self.package,
                program: program.clone(),
                name: name.to_owned(),
                needs_workloads: module_of(name) == BESIDE_WORKLOADS,
            })
            .collect())
    }

    fn plays(&self, test: &str) -> bool {
        let is_excepted = EXCEPTED.iter().any(|(name, _)| *name == test);
        let is_chosen = self.modules.is_empty() || self.modules.contains(&module_of(test));
        !is_excepted && is_chosen && !rules_of(test).is_empty()
    }

    /// Builds the tests; where the program is.
    fn program(&self) -> anyhow::Result<PathBuf> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(root).args(["test", "-p", self.package, "--test", "it", "--no-run"]);
        let messages = output(cargo.args(["--message-format", "json"]))?;
        executable(&messages).with_context(|| format!("cargo built no tests of {}", self.package))
    }
}

fn module_of(test: &str) -> &str {
    test.split("::").next().unwrap_or_default()
}

/// The rules that a test is named after: `file::v03_and_v09_what_it_says`.
pub(super) fn rules_of(test: &str) -> Vec<u8> {
    let words = test.rsplit("::").next().unwrap_or_default();
    let rule = |word: &str| word.strip_prefix('v').and_then(|it| it.parse().ok());
    let mut rules = Vec::new();
    for (index, word) in words.split('_').enumerate() {
        match (index % 2, rule(word)) {
            (0, Some(rule)) => rules.push(rule),
            (1, None) if word == "and" => {}
            _ => break,
        }
    }
    rules
}

/// The program in cargo's JSON messages, one to a line.
fn executable(messages: &str) -> Option<PathBuf> {
    let values = messages.lines().filter_map(|it| serde_json::from_str::<Value>(it).ok());
    let mut built = values.filter(|it| it["target"]["name"] == "it");
    built.find_map(|it| it["executable"].as_str().map(PathBuf::from))
}

fn output(command: &mut Command) -> anyhow::Result<String> {
    let output =
        command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot run {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} failed: {}", output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("{command:?} printed invalid UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_named_after_rules() {
        let check = |name: &str, expected: &[u8]| assert_eq!(rules_of(name), expected, "{name}");
        check("revisions::v08_only_other_content_is_a_revision", &[8]);
        check("numbers::v03_and_v09_a_backup_is_the_same", &[3, 9]);
        check("numbers::v3_and_others", &[3]);
        check("values::an_integer_stays_one", &[]);
        check("v19", &[19]);
        check("", &[]);
    }

    #[test]
    fn commands_that_need_no_server_are_left_out() {
        let check = |name: &str, expected: [bool; 2]| {
            assert_eq!([0, 1].map(|it: usize| SUITES[it].plays(name)), expected, "{name}");
        };
        check("prospects::v43_whoever_stays", [true, true]);
        check("simulate::v44_waves", [true, false]);
        check("revisions::why_is_one_sentence", [false, false]);
        check(EXCEPTED[0].0, [false, false]);
    }

    #[test]
    fn the_program_is_found_among_messages() {
        let messages = "{\"target\":{\"name\":\"krono_controller\"},\"executable\":null}\n\
                        {\"target\":{\"name\":\"it\"},\"executable\":\"a/it-1\"}\n{\"reason\":\"build-finished\"}";
        assert_eq!(executable(messages), Some(PathBuf::from("a/it-1")));
        assert_eq!(executable("not JSON"), None);
    }
}
