//! The revisions of a definition before and after an edit, and where each instance goes.

use std::sync::OnceLock;

use jiff::Timestamp;
use krono_graph::{CompiledGraph, Options};
use krono_history::issue::{Judgement, Named};
use krono_history::number::Traces;
use krono_history::retention::Freshness;
use krono_history::revision::{History, Revision};
use krono_history::witness::Notes;
use krono_history::{Digest, RevisionNumber, input};
use krono_model::metadata::Owner;
use krono_model::names;
use krono_propagation::assignment::{Because, Verdict};
use krono_schema::Validator;
use serde_json::{Value, json};

use super::course::{Course, course};
use super::imagined::Imagined;
use super::{Edit, Forecast, KindEffect, Premise, forecast, verdict};
use crate::definition::{Graphs, Instances, Past, Serving, World, current, is_pending};
use crate::fleet::{Census, Facts, Schemas, Turn, World as Fleet, decide};
use crate::instance::{ASSIGNMENT, DeletionPolicies, INPUT_HISTORY, assignment, known, of_krono};
use crate::revisions::{Content, Revisions, compile_revision};

/// An edited definition, and all that is known about the one that stands.
#[derive(Clone, Copy)]
pub struct Standing<'a> {
    /// The definition as it would be written.
    pub edited: &'a Value,
    /// Its graph.
    pub new: &'a CompiledGraph,
    /// The definition as it is; nothing when it is new.
    pub live: Option<&'a Value>,
    /// The graph of that; nothing when it makes none.
    pub old: Option<&'a CompiledGraph>,
    /// The CRD of its kind.
    pub crd: Option<&'a Value>,
    /// The objects that hold its revisions.
    pub revisions: &'a [Value],
    /// Its instances.
    pub instances: &'a [Value],
    /// How revisions are compiled.
    pub options: Options,
    /// The time, as Kubernetes writes it.
    pub now: &'a str,
}

/// What becomes of a definition by an edit, and so of its instances.
pub struct Prospect<'a> {
    standing: Standing<'a>,
    /// What becomes of the kind.
    pub effect: KindEffect,
    /// Whether the edit waits for somebody to ask for its revision; what is foretold comes then.
    pub is_pending: bool,
    /// What instances are taken to be made with that do not say so.
    before: Option<Named>,
    facts: Facts,
    /// What became of resources before the edit.
    policies: DeletionPolicies,
    schemas: After<'a>,
}

impl<'a> Prospect<'a> {
    /// What the controller would make of an edit.
    pub fn of(standing: Standing<'a>) -> Self {
        let definition = verdict::applied(standing.edited, standing.live);
        let name = standing.edited["metadata"]["name"].as_str().unwrap_or_default();
        let content = |it: &Value| Plain::of(name, it, standing.options);
        let kept = Revisions::read(&definition, standing.revisions, None, content);
        let census = Census::of(standing.instances);
        let ground = Ground { standing: &standing, definition: &definition, kept: &kept, census: &census };
        let effect =
            verdict::effect(crate::definition::crd::standing(&ground.world(&kept.history), standing.new));
        let is_pending = is_pending(&ground.world(&kept.history), Judgement::Accepted);
        let (before, history) = ground.history();
        let latest = history.latest().map(named);
        let goal = current(&ground.world(&history), Judgement::Accepted).or(latest);
        let digest = Digest::of_definition(&standing.edited["spec"]);
        let goal = goal.unwrap_or(Named { number: RevisionNumber::FIRST, digest, name: String::new() });
        let facts = Facts::of(&definition, &goal, &history, Notes::Doubted);
        let schemas = After {
            is_new: is_new(&kept.history, digest),
            digest,
            standing,
            kept,
            validator: OnceLock::new(),
        };
        let policies = DeletionPolicies::of(standing.live.unwrap_or(standing.edited));
        Self { standing, effect, is_pending, before, facts, policies, schemas }
    }

    /// Where an instance goes, and what happens to it.
    pub fn foretell(&self, instance: &Value, owner: Owner<'_>, premise: &Premise<'_>) -> (Course, Forecast) {
        let mut instance = self.placed(instance);
        let from = assignment(&instance).map(|(_, digest, _)| digest);
        let old = from.and_then(|it| self.schemas.graph_of(it)?.ok()).or(self.standing.old);
        let policies = [&self.policies, &self.facts.policies];
        if matches!(self.effect, KindEffect::Refused(_)) {
            let stays = Course { from: self.number(from), to: self.number(from), stays: None };
            return (stays, unmoved(&instance, old, owner, [policies[0]; 2], premise));
        }
        let now = self.standing.now.parse().unwrap_or(Timestamp::UNIX_EPOCH);
        let world =
            Fleet { facts: &self.facts, instance: &instance, schemas: &self.schemas, turn: Turn::Free, now };
        let verdict = decide(&world, None).verdict;
        if let Some(spec) = self.held_spec(&instance, &verdict, premise) {
            instance["spec"] = spec;
        }
        let instance = &instance;
        let to = verdict.assignment.map(|it| it.digest);
        let course = course(&verdict, self.number(from), self.number(to), self.schemas.digest);
        let new = to.and_then(|it| self.schemas.graph_of(it)?.ok());
        let forecast = match new {
            Some(new) if to != from || old.is_none() => {
                forecast(&Edit { old, new, owner, policies }, instance, premise)
            }
            Some(_) | None => unmoved(instance, old, owner, policies, premise),
        };
        let is_suspended = forecast.is_suspended || course.is_paused();
        if course.is_paused() {
            return (course, Forecast { is_suspended, ..Forecast::default() });
        }
        (course, Forecast { is_suspended, ..forecast })
    }

    /// The instance, made with what instances are taken to be made with if it does not say.
    fn placed(&self, instance: &Value) -> Value {
        let mut placed = instance.clone();
        if let (None, Some(before)) = (assignment(instance), &self.before) {
            let known = json!({"revision": before.number.to_wire(), "digest": before.digest.to_string()});
            if placed["status"].is_null() {
                placed["status"] = json!({});
            }
            if let Some(status) = placed["status"].as_object_mut() {
                status.entry(ASSIGNMENT).or_insert(known);
            }
        }
        placed
    }

    /// The spec that an instance is held at, where it is; where it cannot be, its newest input stands.
    fn held_spec(&self, instance: &Value, verdict: &Verdict, premise: &Premise<'_>) -> Option<Value> {
        let wish = instance["metadata"]["annotations"][names::HOLD_INPUT_ANNOTATION].as_str();
        let wish = wish.filter(|_| verdict.because == Because::InputHeld)?;
        let told = input::read(of_krono(&instance["status"], INPUT_HISTORY));
        let inputs = known(told, instance, self.facts.keeping(), &Imagined::of(premise.objects));
        let standing = || inputs.standing_at(verdict.assignment?.digest);
        input::hold(wish, &inputs, &self.facts.history).map_or_else(|_| standing(), |(_, spec)| Some(spec))
    }

    fn number(&self, content: Option<Digest>) -> Option<RevisionNumber> {
        self.facts.history.newest_with(content?).map(|it| it.number)
    }
}

/// What happens to an instance that stays where it is.
fn unmoved(
    instance: &Value,
    graph: Option<&CompiledGraph>,
    owner: Owner<'_>,
    policies: [&DeletionPolicies; 2],
    premise: &Premise<'_>,
) -> Forecast {
    match graph {
        Some(graph) => forecast(&Edit { old: Some(graph), new: graph, owner, policies }, instance, premise),
        None => Forecast::default(),
    }
}

/// What an edit meets.
struct Ground<'g, 'a> {
    standing: &'g Standing<'a>,
    /// As it would be after the edit.
    definition: &'g Value,
    kept: &'g Revisions<Plain>,
    census: &'g Census,
}

impl Ground<'_, '_> {
    /// What is current before the edit, and the revisions after it.
    ///
    /// A definition without revisions, as in a file, is taken to be one.
    fn history(&self) -> (Option<Named>, History) {
        let mut all: Vec<Revision> = self.kept.history.all().cloned().collect();
        let mut next = self.next();
        let mut issue = |definition: &Value, all: &mut Vec<Revision>| {
            let digest = Digest::of_definition(&definition["spec"]);
            if is_new(&History::new(all.clone()), digest) {
                all.push(Revision::new(next, digest));
                next = RevisionNumber::new(next.get() + 1).unwrap_or(next);
            }
        };
        let live = self.standing.live.filter(|_| self.standing.old.is_some() && all.is_empty());
        if let Some(live) = live {
            issue(live, &mut all);
        }
        let known = History::new(all.clone());
        issue(self.standing.edited, &mut all);
        (self.served(&known), History::new(all))
    }

    fn next(&self) -> RevisionNumber {
        let last = self.definition["status"]["lastIssuedRevision"].as_i64();
        let last_issued = last.and_then(RevisionNumber::from_wire);
        let live = self.kept.history.highest();
        Traces { last_issued, live, ..Traces::default() }.next().unwrap_or(RevisionNumber::FIRST)
    }

    /// What the status says instances move to, else the newest.
    fn served(&self, history: &History) -> Option<Named> {
        let status = &self.definition["status"];
        let number = status["currentRevision"].as_i64().and_then(RevisionNumber::from_wire);
        number.and_then(|it| history.find(it)).or_else(|| history.latest()).map(named)
    }

    fn world<'w>(&'w self, history: &'w History) -> World<'w> {
        let crd = self.standing.crd;
        World {
            definition: self.definition,
            compiled: Ok(self.standing.new),
            crd,
            served: crd.is_some(),
            serving: Serving::Nothing,
            past: Past {
                history,
                objects: Past::nothing(),
                deleted: &self.kept.deleted,
                graphs: self.kept,
                uses: &self.census.uses,
                staying: &self.census.staying,
                following: &self.census.following,
                instances: &[],
                statuses: self.census.statuses,
                claims: self.census.claims,
                counts: None,
                interface: None,
                left_by_kro: &[],
                freshness: Freshness::Live,
            },
            instances: Instances::default(),
            failure: None,
            allow_crd_deletion: false,
            notes: Notes::Doubted,
            now: self.standing.now,
        }
    }
}

/// Whether content gets a number.
fn is_new(history: &History, digest: Digest) -> bool {
    history.latest().is_none_or(|it| it.digest != digest)
}

fn named(revision: &Revision) -> Named {
    Named { number: revision.number, digest: revision.digest, name: revision.object.name.clone() }
}

/// The graphs after an edit.
struct After<'a> {
    standing: Standing<'a>,
    /// The content of the edit.
    digest: Digest,
    /// Whether it gets a number.
    is_new: bool,
    kept: Revisions<Plain>,
    validator: OnceLock<Validator>,
}

impl After<'_> {
    /// The graph of the definition as it stands, where no revision has that content.
    fn live(&self, digest: Digest) -> Option<&CompiledGraph> {
        let is_it = self.standing.live.is_some_and(|it| Digest::of_definition(&it["spec"]) == digest);
        self.standing.old.filter(|_| is_it)
    }

    fn is_edit(&self, digest: Digest) -> bool {
        digest == self.digest && (self.is_new || self.kept.content(digest).is_none())
    }
}

impl Graphs for After<'_> {
    fn graph_of(&self, digest: Digest) -> Option<Result<&CompiledGraph, &str>> {
        if self.is_edit(digest) {
            return Some(Ok(self.standing.new));
        }
        self.kept.graph_of(digest).or_else(|| self.live(digest).map(Ok))
    }
}

impl Schemas for After<'_> {
    fn refusal(&self, content: Digest, spec: &Value) -> Option<String> {
        if !self.is_edit(content) {
            return self.kept.refusal(content, spec);
        }
        let schema = &self.standing.new.instance.spec;
        input::refusal(schema, self.validator.get_or_init(|| Validator::new(schema)), spec)
    }
}

/// The content of a revision, compiled when it is first asked for.
struct Plain {
    definition: String,
    spec: Value,
    options: Options,
    graph: OnceLock<Result<CompiledGraph, String>>,
    validator: OnceLock<Validator>,
}

impl Plain {
    fn of(definition: &str, object: &Value, options: Options) -> Self {
        Self {
            definition: definition.to_owned(),
            spec: object["spec"].clone(),
            options,
            graph: OnceLock::new(),
            validator: OnceLock::new(),
        }
    }
}

impl Content for Plain {
    fn spec(&self) -> Value {
        self.spec.clone()
    }

    fn graph(&self) -> Result<&CompiledGraph, &str> {
        let compiled = || compile_revision(&self.definition, &self.spec, self.options);
        self.graph.get_or_init(compiled).as_ref().map_err(String::as_str)
    }

    fn validator(&self) -> Option<&Validator> {
        let graph = self.graph().ok()?;
        Some(self.validator.get_or_init(|| Validator::new(&graph.instance.spec)))
    }
}
