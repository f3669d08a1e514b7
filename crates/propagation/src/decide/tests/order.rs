//! Who takes part, and in which order.

use crate::scene::{INSTANT, Scene, assignment, content};

#[test]
fn v33_who_takes_part() {
    let check = |member: &str, expected: &str| {
        assert_eq!(Scene::new(&[member]).standings(100), format!("x {expected}"), "{member}");
    };
    check("x a", "Candidate");
    check("x -", "Newborn");
    check("x b", "Apart(AtContent)");
    // Who came to the content before it was the target has not moved: it is at it.
    check("x b<a@9 obs@9", "Apart(AtContent)");
    check("x b<a@10", "InFlight(Updating)");
    check("x b<a@10 obs@20", "Settled(Observed)");
    check("x a pinned", "Apart(Stance(Pinned))");
    check("x a manual", "Apart(Stance(Manual))");
    check("x a paused", "Apart(Stance(Paused))");
    check("x a deleting", "Apart(Stance(Deleting))");
    check("x a refused", "Apart(Stance(Refused))");
    check("x b<a@10 pinned", "Apart(Stance(Pinned))");
}

#[test]
fn v33_the_order_in_which_instances_move() {
    let check = |members: &[&str], expected: &str| {
        let scene = Scene::new(members).policy(serde_json::json!({"maxFailures": "100%"}));
        assert_eq!(scene.moves(1_000), expected, "{members:?}");
    };
    check(&["b a", "c a", "a a"], "a b c");
    check(&["a a created=3", "b a created=2", "c a created=1"], "c b a");
    check(&["a a unready@900", "b a created=5", "c a created=3"], "c b a");
    check(&["a a", "b a unready@900 order=-1", "c a order=5"], "b a c");
    // In flight at an earlier revision, or broken by it in its soak; who came through has no privilege.
    check(&["a z", "b z<y@1 unready@2", "c z<y@1 obs@3", "d z<y@1 obs@3 unready@3"], "b d a c");
    check(&["a z order=1", "b z<y@1 order=2"], "a b");
}

#[test]
fn v33_deletion_only_shifts_ranks() {
    let mut scene = Scene::of(8).gate("each.index < 3");
    assert_eq!(scene.moves(20), "i0 i1 i2");
    scene.members.remove(1);
    assert_eq!(scene.moves(20), "i0 i2 i3");
}

#[test]
fn v33_who_was_not_well_before_is_excused() {
    let excused = |member: &str| Scene::new(&[member]).decide(1_000).moves[0].is_excused;
    let check = |member: &str, expected: bool| assert_eq!(excused(member), expected, "{member}");
    check("x a", false);
    check("x a unready@50", true);
    check("x a error@50", true);
    // An earlier propagation broke it: it never arrived, or not for long.
    check("x z<a@1 unready@2", false);
    check("x z<a@1 obs@3 unready@3", false);
    // It came through, and became unready by itself.
    check("x z<a@1 obs@3 unready@50", true);
    // It was excused there too.
    check("x z<a@1! unready@2", true);
}

#[test]
fn v23_on_the_way_back_who_failed_is_excused() {
    let mut scene = Scene::new(&["x c<b@20 unready@30"]);
    (scene.target, scene.movement) = (assignment("2b"), INSTANT);
    assert!(scene.decide(1_000).moves[0].is_excused);
}

#[test]
fn v33_an_excused_instance_settles_at_once_and_its_failure_is_told() {
    let scene = Scene::new(&["x b<a@20! error@30", "y b<a@20 edited error@30", "z a"]);
    assert_eq!(
        scene.standings(100),
        "x Settled(Excused(Some(Error))), y Settled(Excused(Some(Error))), z Candidate"
    );
    let decision = scene.decide(100);
    assert_eq!((decision.counts.excused, decision.counts.failed), (2, 0));
    let told: Vec<_> = decision.failures.iter().map(|it| (it.member, it.is_excused)).collect();
    assert_eq!((told, scene.moves(100)), (vec![(0, true), (1, true)], "z".to_owned()));
}

#[test]
fn v33_an_edit_after_a_failure_that_counts_excuses_nothing() {
    let mut scene = Scene::new(&["x b<a@20 error@30", "y a"]).policy(serde_json::json!({"maxFailures": 1}));
    let decision = scene.decide(100);
    assert_eq!((decision.counts.failed, decision.counts.excused), (1, 0));
    scene.perform(&decision);
    scene.members[0].member.is_edited = true;
    let decision = scene.decide(110);
    assert_eq!((decision.counts.failed, decision.counts.excused), (1, 0));
    assert!(scene.standings(110).starts_with("x Settled(Failed(Error))"));
    scene.policy.max_failures = crate::policy::Policy::default().max_failures;
    assert!(matches!(scene.phase(110), crate::Phase::Halted(_)));
}

#[test]
fn v33_who_fails_again_after_it_was_well_and_was_edited_is_excused() {
    let mut scene = Scene::new(&["x b<a@20 error@30", "y a"])
        .policy(serde_json::json!({"maxFailures": 1, "soakSeconds": 1_000}));
    scene.perform(&scene.decide(100));
    scene.arrive(110);
    scene.perform(&scene.decide(110));
    scene.members[0] = crate::scene::Written::new("x b<a@20 obs@110 edited error@120");
    assert!(scene.standings(200).starts_with("x Settled(Excused(Some(Error)))"));
}

#[test]
fn v33_who_is_not_admitted_is_never_settled() {
    let decision =
        Scene::new(&["x a error@20", "y a"]).policy(serde_json::json!({"paused": true})).decide(100);
    assert_eq!((decision.counts.settled, decision.counts.eligible), (0, 2));
}

#[test]
fn v38_a_newer_revision_takes_over_where_instances_are() {
    let mut scene = Scene::new(&["x b<a@20 obs@30", "y b<a@40", "z a"]).gate("each.index < 1");
    (scene.target, scene.progress.started) = (assignment("3c"), crate::scene::at(50));
    // Who has not arrived stays where it is, comes first and passes the new gate.
    let decision = scene.decide(60);
    assert_eq!(scene.names(decision.moves.iter().map(|it| it.member)), "y");
    assert_eq!(decision.moves[0].from, content('b'));
    assert!(!decision.moves[0].is_excused);
}

#[test]
fn v24_an_instance_that_never_moved_is_not_touched() {
    // Back to b while x is still there: nothing to do.
    let mut scene = Scene::new(&["x b<a@5 obs@6", "y c<b@20 obs@30"]);
    (scene.target, scene.movement) = (assignment("4b"), INSTANT);
    scene.progress.started = crate::scene::at(40);
    assert_eq!(scene.standings(50), "x Apart(AtContent), y Candidate");
    assert_eq!(scene.moves(50), "y");
}
