//! The rules of revisions on the real server: the tests of the controllers that are named after them, as they are.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, bail};
use futures_util::future::join_all;
use krono_e2e_kube::{ControlPlane, Options, Programs, VERSION};
use serde_json::Value;

use crate::programs;
use crate::report::{Case, Report};
use crate::world::Server;

/// Names the kubeconfigs of the servers that a test may have, separated by a colon.
const KUBECONFIGS: &str = "KRONO_TEST_KUBECONFIGS";
/// How many tests are played at a time, each on a server of its own; most of the time all of them wait.
const AT_A_TIME: usize = 3;
/// Longer than any test waits.
const LONGEST: Duration = Duration::from_mins(10);
/// The rules that are about controllers at a server; the others are about what is decided or shown without one.
const RULES: [u8; 42] = [
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
    29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 40, 41, 42, 45,
];
/// Tests that cannot be played on a real server, and why.
const EXCEPTED: [(&str, &str); 0] = [];

/// Plays all tests, or those whose names contain a word.
pub(crate) async fn run(only: &str) -> anyhow::Result<Report> {
    if !programs::go_is_present("the real kube-apiserver")? {
        return Ok(Report::default());
    }
    let program = test_program()?;
    let tests = Tests::of(&program, only)?;
    if only.is_empty() {
        tests.cover(&RULES)?;
    }
    let built = Programs::build()?;
    let planes = tokio::task::block_in_place(|| start(&built, AT_A_TIME + 1))?;
    let (spare, planes) = planes.split_first().context("no server")?;
    let (left, report) = (RefCell::new(tests.played.clone()), RefCell::new(Report::default()));
    join_all(planes.iter().map(|plane| play_all(&program, [plane, spare], &left, &report))).await;
    tests.conclude(&report.borrow());
    Ok(report.into_inner())
}

/// Plays the tests whose names contain a word on one server.
pub(crate) async fn named(word: &str, server: Server) -> anyhow::Result<Report> {
    let program = test_program()?;
    let tests = Tests::of(&program, word)?;
    if tests.played.is_empty() {
        bail!("there is no test of {word}");
    }
    let planes = match server {
        Server::Embedded => Vec::new(),
        Server::Real => {
            let built = Programs::build()?;
            tokio::task::block_in_place(|| start(&built, 2))?
        }
    };
    let mut report = Report::default();
    for test in tests.played.iter().rev() {
        let case = Case::begin(&format!("{}/{test}", server.name()));
        let played = play(&program, &planes.iter().collect::<Vec<_>>(), test).await;
        report.add(&case, played);
    }
    Ok(report)
}

/// The tests that are about rules.
struct Tests {
    played: Vec<String>,
    excepted: Vec<(&'static str, &'static str)>,
}

impl Tests {
    /// Asks the program for its tests.
    fn of(program: &Path, only: &str) -> anyhow::Result<Self> {
        let listed = output(Command::new(program).args(["--list", "--format", "terse"]))?;
        let names = listed.lines().filter_map(|it| it.strip_suffix(": test"));
        let names: Vec<&str> = names.filter(|it| !rules_of(it).is_empty() && it.contains(only)).collect();
        let is_excepted = |name: &str| EXCEPTED.iter().find(|(excepted, _)| *excepted == name);
        Ok(Self {
            // The last is taken first.
            played: names
                .iter()
                .rev()
                .filter(|it| is_excepted(it).is_none())
                .map(|it| (*it).to_owned())
                .collect(),
            excepted: names.iter().filter_map(|it| is_excepted(it)).copied().collect(),
        })
    }

    /// Fails when there is no test of a rule.
    fn cover(&self, rules: &[u8]) -> anyhow::Result<()> {
        let played: BTreeSet<u8> = self.played.iter().flat_map(|it| rules_of(it)).collect();
        let missing: Vec<String> =
            rules.iter().filter(|it| !played.contains(it)).map(|it| format!("V{it}")).collect();
        if missing.is_empty() { Ok(()) } else { bail!("there is no test of {}", missing.join(", ")) }
    }

    fn conclude(&self, report: &Report) {
        let rules: BTreeSet<u8> = self.played.iter().flat_map(|it| rules_of(it)).collect();
        let verdict = if report.pass() { "all passed" } else { "not all passed" };
        println!("{} tests of {} rules on Kubernetes {VERSION}: {verdict}", self.played.len(), rules.len());
        for (name, reason) in &self.excepted {
            println!("left out: {name}: {reason}");
        }
    }
}

/// The rules that a test is named after: `file::v03_and_v09_what_it_says`.
fn rules_of(test: &str) -> Vec<u8> {
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

/// Builds the tests of the controllers; where the program is.
fn test_program() -> anyhow::Result<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root).args(["test", "-p", "krono-controller", "--test", "it", "--no-run"]);
    let messages = output(cargo.args(["--message-format", "json"]))?;
    executable(&messages).context("cargo built no tests of krono-controller")
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

/// Starts so many servers at once. Of all controllers only those whose work is part of krono's server run, so that
/// nothing else changes by itself.
fn start(programs: &Programs, count: usize) -> anyhow::Result<Vec<ControlPlane>> {
    let options = Options {
        controllers: vec!["garbage-collector-controller", "namespace-controller"],
        durable: false,
        admission_off: Vec::new(),
    };
    std::thread::scope(|scope| {
        let started: Vec<_> =
            (0..count).map(|_| scope.spawn(|| ControlPlane::start(programs, &options))).collect();
        let started =
            started.into_iter().map(|it| it.join().map_err(|_| anyhow::anyhow!("a thread broke off")));
        started.map(|it| Ok(it??)).collect()
    })
}

/// Plays one test after the other, as long as any are left.
async fn play_all(
    program: &Path,
    planes: [&ControlPlane; 2],
    left: &RefCell<Vec<String>>,
    report: &RefCell<Report>,
) {
    loop {
        let next = left.borrow_mut().pop();
        let Some(test) = next else { return };
        let case = Case::begin(&test);
        let played = play(program, &planes, &test).await;
        report.borrow_mut().add(&case, played);
    }
}

/// Plays a test on these servers, or on one of its own.
async fn play(program: &Path, planes: &[&ControlPlane], test: &str) -> anyhow::Result<()> {
    let mut command = tokio::process::Command::new(program);
    command.args(["--exact", test, "--nocapture"]).kill_on_drop(true);
    if !planes.is_empty() {
        let kubeconfigs = std::env::join_paths(planes.iter().map(|it| it.kubeconfig()))?;
        command.env(KUBECONFIGS, kubeconfigs);
    }
    let run = tokio::time::timeout(LONGEST, command.output()).await;
    let run = run.with_context(|| format!("not done after {} s", LONGEST.as_secs()))??;
    if run.status.success() {
        return Ok(());
    }
    bail!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr))
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
    fn a_rule_without_a_test_is_missed() {
        let tests = Tests { played: vec!["a::v01_and_v02_b".to_owned()], excepted: Vec::new() };
        assert!(tests.cover(&[1, 2]).is_ok());
        assert_eq!(tests.cover(&[1, 3, 4]).unwrap_err().to_string(), "there is no test of V3, V4");
    }

    #[test]
    fn the_program_is_found_among_messages() {
        let messages = "{\"target\":{\"name\":\"krono_controller\"},\"executable\":null}\n\
                        {\"target\":{\"name\":\"it\"},\"executable\":\"a/it-1\"}\n{\"reason\":\"build-finished\"}";
        assert_eq!(executable(messages), Some(PathBuf::from("a/it-1")));
        assert_eq!(executable("not JSON"), None);
    }
}
