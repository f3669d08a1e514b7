//! One look at all instances of a definition that wait for their turn: who has it now, and what is written down first.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use krono_graph::CompiledGraph;
use krono_history::Digest;
use krono_history::revision::Revision;
use krono_model::names;
use krono_propagation::assignment::Assignment;
use krono_propagation::fleet::{
    Admission, Controls, Deletions, Fleet, Leadership, Member, Movement, Progress,
};
use krono_propagation::mark::{self, Mark, Outcome};
use krono_propagation::policy::Deletes;
use krono_propagation::{Counts, Decision, Phase, decide};
use serde_json::{Map, Value, json};

use super::facts::{rollback_mode, way_to};
use super::ledger::{Ledger, PROPAGATION};
use super::member::{hinder, member};
use super::step::{Step, annotate, annotate_definition, status_patch};
use super::telling::Deed;
use super::waves::{Once, PAUSED, Request, Rules, Waves};
use super::{Facts, Schemas, Turn, World, deletions, is_lost, telling};
use crate::instance::Notice;

/// The reason on the mark of a propagation that somebody aborted.
const ABORTED: &str = "aborted";

/// All that a look at a whole fleet is made from; caches that are incomplete show none.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// What is the same for all instances.
    pub facts: &'a Facts,
    /// The definition.
    pub definition: &'a Value,
    /// The graph of what instances move to, where it makes one.
    pub graph: Option<&'a CompiledGraph>,
    /// All instances.
    pub instances: &'a [Value],
    /// The labels of namespaces, where stages ask for them.
    pub namespaces: &'a BTreeMap<String, Value>,
    /// The revisions that are kept.
    pub schemas: &'a dyn Schemas,
    /// Since when somebody looks.
    pub leading: Leading,
    /// Since when the API server says no to instances, by their namespaces and names, as far as it is not told by their status.
    pub refused: &'a BTreeMap<(String, String), Timestamp>,
    /// The time.
    pub now: Timestamp,
}

/// Since when somebody looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leading {
    /// Since when whoever looks now does.
    pub since: Timestamp,
    /// When whoever looked before was last heard of; nothing where only what they have written tells of it.
    pub vacant_from: Option<Timestamp>,
}

/// What comes of a look.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// To be done first and in order; then it is to be looked again.
    pub steps: Vec<Step>,
    /// Who has a turn, by the place among the instances; everybody else waits.
    pub turns: Vec<(usize, Turn)>,
    /// A merge patch of the definition's status that names the version seen; nothing when all is told.
    pub status: Option<Value>,
    /// What people should hear of when the steps are done, or the turns taken.
    pub notices: Vec<Notice>,
    /// When to look again though nothing changes.
    pub look_again: Option<Timestamp>,
    /// How far it has come; nothing while nobody may move.
    pub progress: Option<Told>,
}

/// How far a propagation has come, in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// The revision.
    pub target: Assignment,
    /// How many instances stand how.
    pub counts: Counts,
    /// How many wait for their turn.
    pub waiting: usize,
    /// How many are on their way and have resources that wait.
    pub blocked: usize,
    /// How long it took until everybody who takes part had settled, when that has just come about.
    pub took: Option<jiff::SignedDuration>,
}

impl Look {
    fn of(steps: Vec<Step>, notices: Vec<Notice>) -> Self {
        Self { steps, notices, ..Self::default() }
    }
}

/// Looks at all instances of a definition.
pub fn look(scene: &Scene<'_>) -> Look {
    let published = &scene.definition["status"][PROPAGATION];
    if !scene.facts.is_gated {
        let forget = (!published.is_null()).then(|| status_patch(scene.definition, &Value::Null));
        return Look::of(forget.into_iter().map(Step::PatchDefinitionStatus).collect(), Vec::new());
    }
    let rules = match Waves::of(scene.definition, scene.graph) {
        Some(waves) => waves.rules().cloned().ok(),
        None => Some(Rules::default()),
    };
    // What makes no sense is told on the definition; everybody stays.
    let (Some(rules), Ok(request)) = (rules, Request::of(scene.definition)) else { return stopped(scene) };
    if has_wrong_gates(scene) {
        return stopped(scene);
    }
    Looking { scene, rules: &rules, request, target: scene.facts.current, published }.look()
}

/// Nobody decides. Who waited for what is no longer so; what was given up stays that.
fn stopped(scene: &Scene<'_>) -> Look {
    let published = &scene.definition["status"][PROPAGATION];
    let is_under_way = matches!(published["phase"].as_str(), Some("Propagating" | "Paused"));
    let Some(mut record) = published.as_object().filter(|_| is_under_way).cloned() else {
        return Look::default();
    };
    record.retain(|field, _| !telling::FOUND.contains(&field.as_str()));
    record.insert("phase".to_owned(), json!("Invalid"));
    Look { status: Some(status_patch(scene.definition, &Value::Object(record))), ..Look::default() }
}

/// Whether `propagateWhen` of a resource makes no sense. That is told with the graph of the definition as it is, which is that
/// of the newest revision unless an edit waits to become one.
fn has_wrong_gates(scene: &Scene<'_>) -> bool {
    let Facts { gates, history, .. } = scene.facts;
    if gates.is_empty() {
        return false;
    }
    let content = Digest::of_definition(&scene.definition["spec"]);
    let latest = history.latest().filter(|it| it.digest == content);
    let graph = latest.and_then(|it| scene.schemas.graph_of(it.digest)?.ok());
    graph.is_some_and(|graph| gates.compiled(graph, content).has_mistakes)
}

struct Looking<'l> {
    scene: &'l Scene<'l>,
    rules: &'l Rules,
    request: Request,
    target: Assignment,
    /// What the status of the definition says.
    published: &'l Value,
}

impl Looking<'_> {
    fn look(&self) -> Look {
        if let Some(answer) = self.answer() {
            return answer;
        }
        let members = self.members();
        let ledger = match self.ledger(&members) {
            Ok(ledger) => ledger,
            Err(look) => return *look,
        };
        let decision =
            decide(&self.fleet(&members, &ledger), &self.rules.policy, &self.rules.gates, self.scene.now);
        match self.marks(&members, &ledger, &decision) {
            Some(look) => look,
            None => self.outcome(&members, ledger, &decision),
        }
    }

    /// What people asked for once, as changes; when that is done, the request is taken away and a pause stays. Nothing when they asked for nothing.
    fn answer(&self) -> Option<Look> {
        let answer = match self.request.once? {
            Once::Abort => self.abort(),
            Once::Retry => self.retry(),
        };
        let stays = self.request.is_paused.then_some(PAUSED);
        let answered = || annotate_definition(self.scene.definition, names::PROPAGATION_ANNOTATION, stays);
        Some(answer.unwrap_or_else(|| Look::of(vec![answered()], Vec::new())))
    }

    fn abort(&self) -> Option<Look> {
        let history = &self.scene.facts.history;
        let ledger = Ledger::read(self.scene.definition).filter(|it| it.content == self.target.digest);
        let is_over = ledger.is_some_and(|it| it.completed.is_some());
        // What was halted can be aborted as well: who failed goes back then.
        let is_ended = self.mark().is_some_and(|it| it.outcome != Outcome::Halted || it.reason == ABORTED);
        let is_possible = self.movement() == Movement::Forward && !is_ended && !is_over;
        let mut marked = history.live().filter(|it| it.digest == self.target.digest);
        let marked = marked.find(|it| Mark::of(it).is_some());
        let revision = marked.or_else(|| history.newest_with(self.target.digest)).filter(|_| is_possible)?;
        let mark = Mark { outcome: Outcome::Halted, reason: ABORTED.to_owned() };
        let step = annotate(revision, names::FAILED_ANNOTATION, Some(&mark.to_string()));
        Some(Look::of(vec![step], vec![telling::steered(Deed::Aborted, self.target.number)]))
    }

    fn retry(&self) -> Option<Look> {
        let history = &self.scene.facts.history;
        let latest = history.latest()?;
        let marked = history.live().filter(|it| it.digest == latest.digest && Mark::of(it).is_some());
        let steps: Vec<Step> = marked.map(|it| annotate(it, names::FAILED_ANNOTATION, None)).collect();
        let notices = vec![telling::steered(Deed::Retried, latest.number)];
        (!steps.is_empty()).then(|| Look::of(steps, notices))
    }

    fn mark(&self) -> Option<Mark> {
        mark::mark_of(&self.scene.facts.history, self.target.digest)
    }

    fn members(&self) -> Vec<Member<'_>> {
        let scene = self.scene;
        let world = |instance| World {
            facts: scene.facts,
            instance,
            schemas: scene.schemas,
            turn: Turn::Waits,
            now: scene.now,
        };
        let labels = |instance: &Value| {
            let namespace = instance["metadata"]["namespace"].as_str();
            namespace.and_then(|it| scene.namespaces.get(it)).unwrap_or(&Value::Null)
        };
        let member = |instance| {
            let mut member = member(&world(instance), labels(instance));
            if !scene.refused.is_empty() {
                let name = (member.namespace.to_owned(), member.name.to_owned());
                hinder(&mut member, scene.refused.get(&name).copied(), scene.now);
            }
            member
        };
        scene.instances.iter().map(member).collect()
    }

    /// What is known of this propagation, or what must be written down before anything is decided by it.
    fn ledger(&self, members: &[Member<'_>]) -> Result<Ledger, Box<Look>> {
        let now = self.scene.now;
        if let Some(step) = self.published.is_null().then(|| self.first_good(members)).flatten() {
            return Err(Look::of(vec![step], Vec::new()).into());
        }
        let known = Ledger::read(self.scene.definition).filter(|it| it.content == self.target.digest);
        let is_new = known.is_none();
        let before = known.unwrap_or_else(|| Ledger::new(self.target, now));
        let mut ledger = before.clone();
        let is_retried = ledger.was_given_up && self.mark().is_none();
        if is_retried {
            (ledger.restarted, ledger.was_given_up) = (Some(now), false);
        }
        let is_paused = self.request.is_paused || self.rules.policy.is_paused;
        let Leading { since, vacant_from } = self.scene.leading;
        ledger.was_vacant(since, || vacant_from.or_else(|| self.last_sign(&before, members)));
        ledger.pause(is_paused, now);
        if !is_new && ledger == before {
            return Ok(ledger);
        }
        let mut record =
            if is_new { Map::new() } else { self.published.as_object().cloned().unwrap_or_default() };
        if is_new || is_retried {
            record.insert("phase".to_owned(), json!("Propagating"));
            record.remove("reason");
        }
        record.extend(ledger.written(self.target));
        if ledger.paused.is_none() {
            record.remove("pausedSince");
        }
        let patch = status_patch(self.scene.definition, &Value::Object(record));
        let turn = match (before.paused, ledger.paused) {
            (None, Some(_)) => Some(Deed::Paused),
            (Some(_), None) => Some(Deed::Resumed),
            (None, None) | (Some(_), Some(_)) => None,
        };
        let notices = turn.map(|it| telling::steered(it, self.target.number)).into_iter().collect();
        Err(Look::of(vec![Step::PatchDefinitionStatus(patch)], notices).into())
    }

    /// When whoever looked before has last written something; nothing where no time was being measured.
    fn last_sign(&self, known: &Ledger, members: &[Member<'_>]) -> Option<Timestamp> {
        let (policy, target, since) = (&self.rules.policy, self.target.digest, self.scene.leading.since);
        let soaks = !policy.soak.is_zero() || policy.stages.iter().any(|it| !it.soak.is_zero());
        let was_on_its_way = |it: &Member<'_>| {
            it.assigned == Some(target)
                && it.admission.is_some_and(|it| it.at <= since)
                && it.observed.is_none_or(|it| it.digest != target)
        };
        if known.completed.is_some() || !(soaks || members.iter().any(was_on_its_way)) {
            return None;
        }
        let of_member = |it: &Member<'_>| [it.admission.map(|it| it.at), it.observed.map(|it| it.since)];
        members.iter().flat_map(of_member).flatten().filter(|it| *it <= since).max()
    }

    /// Where nobody kept a ledger before: what instances were last seen to be well with is what one may go back to.
    fn first_good(&self, members: &[Member<'_>]) -> Option<Step> {
        let history = &self.scene.facts.history;
        let latest = history.latest().map(|it| it.digest);
        let observed: BTreeSet<Digest> =
            members.iter().filter_map(|it| it.observed).map(|it| it.digest).collect();
        let is_good = |it: &&Revision| {
            let content = it.digest;
            content != self.target.digest
                && Some(content) != latest
                && observed.contains(&content)
                && mark::mark_of(history, content).is_none()
        };
        let found = history.live().rfind(is_good).filter(|it| !it.is_completed)?;
        Some(annotate(found, names::COMPLETED_ANNOTATION, Some(&self.scene.now.to_string())))
    }

    fn fleet<'f>(&'f self, members: &'f [Member<'f>], ledger: &'f Ledger) -> Fleet<'f> {
        let mark = self.mark();
        let is_aborted = mark.as_ref().is_some_and(|it| it.reason == ABORTED);
        Fleet {
            members,
            target: self.target,
            last_good: mark::last_good(&self.scene.facts.history, |it| it.is_completed),
            movement: self.movement(),
            progress: Progress {
                started: ledger.started,
                is_completed: ledger.completed.is_some(),
                restarted: ledger.restarted,
                mark,
            },
            controls: Controls {
                paused: ledger.paused,
                is_aborted,
                approved_stages: self.approved_stages(),
                deletions: self.deletions(members),
            },
            leadership: Leadership { since: self.scene.leading.since, standstills: &ledger.standstills },
            definition: self.scene.definition,
        }
    }

    /// What those who have not moved yet would lose.
    fn deletions(&self, members: &[Member<'_>]) -> Deletions {
        let Some(target) =
            self.scene.graph.filter(|_| self.rules.policy.deletes == Some(Deletes::RequireApproval))
        else {
            return Deletions::None;
        };
        let contents: BTreeSet<Digest> = members.iter().filter_map(|it| it.assigned).collect();
        let graphs = contents.iter().filter_map(|it| self.scene.schemas.graph_of(*it)?.ok());
        match graphs.into_iter().any(|it| deletions::deletes(it, target)) {
            false => Deletions::None,
            true if deletions::are_approved(self.scene.definition, self.target.number) => Deletions::Approved,
            true => Deletions::Pending,
        }
    }

    fn movement(&self) -> Movement {
        let Scene { facts, definition, .. } = self.scene;
        let mode = rollback_mode(definition, self.rules.policy.rollback_mode);
        way_to(self.target, &facts.hold, &facts.history, mode)
    }

    /// Approval is for one revision.
    fn approved_stages(&self) -> BTreeSet<String> {
        let approved = self.annotation(names::APPROVED_STAGES_ANNOTATION).and_then(|it| it.split_once(':'));
        let stages = approved.filter(|(number, _)| number.trim().parse() == Ok(self.target.number));
        stages.into_iter().flat_map(|(_, it)| it.split(',')).map(|it| it.trim().to_owned()).collect()
    }

    fn annotation(&self, key: &str) -> Option<&str> {
        self.scene.definition["metadata"]["annotations"][key].as_str()
    }

    /// What is written on revisions before anything else: that one was given up, or that it reached everybody.
    fn marks(&self, members: &[Member<'_>], ledger: &Ledger, decision: &Decision) -> Option<Look> {
        let revision = self.scene.facts.history.newest_with(self.target.digest)?;
        if let Some(mark) = &decision.mark {
            let step = annotate(revision, names::FAILED_ANNOTATION, Some(&mark.to_string()));
            let notices = telling::given_up(self.target, members, decision, mark, self.published);
            return Some(Look::of(vec![step], notices));
        }
        let is_first = decision.phase == Phase::Completed && ledger.completed.is_none();
        // Where it goes on whoever fails, that it has come to its end does not make it good.
        let is_good = decision.counts.failed <= self.rules.policy.max_failures.of(decision.counts.eligible);
        (is_first && is_good && !revision.is_completed).then(|| {
            let time = self.scene.now.to_string();
            Look::of(vec![annotate(revision, names::COMPLETED_ANNOTATION, Some(&time))], Vec::new())
        })
    }

    /// Who has a turn, and what is told when nobody has.
    fn outcome(&self, members: &[Member<'_>], mut ledger: Ledger, decision: &Decision) -> Look {
        let turns = self.turns(&ledger, decision);
        let is_done = decision.phase == Phase::Completed && ledger.completed.is_none();
        if is_done {
            ledger.completed = Some(self.scene.now);
        }
        let record = telling::record(ledger.written(self.target), members, decision);
        let is_told = record == *self.published;
        let notices = telling::notices(self.target, members, decision, self.published, is_done);
        Look {
            // Those who move now are told of with the next look, which follows at once.
            status: (!is_told && turns.is_empty()).then(|| status_patch(self.scene.definition, &record)),
            notices,
            look_again: decision.look_again,
            progress: Some(Told {
                target: self.target,
                counts: decision.counts,
                blocked: telling::blocked(members).count,
                waiting: decision.waiting.iter().map(|it| it.told.count).sum(),
                took: is_done.then(|| self.scene.now.duration_since(ledger.started)),
            }),
            turns,
            steps: Vec::new(),
        }
    }

    fn turns(&self, ledger: &Ledger, decision: &Decision) -> Vec<(usize, Turn)> {
        let goes = decision.moves.iter().map(|it| {
            let admission = Admission { at: it.at, from: it.from, is_excused: it.is_excused };
            (it.member, Turn::Goes(admission))
        });
        let history = &self.scene.facts.history;
        let returns = decision.returns.iter().filter_map(|it| {
            let revision = history.newest_with(it.to)?;
            let to = Assignment { number: revision.number, digest: revision.digest };
            let admission = Admission { at: ledger.started, from: self.target.digest, is_excused: false };
            Some((it.member, Turn::Takes { to, admission: Some(admission) }))
        });
        let births = decision.births.iter().filter(|it| !is_lost(&self.scene.instances[it.member]));
        let births = births.map(|it| (it.member, Turn::Takes { to: it.on, admission: None }));
        goes.chain(returns).chain(births).collect()
    }
}
