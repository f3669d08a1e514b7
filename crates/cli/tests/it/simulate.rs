//! `krono simulate` without a cluster; the guide to it shows the rest.

use serde_json::Value;

use crate::krono::{file, krono, krono_reading};

const EXPONENTIAL: &str = "exponentiallyUpdated(instances, each)";

fn played(arguments: &[&str]) -> Value {
    let run = krono(&[&["simulate", "-o", "json"], arguments].concat());
    assert_eq!(run.code, Some(0), "{run}");
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn v44_waves_time_and_blast_radius() {
    let good = played(&[
        "--instances",
        "100",
        "--propagate-when",
        EXPONENTIAL,
        "--ready-after",
        "30s",
        "--soak",
        "1m",
    ]);
    let waves: Vec<u64> =
        good["waves"].as_array().unwrap().iter().map(|it| it["instances"].as_u64().unwrap()).collect();
    assert_eq!(waves, [1, 2, 4, 8, 16, 32, 37]);
    assert_eq!((&good["end"], &good["seconds"]), (&"Completed".into(), &(7 * 90).into()));
    let bad = played(&["--instances", "100", "--propagate-when", EXPONENTIAL, "--failure-rate", "100%"]);
    assert_eq!((&bad["end"], &bad["blastRadius"]), (&"Halted".into(), &1.into()));
}

#[test]
fn v44_the_same_seed_is_the_same_course() {
    let course = |seed: &str| {
        let policy = ["--propagate-when", EXPONENTIAL, "--max-failures", "5%", "--seed", seed];
        played(&[&["--instances", "300", "--failure-rate", "5%"][..], &policy].concat())
    };
    assert_eq!(course("1"), course("1"));
    assert_ne!(course("1")["decisions"], course("2")["decisions"]);
}

#[test]
fn v44_a_picture_has_axes_waves_and_a_legend() {
    let luck = ["--failure-rate", "5%", "--max-failures", "50%", "-o", "svg"];
    let run =
        krono(&[&["simulate", "--instances", "40", "--propagate-when", EXPONENTIAL][..], &luck].concat());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run}");
    for part in [
        "<svg ",
        ">time since the new revision was issued<",
        ">instances<",
        ">reached 40<",
        ">settled 40<",
        ">failed ",
        ">failure rate 5%, seed 1<",
        "class=\"wave\"",
        "</svg>\n",
    ] {
        assert!(run.stdout.contains(part), "{part}\n{run}");
    }
    assert!(!run.stdout.contains("NaN"), "{run}");
}

#[test]
fn v44_many_waves_are_not_all_shown() {
    let run = krono(&["simulate", "--instances", "100", "--max-in-flight", "1", "--ready-after", "10s"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run}");
    assert_eq!(run.stdout.matches('…').count(), 7, "{run}");
    assert!(
        run.stdout.ends_with(
            "completed after 16m 40s\nreached 100 of 100 instances (100.0%), at most 1 at once; 0 failed\n"
        ),
        "{run}"
    );
}

#[test]
fn v44_without_a_policy_all_move_at_once_and_that_is_told() {
    let run = krono(&["simulate", "--instances", "10", "--failure-rate", "1"]);
    assert_eq!(run.code, Some(0), "{run}");
    assert!(run.stderr.starts_with("note: nothing holds instances up"), "{run}");
    assert!(run.stdout.contains("reached 10 of 10 instances (100.0%)"), "{run}");
}

/// What is typed, its exit code, and the beginning of what is told.
fn check(arguments: &[&str], code: i32, told: &str) {
    let run = krono(&[&["simulate"], arguments].concat());
    assert_eq!((run.code, run.stdout.as_str()), (Some(code), ""), "{run}");
    assert!(run.stderr.starts_with(told), "{told}\n{run}");
}

#[test]
fn v44_what_makes_no_sense_is_told() {
    check(
        &[],
        2,
        "error: the following required arguments were not provided:\n  <TYPE/NAME|--instances <COUNT>>\n",
    );
    check(
        &["--instances", "0"],
        2,
        "error: invalid value '0' for '--instances <COUNT>': 0 is not in 1..=1000000",
    );
    check(&["--instances", "-5"], 2, "error: invalid value '-5' for '--instances <COUNT>': -5 is not in ");
    check(
        &["--instances", "5", "--failure-rate", "-5%"],
        2,
        "error: invalid value '-5%' for '--failure-rate <SHARE>': expected a share, such as 2% or 0.02",
    );
    check(
        &["--instances", "5", "--start", "today"],
        2,
        "error: invalid value 'today' for '--start <TIME>': expected a time, such as 2026-01-09T15:30:00Z",
    );
    check(
        &["--instances", "5", "--failure-rate", "5"],
        2,
        "error: invalid value '5' for '--failure-rate <SHARE>': that is more than all; write 5% for percent",
    );
    check(
        &["--instances", "5", "--max-in-flight", "0"],
        1,
        "error: --max-in-flight: 0 would let no instance move, ever; write at least 1",
    );
    check(
        &["--instances", "5", "--on-failure", "Panic"],
        1,
        "error: --on-failure: \"Panic\" is none of the choices; write Halt or Rollback or Continue",
    );
    check(
        &["--instances", "5", "--propagate-when", "fleet.setled > 3"],
        1,
        "error: --propagate-when: undefined field 'setled'; did you mean `settled`?",
    );
    check(
        &["--instances", "5", "--label", "ring=a:60%", "--label", "ring=b:60%"],
        2,
        "error: the shares of the label",
    );
    check(&["rgd/app", "--pinned", "5%"], 2, "error: --pinned is about made-up instances\nhint: ");
    check(&["rgd/app", "--instances", "5"], 2, "error: the argument '[TYPE/NAME]...' cannot be used with");
    check(&["webapp/shop"], 2, "error: a definition is played, with all of its instances; write rgd/NAME");
    check(&["--instances", "5", "-f", "/nowhere.yaml"], 2, "error: ");
}

const WRONG: &str = "\
apiVersion: kro.run/v1alpha1
kind: ResourceGraphDefinition
metadata:
  name: app
spec:
  schema: {kind: App, apiVersion: v1, spec: {size: integer}}
  propagateWhen:
  - ${each.spec.sise > 3}
  propagation:
    maxFailures: few
";

const APP: &str = "\
apiVersion: kro.run/v1alpha1
kind: ResourceGraphDefinition
metadata:
  name: app
";

#[test]
fn v44_what_is_wrong_in_a_file_has_its_place() {
    let path = file("simulate-wrong.yaml", WRONG);
    for command in [&["simulate", "--instances", "5", "-f", &path][..], &["validate", &path]] {
        let run = krono(command);
        assert_eq!(run.code, Some(1), "{run}");
        assert!(run.stderr.contains(":8:7: spec.propagateWhen[0]: undefined field 'sise'"), "{run}");
        assert!(
            run.stderr
                .contains(":10:18: spec.propagation.maxFailures: \"few\" is neither a number nor a share"),
            "{run}"
        );
    }
    let misspelt = WRONG.replacen("  propagation:", "  propagaton:", 1);
    assert_ne!(misspelt, WRONG);
    let path = file("simulate-misspelt.yaml", &misspelt);
    for command in [&["simulate", "--instances", "5", "-f", &path][..], &["validate", &path]] {
        let run = krono(command);
        assert_eq!(run.code, Some(1), "{run}");
        let expected = ":10:5: spec.propagaton: unknown field\nhint: did you mean `propagation`?";
        assert!(run.stderr.contains(expected), "{run}");
    }
    let run = krono(&["simulate", "rgd/other", "-f", &file("simulate-app.yaml", APP)]);
    assert_eq!(
        (run.code, run.stderr.as_str()),
        (Some(1), "error: the file defines \"app\", not \"other\"\n")
    );
    let run = krono_reading("kind: List\n", &["simulate", "--instances", "5", "-f", "-"]);
    assert_eq!(run.code, Some(1), "{run}");
    assert!(run.stderr.contains("holds no ResourceGraphDefinition"), "{run}");
}
