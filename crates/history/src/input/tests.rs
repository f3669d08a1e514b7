//! Inputs of one instance, without a cluster.

use std::sync::LazyLock;

use krono_schema::{Schema, Validator};
use serde_json::json;

use super::*;
use crate::answered::Answered;
use crate::number::Traces;
use crate::revision::tests::{digest as content, number, revision};
use crate::revision::{Health, Revision};
use crate::rollback::Force;
use crate::writer::{Operation, Writer};

const NOW: &str = "2026-01-05T10:30:00Z";

fn definition(at: u64, letter: char) -> Definition {
    Definition { number: number(at), digest: content(letter) }
}

fn definitions(all: &[(u64, char)]) -> History {
    History::new(all.iter().map(|(at, letter)| revision(*at, *letter)).collect())
}

/// An instance whose inputs are issued one after the other.
#[derive(Default)]
struct Scene {
    inputs: Inputs,
    traces: Traces,
    limit: Option<usize>,
    origin: Origin,
    held: BTreeSet<RevisionNumber>,
}

impl Scene {
    fn decide(&self, spec: &Value, definition: Definition) -> Decision {
        let (limit, held) = (Limit::inline(self.limit.unwrap_or(HISTORY_LIMIT)), &self.held);
        let (inputs, origin) = (&self.inputs, &self.origin);
        issue(&World { spec, definition, inputs, traces: self.traces, limit, origin, held, now: NOW })
    }

    fn ask(&mut self, spec: &Value, definition: Definition) -> RevisionNumber {
        match self.decide(spec, definition) {
            Decision::Same(number) => number,
            Decision::Issue(inputs) => {
                self.inputs = inputs;
                self.inputs.current().unwrap().number
            }
            Decision::Refused(exhausted) => panic!("{exhausted}"),
        }
    }

    fn numbers(&self) -> Vec<u64> {
        self.inputs.iter().map(|it| it.number.get()).collect()
    }
}

fn schema(value: &Value) -> Schema {
    Schema::from_value(value).unwrap()
}

#[test]
fn v15_a_spec_is_seen_through_the_revisions_own_schema() {
    let schema = schema(&json!({"type": "object", "properties": {
        "image": {"type": "string"},
        "replicas": {"type": "integer", "default": 2},
        "nested": {"type": "object", "properties": {"a": {"type": "string"}}},
    }}));
    let check = |spec: Value, expected: Value, ignored: &[&str]| {
        let seen = seen_through(&schema, &spec);
        let ignored = ignored.iter().map(|it| (*it).to_owned()).collect();
        assert_eq!(seen, SeenSpec { spec: expected, ignored }, "{spec}");
    };
    check(json!({"image": "a"}), json!({"image": "a", "replicas": 2}), &[]);
    check(json!({"replicas": 5, "size": "large"}), json!({"replicas": 5}), &["spec.size"]);
    check(
        json!({"nested": {"a": "x", "b": "y"}, "image": null}),
        json!({"nested": {"a": "x"}, "replicas": 2}),
        &["spec.nested.b"],
    );
    check(Value::Null, json!({"replicas": 2}), &[]);
}

#[test]
fn v15_new_defaults_of_a_newer_schema_are_no_new_input() {
    let old = schema(&json!({"type": "object", "properties": {"image": {"type": "string"}}}));
    let mut scene = Scene::default();
    let written = json!({"image": "a"});
    let first = scene.ask(&seen_through(&old, &written).spec, definition(1, 'a'));
    let read_later = json!({"image": "a", "replicas": 3});
    assert_eq!(scene.ask(&seen_through(&old, &read_later).spec, definition(1, 'a')), first);
}

#[test]
fn v15_a_schema_names_the_field_that_it_refuses() {
    let schema = schema(
        &json!({"type": "object", "properties": {"size": {"type": "integer", "maximum": 3}}, "required": ["size"]}),
    );
    let check = |spec: Value, expected: Option<&str>| {
        let found = refusal(&schema, &Validator::new(&schema), &spec);
        assert_eq!(found.is_some(), expected.is_some(), "{spec}: {found:?}");
        assert!(found.unwrap_or_default().starts_with(expected.unwrap_or_default()));
    };
    check(json!({"size": 3, "more": 1}), None);
    check(json!({"size": 4}), Some("spec.size: "));
    check(json!({}), Some("spec.size: "));
}

#[test]
fn v9_input_numbers_only_grow() {
    let mut scene = Scene::default();
    assert_eq!(scene.ask(&json!({"a": 1}), definition(1, 'a')).get(), 1);
    assert_eq!(scene.ask(&json!({"a": 1}), definition(1, 'a')).get(), 1);
    assert_eq!(scene.ask(&json!({"a": 1.0}), definition(7, 'a')).get(), 1);
    assert_eq!(scene.ask(&json!({"a": 1}), definition(2, 'b')).get(), 2);
    assert_eq!(scene.ask(&json!({"a": 2}), definition(2, 'b')).get(), 3);
    let lost = Traces { claims: Some(number(12)), ..Traces::default() };
    let mut restored = Scene { traces: lost, ..Scene::default() };
    assert_eq!(restored.ask(&json!({"a": 2}), definition(2, 'b')).get(), 13);
    let objects = Traces { live: Some(number(5)), claims: Some(number(12)), ..Traces::default() };
    let mut with_objects = Scene { traces: objects, ..Scene::default() };
    assert_eq!(with_objects.ask(&json!({"a": 2}), definition(2, 'b')).get(), 6);
    let highest = RevisionNumber::from_wire(i64::MAX);
    let full = Scene { traces: Traces { statuses: highest, ..Traces::default() }, ..Scene::default() };
    assert!(matches!(full.decide(&json!({}), definition(1, 'a')), Decision::Refused(_)));
}

#[test]
fn v8_returning_to_an_older_input_says_so() {
    let mut scene = Scene::default();
    for spec in [json!({"a": 1}), json!({"a": 2}), json!({"a": 1})] {
        scene.ask(&spec, definition(1, 'a'));
    }
    let standings: Vec<_> = scene
        .inputs
        .iter()
        .map(|it| (it.number.get(), it.standing, it.restored_from.map(RevisionNumber::get)))
        .collect();
    let superseded = Standing::Superseded;
    assert_eq!(standings, [(3, Standing::InProgress, Some(1)), (2, superseded, None), (1, superseded, None)]);
}

#[test]
fn v4_so_many_inputs_are_kept() {
    let mut scene = Scene::default();
    for size in 0..9 {
        scene.ask(&json!({"size": size}), definition(1, 'a'));
    }
    assert_eq!(scene.numbers(), [9, 8, 7, 6, 5]);
    scene.limit = Some(2);
    scene.held = BTreeSet::from([number(6)]);
    scene.ask(&json!({"size": 9}), definition(1, 'a'));
    assert_eq!(scene.numbers(), [10, 9, 6]);
    scene.limit = Some(0);
    scene.held = BTreeSet::new();
    scene.ask(&json!({"size": 10}), definition(1, 'a'));
    assert_eq!(scene.numbers(), [11]);
}

/// A text that does not get smaller.
fn noise(seed: u64, length: usize) -> String {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'!' + u8::try_from((state >> 33) % 90).unwrap())
    };
    (0..length).map(|_| next()).collect()
}

#[test]
fn v4_specs_are_within_a_budget_and_the_oldest_go() {
    let mut scene = Scene::default();
    for seed in 0..5 {
        scene.ask(&json!({"text": noise(seed, 20_000)}), definition(1, 'a'));
    }
    let kept: Vec<bool> = scene.inputs.iter().map(|it| it.packed().is_some()).collect();
    assert_eq!(kept, [true, true, false, false, false]);
    let room: usize = scene.inputs.iter().filter_map(Input::packed).map(PackedSpec::size).sum();
    assert!(room <= BUDGET, "{room}");
    scene.ask(&json!({"text": noise(9, 100_000)}), definition(1, 'a'));
    assert!(scene.inputs.iter().all(|it| it.spec == KeptSpec::Dropped));
    let definitions = definitions(&[(1, 'a')]);
    let told = summaries(&scene.inputs, &definitions);
    assert_eq!(told[0]["restorable"], json!(false));
}

#[test]
fn v4_what_objects_hold_takes_no_room_in_the_status() {
    let mut scene = Scene::default();
    for seed in 0..3 {
        scene.ask(&json!({"text": noise(seed, 20_000)}), definition(1, 'a'));
        scene.inputs = Inputs::new(scene.inputs.iter().cloned().map(Input::in_object).collect());
    }
    for seed in 3..5 {
        scene.ask(&json!({"text": noise(seed, 20_000)}), definition(1, 'a'));
    }
    assert!(scene.inputs.iter().all(|it| it.unpacked().is_some()));
    let told = summaries(&scene.inputs, &definitions(&[(1, 'a')]));
    let kept: Vec<bool> = told
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["spec"].is_string() && it["restorable"].is_null())
        .collect();
    assert_eq!(kept, [true, true, false, false, false]);
    assert!(told.as_array().unwrap().iter().all(|it| it["restorable"].is_null()), "{told}");
    assert!(read(&told).have_gaps());
}

#[test]
fn v4_what_is_held_takes_no_room_from_the_newest() {
    let mut scene = Scene::default();
    for seed in 0..4 {
        // Resources are at the input before.
        scene.held = scene.inputs.current().map(|it| it.number).into_iter().collect();
        scene.ask(&json!({"text": noise(seed, 40_000)}), definition(1, 'a'));
        assert!(scene.inputs.iter().take(2).all(|it| it.packed().is_some()), "{seed}");
    }
    let kept = scene.inputs.iter().filter(|it| it.packed().is_some()).count();
    assert_eq!(kept, 2);
}

#[test]
fn v4_a_packed_spec_is_the_spec() {
    let spec = json!({"image": "nginx", "list": [1, 2.5, {"x": "\u{1}é"}], "text": "a".repeat(5000)});
    let packed = PackedSpec::pack(&spec);
    assert!(packed.size() < 400, "{}", packed.size());
    assert_eq!(packed.unpack().unwrap(), spec);
    for garbage in ["", "x", "AAAA", "bm8gc3BlYw=="] {
        assert_eq!(PackedSpec::from_text(garbage).unpack(), Err(Unpackable), "{garbage}");
    }
    let bomb = PackedSpec::pack(&json!("a".repeat(5 << 20)));
    assert_eq!(bomb.unpack(), Err(Unpackable));
}

#[test]
fn v4_what_a_status_says_is_read_again() {
    let mut scene = Scene::default();
    scene.ask(&json!({"a": 1}), definition(1, 'a'));
    scene.ask(&json!({"a": 2}), definition(3, 'b'));
    let told = summaries(&scene.inputs, &definitions(&[(1, 'a'), (3, 'b')]));
    assert_eq!(read(&told), scene.inputs);
    let newest = &told[0];
    assert_eq!((&newest["revision"], &newest["rgdRevision"]), (&json!(2), &json!(3)));
    assert_eq!((&newest["createdAt"], &newest["status"]), (&json!(NOW), &json!("InProgress")));
    let garbage = json!([{"revision": 0, "rgdRevision": 1}, "x", {"revision": 7}, told[1]]);
    assert_eq!(read(&garbage).iter().map(|it| it.number.get()).collect::<Vec<_>>(), [1]);
}

#[test]
fn v32_an_input_whose_definition_was_pruned_says_so() {
    let mut scene = Scene::default();
    scene.ask(&json!({"a": 1}), definition(1, 'a'));
    scene.ask(&json!({"a": 1}), definition(2, 'b'));
    let told = summaries(&scene.inputs, &definitions(&[(2, 'b'), (3, 'c')]));
    assert_eq!((told[0].get("restorable"), &told[1]["restorable"]), (None, &json!(false)));
    let again = summaries(&scene.inputs, &definitions(&[(2, 'b'), (5, 'a')]));
    assert_eq!(again[1].get("restorable"), None);
}

#[test]
fn v4_an_object_holds_what_the_design_prints() {
    let mut scene = Scene::default();
    scene.ask(&json!({"replicas": 5}), definition(3, 'c'));
    let instance = json!({"apiVersion": "apps.example.com/v1alpha1", "kind": "Application",
        "metadata": {"name": "my-app", "namespace": "default", "uid": "u-1"}});
    let input = scene.inputs.current().unwrap();
    let object = input_revision_object(input, "my-app-input-rev-1", &instance, "application");
    let expected = json!({
        "apiVersion": "kro.run/v1alpha1",
        "kind": "ResourceGraphInputRevision",
        "metadata": {
            "name": "my-app-input-rev-1",
            "namespace": "default",
            "labels": {
                "kro.run/instance-name": "my-app", "kro.run/input-revision": "1", "kro.run/rgd-revision": "3",
                "krono.dev/instance-uid": "u-1",
            },
            "ownerReferences": [{"apiVersion": "apps.example.com/v1alpha1", "kind": "Application", "name": "my-app",
                "uid": "u-1", "controller": true}],
        },
        "spec": {
            "inputRevision": 1,
            "rgdRevision": 3,
            "rgdRevisionRef": {"name": "application-rev-3", "digest": content('c').to_string()},
            "instanceSpec": {"replicas": 5},
            "digest": Digest::of_input(&json!({"replicas": 5}), content('c')).to_string(),
            "createdAt": NOW,
        },
    });
    assert_eq!(object, expected);
    let read = read_object(&object).unwrap();
    assert_eq!(read, Input { standing: Standing::Superseded, ..input.clone() });
}

#[test]
fn v11_an_input_tells_who_made_it_unless_the_definition_did() {
    let author = |manager: &str| Author { manager: Some(manager.to_owned()), ..Author::default() };
    let origin = |manager: &str, cause: &str| Origin {
        author: Some(author(manager)),
        change_cause: Some(cause.to_owned()),
    };
    let mut scene = Scene { origin: origin("anna", "first"), ..Scene::default() };
    scene.ask(&json!({"a": 1}), definition(1, 'a'));
    scene.origin = origin("bert", "more");
    scene.ask(&json!({"a": 1}), definition(2, 'b'));
    scene.ask(&json!({"a": 2}), definition(2, 'b'));
    let told: Vec<Origin> = scene.inputs.iter().map(|it| it.origin.clone()).collect();
    assert_eq!(told, [origin("bert", "more"), Origin::default(), origin("anna", "first")]);
    assert_eq!(read(&summaries(&scene.inputs, &History::default())).iter().count(), 3);
}

#[test]
fn v11_what_krono_restored_is_the_change_of_whoever_asked_or_of_nobody_known() {
    let author = |manager: &str, user: Option<&str>, notes: Notes| {
        let annotations = user.map(|it| json!({"krono.dev/changed-by": format!("2 {it}")}));
        let entry = json!({"manager": manager, "operation": "Update", "fieldsV1": {"f:spec": {"f:a": {}}}});
        let metadata = json!({"generation": 2, "annotations": annotations, "managedFields": [entry]});
        let author = Origin::of(&json!({"metadata": metadata}), notes).author;
        author.map(|it| (it.manager.unwrap_or_default(), it.user.unwrap_or_default()))
    };
    let check = |manager, user, notes, expected: Option<(&str, &str)>| {
        let expected = expected.map(|(manager, user)| (manager.to_owned(), user.to_owned()));
        assert_eq!(author(manager, user, notes), expected, "{manager} {user:?}");
    };
    check("kubectl-edit", None, Notes::Doubted, Some(("kubectl-edit", "")));
    check("krono", None, Notes::Doubted, None);
    check("krono", Some("anna"), Notes::Doubted, None);
    check("krono", Some("anna"), Notes::Believed, Some(("krono", "anna")));
}

/// Inputs 1 (revision 1), 2 and 3 (revision 2).
fn rolled() -> Scene {
    let mut scene = Scene::default();
    scene.ask(&json!({"a": 1}), definition(1, 'a'));
    scene.ask(&json!({"a": 1}), definition(2, 'b'));
    scene.ask(&json!({"a": 3}), definition(2, 'b'));
    scene
}

/// The spec of the newest of these.
static ASKED: LazyLock<Value> = LazyLock::new(|| json!({"a": 3}));

fn request(text: &str) -> Request<'_> {
    Request { text, writer: None, force: Force::No, scope: Scope::Whole, rejected: None }
}

/// What the newest input says is what the instance asks for.
fn situation<'a>(inputs: &'a Inputs, definitions: &'a History) -> Situation<'a> {
    Situation {
        spec: &ASKED,
        assigned: content('b'),
        name: "app/mine",
        namespace: "",
        inputs,
        highest: Some(number(3)),
        definitions,
        current: Some(content('b')),
        follows: true,
        pin: None,
        is_held: false,
        may_pin: true,
        minimum: None,
        keeper: None,
        answered: Answered::NONE,
    }
}

#[test]
fn v22_a_rollback_restores_the_combination() {
    let (scene, definitions) = (rolled(), definitions(&[(1, 'a'), (2, 'b')]));
    let situation = situation(&scene.inputs, &definitions);
    let check = |text: &str, pin: Option<&str>, spec: Value, expected: Pin| {
        let verdict = judge(&request(text), &Situation { pin, ..situation });
        let number = text.parse().unwrap();
        assert_eq!(verdict, Verdict::Restore { number, spec, pin: expected }, "{text}");
    };
    check("1", None, json!({"a": 1}), Pin::Set(number(1)));
    check("1", Some("1"), json!({"a": 1}), Pin::Stays);
    check("1", Some("2"), json!({"a": 1}), Pin::Set(number(1)));
    check("2", None, json!({"a": 1}), Pin::Stays);
    check("2", Some("1"), json!({"a": 1}), Pin::Goes);
    let spec_only = Request { scope: Scope::SpecOnly, ..request("1") };
    let expected = Verdict::Restore { number: number(1), spec: json!({"a": 1}), pin: Pin::Stays };
    assert_eq!(judge(&spec_only, &situation), expected);
    let same = judge(&spec_only, &Situation { spec: &json!({"a": 1}), ..situation });
    assert!(matches!(same, Verdict::Refused(Refusal::SameContent { .. })), "{same:?}");
}

#[test]
fn v22_who_does_not_follow_is_pinned_to_what_is_current_too() {
    let definitions = definitions(&[(1, 'a'), (2, 'b'), (3, 'a')]);
    let scene = rolled();
    let waits = Situation { current: Some(content('a')), ..situation(&scene.inputs, &definitions) };
    let check = |text: &str, follows: bool, pin: Option<&str>, is_held: bool, expected: Pin| {
        let verdict = judge(&request(text), &Situation { follows, pin, is_held, ..waits });
        let Verdict::Restore { pin: found, .. } = verdict else { panic!("{text}: {verdict:?}") };
        assert_eq!(found, expected, "{text} follows {follows}, pin {pin:?}, held {is_held}");
    };
    check("1", true, None, false, Pin::Stays);
    check("1", true, Some("2"), false, Pin::Goes);
    check("1", false, None, false, Pin::Set(number(3)));
    check("1", false, Some("2"), false, Pin::Set(number(3)));
    check("1", false, Some("3"), false, Pin::Stays);
    // It is at what revision 2 says already.
    check("2", true, None, false, Pin::Set(number(2)));
    check("2", false, None, false, Pin::Stays);
    check("2", false, Some("2"), false, Pin::Stays);
    check("2", false, Some("1"), false, Pin::Set(number(2)));
    check("2", false, Some("latest"), false, Pin::Set(number(2)));
    check("2", false, None, true, Pin::Set(number(2)));
}

#[test]
fn v22_what_cannot_be_restored_is_refused_with_the_reason() {
    let (scene, all) = (rolled(), definitions(&[(1, 'a'), (2, 'b')]));
    let check = |text: &str, situation: Situation<'_>, expected: &str| {
        let Verdict::Refused(refusal) = judge(&request(text), &situation) else {
            panic!("{text} is accepted")
        };
        assert!(refusal.to_string().contains(expected), "{refusal}");
    };
    let usual = situation(&scene.inputs, &all);
    check("x", usual, "not the number of a revision");
    check("9", usual, "there is no input revision 9 of app/mine; the newest is 3");
    check("3", usual, "nothing to roll back");
    check(
        "1",
        Situation { may_pin: false, ..usual },
        "needs a pin to revision 1, which the definition forbids",
    );
    check("1", Situation { minimum: Some(number(2)), ..usual }, "--spec-only");
    check(
        "2",
        Situation { keeper: Some("Argo CD"), namespace: "prod", ..usual },
        "krono rollback app/mine -n prod --to-input-revision=2 --hold",
    );
    let pruned = definitions(&[(2, 'b')]);
    check("1", situation(&scene.inputs, &pruned), "revision 1 of its definition was pruned");
    let broken = History::new(vec![Revision {
        health: Health::DoesNotCompile("no such kind".to_owned()),
        ..revision(1, 'a')
    }]);
    check("1", situation(&scene.inputs, &broken), "cannot be served: no such kind");
    let fewer = Inputs::new(scene.inputs.iter().take(1).cloned().collect());
    check("1", situation(&fewer, &all), "no longer kept; the oldest that is kept is 3");
    let without_specs =
        Inputs::new(scene.inputs.iter().map(|it| Input { spec: KeptSpec::Dropped, ..it.clone() }).collect());
    check("2", situation(&without_specs, &all), "there was no room for its spec");
    let rejected = Request { rejected: Some("region is immutable"), ..request("1") };
    let Verdict::Refused(refusal) = judge(&rejected, &usual) else { panic!("it is accepted") };
    let words = "the API server does not take the spec of input revision 1 for app/mine: region is immutable";
    assert_eq!(refusal.to_string(), words);
}

#[test]
fn v22_a_request_is_held_against_what_the_spec_says_and_not_against_the_last_input() {
    let (scene, definitions) = (rolled(), definitions(&[(1, 'a'), (2, 'b')]));
    // Paused: neither of these edits was issued.
    let (new, old) = (json!({"a": 7}), json!({"a": 1}));
    let check = |text: &str, spec: &Value, scope: Scope, is_refused: bool| {
        let edited = Situation { spec, ..situation(&scene.inputs, &definitions) };
        let verdict = judge(&Request { scope, ..request(text) }, &edited);
        let is_same = matches!(verdict, Verdict::Refused(Refusal::SameContent { .. }));
        assert_eq!(is_same, is_refused, "{text} {spec}: {verdict:?}");
    };
    check("3", &new, Scope::Whole, false);
    check("3", &new, Scope::SpecOnly, false);
    check("3", &old, Scope::Whole, false);
    check("2", &old, Scope::Whole, true);
    check("1", &old, Scope::Whole, false);
    check("1", &old, Scope::SpecOnly, true);
}

#[test]
fn v22_what_is_held_can_be_rolled_back_to() {
    let (scene, all) = (rolled(), definitions(&[(1, 'a'), (2, 'b')]));
    let held = Situation { is_held: true, ..situation(&scene.inputs, &all) };
    let expected = Verdict::Restore { number: number(3), spec: json!({"a": 3}), pin: Pin::Stays };
    assert_eq!(judge(&request("3"), &held), expected);
}

#[test]
fn v19_a_request_that_a_tool_puts_back_is_left_alone() {
    let (scene, all) = (rolled(), definitions(&[(1, 'a'), (2, 'b')]));
    let writer = Writer { manager: "kustomize-controller".to_owned(), operation: Operation::Apply };
    let again = Request { writer: Some(writer), ..request("1") };
    let answered = Situation { answered: &Answered::read("1"), ..situation(&scene.inputs, &all) };
    assert_eq!(judge(&again, &answered), Verdict::PutBack { manager: "kustomize-controller".to_owned() });
    assert!(matches!(judge(&request("1"), &answered), Verdict::Restore { .. }));
}

#[test]
fn v22_a_hold_needs_an_input_that_can_be_had() {
    let (scene, all) = (rolled(), definitions(&[(1, 'a'), (2, 'b')]));
    let (input, spec) = hold("1", &scene.inputs, &all).unwrap();
    assert_eq!((input.number, spec), (number(1), json!({"a": 1})));
    let check = |text: &str, definitions: &History, expected: &str| {
        let problem = hold(text, &scene.inputs, definitions).unwrap_err().to_string();
        assert!(problem.contains(expected), "{problem}");
    };
    check("first", &all, "not the number of a revision");
    check("7", &all, "input revision 7 is not kept");
    check("1", &definitions(&[(2, 'b')]), "was pruned");
}
