//! What a policy may say, and what is told about one that makes no sense.

use serde_json::{Value, json};

use super::*;

#[test]
fn v36_without_a_policy_everybody_moves_and_the_first_failure_halts() {
    let policy = Policy::read(&Value::Null).unwrap();
    assert_eq!(format!("{policy:?}"), format!("{:?}", Policy::default()));
    assert_eq!(policy.deadline, SignedDuration::from_mins(10));
    assert_eq!((policy.max_failures, policy.on_failure), (Amount::Count(0), OnFailure::Halt));
}

#[test]
fn v36_a_policy_is_read() {
    let policy = Policy::read(&json!({
        "maxInFlight": "10%", "soakSeconds": 60, "progressDeadlineSeconds": 300, "maxFailures": 2,
        "onFailure": "Rollback", "rollbackMode": "Controlled", "newInstances": "LastGood",
        "deletes": "RequireApproval", "paused": true, "failurePolicy": "Open",
        "windows": [{"schedule": "0 22 * * 1-5", "duration": "4h", "timeZone": "Europe/Berlin"}],
        "stages": [{"name": "canary", "instanceSelector": {"matchLabels": {"ring": "0"}}, "soakSeconds": 30},
                   {"name": "rest", "requireApproval": true}],
    }))
    .unwrap();
    assert_eq!(policy.max_in_flight, Some(Amount::Percent(10)));
    assert_eq!((policy.soak.as_secs(), policy.deadline.as_secs()), (60, 300));
    assert_eq!((policy.max_failures, policy.on_failure), (Amount::Count(2), OnFailure::Rollback));
    assert_eq!(policy.rollback_mode, RollbackMode::Controlled);
    assert_eq!(policy.new_instances, Some(NewInstances::LastGood));
    assert_eq!(policy.deletes, Some(Deletes::RequireApproval));
    assert!(policy.is_paused);
    assert_eq!(policy.failure_policy, FailurePolicy::Open);
    let stages: Vec<_> =
        policy.stages.iter().map(|it| (it.name.as_str(), it.soak.as_secs(), it.needs_approval)).collect();
    assert_eq!(stages, [("canary", 30, false), ("rest", 0, true)]);
}

fn problems(propagation: &Value) -> Vec<String> {
    Policy::read(propagation).map_or_else(|it| it.iter().map(ToString::to_string).collect(), |_| Vec::new())
}

#[test]
fn v36_what_makes_no_sense_is_told_with_the_cure() {
    let check = |propagation: Value, expected: &str| {
        assert_eq!(problems(&propagation), [format!("spec.propagation{expected}")]);
    };
    check(json!([]), ": [] is not a map; write its fields below it");
    check(json!({"maxInflight": 1}), ".maxInflight: there is no such field; did you mean `maxInFlight`?");
    check(
        json!({"maxInFlight": 0}),
        ".maxInFlight: 0 would let no instance move, ever; write at least 1, or `paused: true` for a pause",
    );
    check(
        json!({"maxFailures": "101%"}),
        ".maxFailures: \"101%\" is more than all; write a number, such as 5, or a share, such as \"20%\"",
    );
    check(
        json!({"progressDeadlineSeconds": 0}),
        ".progressDeadlineSeconds: 0 would let every instance fail at once; write at least 1, or leave it out for 600",
    );
    check(
        json!({"progressDeadlineSeconds": -5}),
        ".progressDeadlineSeconds: no time is less than none; write at least 1, or leave it out for 600",
    );
    check(json!({"soakSeconds": -1}), ".soakSeconds: -1 is not a whole number of seconds; write 0 or more");
    check(
        json!({"soakSeconds": u64::MAX}),
        ".soakSeconds: 18446744073709551615 is more than a hundred years; it is in seconds",
    );
    check(
        json!({"onFailure": "Stop"}),
        ".onFailure: \"Stop\" is none of the choices; write Halt or Rollback or Continue",
    );
    check(
        json!({"paused": "true"}),
        ".paused: \"true\" is neither true nor false; write true or false, without quotes",
    );
    check(json!({"stages": {}}), ".stages: {} is not a list; begin each entry with a dash");
}

#[test]
fn v36_stages_that_make_no_sense_are_told() {
    let check = |stages: Value, expected: &[&str]| {
        let expected: Vec<String> =
            expected.iter().map(|it| format!("spec.propagation.stages{it}")).collect();
        assert_eq!(problems(&json!({"stages": stages})), expected);
    };
    check(
        json!([{"instanceSelector": {}}]),
        &[
            "[0].name: the name is missing; write a name without commas, such as canary; approvals and messages use it",
        ],
    );
    check(
        json!([{"name": "a,b"}]),
        &[
            "[0].name: \"a,b\" could not be approved of by name; write a name without commas, such as canary; approvals and messages use it",
        ],
    );
    check(
        json!([{"name": "a", "instanceSelector": {"matchLabels": {"ring": 0}}}]),
        &["[0].instanceSelector.matchLabels[ring]: 0 is not text; put the value in quotes"],
    );
    check(
        json!([{"name": "a", "instanceSelector": {"matchExpressions": [
            {"key": "ring", "operator": "In", "values": [1, "b"]},
        ]}}]),
        &["[0].instanceSelector.matchExpressions[0].values[0]: 1 is not text; put the value in quotes"],
    );
    check(
        json!([{"name": "a", "namespaceSelector": {"matchExpressions": [
            {"operator": "Exists"}, {"key": "a", "operator": "Is"}, {"key": "a", "operator": "In"},
            {"key": "a", "operator": "Exists", "values": ["b"]},
        ], "labels": {}}}]),
        &[
            "[0].namespaceSelector.labels: a label selector has no such field; write matchLabels or matchExpressions",
            "[0].namespaceSelector.matchExpressions[0].key: expected the key of a label; write `key: app`, say",
            "[0].namespaceSelector.matchExpressions[1].operator: expected In, NotIn, Exists or DoesNotExist; \
             write one of these, with capital letters",
            "[0].namespaceSelector.matchExpressions[2].values: expected a list of values, which In and NotIn need; \
             write `values: [web]`, say",
            "[0].namespaceSelector.matchExpressions[3].values: Exists and DoesNotExist have no values; \
             remove them, or write In or NotIn",
        ],
    );
    check(
        json!([{"name": "a"}, {"name": "a", "instanceSelector": {}}]),
        &[
            "[0]: every instance is in it, so nobody is left for the next; \
             add an instanceSelector or a namespaceSelector, or move it to the end",
            "[1].name: there is another stage \"a\"; give each a name of its own",
        ],
    );
}

#[test]
fn v36_all_problems_are_told_at_once() {
    let told = problems(&json!({
        "maxInFlight": "120%", "progressDeadlineSeconds": 0, "onFailure": 1, "deletes": "No",
        "windows": [{"schedule": "0 0 30 2 *", "duration": "1h"}], "stages": [{"name": "a"}, {}],
    }));
    assert_eq!(told.len(), 7, "{told:#?}");
}

#[test]
fn v36_labels_choose_the_stage() {
    let policy = Policy::read(&json!({"stages": [
        {"name": "canary", "instanceSelector": {"matchExpressions": [{"key": "ring", "operator": "In", "values": ["0", "1"]}]}},
        {"name": "inner", "namespaceSelector": {"matchLabels": {"team": "platform"}},
         "instanceSelector": {"matchExpressions": [{"key": "risky", "operator": "DoesNotExist"}]}},
        {"name": "named", "instanceSelector": {"matchExpressions": [
            {"key": "ring", "operator": "Exists"}, {"key": "ring", "operator": "NotIn", "values": ["9"]}]}},
    ]}))
    .unwrap();
    let check = |instance: Value, namespace: Value, expected: usize| {
        assert_eq!(policy.stage_of(&instance, &namespace), expected, "{instance} {namespace}");
    };
    check(json!({"ring": "0"}), Value::Null, 0);
    check(json!({"ring": "1"}), json!({"team": "platform"}), 0);
    check(Value::Null, json!({"team": "platform"}), 1);
    check(json!({"risky": ""}), json!({"team": "platform"}), 3);
    check(json!({"ring": "5"}), Value::Null, 2);
    check(json!({"ring": "9"}), Value::Null, 3);
    check(Value::Null, Value::Null, 3);
}
