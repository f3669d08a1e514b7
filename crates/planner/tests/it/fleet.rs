//! A fleet that is looked at again and again: nothing is remembered from one look to the next but what was written.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use krono_graph::CompiledGraph;
use krono_history::issue::Named;
use krono_history::revision::{Health, History, Presence, Revision};
use krono_history::witness::Notes;
use krono_history::{Digest, RevisionNumber};
use krono_model::names;
use krono_planner::definition::Graphs;
use krono_planner::fleet::{self, Facts, Leading, Look, Schemas, Step, Turn, decide, look};
use krono_propagation::mark;
use serde_json::{Value, json};

use crate::scene::Scene;

const MAP: &str = "
- id: ID
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: '${schema.metadata.name}-ID'}, data: {text: x}}";

#[derive(Clone)]
pub(crate) struct Fleet {
    pub(crate) definition: Value,
    pub(crate) instances: Vec<Value>,
    /// In seconds.
    pub(crate) now: i64,
    /// What people heard of.
    pub(crate) heard: Vec<String>,
    revisions: Vec<Revision>,
    /// By their contents.
    contents: BTreeMap<Digest, Content>,
    current: usize,
    leading: Leading,
}

#[derive(Clone)]
struct Content {
    letter: char,
    graph: Arc<CompiledGraph>,
}

impl Graphs for Fleet {
    fn graph_of(&self, content: Digest) -> Option<Result<&CompiledGraph, &str>> {
        self.contents.get(&content).map(|it| Ok(&*it.graph))
    }
}

impl Schemas for Fleet {
    /// An instance names the contents whose schemas refuse it.
    fn refusal(&self, content: Digest, spec: &Value) -> Option<String> {
        let letter = self.contents.get(&content)?.letter;
        let refused = spec["refusedBy"].as_str().is_some_and(|it| it.contains(letter));
        refused.then(|| "spec.refusedBy: so it is".to_owned())
    }
}

pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).expect("a time")
}

fn content(letter: char) -> Digest {
    Digest::of_definition(&json!({"schema": {"kind": letter.to_string()}}))
}

impl Fleet {
    /// So many instances that are well at revision 1, which reached all of them.
    pub(crate) fn new(count: usize, propagation: Value) -> Self {
        let mut fleet = Self {
            definition: json!({"metadata": {"name": "app", "annotations": {}}, "spec": {"propagation": propagation}}),
            instances: Vec::new(),
            now: 1_000,
            heard: Vec::new(),
            revisions: Vec::new(),
            contents: BTreeMap::new(),
            current: 0,
            leading: Leading { since: at(0), vacant_from: None },
        };
        fleet.issue('a', &["one"]);
        fleet.revisions[0].is_completed = true;
        for _ in 0..count {
            fleet.create(json!({}));
        }
        for place in 0..count {
            fleet.assign(place, 1);
            fleet.arrive(place);
        }
        fleet.rest();
        fleet
    }

    /// A new revision with a content that makes these resources.
    pub(crate) fn issue(&mut self, letter: char, resources: &[&str]) {
        let texts: Vec<String> = resources.iter().map(|it| MAP.replace("ID", it)).collect();
        let graph = Arc::new(Scene::graph("{}", texts.concat().trim_start()));
        self.contents.insert(content(letter), Content { letter, graph });
        let number = RevisionNumber::new(self.revisions.len() as u64 + 1).expect("a number");
        let mut revision = Revision::new(number, content(letter));
        revision.object.name = format!("app-rev-{number}");
        self.revisions.push(revision);
    }

    /// A new revision with the content of an older one, because somebody asked for it.
    pub(crate) fn roll_back(&mut self, to: usize, mode: &str) {
        let old = &self.revisions[to - 1];
        let number = RevisionNumber::new(self.revisions.len() as u64 + 1).expect("a number");
        let mut revision = Revision::new(number, old.digest);
        (revision.restored_from, revision.is_rollback) = (Some(old.number), true);
        revision.object.name = format!("app-rev-{number}");
        self.revisions.push(revision);
        self.annotate(names::ROLLBACK_MODE_ANNOTATION, Some(mode));
    }

    pub(crate) fn annotate(&mut self, key: &str, text: Option<&str>) {
        self.patch_definition(json!({"metadata": {"annotations": {key: text}}}));
    }

    pub(crate) fn create(&mut self, spec: Value) {
        let name = format!("i{:03}", self.instances.len());
        let created = at(self.now).to_string();
        let metadata =
            json!({"name": name, "namespace": "home", "generation": 1, "creationTimestamp": created});
        self.instances.push(json!({"metadata": metadata, "spec": spec}));
    }

    fn assign(&mut self, place: usize, number: usize) {
        let digest = self.revisions[number - 1].digest.to_string();
        let assignment = json!({"revision": number, "digest": digest, "because": "Following"});
        self.instances[place]["status"]["assignment"] = assignment;
    }

    /// All resources of an instance are what they should be, and ready.
    pub(crate) fn arrive(&mut self, place: usize) {
        let now = at(self.now).to_string();
        let status = &mut self.instances[place]["status"];
        let assigned = status["assignment"]["digest"].clone();
        if assigned.is_null() {
            return;
        }
        status["state"] = json!("ACTIVE");
        let time = |it: &Value| it.as_str().and_then(|it| it.parse().ok()).unwrap_or(Timestamp::MIN);
        let seen = time(&status["propagation"]["lastTransitionTime"]);
        let is_past = time(&status["assignment"]["admission"]["at"]) > seen;
        if is_past || status["inputRevisionHistory"][0]["rgdRevisionHash"] != assigned {
            let input = status["observedInputRevision"].as_i64().unwrap_or_default() + 1;
            status["observedInputRevision"] = json!(input);
            status["inputRevisionHistory"] = json!([{"revision": input, "rgdRevisionHash": assigned}]);
            status["propagation"] = json!({"status": "Completed", "lastTransitionTime": now});
        }
    }

    /// An instance is in error.
    pub(crate) fn fail(&mut self, place: usize) {
        let now = at(self.now).to_string();
        let status = &mut self.instances[place]["status"];
        if status.is_object() && status["state"] != "ERROR" {
            status["state"] = json!("ERROR");
            status["propagation"]["errorSince"] = json!(now);
        }
    }

    /// Somebody else leads; nobody did for so many seconds.
    pub(crate) fn takeover(&mut self, vacant: i64) {
        let vacant_from = Some(at(self.now));
        self.now += vacant;
        self.leading = Leading { since: at(self.now), vacant_from };
    }

    fn history(&self) -> History {
        History::new(self.revisions.clone())
    }

    /// What is served: that of a hold, else what follows from marks, else the latest; what makes no sense changes nothing.
    fn aim(&mut self) {
        let held = self.definition["metadata"]["annotations"][names::ACTIVE_REVISION_ANNOTATION].as_str();
        let back = mark::way_back(&self.history()).map(|it| it.number);
        let place = |it: RevisionNumber| self.revisions.iter().position(|revision| revision.number == it);
        self.current = match (held, back) {
            (Some(held), _) => held.parse().ok().and_then(place).unwrap_or(self.current),
            (None, Some(back)) => place(back).unwrap_or(self.current),
            (None, None) => self.revisions.len() - 1,
        };
    }

    pub(crate) fn facts(&self) -> Facts {
        let Revision { number, digest, .. } = self.revisions[self.current];
        let current = Named { name: String::new(), number, digest };
        Facts::of(&self.definition, &current, &self.history(), Notes::Doubted)
    }

    fn look(&self) -> (Facts, Look) {
        let facts = self.facts();
        let found = look(&fleet::Scene {
            facts: &facts,
            definition: &self.definition,
            graph: self.contents.get(&facts.current.digest).map(|it| &*it.graph),
            instances: &self.instances,
            namespaces: &BTreeMap::new(),
            schemas: self,
            leading: self.leading,
            refused: &BTreeMap::new(),
            now: at(self.now),
        });
        (facts, found)
    }

    /// Looks until nothing comes before a move, and lets so many instances take their turn before whoever does it is lost.
    /// Tells how much was written.
    pub(crate) fn reconcile(&mut self, taken: usize) -> (Look, usize) {
        let mut writes = 0;
        for _ in 0..20 {
            self.aim();
            let (facts, found) = self.look();
            if found.steps.is_empty() {
                writes += self.take_turns(&facts, &found, taken);
                self.hear(&found);
                return (found, writes);
            }
            writes += found.steps.len();
            self.hear(&found);
            found.steps.into_iter().for_each(|it| self.perform(it));
        }
        panic!("does not come to rest: {:#}", self.definition);
    }

    /// Looks once, and does what comes of it.
    pub(crate) fn step(&mut self) {
        self.aim();
        let (facts, found) = self.look();
        self.hear(&found);
        if found.steps.is_empty() {
            self.take_turns(&facts, &found, usize::MAX);
        }
        found.steps.into_iter().for_each(|it| self.perform(it));
    }

    /// Looks until nothing is to be written.
    pub(crate) fn rest(&mut self) -> Look {
        for _ in 0..100 {
            let (found, writes) = self.reconcile(usize::MAX);
            if writes == 0 {
                return found;
            }
        }
        panic!("does not come to rest: {:#}", self.definition);
    }

    fn hear(&mut self, found: &Look) {
        self.heard.extend(found.notices.iter().map(|it| format!("{}: {}", it.reason, it.note)));
    }

    fn take_turns(&mut self, facts: &Facts, found: &Look, taken: usize) -> usize {
        let mut turns: BTreeMap<usize, Turn> = found.turns.iter().copied().collect();
        let usual = if facts.is_gated { Turn::Waits } else { Turn::Free };
        let mut patches = Vec::new();
        for (place, instance) in self.instances.iter().enumerate() {
            let turn = turns.remove(&place).unwrap_or(usual);
            let now = at(self.now);
            let decision = decide(&fleet::World { facts, instance, schemas: self, turn, now }, None);
            if !decision.is_settled() {
                patches.push((place, decision.patch()));
            }
        }
        let written = patches.len().min(taken);
        for (place, patch) in patches.into_iter().take(taken) {
            merge(&mut self.instances[place], patch);
        }
        let Some(status) = found.status.clone() else { return written };
        self.patch_definition(status);
        written + 1
    }

    fn perform(&mut self, step: Step) {
        match step {
            Step::PatchDefinition(patch) | Step::PatchDefinitionStatus(patch) => self.patch_definition(patch),
            Step::PatchRevision { name, patch } => {
                let revision =
                    self.revisions.iter_mut().find(|it| it.object.name == name).expect("a revision");
                let annotations = patch["metadata"]["annotations"].as_object().expect("annotations");
                for (key, text) in annotations {
                    match (key.as_str(), text.as_str()) {
                        (names::FAILED_ANNOTATION, Some(text)) => {
                            revision.health = Health::Failed(text.to_owned());
                        }
                        (names::FAILED_ANNOTATION, None) => revision.health = Health::Good,
                        (names::COMPLETED_ANNOTATION, text) => revision.is_completed = text.is_some(),
                        (other, _) => panic!("{other} is no annotation of revisions"),
                    }
                }
            }
        }
    }

    pub(crate) fn patch_definition(&mut self, patch: Value) {
        merge(&mut self.definition, patch);
    }

    /// What the status of the definition says about its propagation.
    pub(crate) fn told(&self) -> &Value {
        &self.definition["status"]["propagation"]
    }

    pub(crate) fn phase(&self) -> &str {
        self.told()["phase"].as_str().unwrap_or_default()
    }

    /// The letters of the contents that instances are assigned to, `-` for none.
    pub(crate) fn assigned(&self) -> String {
        let letter = |it: &Value| {
            let digest = it["status"]["assignment"]["digest"].as_str().and_then(|it| it.parse().ok());
            digest.and_then(|it: Digest| self.contents.get(&it)).map_or('-', |it| it.letter)
        };
        self.instances.iter().map(letter).collect()
    }

    /// Whether the content of a revision is not there already, and nobody gave it up.
    pub(crate) fn can_go_back_to(&self, number: usize) -> bool {
        let content = self.revisions[number - 1].digest;
        let is_latest = self.revisions.last().is_some_and(|it| it.digest == content);
        !is_latest && !self.is_given_up(number)
    }

    /// Whether the content of a revision was given up.
    pub(crate) fn is_given_up(&self, number: usize) -> bool {
        mark::mark_of(&self.history(), self.revisions[number - 1].digest).is_some()
    }

    /// Whether it goes back and waits for nothing but room.
    pub(crate) fn is_instant(&self) -> bool {
        let annotations = &self.definition["metadata"]["annotations"];
        let is_latest = self.current + 1 == self.revisions.len();
        let is_automatic = !is_latest && annotations.get(names::ACTIVE_REVISION_ANNOTATION).is_none();
        let is_back = !is_latest || self.revisions[self.current].is_rollback;
        is_automatic || is_back && annotations[names::ROLLBACK_MODE_ANNOTATION] != "Controlled"
    }

    /// Nobody keeps a revision any more.
    pub(crate) fn prune(&mut self, number: usize) {
        self.revisions[number - 1].presence = Presence::Terminating;
    }

    /// Whether a revision has reached everybody, as far as it is written down.
    pub(crate) fn is_completed(&self, number: usize) -> bool {
        self.revisions[number - 1].is_completed
    }

    /// The letter of the latest content.
    pub(crate) fn latest(&self) -> char {
        self.revisions.last().map_or('-', |it| self.contents[&it.digest].letter)
    }

    /// Lets everybody arrive, again and again, until nothing is to be written.
    pub(crate) fn finish(&mut self) {
        for _ in 0..100 {
            self.now += 1_000;
            let before = (self.definition.clone(), self.instances.clone());
            (0..self.instances.len()).for_each(|it| self.arrive(it));
            self.rest();
            if before == (self.definition.clone(), self.instances.clone()) {
                return;
            }
        }
        panic!("does not end: {:#}", self.definition);
    }

    pub(crate) fn wait(&mut self, seconds: i64) {
        self.now += seconds;
    }
}

fn merge(object: &mut Value, patch: Value) {
    *object = krono_patch::merge::apply(std::mem::take(object), patch).expect("a patch");
}
