//! Whatever happens: numbers grow, contents stay, what is needed is kept, and every instance ends at its assignment.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use krono_history::input::{self, Input};
use krono_history::{Digest, RevisionNumber};
use krono_model::names;
use krono_planner::definition::Action;
use krono_planner::instance::{ObjectName, assignment, input_kind};
use krono_sim::lineage::{Sabotage, When, revision_kind};
use krono_sim::server::Request;
use krono_sim::{Faults, Simulation};
use krono_testkit::{Run, run_from};
use proptest::test_runner::TestCaseError;
use proptest::{prop_assert, prop_assert_eq};
use serde_json::{Value, json};

use crate::deeds::{CONTENTS, Deed, History, content, histories};
use crate::kinds::{config_map, demo};
use crate::lineages::{Lineage, Manner, definition_name, instance};

#[test]
fn histories_of_two_controllers() {
    let suite = Run { name: "sim-histories", cases: 10, shrinks: 300 };
    run_from(1, suite, &histories(24), |history| {
        let faults = Faults { request: 60, watch: 5, kill: 4, kill_in_request: 15 };
        check(&history, Manner { faults, ..Manner::default() })
    });
}

/// For one history, every write of which is the last of some process: before it, and after it.
#[test]
fn kills_at_every_write() {
    let suite = Run { name: "sim-kills", cases: 1, shrinks: 0 };
    let deaths = Cell::new(0);
    run_from(1, suite, &histories(8), |history| {
        let mut calm = Lineage::new(history.seed, Manner::default());
        calm.play(&history).map_err(TestCaseError::fail)?;
        for write in 1..=calm.simulation.requests {
            for when in [When::Before, When::After] {
                let manner = Manner { kill_at: Some((write, when)), ..Manner::default() };
                check(&history, manner)
                    .map_err(|it| TestCaseError::fail(format!("{when:?} {write}: {it}")))?;
                deaths.set(deaths.get() + 1);
            }
        }
        Ok(())
    });
    let deaths = deaths.get();
    println!("sim-deaths: {deaths}/{deaths}");
}

/// Plans that are spoiled on their way are noticed.
#[test]
fn laws_notice_spoiled_plans() {
    let prune: Sabotage = |plan, all| {
        if let Some(last) = all.last().filter(|_| plan.actions.is_empty()) {
            let text = |field: &str| last["metadata"][field].as_str().unwrap_or_default().to_owned();
            plan.actions.push(Action::DeleteRevision { name: text("name"), uid: text("uid") });
        }
    };
    let forget: Sabotage = |plan, all| {
        let before = all.iter().rev().nth(1).filter(|_| plan.actions.is_empty());
        if let Some(before) = before {
            let text = |field: &str| before["metadata"][field].as_str().unwrap_or_default().to_owned();
            plan.actions.push(Action::DeleteRevision { name: text("name"), uid: text("uid") });
        }
    };
    let reuse: Sabotage = |plan, _| {
        for action in &mut plan.actions {
            if let Action::CreateRevision(object) = action {
                object["spec"]["revision"] = json!(1);
            }
        }
    };
    let rewrite: Sabotage = |plan, _| {
        for action in &mut plan.actions {
            if let Action::PatchRevisionStatus { patch, .. } = action {
                patch["spec"] = json!({"createdBy": "somebody else"});
            }
        }
    };
    let take_back: Sabotage = |plan, _| {
        for action in &mut plan.actions {
            if let Action::Reserve(patch) = action {
                patch["status"]["lastIssuedRevision"] = json!(1);
            }
        }
    };
    let spoil = |sabotage: Sabotage, expect: &str| {
        let deeds = vec![Deed::Define(1), Deed::Define(2), Deed::Define(3)];
        let manner = Manner { sabotage: Some(sabotage), ..Manner::default() };
        let mut lineage = Lineage::new(3, manner);
        lineage.play_on(&History { deeds, seed: 3 });
        let broken = &lineage.simulation.broken;
        assert!(broken.iter().any(|it| it.contains(expect)), "{expect}: {broken:#?}");
    };
    spoil(prune, "is the latest, and is to be pruned");
    spoil(forget, "is within the limit, and is to be pruned");
    spoil(reuse, "was issued twice");
    spoil(rewrite, "changed");
    spoil(take_back, "was taken after");
}

/// A revision that was deleted while a process still served it, and a hold that leads nowhere.
#[test]
fn v20_nobody_serves_from_memory() {
    use Deed::{CreateRevision, Define, Delete, DeleteRevision, Hold, Manual, Rollback, RollbackInput};
    let begin = [Delete(0), Rollback(0), Rollback(0), RollbackInput(1, 0), Rollback(0), Manual(false)];
    let middle = [Manual(false), CreateRevision, DeleteRevision(19), Define(0), Define(0), Define(0)];
    let end = [Define(0), Define(8), Hold(None), Define(4), Hold(Some(4))];
    let deeds = begin.into_iter().chain(middle).chain(end).collect();
    let faults = Faults { request: 60, watch: 5, kill: 4, kill_in_request: 15 };
    let history = History { deeds, seed: 12_709_815_043_359_479_212 };
    check(&history, Manner { faults, ..Manner::default() }).expect("rest");
}

/// A revision that was deleted by force while another process pinned an instance to it.
#[test]
fn v14_who_is_assigned_to_what_is_gone_is_found_again_at_once() {
    use Deed::{Define, DeleteRevision, Edit, Follow, Pin, RollbackInput};
    let begin = [Define(9), Follow(0, None), DeleteRevision(5), Edit(0, "three"), RollbackInput(0, 12)];
    let deeds = begin.into_iter().chain([Pin(0, Some(13))]).collect();
    let history = History { deeds, seed: 4_871_106_994_077_389_710 };
    check(&history, Manner { kill_at: Some((4, When::After)), ..Manner::default() }).expect("rest");
}

/// What is assigned where it should not be, or not observed, is noticed at the end.
#[test]
fn ends_that_are_wrong_are_noticed() {
    let spoil = |place: &str, value: Value| {
        let mut lineage = Lineage::new(3, Manner::default());
        lineage.play(&History { deeds: vec![Deed::Define(1)], seed: 3 }).expect("rest");
        check_end(&lineage.simulation).expect("a good end");
        let mut status = lineage.simulation.server.get(&instance(0)).expect("an instance")["status"].clone();
        *status.pointer_mut(place).expect(place) = value;
        let request = Request::Status { name: instance(0), status, uid: None };
        lineage.simulation.server.perform(&request).expect("an instance");
        assert!(check_end(&lineage.simulation).is_err(), "{place}");
        assert!(check_rest(&mut lineage).is_err(), "{place}");
    };
    let digest = Digest::of_definition(&content(0)).to_string();
    spoil("/assignment/digest", json!(digest));
    spoil("/observedRGDRevision", json!(77));
}

fn check(history: &History, manner: Manner) -> Result<(), TestCaseError> {
    let mut lineage = Lineage::new(history.seed, manner);
    let played = lineage.play(history);
    let simulation = &mut lineage.simulation;
    prop_assert!(simulation.broken.is_empty(), "{:#?}", simulation.broken);
    played.map_err(TestCaseError::fail)?;
    check_end(simulation)?;
    check_rest(&mut lineage)
}

/// A quiet world stays quiet, whoever looks at it.
fn check_rest(lineage: &mut Lineage) -> Result<(), TestCaseError> {
    let version = lineage.simulation.server.version();
    lineage.simulation.restart_all();
    lineage.settle().map_err(TestCaseError::fail)?;
    prop_assert_eq!(lineage.simulation.server.version(), version, "other processes changed something");
    prop_assert!(lineage.simulation.broken.is_empty(), "{:#?}", lineage.simulation.broken);
    Ok(())
}

/// Every instance is where it is assigned to, and that is where it should be.
fn check_end(simulation: &Simulation) -> Result<(), TestCaseError> {
    let definition = simulation.server.get(&definition_name()).cloned().unwrap_or_default();
    let kept: BTreeMap<i64, Digest> = simulation
        .server
        .list(&revision_kind())
        .map(|(_, it)| {
            (it["spec"]["revision"].as_i64().unwrap_or_default(), Digest::of_definition(&it["spec"]))
        })
        .collect();
    for (number, digest) in &kept {
        prop_assert_eq!(simulation.chronicle.content(*number), Some(*digest), "revision {}", number);
    }
    for (name, instance) in simulation.server.list(&demo()) {
        check_instance(simulation, (&definition, &kept), name, instance)?;
        check_inputs(simulation, &definition, instance)?;
    }
    Ok(())
}

/// Objects hold the inputs that the status leaves to them, and no others.
fn check_inputs(simulation: &Simulation, definition: &Value, instance: &Value) -> Result<(), TestCaseError> {
    let (kind, uid) = (input_kind(), &instance["metadata"]["uid"]);
    let objects = simulation.server.list(&kind).map(|(_, it)| it);
    let own = objects.filter(|it| it["metadata"]["labels"][names::INPUT_REVISION_OF_LABEL] == *uid);
    let held: BTreeSet<i64> = own.filter_map(|it| it["spec"]["inputRevision"].as_i64()).collect();
    let told = instance["status"]["inputRevisionHistory"].as_array().map(Vec::as_slice).unwrap_or_default();
    let number = |it: &Value| it["revision"].as_i64();
    let left = told.iter().filter(|it| it["spec"].is_null() && it["restorable"] != false);
    let (told, left): (BTreeSet<i64>, BTreeSet<i64>) =
        (told.iter().filter_map(number).collect(), left.filter_map(number).collect());
    prop_assert!(left.is_subset(&held), "{:?} in {:?}", left, held);
    // A copy of what the status holds may stay behind when objects were wished for a moment only, or nobody works.
    let management = &definition["spec"]["revisionManagement"];
    let is_tended = management["inputRevisions"] == "Objects"
        && assignment(instance).is_some_and(|(_, _, because)| because != "Paused");
    prop_assert!(!is_tended || held.is_subset(&told), "{:?} in {:?}", held, told);
    Ok(())
}

fn check_instance(
    simulation: &Simulation,
    (definition, kept): (&Value, &BTreeMap<i64, Digest>),
    name: &ObjectName,
    instance: &Value,
) -> Result<(), TestCaseError> {
    prop_assert!(instance["metadata"]["deletionTimestamp"].is_null(), "{} is still there", name.name);
    let shown = json!({"annotations": instance["metadata"]["annotations"], "status": instance["status"]});
    let Some((_, digest, because)) = assignment(instance) else {
        // What was never assigned waits for better words of its owner, or of the definition's.
        let is_told = instance["status"]["assignment"]["reason"].is_string();
        let has_current = definition["status"]["currentRevisionHash"].is_string();
        prop_assert!(is_told || !has_current, "{shown:#} is not assigned");
        return Ok(());
    };
    let annotations = &instance["metadata"]["annotations"];
    let follows = annotations[names::RGD_REVISION].is_null()
        && annotations[names::UPDATE_POLICY_ANNOTATION].as_str().is_none_or(|it| it == "Auto")
        && annotations[names::HOLD_INPUT_ANNOTATION].is_null();
    let pin = annotations[names::RGD_REVISION].as_str().and_then(|it| it.parse::<i64>().ok());
    if let Some(pinned) = pin.and_then(|it| kept.get(&it)).filter(|_| because == "Pinned") {
        prop_assert_eq!(digest, *pinned, "{:#}", shown);
    }
    // A hold at what is not there moves nobody.
    let hold = &definition["metadata"]["annotations"][names::ACTIVE_REVISION_ANNOTATION];
    let is_free = hold.as_str().is_none_or(|it| it.parse().is_ok_and(|it: i64| kept.contains_key(&it)));
    if follows && is_free {
        prop_assert_eq!(&definition["status"]["currentRevisionHash"], &digest.to_string(), "{:#}", shown);
    }
    // Content that somebody took away can be served again only once there is something to move to.
    let is_lost = !is_free && kept.values().all(|it| *it != digest);
    if because != "Paused" && !is_lost && !is_left_alone(instance) {
        let observed = instance["status"]["observedRGDRevision"].as_i64();
        let observed = observed.and_then(|it| simulation.chronicle.content(it));
        prop_assert_eq!(observed, Some(digest), "{:#}", shown);
        prop_assert_eq!(mark(simulation, name), of_content(digest), "{:#}", shown);
        check_own(simulation, name, instance)?;
    }
    Ok(())
}

/// Whether nobody knows the input that an instance is to be held at, nor the one that it has.
fn is_left_alone(instance: &Value) -> bool {
    let all = instance["status"]["conditions"].as_array();
    let message =
        all.into_iter().flatten().find(|it| it["type"] == "ResourcesReady").map(|it| &it["message"]);
    message.and_then(Value::as_str).is_some_and(|it| it.contains(names::HOLD_INPUT_ANNOTATION))
}

/// An instance has the spec of its newest input, which is that of the input that it is held at, and else its own (V22).
fn check_own(simulation: &Simulation, name: &ObjectName, instance: &Value) -> Result<(), TestCaseError> {
    let own = data(simulation, name, "own");
    let shown = json!({"annotations": instance["metadata"]["annotations"], "status": instance["status"]});
    let input = |number: i64| spec_of_input(simulation, instance, number);
    let text = |spec: Value| spec["a"].as_str().map(str::to_owned);
    let current = instance["status"]["currentInputRevision"].as_i64().and_then(input);
    prop_assert!(current.is_none_or(|it| text(it) == own), "{:?}: {:#}", own, shown);
    match instance["metadata"]["annotations"][names::HOLD_INPUT_ANNOTATION].as_str() {
        None => prop_assert_eq!(text(instance["spec"].clone()), own, "{:#}", shown),
        Some(number) if instance["status"]["assignment"]["reason"].is_null() => {
            let held = number.parse().ok().and_then(input);
            prop_assert!(held.is_none_or(|it| text(it) == own), "{:?}: {:#}", own, shown);
        }
        Some(_) => {}
    }
    Ok(())
}

/// The spec of an input that is kept: in the status, or as an object.
fn spec_of_input(simulation: &Simulation, instance: &Value, number: i64) -> Option<Value> {
    let number = RevisionNumber::from_wire(number)?;
    let told = input::read(&instance["status"]["inputRevisionHistory"]);
    let uid = &instance["metadata"]["uid"];
    let object = || {
        let kind = input_kind();
        let objects = simulation.server.list(&kind).map(|(_, it)| it);
        let mut own = objects.filter(|it| it["metadata"]["labels"][names::INPUT_REVISION_OF_LABEL] == *uid);
        own.find(|it| it["spec"]["inputRevision"] == number.to_wire())
            .map(|it| it["spec"]["instanceSpec"].clone())
    };
    told.find(number).and_then(Input::unpacked).or_else(object)
}

/// The content that an instance's first resource was made from, as that says itself.
fn mark(simulation: &Simulation, instance: &ObjectName) -> Option<usize> {
    data(simulation, instance, "mark")?.parse().ok()
}

/// A value of an instance's first resource.
fn data(simulation: &Simulation, instance: &ObjectName, field: &str) -> Option<String> {
    let name = format!("{}-main", instance.name);
    let name = ObjectName { kind: config_map(), namespace: instance.namespace.clone(), name };
    simulation.server.get(&name)?["data"][field].as_str().map(str::to_owned)
}

fn of_content(digest: Digest) -> Option<usize> {
    (0..CONTENTS).find(|it| Digest::of_definition(&content(*it)) == digest)
}
