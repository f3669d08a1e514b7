//! Looks at fleets while what their definition says about waves makes no sense.

use krono_model::names;
use serde_json::{Value, json};

use crate::fleet::Fleet;

/// On the way to revision 2, with the first of three admitted.
fn under_way(policy: Value) -> Fleet {
    let mut fleet = Fleet::new(3, policy);
    fleet.issue('b', &["one"]);
    fleet.rest();
    assert_eq!(fleet.assigned(), "baa");
    fleet
}

/// The same, given up since the first was not ready in time.
fn halted(policy: Value) -> Fleet {
    let mut fleet = under_way(policy);
    fleet.wait(1_000);
    fleet.rest();
    assert_eq!(fleet.phase(), "Halted");
    fleet
}

fn spoil(fleet: &mut Fleet) {
    fleet.patch_definition(json!({"spec": {"propagation": {"maxInFlight": "many"}}}));
    fleet.rest();
}

fn mend(fleet: &mut Fleet) {
    fleet.patch_definition(json!({"spec": {"propagation": {"maxInFlight": 1}}}));
    fleet.rest();
}

#[test]
fn v36_who_is_new_while_the_policy_makes_no_sense_begins_with_what_is_good() {
    let check = |mut fleet: Fleet, expected: &str| {
        spoil(&mut fleet);
        fleet.create(json!({}));
        fleet.rest();
        assert_eq!(fleet.assigned(), expected, "{:#}", fleet.told());
    };
    check(under_way(json!({"maxInFlight": 1})), "baab");
    check(under_way(json!({"maxInFlight": 1, "newInstances": "LastGood"})), "baaa");
    check(halted(json!({"maxInFlight": 1})), "baaa");
    check(halted(json!({"maxInFlight": 1, "newInstances": "Current"})), "baab");
}

#[test]
fn v42_an_abort_while_the_policy_makes_no_sense_is_told_and_done() {
    for mut fleet in [under_way(json!({"maxInFlight": 1})), halted(json!({"maxInFlight": 1}))] {
        spoil(&mut fleet);
        fleet.annotate(names::PROPAGATION_ANNOTATION, Some("aborted"));
        fleet.rest();
        let told = fleet.told();
        assert_eq!(
            (fleet.phase(), fleet.assigned().as_str(), &told["reason"]),
            ("Aborted", "aaa", &Value::Null)
        );
        mend(&mut fleet);
        assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Aborted", "aaa"));
    }
}

#[test]
fn v42_what_is_tried_again_while_the_policy_makes_no_sense_is_no_longer_told_to_be_halted() {
    let mut fleet = halted(json!({"maxInFlight": 1}));
    spoil(&mut fleet);
    assert_eq!(fleet.phase(), "Halted");
    fleet.annotate(names::PROPAGATION_ANNOTATION, Some("retry"));
    fleet.rest();
    assert_eq!((fleet.phase(), &fleet.told()["reason"]), ("Invalid", &Value::Null));
    fleet.wait(1);
    mend(&mut fleet);
    assert_eq!(fleet.phase(), "Propagating", "what went wrong before does not count");
    fleet.finish();
    assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Completed", "bbb"));
}

#[test]
fn v38_an_edit_while_the_policy_makes_no_sense_clears_a_halt() {
    let mut fleet = halted(json!({"maxInFlight": 1}));
    spoil(&mut fleet);
    fleet.issue('c', &["one"]);
    fleet.rest();
    assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Invalid", "baa"));
}
