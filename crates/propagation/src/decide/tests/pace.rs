//! How fast a change travels.

use serde_json::json;

use crate::Phase;
use crate::scene::{Scene, at};

/// Lets every wave arrive, and tells the names of each.
fn waves(mut scene: Scene) -> Vec<String> {
    let mut waves = Vec::new();
    for round in 0..20 {
        let now = 20 + round * 100;
        let decision = scene.decide(now);
        if decision.moves.is_empty() {
            assert_eq!(decision.phase, Phase::Completed, "{:?}", decision.waiting);
            return waves;
        }
        assert_eq!(decision.wave, waves.len() + 1);
        waves.push(scene.names(decision.moves.iter().map(|it| it.member)));
        scene.perform(&decision);
        // What was decided is not decided again before it has arrived.
        assert_eq!(scene.moves(now), "");
        scene.arrive(now + 1);
    }
    panic!("no end after {waves:?}")
}

#[test]
fn v35_exponential_waves() {
    let scene = Scene::of(10).gate("exponentiallyUpdated(instances, each)");
    assert_eq!(waves(scene), ["i0", "i1 i2", "i3 i4 i5 i6", "i7 i8 i9"]);
}

#[test]
fn v35_linear_waves() {
    let scene = Scene::of(7).gate("linearlyUpdated(instances, each, 3)");
    assert_eq!(waves(scene), ["i0 i1 i2", "i3 i4 i5", "i6"]);
}

#[test]
fn v35_the_seeds_formula_as_printed() {
    let formula = "size(instances.filter(i,\n    i.status.observedRGDRevision == rgd.status.currentRevision\n)) \
                   >= exponentialTarget(each.index)";
    assert_eq!(waves(Scene::of(10).gate(formula)), ["i0", "i1 i2", "i3 i4 i5 i6", "i7 i8 i9"]);
}

#[test]
fn v41_never_more_are_on_their_way_than_a_gate_allows() {
    for gate in [
        "fleet.inFlight < 5",
        "fleet.admitted - fleet.settled < 5",
        "fleet.ready > 7",
        "each.index >= 0 && fleet.inFlight < 5",
        "linearlyUpdated(instances, each, 8) && fleet.inFlight < 5",
        "instances.filter(i, updated(i) && !ready(i)).size() < 5",
        "instances.size() == 12 && fleet.inFlight < 5",
        "instances.filter(i, updated(i) && !ready(i)).size() < 5 && each.metadata.name != ''",
        "instances.filter(i, updated(i) && !ready(i)).size() < each.index - each.index + 5",
        "instances.filter(i, updated(i) && !ready(i) && i.index != each.index).size() < 5",
    ] {
        let sizes: Vec<usize> =
            waves(Scene::of(12).gate(gate)).iter().map(|it| it.split(' ').count()).collect();
        let expected: &[usize] = if gate.starts_with("linear") { &[5, 3, 4] } else { &[5, 5, 2] };
        assert_eq!(sizes, expected, "{gate}");
    }
}

#[test]
fn v41_never_more_are_on_their_way_than_a_gate_allows_that_reads_what_instances_say() {
    let ready =
        |status: &str| json!([{"type": "Synced", "status": "True"}, {"type": "Ready", "status": status}]);
    let scene = || {
        let mut scene = Scene::of(12);
        for it in &mut scene.members {
            let propagation =
                json!({"status": "Completed", "targetInputRevision": 4, "resourcesAtTarget": 3});
            it.object["status"] = json!({"state": "ACTIVE", "currentRGDRevision": 1, "conditions": ready("True"),
                "propagation": propagation, "assignment": {"revision": 1}});
        }
        scene
    };
    let is_ready = "conditions.exists(c, c.type == 'Ready' && c.status == 'True')";
    for gate in [
        "instances.filter(i, i.status.state != 'ACTIVE').size() < 5".to_owned(),
        "instances.filter(i, i.status.state == 'IN_PROGRESS').size() < each.index - each.index + 5".to_owned(),
        "instances.map(i, i.status).filter(it, it.state != 'ACTIVE').size() < 5".to_owned(),
        "instances.filter(i, [i][0].status.state != 'ACTIVE').size() < 5".to_owned(),
        "instances.filter(i, i.status.propagation.status != 'Completed').size() < 5".to_owned(),
        "instances.filter(i, i.status.propagation.resourcesAtTarget == 0).size() < 5".to_owned(),
        "instances.filter(i, i.status.currentRGDRevision == 2 && i.status.observedRGDRevision != 2).size() < 5".to_owned(),
        "instances.filter(i, i.status.assignment.revision == 2 && !ready(i)).size() < 5".to_owned(),
        format!("instances.filter(i, !i.status.{is_ready}).size() < 5"),
        format!("instances.filter(i, !i.status.{is_ready}).size() < 5 && each.status.state == 'ACTIVE'"),
    ] {
        let waves = waves(scene().gate(&gate));
        let sizes: Vec<usize> = waves.iter().map(|it| it.split(' ').count()).collect();
        assert_eq!(sizes, [5, 5, 2], "{gate}");
    }
}

#[test]
fn v41_a_gate_counts_those_alone_who_pass_the_others() {
    let mut scene = Scene::of(40);
    let list = json!([
        "${instances.filter(i, updated(i) && !ready(i)).size() < 3}",
        "${each.index % 4 == 1}",
        "${fleet.inFlight < 9}",
    ]);
    scene.gates = crate::gate::Gates::compile(&list, &krono_cel::Type::Dyn).unwrap();
    assert_eq!(scene.moves(20), "i1 i5 i9");
    assert_eq!(
        scene.waiting(20),
        [
            "30 GateClosed: propagateWhen[0] is not true: instances.filter(i, updated(i) && !ready(i)).size() < 3",
            "7 GateClosed: propagateWhen[1] is not true: each.index % 4 == 1",
        ]
    );
}

#[test]
fn v35_a_gate_on_a_large_fleet_is_evaluated_a_few_times() {
    let scene = Scene::of(10_000).gate("instances.filter(i, updated(i) && !ready(i)).size() < 3000");
    let decision = scene.decide(20);
    assert_eq!((decision.moves.len(), decision.waiting[0].told.count), (3_000, 7_000));
    let evaluations = |gate: &str| {
        let scene = scene.clone().gate(gate);
        let before = crate::gate::evaluations();
        scene.decide(20);
        crate::gate::evaluations() - before
    };
    // One for each is far less than one for each pair.
    for (gate, most) in [
        ("instances.filter(i, updated(i) && !ready(i)).size() < 3000", 200),
        ("exponentiallyUpdated(instances, each)", 20),
        ("fleet.failed == 0", 1),
        ("linearlyUpdated(instances, each, 100) && ready(each)", 10_000),
    ] {
        let found = evaluations(gate);
        assert!((1..=most).contains(&found), "{found} evaluations of {gate}");
    }
}

/// Two who were born on it are at it: they open the formula, and no function.
#[test]
fn v35_functions_count_those_who_take_part_and_the_formula_all_that_are_there() {
    let check = |gate: &str, expected: &str| {
        let scene = Scene::new(&["p b", "q b", "r a", "s a", "t a", "u a"]).gate(gate);
        assert_eq!(scene.moves(20), expected, "{gate}");
    };
    let formula = "size(instances.filter(i, i.status.observedRGDRevision == rgd.status.currentRevision)) >= \
                   exponentialTarget(each.index)";
    check(formula, "r s t");
    check("exponentiallyUpdated(instances, each)", "r");
    check("linearlyUpdated(instances, each, 1)", "r");
    check("fleet.settled >= exponentialTarget(each.index)", "r");
}

#[test]
fn v36_max_in_flight() {
    assert_eq!(waves(Scene::of(5).policy(json!({"maxInFlight": 2}))), ["i0 i1", "i2 i3", "i4"]);
    assert_eq!(waves(Scene::of(10).policy(json!({"maxInFlight": "40%"}))).len(), 3);
    // A share of a few is at least one.
    assert_eq!(waves(Scene::of(3).policy(json!({"maxInFlight": "1%"}))).len(), 3);
    let scene = Scene::new(&["x b<a@20", "y a", "z a"]).policy(json!({"maxInFlight": 1}));
    assert_eq!(scene.waiting(30), ["2 MaxInFlight: 1 may be on their way at once"]);
}

#[test]
fn v36_an_instance_soaks_before_it_counts() {
    let scene = Scene::new(&["x b<a@20 obs@30", "y a"]).policy(json!({"soakSeconds": 60, "maxInFlight": 1}));
    assert_eq!(scene.standings(89), "x InFlight(Soaking), y Candidate");
    assert_eq!((scene.moves(89).as_str(), scene.decide(89).look_again), ("", Some(at(90))));
    assert_eq!(scene.moves(90), "y");
}

#[test]
fn v36_stages_follow_one_another() {
    let scene =
        Scene::new(&["a a label=ring:2", "b a label=ring:1", "c a team=core", "d a", "e a label=ring:1"])
            .policy(json!({"stages": [
                {"name": "first", "instanceSelector": {"matchLabels": {"ring": "1"}}},
                {"name": "team", "namespaceSelector": {"matchLabels": {"team": "core"}}},
                {"name": "second", "instanceSelector": {"matchLabels": {"ring": "2"}}},
                {"name": "nobody", "instanceSelector": {"matchLabels": {"ring": "3"}}, "soakSeconds": 1_000},
            ]}));
    assert_eq!(waves(scene.clone()), ["b e", "c", "a", "d"]);
    assert_eq!(scene.waiting(20), ["3 EarlierStage: stage \"first\" is not settled"]);
    // Ranks follow stages, so that no gate waits for a later stage.
    assert_eq!(waves(scene.gate("exponentiallyUpdated(instances, each)")), ["b", "e", "c", "a", "d"]);
}

#[test]
fn v36_stages_soak_and_wait_for_approval() {
    let mut scene = Scene::new(&["a b<a@20 obs@30 label=ring:1", "b a label=ring:2", "c a"]).policy(json!({
        "soakSeconds": 10,
        "stages": [
            {"name": "first", "instanceSelector": {"matchLabels": {"ring": "1"}}, "soakSeconds": 60},
            {"name": "second", "instanceSelector": {"matchLabels": {"ring": "2"}}, "requireApproval": true},
        ],
    }));
    assert_eq!(scene.waiting(99), ["2 StageSoaking: stage \"first\" soaks until 1970-01-01T00:01:40Z"]);
    assert_eq!(scene.decide(99).look_again, Some(at(100)));
    assert_eq!(
        scene.waiting(100),
        [
            "1 EarlierStage: stage \"second\" is not settled",
            "1 StageNeedsApproval: stage \"second\" waits for approval; run `krono propagation approve rgd/NAME --stage=second`",
        ]
    );
    scene.controls.approved_stages.insert("second".to_owned());
    assert_eq!(scene.moves(100), "b");
}

#[test]
fn v36_a_stage_soaks_from_when_the_last_of_it_failed() {
    let check = |member: &str, now: i64, until: i64| {
        let scene = Scene::new(&[&format!("a {member} label=ring:1"), "b a"]).policy(json!({
            "maxFailures": 1, "stages": [
                {"name": "first", "instanceSelector": {"matchLabels": {"ring": "1"}}, "soakSeconds": 60},
            ],
        }));
        assert_eq!(
            (scene.moves(now).as_str(), scene.decide(now).look_again),
            ("", Some(at(until))),
            "{member}"
        );
        assert_eq!(scene.moves(until), "b", "{member}");
    };
    check("b<a@20 error@100", 140, 131 + 60);
    check("b<a@20", 640, 620 + 60);
    check("b<a@20 hindered=10", 640, 630 + 60);
    check("b<a@20 edited error@100", 140, 131 + 60);
}

#[test]
fn v36_windows_gate_admission_alone() {
    let scene = Scene::new(&["x b<a@20", "y a"])
        .policy(json!({"windows": [{"schedule": "0 6 * * *", "duration": "1h"}]}));
    assert_eq!(
        scene.waiting(30),
        ["1 WindowClosed: no window is open; the next opens at 1970-01-01T06:00:00Z"]
    );
    assert_eq!(scene.standings(30), "x InFlight(Updating), y Candidate");
    assert_eq!(scene.moves(6 * 3_600), "y");
    let past = Scene::of(1).policy(json!({"windows": [{"schedule": "0 0 6 1 1 * 1970", "duration": "1h"}]}));
    assert_eq!(
        past.waiting(8 * 3_600),
        ["1 WindowClosed: no window opens again; change spec.propagation.windows"]
    );
}

#[test]
fn v36_what_new_instances_begin_with() {
    let check = |policy: serde_json::Value, mark: &str, expected: char| {
        let scene = Scene::new(&["x -", "y a"]).policy(policy);
        let scene = if mark.is_empty() { scene } else { scene.marked(mark) };
        let births: Vec<char> =
            scene.decide(20).births.iter().map(|it| crate::scene::letter(it.on.digest)).collect();
        assert_eq!(births, [expected]);
    };
    check(json!({}), "", 'b');
    check(json!({"newInstances": "LastGood"}), "", 'a');
    check(json!({}), "halted: 1 of 2 failed", 'a');
    check(json!({"newInstances": "Current"}), "halted: 1 of 2 failed", 'b');
    let mut first = Scene::new(&["x -"]).policy(json!({"newInstances": "LastGood"}));
    first.last_good = None;
    assert_eq!(first.decide(20).births[0].on, first.target);
}

#[test]
fn v36_one_born_on_the_last_good_revision_moves_too() {
    let mut scene = Scene::new(&["x -", "y b<a@12 obs@13"]).policy(json!({"newInstances": "LastGood"}));
    scene.perform(&scene.decide(20));
    assert_eq!(scene.moves(21), "x");
}

#[test]
fn v25_a_revision_that_deletes_waits_whole_for_approval() {
    use crate::fleet::Deletions;
    let mut scene = Scene::of(2).policy(json!({"deletes": "RequireApproval"}));
    assert_eq!(scene.moves(20), "i0 i1");
    scene.controls.deletions = Deletions::Pending;
    assert_eq!(
        scene.waiting(20),
        [
            "2 DeletesNeedApproval: the revision deletes or replaces resources; if they may go, run `krono propagation approve rgd/NAME --deletes`"
        ]
    );
    scene.controls.deletions = Deletions::Approved;
    assert_eq!(scene.moves(20), "i0 i1");
    let mut allowed = Scene::of(2);
    allowed.controls.deletions = Deletions::Pending;
    assert_eq!(allowed.moves(20), "i0 i1");
}

#[test]
fn v40_reasons_are_counted_with_the_first_names() {
    let decision = Scene::of(10).gate("each.index < 2").decide(20);
    assert_eq!(decision.waiting.len(), 1);
    let waiting = &decision.waiting[0];
    assert_eq!((waiting.told.count, waiting.told.first.join(" ").as_str()), (8, "i2 i3 i4"));
    assert_eq!(waiting.text, "propagateWhen[0] is not true: each.index < 2");
}

#[test]
fn v41_a_settled_world_is_left_alone() {
    let decision = Scene::new(&["x b<a@20 obs@30", "y b", "z a pinned"]).decide(100);
    assert_eq!(decision.phase, Phase::Completed);
    let nothing = decision.moves.is_empty() && decision.returns.is_empty() && decision.births.is_empty();
    assert!(nothing && decision.mark.is_none() && decision.look_again.is_none());
}
