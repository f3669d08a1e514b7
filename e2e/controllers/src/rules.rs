//! The rules of revisions on the real server: the tests of the controllers and of the commands that are named after them,
//! as they are.

mod suites;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context, bail};
use futures_util::future::join_all;
use krono_e2e_kube::{ControlPlane, Options, Programs, VERSION};

use self::suites::{EXCEPTED, SUITES, Test};
use crate::programs;
use crate::report::{Case, Report};
use crate::world::Server;

/// Names the kubeconfigs of the servers that a test may have, separated by a colon.
const KUBECONFIGS: &str = "KRONO_TEST_KUBECONFIGS";
/// How many tests are played at a time, each on a server of its own; most of the time all of them wait.
const AT_A_TIME: usize = 3;
/// Longer than any test waits.
const LONGEST: Duration = Duration::from_mins(10);
/// The controllers whose work is part of krono's server; with no others, nothing changes by itself.
const USUAL: [&str; 2] = ["garbage-collector-controller", "namespace-controller"];
/// The controllers of a cluster where workloads run.
const ALL: [&str; 1] = ["*"];

/// Plays all tests, or those whose names contain a word.
pub(crate) async fn run(only: &str) -> anyhow::Result<Report> {
    if !programs::go_is_present("the real kube-apiserver")? {
        return Ok(Report::default());
    }
    let mut tests = Vec::new();
    for suite in &SUITES {
        let found = suite.tests(only)?;
        if only.is_empty() {
            cover(suite.package, &found, suite.rules)?;
        }
        tests.extend(found);
    }
    let built = Programs::build()?;
    let report = RefCell::new(Report::default());
    let (beside_workloads, alone): (Vec<Test>, Vec<Test>) =
        tests.iter().cloned().partition(|it| it.needs_workloads);
    play_on(&built, (&USUAL, AT_A_TIME), alone, &report).await?;
    play_on(&built, (&ALL, 1), beside_workloads, &report).await?;
    conclude(&tests, &report.borrow());
    Ok(report.into_inner())
}

/// Plays the controllers' tests whose names contain a word on one server.
pub(crate) async fn named(word: &str, server: Server) -> anyhow::Result<Report> {
    let [controllers, _] = &SUITES;
    let tests = controllers.tests(word)?;
    if tests.is_empty() {
        bail!("there is no test of {word}");
    }
    let planes = match server {
        Server::Embedded => Vec::new(),
        Server::Real => {
            let built = Programs::build()?;
            tokio::task::block_in_place(|| start(&built, &USUAL, 2))?
        }
    };
    let mut report = Report::default();
    for test in &tests {
        let case = Case::begin(&format!("{}/{}", server.name(), test.name));
        let played = play(&planes.iter().collect::<Vec<_>>(), test).await;
        report.add(&case, played);
    }
    Ok(report)
}

/// Fails when there is no test of a rule.
fn cover(package: &str, tests: &[Test], rules: &[u8]) -> anyhow::Result<()> {
    let covered: BTreeSet<u8> = tests.iter().flat_map(|it| suites::rules_of(&it.name)).collect();
    let missing: Vec<String> =
        rules.iter().filter(|it| !covered.contains(it)).map(|it| format!("V{it}")).collect();
    if missing.is_empty() {
        return Ok(());
    }
    bail!("{package} has no test of {}", missing.join(", "))
}

fn conclude(tests: &[Test], report: &Report) {
    let rules: BTreeSet<u8> = tests.iter().flat_map(|it| suites::rules_of(&it.name)).collect();
    let verdict = if report.pass() { "all passed" } else { "not all passed" };
    println!("{} tests of {} rules on Kubernetes {VERSION}: {verdict}", tests.len(), rules.len());
    for (name, reason) in EXCEPTED {
        println!("left out: {name}: {reason}");
    }
}

/// Plays tests on so many servers with these controllers, and a spare one that tests may have beside their own.
async fn play_on(
    programs: &Programs,
    (controllers, count): (&[&'static str], usize),
    mut tests: Vec<Test>,
    report: &RefCell<Report>,
) -> anyhow::Result<()> {
    if tests.is_empty() {
        return Ok(());
    }
    // The last is taken first.
    tests.reverse();
    let planes = tokio::task::block_in_place(|| start(programs, controllers, count + 1))?;
    let (spare, planes) = planes.split_first().context("no server")?;
    let left = RefCell::new(tests);
    join_all(planes.iter().map(|plane| play_all([plane, spare], &left, report))).await;
    Ok(())
}

/// Starts so many servers at once.
fn start(
    programs: &Programs,
    controllers: &[&'static str],
    count: usize,
) -> anyhow::Result<Vec<ControlPlane>> {
    let options = Options { controllers: controllers.to_vec(), durable: false, admission_off: Vec::new() };
    std::thread::scope(|scope| {
        let started: Vec<_> =
            (0..count).map(|_| scope.spawn(|| ControlPlane::start(programs, &options))).collect();
        let started =
            started.into_iter().map(|it| it.join().map_err(|_| anyhow::anyhow!("a thread broke off")));
        started.map(|it| Ok(it??)).collect()
    })
}

/// Plays one test after the other, as long as any are left.
async fn play_all(planes: [&ControlPlane; 2], left: &RefCell<Vec<Test>>, report: &RefCell<Report>) {
    loop {
        let next = left.borrow_mut().pop();
        let Some(test) = next else { return };
        let case = Case::begin(&test.to_string());
        let played = play(&planes, &test).await;
        report.borrow_mut().add(&case, played);
    }
}

/// Plays a test on these servers, or on one of its own.
async fn play(planes: &[&ControlPlane], test: &Test) -> anyhow::Result<()> {
    let mut command = tokio::process::Command::new(&test.program);
    command.args(["--exact", &test.name, "--nocapture"]).kill_on_drop(true);
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
    fn a_rule_without_a_test_is_missed() {
        let test = |name: &str| Test {
            package: "some",
            program: "it".into(),
            name: name.to_owned(),
            needs_workloads: false,
        };
        let tests = [test("a::v01_and_v02_b")];
        assert!(cover("some", &tests, &[1, 2]).is_ok());
        assert_eq!(cover("some", &tests, &[1, 3, 4]).unwrap_err().to_string(), "some has no test of V3, V4");
    }
}
