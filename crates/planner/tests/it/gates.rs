//! Resources whose change has to wait, in a cluster that does what plans say.

use std::collections::{BTreeMap, BTreeSet};

use krono_graph::{CompiledGraph, KindName};
use krono_history::input::Definition;
use krono_history::revision::{History, Revision};
use krono_history::witness::Notes;
use krono_history::{Digest, RevisionNumber};
use krono_model::metadata::Owner;
use krono_patch::merge;
use krono_planner::definition::Graphs;
use krono_planner::digest::Digest as Content;
use krono_planner::fleet::Schemas;
use krono_planner::instance::{
    Action, Applied, Assigned, Cluster, DeletionPolicies, Keeping, Member, ObjectName, PropagationGates,
    Refused, Seen, Stamping, World, plan,
};
use krono_propagation::fleet::{Movement, RollbackBy};
use krono_propagation::policy::RollbackMode;
use serde_json::{Value, json};

use crate::scene::{Scene, map};

/// What was applied of an object, and what it is now.
struct Held {
    object: Value,
    applied: Content,
    live: Content,
}

#[derive(Default)]
struct Place(BTreeMap<ObjectName, Held>);

impl Cluster for Place {
    fn seen(&self, kind: &KindName, namespace: &str, name: &str) -> Option<Seen<'_>> {
        let name = ObjectName { kind: kind.clone(), namespace: namespace.to_owned(), name: name.to_owned() };
        let held = self.0.get(&name)?;
        let applied = Applied { desired: held.applied, live: held.applied };
        Some(Seen { object: &held.object, live: Some(held.live), applied: Some(applied) })
    }

    fn selected(&self, _: &KindName, _: Option<&str>, _: &Value) -> Vec<&Value> {
        Vec::new()
    }

    fn members(&self, _: &str) -> Vec<Member<'_>> {
        self.0.iter().map(|(name, held)| Member { kind: &name.kind, object: &held.object }).collect()
    }
}

/// The graphs of revisions, the first first.
struct Revisions(Vec<CompiledGraph>);

fn content(number: usize) -> Digest {
    Digest::of_content("test", &json!(number))
}

impl Graphs for Revisions {
    fn graph_of(&self, digest: Digest) -> Option<Result<&CompiledGraph, &str>> {
        (0..self.0.len()).find(|it| content(*it) == digest).map(|it| Ok(&self.0[it]))
    }
}

impl Schemas for Revisions {
    fn refusal(&self, _: Digest, _: &Value) -> Option<String> {
        None
    }
}

/// An instance of a definition whose resource `one` has these gates.
struct Story {
    place: Place,
    revisions: Revisions,
    gates: PropagationGates,
    instance: Value,
    at: usize,
    way: Movement,
    limit: usize,
}

impl Story {
    /// At the first of the revisions, which differ in a text.
    fn new(gate: &str, texts: &[&str]) -> Self {
        let graph = |text: &&str| {
            Scene::graph(
                "{}",
                &(map("one", "one", &format!("{text}-${{schema.spec.text}}")) + &map("two", "two", text)),
            )
        };
        let definition =
            json!({"spec": {"resources": [{"id": "one", "propagateWhen": [format!("${{{gate}}}")]}]}});
        let metadata =
            json!({"name": "demo", "namespace": "home", "uid": "1", "generation": 1, "resourceVersion": "1"});
        let mut story = Self {
            place: Place::default(),
            revisions: Revisions(texts.iter().map(graph).collect()),
            gates: PropagationGates::of(&definition),
            instance: json!({"apiVersion": "kro.run/v1alpha1", "kind": "App", "metadata": metadata,
                "spec": {"text": "x", "on": true, "words": []}}),
            at: 0,
            way: Movement::Forward,
            limit: 5,
        };
        story.settle();
        story
    }

    /// Does all that plans say, until they say nothing; how often a status was published.
    fn settle(&mut self) -> usize {
        let mut published = 0;
        for _ in 0..50 {
            let (actions, status) = self.plan();
            if actions.is_empty() && status.is_none() {
                return published;
            }
            for action in actions {
                self.perform(action);
            }
            if let Some(status) = status {
                self.instance["status"] = status;
                published += 1;
            }
        }
        panic!("it does not come to rest: {:#}", self.instance);
    }

    fn plan(&self) -> (Vec<Action>, Option<Value>) {
        let number = |at: usize| RevisionNumber::new(at as u64 + 1).expect("a number");
        let all = (0..self.revisions.0.len()).map(|it| Revision::new(number(it), content(it)));
        let kept = History::new(all.collect());
        let assigned = Assigned {
            definition: Definition { number: number(self.at), digest: content(self.at) },
            kept: &kept,
            current: Some(content(self.at)),
            is_paused: false,
            keeping: Keeping::Inline,
            input_limit: self.limit,
            stamping: Stamping::OnChange,
            notes: Notes::Doubted,
            leaves_surplus: false,
            may_pin: true,
            policies: None,
            minimum: None,
            is_defined: &|_| false,
            rollback: None,
            gates: &self.gates,
            way: self.way,
            schemas: &self.revisions,
        };
        let plan = plan(&World {
            instance: &self.instance,
            graph: Ok(&self.revisions.0[self.at]),
            owner: Owner { definition_name: "apps", definition_uid: "2" },
            assigned: Some(&assigned),
            policies: &DeletionPolicies::default(),
            cluster: &self.place,
            refused: &Refused::default(),
            resting: &BTreeSet::new(),
            now: "2026-01-01T00:00:00Z",
        });
        let status = plan.status.filter(|_| plan.actions.is_empty());
        (plan.actions, status)
    }

    fn perform(&mut self, action: Action) {
        match action {
            Action::Apply { name, object, digest, .. } => {
                self.place.0.insert(name, Held { object, applied: digest, live: digest });
            }
            Action::Manage(patch) | Action::Record(patch) | Action::Begin(patch) => {
                self.instance = merge::apply(self.instance.take(), patch).expect("a patch");
            }
            Action::Shrink { object, .. } => {
                self.instance = merge::apply(self.instance.take(), object).expect("a patch");
            }
            other @ (Action::Delete { .. }
            | Action::Release { .. }
            | Action::Unmark { .. }
            | Action::RemoveFinalizer(_)
            | Action::Restore(_)
            | Action::Amend(_)
            | Action::Input(_)) => panic!("{other:?}"),
        }
    }

    fn held(&mut self, name: &str) -> &mut Held {
        self.place.0.iter_mut().find(|(it, _)| it.name == name).expect("an object").1
    }

    fn text(&mut self, name: &str) -> String {
        self.held(name).object["data"]["text"].as_str().expect("a text").to_owned()
    }

    fn drift(&mut self, name: &str) {
        let held = self.held(name);
        held.object["data"]["text"] = json!("astray");
        held.live = Content::of_desired(&held.object);
    }

    fn standing(&self) -> &str {
        self.instance["status"]["propagation"]["status"].as_str().expect("a standing")
    }
}

#[test]
fn v34_a_change_waits_and_all_else_goes_on() {
    let mut story = Story::new("schema.spec.text == 'go'", &["a", "b"]);
    assert_eq!(
        (story.text("one"), story.standing()),
        ("a-x".to_owned(), "Completed"),
        "creation is not held back"
    );
    story.at = 1;
    story.settle();
    assert_eq!((story.text("one"), story.text("two")), ("a-x".to_owned(), "b".to_owned()));
    assert_eq!(story.standing(), "Blocked");
    story.drift("one");
    story.settle();
    assert_eq!(story.text("one"), "a-x", "drift is corrected to what it was");
    story.instance["spec"]["text"] = json!("go");
    story.settle();
    assert_eq!((story.text("one"), story.standing()), ("b-go".to_owned(), "Completed"));
    story.instance["spec"]["text"] = json!("x");
    story.settle();
    assert_eq!(
        (story.text("one"), story.standing()),
        ("b-go".to_owned(), "Blocked"),
        "an edit waits as well"
    );
}

#[test]
fn v34_the_input_that_a_resource_is_at_is_kept_while_it_waits() {
    let mut story = Story::new("schema.spec.on == false", &["a", "b"]);
    story.limit = 1;
    story.at = 1;
    for text in ["p", "q", "r", "s"] {
        story.instance["spec"]["text"] = json!(text);
        story.settle();
        story.drift("one");
        story.settle();
        assert_eq!((story.text("one"), story.standing()), ("a-x".to_owned(), "Blocked"), "{text}");
    }
    let kept = |story: &Story| story.instance["status"]["inputRevisionHistory"].as_array().map(Vec::len);
    assert_eq!(kept(&story), Some(2));
    story.instance["spec"]["on"] = json!(false);
    story.settle();
    assert_eq!((story.text("one"), story.standing()), ("b-s".to_owned(), "Completed"));
    story.settle();
    assert_eq!(kept(&story), Some(1), "what is no longer needed goes");
}

#[test]
fn v30_the_input_that_an_instance_was_last_seen_at_is_kept_while_it_moves() {
    let mut story = Story::new("true", &["a"]);
    (story.gates, story.limit) = (PropagationGates::default(), 1);
    for text in ["p", "q"] {
        story.instance["spec"]["text"] = json!(text);
        let (actions, _) = story.plan();
        let begin = actions.into_iter().find(|it| matches!(it, Action::Begin(_)));
        story.perform(begin.expect("a new input"));
    }
    let kept = |story: &Story| {
        let inputs = story.instance["status"]["inputRevisionHistory"].as_array().expect("inputs");
        inputs.iter().map(|it| it["revision"].as_i64().expect("a number")).collect::<Vec<_>>()
    };
    assert_eq!(kept(&story), [3, 1]);
    assert_eq!(story.settle(), 1, "whoever is there says so, and what is kept then, at once");
    assert_eq!((kept(&story), story.standing()), (vec![3], "Completed"));
}

#[test]
fn v34_a_revision_that_changes_nothing_of_a_resource_waits_for_nothing() {
    let mut story = Story::new("false", &["a", "a"]);
    story.at = 1;
    story.settle();
    assert_eq!(story.standing(), "Completed");
    story.drift("one");
    story.settle();
    assert_eq!(story.text("one"), "a-x");
}

#[test]
fn v34_what_went_back_by_itself_waits_for_nothing() {
    let mut story = Story::new("false", &["a", "b", "a"]);
    story.at = 1;
    story.settle();
    assert_eq!(story.standing(), "Blocked");
    story.at = 2;
    story.settle();
    assert_eq!((story.text("one"), story.standing()), ("a-x".to_owned(), "Completed"));
}

#[test]
fn v23_a_way_back_waits_only_when_it_is_controlled() {
    for (mode, expected) in [(RollbackMode::Instant, "b-x"), (RollbackMode::Controlled, "a-x")] {
        let mut story = Story::new("false", &["a", "b"]);
        (story.at, story.way) = (1, Movement::Back { mode, by: RollbackBy::Person });
        story.settle();
        assert_eq!(story.text("one"), expected, "{mode:?}");
        story.instance["spec"]["text"] = json!("y");
        story.settle();
        assert_eq!(story.text("one"), expected, "an edit is no way back");
    }
}

#[test]
fn v34_where_nobody_knows_what_a_resource_was_it_is_left_alone() {
    let mut story = Story::new("false", &["a", "b"]);
    story.at = 1;
    story.settle();
    let history = story.instance["status"]["inputRevisionHistory"].as_array_mut().expect("a list");
    for input in history.iter_mut() {
        input.as_object_mut().expect("a map").retain(|key, _| key != "spec");
    }
    story.drift("one");
    story.settle();
    assert_eq!((story.text("one"), story.standing()), ("astray".to_owned(), "Blocked"));
}

#[test]
fn v33_who_is_admitted_to_what_it_was_at_before_is_observed_anew() {
    let check = |to: usize, admitted: Option<&str>, expected: (&str, usize)| {
        let mut story = Story::new("true", &["a", "b"]);
        let admission = admitted.map(|at| json!({"at": at, "from": content(1).to_string(), "generation": 1}));
        let digest = content(to).to_string();
        let status = &mut story.instance["status"];
        status["assignment"] =
            json!({"revision": 1, "digest": digest, "because": "Following", "admission": admission});
        status["propagation"]["lastTransitionTime"] = json!("2025-06-01T00:00:00Z");
        let published = story.settle();
        let propagation = &story.instance["status"]["propagation"];
        let since = propagation.get("observedSince").unwrap_or(&propagation["lastTransitionTime"]);
        assert_eq!((since.as_str().expect("a time"), published), expected, "{to} {admitted:?}");
        assert_eq!(propagation["status"], "Completed");
        assert_eq!(story.settle(), 0);
    };
    let (then, now) = ("2025-06-01T00:00:00Z", "2026-01-01T00:00:00Z");
    check(0, None, (then, 0));
    check(0, Some("2025-05-31T23:59:59Z"), (then, 0));
    // Observations are told in whole seconds.
    check(0, Some("2025-06-01T00:00:00.9Z"), (then, 0));
    check(0, Some("2025-06-01T00:00:01Z"), (now, 1));
    check(0, Some("2025-12-31T23:59:59.5Z"), (now, 1));
    // Whoever admitted it had a clock that is ahead.
    check(0, Some("2026-01-01T00:00:07.5Z"), ("2026-01-01T00:00:07Z", 1));
    check(1, Some("2025-12-31T23:59:59.5Z"), (then, 0));
}
