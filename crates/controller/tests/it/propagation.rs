//! How a new revision reaches a fleet, and how people have a say in it.

use serde_json::{Value, json};

use crate::line::Fault;
use crate::revisions::{APP, edit, revision, text_is};
use crate::world::{World, condition, config_map, definition, message};

/// Revisions are told apart by a text; that of `bad` never becomes ready.
pub(crate) fn app(text: &str, policy: &Value) -> Value {
    let ready = "readyWhen: ['${one.data.text != \"bad\"}']";
    let mut made =
        definition("App", "spec: {text: string}", &config_map("one", &format!("text: '{text}'"), ready));
    let fields = policy.as_object().expect("a map").clone();
    made["spec"].as_object_mut().expect("a map").extend(fields);
    made
}

/// So many instances at revision `one`, `i000` the first of them; all are ready.
pub(crate) async fn fleet(count: usize, policy: &Value) -> World {
    let world = World::start().await;
    edit(&world, &app("one", policy)).await;
    for at in 0..count {
        world.instance(&format!("App {}", name(at)), "text: hello").await;
    }
    for at in 0..count {
        world.active(&format!("App {}", name(at))).await;
    }
    world.settled().await;
    world
}

pub(crate) fn name(at: usize) -> String {
    format!("i{at:03}")
}

/// Issues a revision; it reaches whomever it may.
pub(crate) async fn issue(world: &World, text: &str, policy: &Value) {
    edit(world, &app(text, policy)).await;
}

/// The definition, when its propagation is in that phase.
pub(crate) async fn phase(world: &World, phase: &str) -> Value {
    world.eventually(APP, |it| it["status"]["propagation"]["phase"] == phase).await
}

/// How many instances are assigned to a revision.
pub(crate) async fn assigned(world: &World, number: i64) -> usize {
    let all = world.all("App").await;
    all.iter().filter(|it| it["status"]["assignment"]["revision"] == number).count()
}

/// The instances whose resource has this text.
pub(crate) async fn with_text(world: &World, text: &str) -> Vec<String> {
    let all = world.all("ConfigMap").await;
    let found = all.iter().filter(|it| it["data"]["text"] == text);
    let mut names: Vec<String> =
        found.filter_map(|it| it["metadata"]["name"].as_str()).map(str::to_owned).collect();
    names.sort();
    names
}

/// The waves that were told of, in order.
async fn waves(world: &World) -> Vec<String> {
    let mut waves: Vec<String> = world
        .told()
        .await
        .into_iter()
        .filter_map(|it| it.strip_prefix("Normal PropagationWave: ").map(str::to_owned))
        .collect();
    waves.sort();
    waves
}

#[tokio::test(flavor = "multi_thread")]
async fn v36_without_policy_everybody_moves_at_once_and_nothing_more_is_written() {
    let world = fleet(3, &json!({})).await;
    issue(&world, "two", &json!({})).await;
    for at in 0..3 {
        world.eventually(&format!("ConfigMap {}-one", name(at)), text_is("two")).await;
    }
    world.settled().await;
    let told = world.there(APP).await;
    assert!(told["status"]["propagation"].is_null(), "{told:#}");
    for instance in world.all("App").await {
        assert!(instance["status"]["assignment"]["admission"].is_null(), "{instance:#}");
    }
    assert!(revision(&world, 1).await["metadata"]["annotations"]["krono.dev/completed"].is_null());
}

#[tokio::test(flavor = "multi_thread")]
async fn v35_an_exponential_gate_admits_one_then_two_then_four() {
    let policy = json!({"propagateWhen": ["${exponentiallyUpdated(instances, each)}"]});
    let world = fleet(7, &policy).await;
    issue(&world, "two", &policy).await;
    let told = phase(&world, "Completed").await;
    world.eventually(APP, |it| it["status"]["propagation"]["instances"]["updated"] == 7).await;
    world.settled().await;
    assert_eq!(
        waves(&world).await,
        [
            "wave 1: 1 instance moves to revision 2",
            "wave 2: 2 instances move to revision 2",
            "wave 3: 4 instances move to revision 2"
        ],
        "{told:#}"
    );
    assert_eq!(with_text(&world, "two").await.len(), 7);
    let told = world.there(APP).await;
    assert!(condition(&told, "Propagating").is_null());
    assert!(
        world
            .told()
            .await
            .contains(&"Normal PropagationCompleted: revision 2 reached 7 instances".to_owned())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn v34_the_formula_of_the_design_works_as_printed() {
    let formula = "${size(instances.filter(i, i.status.observedRGDRevision == rgd.status.currentRevision)) >= \
                   exponentialTarget(each.index)}";
    let policy = json!({"propagateWhen": [formula]});
    let world = fleet(3, &policy).await;
    issue(&world, "two", &policy).await;
    world.eventually(APP, |it| it["status"]["propagation"]["instances"]["updated"] == 3).await;
    world.settled().await;
    assert_eq!(waves(&world).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn v40_the_definition_says_who_waits_and_why_and_nothing_is_written_on_those() {
    let policy = json!({"propagateWhen": ["${each.index < 2}"]});
    let world = fleet(4, &policy).await;
    let before = world.there("App i003").await;
    issue(&world, "two", &policy).await;
    let told = world.eventually(APP, |it| it["status"]["propagation"]["instances"]["settled"] == 2).await;
    world.settled().await;
    let propagation = &told["status"]["propagation"];
    assert_eq!(propagation["waiting"][0]["count"], 2);
    assert_eq!(propagation["waiting"][0]["reason"], "GateClosed");
    assert_eq!(propagation["waiting"][0]["first"], json!(["default/i002", "default/i003"]));
    let told = world.there(APP).await;
    let expected = "revision 2 has settled at 2 of 4 instances, 0 on their way; 2 wait: propagateWhen[0] is not true: \
                    each.index < 2";
    assert_eq!(message(&told, "Propagating"), expected);
    assert_eq!(world.there("App i003").await, before);
    assert_eq!(with_text(&world, "two").await, ["i000-one", "i001-one"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn v41_a_restart_neither_forgets_nor_repeats() {
    let gate = |most: usize| json!({"propagateWhen": [format!("${{each.index < {most}}}")]});
    let mut world = fleet(4, &gate(2)).await;
    issue(&world, "two", &gate(2)).await;
    world.eventually(APP, |it| it["status"]["propagation"]["instances"]["settled"] == 2).await;
    world.settled().await;
    let admission = |instance: &Value| instance["status"]["assignment"]["admission"].clone();
    let before =
        (world.there(APP).await["status"]["propagation"].clone(), admission(&world.there("App i000").await));
    assert!(before.1["at"].is_string());
    world.start_controllers();
    world.settled().await;
    let after =
        (world.there(APP).await["status"]["propagation"].clone(), admission(&world.there("App i000").await));
    assert_eq!(before, after);
    assert_eq!(with_text(&world, "two").await, ["i000-one", "i001-one"]);
    edit(&world, &app("two", &gate(3))).await;
    world.eventually("ConfigMap i002-one", text_is("two")).await;
    world.settled().await;
    assert_eq!(with_text(&world, "two").await.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn v36_no_more_are_on_their_way_than_may_be() {
    let policy = json!({"propagation": {"maxInFlight": 2}});
    let world = fleet(5, &policy).await;
    issue(&world, "bad", &policy).await;
    world.eventually(APP, |it| it["status"]["propagation"]["instances"]["inFlight"] == 2).await;
    world.settled().await;
    let told = world.there(APP).await;
    assert_eq!(told["status"]["propagation"]["waiting"][0]["reason"], "MaxInFlight");
    assert_eq!((assigned(&world, 1).await, assigned(&world, 2).await), (3, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn v41_no_more_are_on_their_way_than_a_gate_allows() {
    for gate in ["${fleet.inFlight < 2}", "${instances.filter(i, updated(i) && !ready(i)).size() < 2}"] {
        let policy = json!({"propagateWhen": [gate]});
        let world = fleet(5, &policy).await;
        issue(&world, "bad", &policy).await;
        world.eventually(APP, |it| it["status"]["propagation"]["instances"]["inFlight"] == 2).await;
        world.settled().await;
        assert_eq!((assigned(&world, 1).await, assigned(&world, 2).await), (3, 2), "{gate}");
        issue(&world, "three", &policy).await;
        world.eventually(APP, |it| it["status"]["propagation"]["instances"]["updated"] == 5).await;
        world.settled().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn v36_new_instances_begin_with_what_the_policy_says() {
    let policy = |begin: &str| json!({"propagateWhen": ["${fleet.total > 9}"], "propagation": {"newInstances": begin}});
    let world = fleet(1, &policy("LastGood")).await;
    issue(&world, "two", &policy("LastGood")).await;
    world.settled().await;
    world.instance("App i001", "text: hello").await;
    world.eventually("ConfigMap i001-one", text_is("one")).await;
    world.settled().await;
    assert_eq!((assigned(&world, 1).await, assigned(&world, 2).await), (2, 0));
    edit(&world, &app("two", &policy("Current"))).await;
    world.settled().await;
    world.instance("App i002", "text: hello").await;
    world.eventually("ConfigMap i002-one", text_is("two")).await;
    world.settled().await;
    assert_eq!((assigned(&world, 1).await, assigned(&world, 2).await), (2, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn v36_mistakes_are_told_at_once_and_nobody_moves() {
    let good = json!({"propagation": {"maxInFlight": 2}});
    let world = fleet(2, &good).await;
    for (wrong, expected) in [
        (
            json!({"propagateWhen": ["${fleet.setled > 3}"]}),
            "spec.propagateWhen[0]: undefined field 'setled'",
        ),
        (
            json!({"propagateWhen": ["${each.spec.size > 3}"]}),
            "spec.propagateWhen[0]: undefined field 'size'",
        ),
        (json!({"propagateWhen": ["${false}"]}), "spec.propagateWhen[0]: is never true"),
        (
            json!({"propagateWhen": ["${linearlyUpdated(instances, each, 0)}"]}),
            "spec.propagateWhen[0]: linearlyUpdated moves at least 1 at a time, not 0",
        ),
        (
            json!({"propagation": {"windows": [{"schedule": "0 0 30 2 *", "duration": "1h"}]}}),
            "spec.propagation.windows[0].schedule: \"0 0 30 2 *\" never comes",
        ),
        (
            json!({"propagation": {"maxInFlight": 0}}),
            "spec.propagation.maxInFlight: 0 would let no instance move",
        ),
    ] {
        world.put_by_hand(&app("two", &wrong)).await;
        let told = world.eventually(APP, |it| message(it, "PropagationInvalid").contains(expected)).await;
        assert!(message(&told, "PropagationInvalid").starts_with("no instance moves to another revision: "));
        world.settled().await;
        assert_eq!(with_text(&world, "one").await.len(), 2);
    }
    let refusal = app("two", &json!({"propagation": {"progressDeadlineSeconds": 0}}));
    let refused = world.try_put(&refusal).await.expect_err("a refusal");
    assert!(refused.contains("spec.propagation.progressDeadlineSeconds"), "{refused}");
    world.settled().await;
    assert_eq!(with_text(&world, "one").await.len(), 2);
    edit(&world, &app("two", &good)).await;
    world.eventually("ConfigMap i000-one", text_is("two")).await;
    world.eventually("ConfigMap i001-one", text_is("two")).await;
    world.settled().await;
    assert!(condition(&world.there(APP).await, "PropagationInvalid").is_null());
}

#[tokio::test(flavor = "multi_thread")]
async fn v34_a_gate_that_nobody_can_begin_to_pass_is_told_while_nobody_waits_for_it() {
    let good = json!({"propagateWhen": ["${exponentiallyUpdated(instances, each)}"]});
    let world = fleet(2, &good).await;
    let closed = json!({"propagateWhen": ["${settled(each)}"]});
    world.put_by_hand(&app("one", &closed)).await;
    let told = world.eventually(APP, |it| !condition(it, "GateNeverOpens").is_null()).await;
    let expected = "no instance would begin to move to a new revision: spec.propagateWhen[0]: is true for nobody while nobody has \
                    moved: settled(each); let the first begin, as `${exponentiallyUpdated(instances, each)}` does";
    assert_eq!(message(&told, "GateNeverOpens"), expected);
    assert_eq!(condition(&told, "GateNeverOpens")["reason"], "NobodyCanBegin");
    assert!(condition(&told, "PropagationInvalid").is_null(), "{told:#}");
    world.settled().await;
    world.has_told(&format!("Warning GateNeverOpens: {expected}")).await;
    edit(&world, &app("one", &good)).await;
    world.eventually(APP, |it| condition(it, "GateNeverOpens").is_null()).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v34_a_gate_without_a_value_for_any_instance_is_told_before_there_is_a_new_revision() {
    let good = json!({"propagateWhen": ["${exponentiallyUpdated(instances, each)}"]});
    let world = fleet(2, &good).await;
    let before = world.all("App").await;
    for gate in ["int(each.metadata.name) > 0", "each.metadata.labels.tier == 'x'"] {
        world.put_by_hand(&app("one", &json!({"propagateWhen": [format!("${{{gate}}}")]}))).await;
        let expected = format!(
            "no instance would begin to move to a new revision: spec.propagateWhen[0]: it has no value for any instance: {gate} ("
        );
        let told = world.eventually(APP, |it| message(it, "GateNeverOpens").starts_with(&expected)).await;
        assert_eq!(told["status"]["currentRevision"], 1);
        world.settled().await;
        world.has_told(&format!("Warning GateNeverOpens: {}", message(&told, "GateNeverOpens"))).await;
        assert_eq!(world.all("App").await, before, "{gate}");
    }
    // As soon as one has what all lacked, there is nothing to tell.
    world.merge("App i001", json!({"metadata": {"labels": {"tier": "y"}}})).await;
    world.eventually(APP, |it| condition(it, "GateNeverOpens").is_null()).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v34_an_expression_without_a_value_keeps_instances_out_and_is_shown() {
    let gate = "${int(each.metadata.name) > 0}";
    let closed = json!({"propagateWhen": [gate]});
    let world = fleet(2, &closed).await;
    issue(&world, "two", &closed).await;
    let is_told = |it: &Value| it["status"]["propagation"]["waiting"][0]["reason"] == "GateFailed";
    let told = world.eventually(APP, is_told).await;
    assert!(!told["status"]["propagation"]["gateErrors"].is_null(), "{told:#}");
    let waits = &told["status"]["propagation"]["waiting"][0];
    assert_eq!(waits["reason"], "GateFailed");
    let cause = waits["message"].as_str().unwrap_or_default();
    assert!(cause.starts_with("propagateWhen[0] has no value: int(each.metadata.name) > 0 ("), "{cause}");
    world.settled().await;
    assert_eq!(with_text(&world, "one").await.len(), 2);
    edit(&world, &app("two", &json!({"propagateWhen": [gate], "propagation": {"failurePolicy": "Open"}})))
        .await;
    world.eventually("ConfigMap i001-one", text_is("two")).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v42_a_pause_lets_nobody_move_and_its_end_lets_all() {
    let policy = json!({"propagation": {}});
    let world = fleet(3, &policy).await;
    world.annotate(APP, "krono.dev/propagation", Some("paused")).await;
    world.eventually(APP, |it| it["status"]["propagation"]["pausedSince"].is_string()).await;
    issue(&world, "two", &policy).await;
    let told = phase(&world, "Paused").await;
    assert_eq!(told["status"]["propagation"]["waiting"][0]["reason"], "Paused");
    world.settled().await;
    assert_eq!(with_text(&world, "one").await.len(), 3);
    world.annotate(APP, "krono.dev/propagation", None).await;
    phase(&world, "Completed").await;
    world.settled().await;
    assert_eq!(with_text(&world, "two").await.len(), 3);
    let told = world.there(APP).await;
    assert_eq!(told["status"]["propagation"]["standstills"][0]["cause"], "Paused");
    world.has_told("Normal PropagationPaused: revision 2 reaches nobody else for now: it is paused").await;
    world.has_told("Normal PropagationResumed: revision 2 goes on").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v36_stages_come_in_order_and_wait_for_approval() {
    let stages = json!([
        {"name": "canary", "instanceSelector": {"matchLabels": {"ring": "0"}}},
        {"name": "rest", "requireApproval": true},
    ]);
    let policy = json!({"propagation": {"stages": stages}});
    let world = fleet(3, &policy).await;
    world.merge("App i002", json!({"metadata": {"labels": {"ring": "0"}}})).await;
    issue(&world, "two", &policy).await;
    world.eventually("ConfigMap i002-one", text_is("two")).await;
    let is_waiting = |it: &Value| it["status"]["propagation"]["waiting"][0]["reason"] == "StageNeedsApproval";
    world.eventually(APP, is_waiting).await;
    world.settled().await;
    assert_eq!(with_text(&world, "two").await, ["i002-one"]);
    world.annotate(APP, "krono.dev/approved-stages", Some("rest")).await;
    let told = world.eventually(APP, |it| !condition(it, "ApprovalInvalid").is_null()).await;
    let expected = "krono.dev/approved-stages: \"rest\" is no approval; write the revision and stages, such as \"3: canary\"";
    assert_eq!(message(&told, "ApprovalInvalid"), expected);
    world.annotate(APP, "krono.dev/approved-stages", Some("1: rest")).await;
    world.settled().await;
    assert_eq!(with_text(&world, "two").await, ["i002-one"]);
    world.annotate(APP, "krono.dev/approved-stages", Some("2: rest")).await;
    phase(&world, "Completed").await;
    world.settled().await;
    assert_eq!(with_text(&world, "two").await.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn v33_who_does_not_follow_takes_no_part_and_blocks_nobody() {
    let policy = json!({"propagateWhen": ["${linearlyUpdated(instances, each, 1)}"]});
    let world = fleet(3, &policy).await;
    world.annotate("App i000", "kro.run/rgd-revision", Some("1")).await;
    world.eventually("App i000", |it| it["status"]["assignment"]["because"] == "Pinned").await;
    world.annotate("App i002", "krono.dev/propagation-order", Some("-1")).await;
    issue(&world, "two", &policy).await;
    world.eventually(APP, |it| it["status"]["propagation"]["instances"]["settled"] == 2).await;
    world.settled().await;
    assert_eq!(with_text(&world, "one").await, ["i000-one"]);
    let at =
        |it: &Value| it["status"]["assignment"]["admission"]["at"].as_str().unwrap_or_default().to_owned();
    assert!(at(&world.there("App i002").await) < at(&world.there("App i001").await), "its turn came first");
    // Once it follows again it has its turn like all others.
    world.annotate("App i000", "kro.run/rgd-revision", None).await;
    world.eventually("ConfigMap i000-one", text_is("two")).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v36_the_end_of_the_policy_is_the_end_of_waiting() {
    let policy = json!({"propagateWhen": ["${fleet.total > 9}"]});
    let world = fleet(2, &policy).await;
    issue(&world, "two", &policy).await;
    world.settled().await;
    assert_eq!(with_text(&world, "one").await.len(), 2);
    edit(&world, &app("two", &json!({}))).await;
    world.eventually("ConfigMap i000-one", text_is("two")).await;
    world.eventually("ConfigMap i001-one", text_is("two")).await;
    world.eventually(APP, |it| it["status"]["propagation"].is_null()).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v36_while_the_policy_makes_no_sense_nothing_is_said_to_be_under_way() {
    let policy = json!({"propagateWhen": ["${linearlyUpdated(instances, each, 1) && fleet.total > 9}"]});
    let world = fleet(2, &policy).await;
    issue(&world, "two", &policy).await;
    world.eventually(APP, |it| !condition(it, "Propagating").is_null()).await;
    world.settled().await;
    edit(&world, &app("two", &json!({"propagation": {"maxInFlight": 0}}))).await;
    let told = phase(&world, "Invalid").await;
    assert!(told["status"]["propagation"]["waiting"].is_null(), "{told:#}");
    world.eventually(APP, |it| condition(it, "Propagating").is_null()).await;
    world.settled().await;
    assert_eq!(with_text(&world, "one").await.len(), 2);
    edit(&world, &app("two", &json!({"propagation": {"maxInFlight": 1}}))).await;
    phase(&world, "Completed").await;
    world.settled().await;
    assert_eq!(with_text(&world, "two").await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn v36_a_stage_may_be_one_of_namespaces() {
    let stages = json!([{"name": "test", "namespaceSelector": {"matchLabels": {"env": "test"}}}, {"name": "rest", "requireApproval": true}]);
    let policy = json!({"propagation": {"stages": stages}});
    let world = fleet(1, &policy).await;
    world
        .put(&json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "trial", "labels": {"env": "test"}}}))
        .await;
    world.instance("App trial/first", "text: hello").await;
    world.active("App trial/first").await;
    issue(&world, "two", &policy).await;
    world.eventually("ConfigMap trial/first-one", text_is("two")).await;
    let is_waiting = |it: &Value| it["status"]["propagation"]["waiting"][0]["reason"] == "StageNeedsApproval";
    world.eventually(APP, is_waiting).await;
    world.settled().await;
    assert_eq!(with_text(&world, "two").await, ["first-one"]);
    // Nobody else tells those who wait that they are in another stage now.
    world.merge("Namespace /default", json!({"metadata": {"labels": {"env": "test"}}})).await;
    world.eventually("ConfigMap i000-one", text_is("two")).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v40_a_wave_is_told_though_one_of_its_writes_is_refused() {
    let policy = json!({"propagateWhen": ["${exponentiallyUpdated(instances, each)}"]});
    let world = fleet(3, &policy).await;
    let mut is_refused = false;
    world.line.break_with(move |it| {
        let is_its_turn = it.starts_with("PATCH") && it.contains("/apps/i002/status?");
        (is_its_turn && !std::mem::replace(&mut is_refused, true)).then_some(Fault::Refused(409))
    });
    issue(&world, "two", &policy).await;
    phase(&world, "Completed").await;
    world.settled().await;
    let told = [
        "wave 1: 1 instance moves to revision 2",
        "wave 2: 2 instances move to revision 2",
        "wave 3: 1 instance moves to revision 2",
    ];
    assert_eq!(waves(&world).await, told);
}

/// Who was observed stays so since the same time, whatever its owner asks for then.
#[tokio::test(flavor = "multi_thread")]
async fn v33_an_edit_of_an_instance_does_not_begin_its_soak_anew() {
    let policy = json!({"propagation": {"soakSeconds": 3600, "maxInFlight": 1}});
    let mut world = fleet(2, &policy).await;
    issue(&world, "two", &policy).await;
    world.eventually(APP, |it| it["status"]["propagation"]["instances"]["updated"] == 1).await;
    world.settled().await;
    assert_eq!(with_text(&world, "two").await, ["i000-one"]);
    world.kill_controllers();
    // It was so two hours ago.
    let since = (jiff::Timestamp::now() - jiff::SignedDuration::from_hours(2)).to_string();
    let status =
        json!({"assignment": {"admission": {"at": since}}, "propagation": {"lastTransitionTime": since}});
    world.merge_status("App i000", status).await;
    world.merge_status(APP, json!({"propagation": {"startedAt": since}})).await;
    world.take_over(Some(jiff::Timestamp::now() - jiff::SignedDuration::from_secs(1)));
    let before = world.there("App i000").await["status"]["observedInputRevision"].as_i64();
    world.merge("App i000", json!({"spec": {"text": "other"}})).await;
    let told =
        world.eventually("App i000", |it| it["status"]["observedInputRevision"].as_i64() > before).await;
    world.settled().await;
    assert_eq!(told["status"]["propagation"]["observedSince"], since, "{told:#}");
    world.eventually(APP, |it| it["status"]["propagation"]["instances"]["settled"] == 1).await;
    world.settled().await;
}
