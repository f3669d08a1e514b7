//! What people may ask for.

use serde_json::json;

use crate::scene::{Scene, at, letter};
use crate::{Phase, Standing};

#[test]
fn v42_a_pause_admits_nobody_until_it_is_resumed() {
    let mut scene = Scene::new(&["x b<a@20", "y a"]);
    scene.controls.paused = Some(at(25));
    assert_eq!((scene.phase(30), scene.moves(30).as_str()), (Phase::Paused, ""));
    assert_eq!(
        scene.waiting(30),
        ["1 Paused: the propagation is paused; run `krono propagation resume rgd/NAME`"]
    );
    scene.controls.paused = None;
    assert_eq!(scene.moves(30), "y");
    let by_spec = Scene::of(1).policy(json!({"paused": true}));
    assert_eq!(by_spec.phase(30), Phase::Paused);
    assert_eq!(
        by_spec.waiting(30),
        ["1 Paused: the propagation is paused by spec.propagation.paused; remove that"]
    );
}

#[test]
fn v42_an_abort_sends_back_who_has_not_arrived() {
    let mut scene = Scene::new(&["x b<a@20 obs@30", "y b<a@40 unready@50", "z a", "w b"]);
    scene.controls.is_aborted = true;
    let decision = scene.decide(60);
    assert_eq!(decision.phase, Phase::Aborted);
    let returns: Vec<_> = decision.returns.iter().map(|it| (it.member, letter(it.to))).collect();
    assert_eq!(returns, [(1, 'a')]);
    assert_eq!(decision.mark.as_ref().map(ToString::to_string).as_deref(), Some("halted: aborted"));
    scene.perform(&decision);
    let again = scene.decide(61);
    assert_eq!((again.returns.len(), again.moves.len(), again.mark), (0, 0, None));
    assert_eq!(again.standings[1], Standing::Candidate);
}

#[test]
fn v42_a_retry_begins_anew() {
    let mut scene = Scene::new(&["x b<a@20 error@30", "y b<a@20 unready@30", "z a"]);
    assert_eq!(scene.phase(1_000), Phase::Halted("2 of 3 instances failed: x, y".to_owned()));
    scene.progress.restarted = Some(at(1_000));
    assert_eq!(scene.standings(1_030), "x InFlight(Updating), y InFlight(Updating), z Candidate");
    assert_eq!(scene.moves(1_030), "z");
    assert_eq!(scene.phase(1_031), Phase::Halted("1 of 3 instances failed: x".to_owned()));
}

#[test]
fn v34_errors_count_as_false_and_are_shown() {
    let gate = "each.spec.tier == 'gold'";
    let scene = Scene::of(3).gate(gate);
    let decision = scene.decide(20);
    assert_eq!(decision.gate_errors, ["propagateWhen[0]: no such key: spec"]);
    assert_eq!(
        scene.waiting(20),
        [format!("3 GateFailed: propagateWhen[0] has no value: {gate} (no such key: spec)")]
    );
    let open = Scene::of(3).gate(gate).policy(json!({"failurePolicy": "Open"}));
    assert_eq!(open.moves(20), "i0 i1 i2");
    assert_eq!(open.decide(20).gate_errors, ["propagateWhen[0]: no such key: spec"]);
}

#[test]
fn v34_gates_that_never_become_true_say_so() {
    let gate = "fleet.total > 9";
    assert_eq!(
        Scene::of(2).gate(gate).waiting(20),
        [format!("2 GateClosed: propagateWhen[0] is not true: {gate}")]
    );
}
