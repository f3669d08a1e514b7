//! Courses that can be told beforehand.

use krono_cel::Type;
use serde_json::{Value, json};

use super::*;

#[expect(clippy::needless_pass_by_value, reason = "tests write it where they need it")]
fn course(instances: usize, policy: Value, gate: &str, chances: Chances) -> Course {
    course_within(play::MOST_WORK, instances, &policy, gate, chances)
}

fn course_within(most_work: usize, instances: usize, policy: &Value, gate: &str, chances: Chances) -> Course {
    let gates = Gates::compile(&json!([format!("${{{gate}}}")]), &Type::Dyn).unwrap();
    let params = Params {
        instances,
        policy: &Policy::read(policy).unwrap(),
        gates: &gates,
        chances,
        takes: 30..=30,
        looks: &[],
        definition: &Value::Null,
        look_every: SignedDuration::from_secs(1),
        start: Timestamp::UNIX_EPOCH,
        seed: 7,
    };
    synthetic::simulate(most_work, &params)
}

fn sizes(course: &Course) -> Vec<usize> {
    course.waves.iter().map(|it| it.instances).collect()
}

const EXPONENTIAL: &str = "exponentiallyUpdated(instances, each)";

#[test]
fn v44_a_good_revision_reaches_everybody() {
    let course = course(100, json!({}), EXPONENTIAL, Chances::default());
    assert_eq!(course.end, End::Decided(Phase::Completed));
    assert_eq!(sizes(&course), [1, 2, 4, 8, 16, 32, 37]);
    assert_eq!((course.took, course.peak_in_flight), (SignedDuration::from_secs(7 * 30), 37));
    assert_eq!((course.counts.settled, course.blast_radius()), (100, 100));
}

#[test]
fn v44_soaks_and_windows_take_their_time() {
    let policy = json!({"soakSeconds": 90, "maxInFlight": 50});
    assert_eq!(course(100, policy, "true", Chances::default()).took, SignedDuration::from_secs(240));
    let policy = json!({"windows": [{"schedule": "0 6 * * *", "duration": "1m"}], "maxInFlight": 50});
    let course = course(150, policy, "true", Chances::default());
    let after: Vec<i64> = course.waves.iter().map(|it| it.after.as_secs()).collect();
    assert_eq!(after, [6 * 3_600, 6 * 3_600 + 30, 30 * 3_600]);
}

#[test]
fn v44_a_bad_revision_reaches_the_first_wave_alone() {
    for on_failure in ["Halt", "Rollback"] {
        let course = course(
            1_000,
            json!({"onFailure": on_failure}),
            EXPONENTIAL,
            Chances { fails: 1.0, ..Chances::default() },
        );
        assert!(
            matches!(course.end, End::Decided(Phase::Halted(_) | Phase::RolledBack(_))),
            "{:?}",
            course.end
        );
        assert_eq!((course.blast_radius(), course.counts.failed), (1, 1));
        // In error from second 30 on, and that for more than 30 seconds.
        assert_eq!(course.took, SignedDuration::from_secs(61));
    }
}

#[test]
fn v44_who_is_late_fails_though_nothing_else_happens() {
    let course = course(4, json!({"progressDeadlineSeconds": 10}), "true", Chances::default());
    let failed = "4 of 4 instances failed: default/000000000, default/000000001, default/000000002, …";
    assert_eq!(course.end, End::Decided(Phase::Halted(failed.to_owned())));
    assert_eq!((course.took, course.counts.failed), (SignedDuration::from_secs(10), 4));
}

#[test]
fn v44_nobody_waits_for_who_is_excused() {
    let chances = Chances { is_broken: 1.0, ..Chances::default() };
    let course = course(7, json!({}), EXPONENTIAL, chances);
    let after: Vec<i64> = course.waves.iter().map(|it| it.after.as_secs()).collect();
    assert_eq!((after, course.counts.excused), (vec![0, 1, 2], 7));
}

#[test]
fn v44_expressions_see_instances_that_are_made_up() {
    let check = |gate: &str, reached: usize| {
        let chances = Chances { is_broken: 0.3, ..Chances::default() };
        let course = course(10, json!({}), gate, chances);
        assert_eq!((course.blast_radius(), course.gate_errors), (reached, Vec::new()), "{gate}");
    };
    check("each.metadata.name < '000000004'", 4);
    check("each.metadata.namespace == 'default'", 10);
    check("(each.status.state == 'ACTIVE') == ready(each)", 10);
}

#[test]
fn v44_who_is_on_its_way_is_not_ready() {
    for gate in ["fleet.ready > 6", "instances.filter(i, !ready(i)).size() < 3", "fleet.inFlight < 3"] {
        assert_eq!(sizes(&course(9, json!({}), gate, Chances::default())), [3, 3, 3], "{gate}");
    }
}

#[test]
fn v44_chances_come_in_their_shares() {
    let chances = Chances { fails: 0.0, is_broken: 0.1, is_pinned: 0.2 };
    let course = course(10_000, json!({}), EXPONENTIAL, chances);
    assert_eq!(course.end, End::Decided(Phase::Completed));
    let share = |count: usize| (count + 50) / 100;
    assert_eq!((share(course.counts.eligible), share(course.counts.excused)), (80, 8));
}

#[test]
fn v44_the_same_seed_plays_the_same_course() {
    let chances = Chances { fails: 0.05, ..Chances::default() };
    let once = || course(500, json!({"maxFailures": "3%"}), EXPONENTIAL, chances);
    assert_eq!(once(), once());
}

#[test]
fn v44_what_never_ends_is_told() {
    let stuck = course(5, json!({}), "each.index < 3", Chances::default());
    assert_eq!((stuck.end, stuck.counts.settled, stuck.waiting[0].told.count), (End::Stuck, 3, 2));
    assert_eq!(course(5, json!({"paused": true}), "true", Chances::default()).end, End::Stuck);
    assert_eq!(course(0, json!({}), "true", Chances::default()).end, End::Decided(Phase::Completed));
}

#[test]
fn v44_what_goes_on_for_too_long_is_played_in_part() {
    let course = course_within(1_000, 100, &json!({"maxInFlight": 1}), "true", Chances::default());
    assert_eq!((course.end.clone(), course.points.len()), (End::TooLong, 11));
    assert_eq!((course.blast_radius(), sizes(&course).len(), course.counts.settled), (10, 10, 10));
}
