//! What expressions about a fleet mean, what is told about wrong ones, and what they cost.

use krono_cel::Type;
use serde_json::{Value, json};

use super::*;
use crate::scene::Scene;

fn problems(propagate_when: &Value) -> Vec<String> {
    let spec = Type::object("Spec", [("tier", Type::String), ("size", Type::Int)]);
    let compiled = Gates::compile(propagate_when, &spec);
    compiled.map_or_else(|it| it.iter().map(ToString::to_string).collect(), |_| Vec::new())
}

#[test]
fn v34_wrong_expressions_are_told_with_the_cure() {
    let check = |expression: &str, expected: &str| {
        assert_eq!(
            problems(&json!([expression])),
            [format!("spec.propagateWhen[0]: {expected}")],
            "{expression}"
        );
    };
    check(
        "fleet.total > 1",
        "expected one expression, ${…}, with nothing around it; write ${fleet.total > 1}",
    );
    check(
        "",
        "expected one expression, ${…}, with nothing around it; write ${exponentiallyUpdated(instances, each)}, say",
    );
    check("${fleet.total > 1", "`${` has no closing `}`; close it, or write ${\"${\"} for the text itself");
    check(
        "${fleet.ready}",
        "returns type \"int\" but expected \"bool\"; compare it with something, as in `each.index < 10`",
    );
    check("${fleet.redy > 1}", "undefined field 'redy'; did you mean `ready`?");
    check("${each.spec.teir == 'a'}", "undefined field 'teir'; `each.spec` has size, tier");
    check(
        "${instances.all(i, i.spec.teir == 'a')}",
        "undefined field 'teir'; the schema has no field `teir` there; only what it declares may be read",
    );
    check(
        "${schema.spec.x == 1}",
        "undeclared reference to 'schema'; the names here are instances, each, rgd, fleet; text stands in quotes",
    );
    let never = "mention instances, each, rgd or fleet; `spec.propagation.paused: true` is a pause";
    for constant in ["${false}", "${1 == 2}", "${[1, 2].exists(i, i > 2)}"] {
        check(constant, &format!("is never true, so that no instance would ever move; {never}"));
    }
    check("${1 / 0 == 1}", &format!("never has a value: division by zero; {never}"));
    for step in [0, -3] {
        // V35
        let expected = format!("linearlyUpdated moves at least 1 at a time, not {step}");
        check(&format!("${{linearlyUpdated(instances, each, {step})}}"), &expected);
        check(&format!("${{linearlyUpdated(instances.filter(i, ready(i)), each, {step})}}"), &expected);
    }
    check(
        "${linearlyUpdated(instances, each, '5')}",
        "found no matching overload for 'linearlyUpdated' applied to '(instances, each, string)'",
    );
    assert_eq!(
        problems(&json!("${true}")),
        ["spec.propagateWhen: \"${true}\" is not a list; write a list of expressions, - ${…}"]
    );
    assert_eq!(problems(&json!(["${each.index < 'a'}", 7, "${1 +}"])).len(), 3);
}

#[test]
fn v34_right_expressions_compile() {
    for expression in [
        "true",
        "exponentiallyUpdated(instances, each)",
        "linearlyUpdated(instances, each, 5)",
        "linearlyUpdated(instances.filter(i, i.spec.tier == each.spec.tier), each, 5)",
        "instances.filter(i, updated(i) && !ready(i)).size() < 3",
        "!instances.exists(i, failed(i))",
        "settled(instances[0]) || each.index == 0",
        "fleet.settled * 100 >= fleet.eligible * 50",
        "each.metadata.labels['ring'] == 'canary' || rgd.metadata.annotations['open'] == 'yes'",
        "each.status.endpoint != ''",
        "each.status.propagation.resourcesAtTarget == 0",
    ] {
        assert_eq!(problems(&json!([format!("${{{expression}}}")])), Vec::<String>::new(), "{expression}");
    }
}

fn scene() -> Scene {
    let mut scene = Scene::new(&[
        "p b",
        "q a pinned",
        "r b<a@20 obs@30",
        "s b<a@21 unready@22",
        "t a label=ring:0",
        "u a unready@5 order=3",
    ])
    .policy(json!({"maxFailures": 9}));
    scene.members[2].object["status"] = json!({"observedRGDRevision": 1, "endpoint": "r.local"});
    scene.definition = json!({"metadata": {"name": "app"}, "status": {"currentRevision": 1}});
    scene
}

#[test]
fn v34_what_expressions_see() {
    // Nobody passes but who is asked about: the value shows in who moves.
    let check = |expression: &str, expected: &str| {
        let scene = scene().gate(expression);
        let decision = scene.decide(100);
        assert_eq!(decision.gate_errors, Vec::<String>::new(), "{expression}");
        assert_eq!(scene.names(decision.moves.iter().map(|it| it.member)), expected, "{expression}");
    };
    check("instances.map(i, i.metadata.name) == ['r', 's', 't', 'u', 'p', 'q']", "t u");
    check("instances.map(i, i.index) == [0, 1, 2, 3, null, null]", "t u");
    check("each.index == 2", "t");
    check("each.metadata.name == 'u'", "u");
    check("has(each.metadata.labels) && each.metadata.labels.ring == '0'", "t");
    // Each is asked as if those before it were on their way.
    check("instances.filter(i, updated(i)).map(i, i.metadata.name) == ['r', 's', 'p']", "t");
    check("instances.filter(i, updated(i) && !ready(i)).size() <= 2", "t u");
    check("instances.filter(i, settled(i)).map(i, i.metadata.name) == ['r']", "t u");
    check("instances.filter(i, !ready(i)).size() == 2", "t");
    check("!instances.exists(i, failed(i))", "t u");
    check("ready(each)", "t");
    check("rgd.metadata.name == 'app' && rgd.status.currentRevision == 2", "t u");
    check("instances[0].status.endpoint == 'r.local'", "t u");
    // krono's own fields are always there; who has the content is at the revision, whatever number it was written with.
    check("instances.map(i, i.status.observedRGDRevision) == [2, 0, 0, 0, 2, 0]", "t u");
    check("instances.all(i, i.status.propagation.status == '')", "t");
    check("instances.all(i, i.status.observedGeneration == 0)", "t u");
    check(
        "instances.map(i, i.status).all(it, it.observedGeneration == 0 && it.observedRGDRevision < 3)",
        "t u",
    );
    check("fleet.total == 6 && fleet.eligible == 4 && fleet.settled == 1 && fleet.failed == 0", "t u");
    check("fleet.admitted == 2 && fleet.inFlight == 1 && fleet.ready == 4", "t");
    check("linearlyUpdated(instances.filter(i, i.metadata.name != 'r'), each, 1)", "");
    check("linearlyUpdated(instances.filter(i, i.metadata.name != 's'), each, 3)", "t");
}

#[test]
fn v34_all_expressions_must_be_true() {
    let mut scene = scene();
    let list = json!(["${each.index > 1}", "${each.index < 3}", "${fleet.total == 6}"]);
    scene.gates = Gates::compile(&list, &Type::Dyn).unwrap();
    assert_eq!(scene.moves(100), "t");
    assert_eq!(scene.waiting(100), ["1 GateClosed: propagateWhen[1] is not true: each.index < 3"]);
}

#[test]
fn v35_a_batch_of_none_is_an_error() {
    let scene = scene().gate("linearlyUpdated(instances, each, each.index - each.index)");
    assert_eq!(
        scene.decide(100).gate_errors,
        ["propagateWhen[0]: linearlyUpdated moves at least 1 at a time, not 0"]
    );
}

fn gate(expression: &str) -> Gate {
    Gates::compile(&json!([format!("${{{expression}}}")]), &Type::Dyn).unwrap().all.remove(0)
}

#[test]
fn v35_what_is_the_same_for_all_is_taken_out() {
    let check = |expression: &str, rest: &str, shared: &[&str]| {
        let gate = gate(expression);
        let parts: Vec<&str> = gate.shared.iter().map(|it| it.program.source()).collect();
        assert_eq!((gate.rest.program.source(), parts.as_slice()), (rest, shared), "{expression}");
    };
    check(
        "size(instances.filter(i, i.status.observedRGDRevision == rgd.status.currentRevision)) >= exponentialTarget(each.index)",
        "krono__shared_0 >= exponentialTarget(each.index)",
        &["size(instances.filter(i, i.status.observedRGDRevision == rgd.status.currentRevision))"],
    );
    check("instances.exists(i, failed(i))", "krono__shared_0", &["instances.exists(i, failed(i))"]);
    check(
        "each.index < 3 || instances.all(i, ready(i))",
        "each.index < 3 || krono__shared_0",
        &["instances.all(i, ready(i))"],
    );
    check("each.index < 3", "each.index < 3", &[]);
    // The candidate is looked at within: nothing can be taken out.
    let within = "instances.filter(i, i.index < each.index).all(i, ready(i))";
    check(within, within, &[]);
    let bound = "cel.bind(n, each.index, instances.filter(i, i.index == n).size() > 0)";
    check(bound, bound, &[]);
    check(
        "instances.filter(i, ready(i)).all(i, i.metadata.name != each.metadata.name)",
        "krono__shared_0.all(i, i.metadata.name != each.metadata.name)",
        &["instances.filter(i, ready(i))"],
    );
}

#[test]
fn v35_parts_mean_what_the_whole_means() {
    for expression in [
        "size(instances.filter(i, updated(i))) >= exponentialTarget(each.index)",
        "each.index < 3 || instances.all(i, ready(i))",
        "instances.filter(i, ready(i)).all(i, i.metadata.name != each.metadata.name)",
        "(instances.size() - 3) * 1 > each.index ? true : instances[0].index == 1",
        "instances[17].index == 1 || each.index == 2",
        "instances . filter ( i , ready ( i ) ) . size ( ) > each . index",
    ] {
        let mut scene = scene().gate(expression);
        let parts = scene.decide(100);
        let gate = &mut scene.gates.all[0];
        assert!(!gate.shared.is_empty(), "{expression}");
        (gate.rest, gate.shared) = (gate.whole.clone(), Vec::new());
        assert_eq!(scene.decide(100), parts, "{expression}");
    }
}

#[test]
fn v35_what_is_not_looked_at_makes_no_difference() {
    for expression in [
        "size(instances.filter(i, i.status.observedRGDRevision == rgd.status.currentRevision)) >= exponentialTarget(each.index)",
        "instances.map(i, i.status.observedRGDRevision) == [2, 0, 0, 0, 2, 0] && each.status.state == ''",
        "instances.filter(i, ready(i)).all(i, i.metadata.name != each.metadata.name)",
        "instances.exists(i, has(i.status.endpoint) && i.status.endpoint == 'r.local')",
        "instances.all(i, has(i.status.state) && !has(i.status.nothing) && !has(i.spec))",
        "instances.map(i, i).filter(i, i.index == 2)[0].metadata.labels.ring == '0'",
        "instances.all(i, i.status.propagation.resourcesAtTarget == 0)",
        "instances.all(i, i.status.propagation == each.status.propagation)",
        "linearlyUpdated(instances.filter(i, i.metadata.name != 's'), each, 3)",
        "cel.bind(all, instances, all[each.index].metadata.name == each.metadata.name)",
        "instances.exists_one(i, dyn(i) == dyn(each))",
        "instances.exists(i, i.status == each.status)",
        // Those that have no value.
        "instances.all(i, i.status.nothing == 1)",
        "instances[0].spec.size == 1",
        "each.status.endpoint == 'r.local'",
        "each.metadata.labels.ring == '0'",
        "ready(instances[17])",
        "ready(each.metadata)",
    ] {
        let mut scene = scene().gate(expression);
        let seen = scene.decide(100);
        scene.gates.sight = Sight { fields: sight::Names::All, status: sight::Names::All };
        assert_eq!(scene.decide(100), seen, "{expression}");
    }
}

#[test]
fn v35_who_failed_is_seen_by_a_gate() {
    let check = |expression: &str, before: &str, after: &str| {
        let scene =
            Scene::new(&["x b<a@20 error@30", "y a"]).policy(json!({"maxFailures": 9})).gate(expression);
        assert_eq!((scene.moves(40).as_str(), scene.moves(100).as_str()), (before, after), "{expression}");
    };
    check("instances.exists(i, failed(i))", "", "y");
    check("instances.filter(i, failed(i)).map(i, i.metadata.name) == ['x'] && fleet.failed == 1", "", "y");
    check("failed(instances[0]) && !failed(each)", "", "y");
    check("fleet.failed == 0", "y", "");
}

#[test]
fn v35_all_instances_are_made_only_where_somebody_looks_at_them() {
    let check = |expression: &str, each: Each, instances: bool| {
        let mentions = gate(expression).rest.mentions;
        assert_eq!((mentions.each, mentions.instances), (each, instances), "{expression}");
    };
    check("exponentiallyUpdated(instances, each)", Each::ExponentialTarget, false);
    check("linearlyUpdated(instances, each, 4)", Each::LinearTarget(4), false);
    check("linearlyUpdated(instances, each, fleet.total)", Each::Index, false);
    check("size(instances) >= exponentialTarget(each.index)", Each::ExponentialTarget, false);
    check("size(instances) >= exponentialTarget(each.index) || each.index < 3", Each::Index, false);
    check("exponentiallyUpdated(instances, each) && linearlyUpdated(instances, each, 4)", Each::Index, false);
    check("exponentiallyUpdated(instances, each) && ready(each)", Each::More, false);
    check("fleet.failed == 0", Each::Nothing, false);
    check("each.index < 4 && each.metadata.name != ''", Each::More, false);
    check("size(instances) > each.index", Each::Index, false);
    check("instances.all(i, i.index != each.index)", Each::Index, true);
}

#[test]
fn v35_what_changes_with_an_admission_is_known_beforehand() {
    let check = |expression: &str, rest: bool, shared: bool| {
        let gate = gate(expression);
        let found = (gate.rest.mentions.admissions, gate.shares_admissions());
        assert_eq!(found, (rest, shared), "{expression}");
    };
    check("exponentiallyUpdated(instances, each)", false, false);
    check("fleet.failed == 0 && fleet.settled * 2 > fleet.total", false, false);
    check("fleet.inFlight < 5", true, false);
    check("each.index < 3 || fleet.ready > 5", true, false);
    check("{'a': fleet}.size() > 0", true, false);
    check("instances.filter(i, updated(i) && !ready(i)).size() < 5", false, true);
    check("instances.filter(i, settled(i)).size() > 5 && !instances.exists(i, failed(i))", false, false);
    check("instances.filter(i, i.index < each.index).all(i, ready(i))", true, false);
}

#[test]
fn v41_everybody_is_asked_some_time_however_much_it_costs() {
    let last = "instances.filter(i, i.index != each.index).size() > 30 && each.metadata.name == 'i599'";
    let scene = Scene::of(600).gate(last);
    let mut now = 20;
    for _ in 0..100 {
        let decision = scene.decide(now);
        if !decision.moves.is_empty() {
            assert_eq!(scene.names(decision.moves.iter().map(|it| it.member)), "i599");
            return;
        }
        now = decision.look_again.expect("not all were asked").as_second();
    }
    panic!("the last was not asked until second {now}");
}

#[test]
fn v35_what_costs_too_much_is_asked_for_the_next_candidates_only() {
    let scene = Scene::of(3_000);
    let decision = scene.gate("instances.filter(i, i.index != each.index).size() > 30").decide(20);
    let (moved, waiting) = (decision.moves.len(), &decision.waiting);
    assert!((10..1_000).contains(&moved), "{moved}");
    assert_eq!(
        (waiting.len(), waiting[0].wait.as_str(), waiting[0].told.count),
        (1, "GateNotAsked", 3_000 - moved)
    );
}
