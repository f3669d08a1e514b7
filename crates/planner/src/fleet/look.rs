//! One look at all instances of a definition that wait for their turn: who has it now, and what is written down first.

mod answer;
mod stopped;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use krono_graph::CompiledGraph;
use krono_history::Digest;
use krono_history::hold::Hold;
use krono_history::revision::Revision;
use krono_model::names;
use krono_propagation::assignment::Assignment;
use krono_propagation::fleet::{
    Admission, Controls, Deletions, Fleet, Leadership, Member, Movement, Progress, Stance,
};
use krono_propagation::mark::{self, Mark, Outcome};
use krono_propagation::policy::Deletes;
use krono_propagation::{Counts, Decision, Phase, decide};
use serde_json::{Map, Value, json};

use super::facts::{rollback_mode, way_to};
use super::ledger::{ABORTED, Ledger, PROPAGATION};
use super::member::{hinder, member};
use super::step::{Step, annotate, status_patch};
use super::telling::Deed;
use super::waves::{Request, Rules, Waves};
use super::{Facts, Schemas, Turn, World, deletions, is_lost, telling};
use crate::instance::Notice;

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
    let own = own_graph(scene);
    let rules = match Waves::of(scene.definition, own) {
        Some(waves) => waves.rules().cloned().ok(),
        None => Some(Rules::default()),
    };
    // What makes no sense is told on the definition; everybody stays.
    let request = Request::of(scene.definition);
    let is_invalid = rules.is_none()
        || request.is_err()
        || has_wrong_gates(scene, own)
        || matches!(scene.facts.hold, Hold::Invalid(_));
    let (rules, request) = (rules.unwrap_or_default(), request.unwrap_or_default());
    let looking = Looking { scene, rules: &rules, request, target: scene.facts.current, published };
    match looking.answer() {
        Some(answer) => answer,
        None if is_invalid => looking.stopped(),
        None => looking.look(),
    }
}

/// The graph of the definition as it is, which expressions are written for, whatever instances move to; nothing while an edit
/// waits to become a revision.
fn own_graph<'s>(scene: &Scene<'s>) -> Option<&'s CompiledGraph> {
    let content = Digest::of_definition(&scene.definition["spec"]);
    let latest = scene.facts.history.latest().filter(|it| it.digest == content)?;
    scene.schemas.graph_of(latest.digest)?.ok()
}

/// Whether `propagateWhen` of a resource makes no sense.
fn has_wrong_gates(scene: &Scene<'_>, own: Option<&CompiledGraph>) -> bool {
    let content = || Digest::of_definition(&scene.definition["spec"]);
    let Facts { gates, .. } = scene.facts;
    own.filter(|_| !gates.is_empty()).is_some_and(|it| gates.compiled(it, content()).has_mistakes)
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
        let members = self.members();
        let ledger = match self.ledger(&members) {
            Ok(ledger) => ledger,
            Err(look) => return *look,
        };
        let decision =
            decide(&self.fleet(&members, &ledger), &self.rules.policy, &self.rules.gates, self.scene.now);
        let halt = self.halt(&members, &ledger, &decision);
        match halt.or_else(|| self.marks(&members, &decision)) {
            Some(look) => look,
            None => self.outcome(&members, ledger, &decision),
        }
    }

    /// The mark on what instances move to.
    fn mark(&self) -> Option<Mark> {
        mark::mark_of(&self.scene.facts.history, self.target.digest)
    }

    /// What was kept of this propagation, if anything was.
    fn known(&self) -> Option<Ledger> {
        Ledger::read(self.scene.definition).filter(|it| it.content == self.target.digest)
    }

    fn members(&self) -> Vec<Member<'_>> {
        let scene = self.scene;
        let labels = |instance: &Value| {
            let namespace = instance["metadata"]["namespace"].as_str();
            namespace.and_then(|it| scene.namespaces.get(it)).unwrap_or(&Value::Null)
        };
        let member = |instance| {
            let mut member = member(&self.world(instance, Turn::Waits), labels(instance));
            if !scene.refused.is_empty() {
                let name = (member.namespace.to_owned(), member.name.to_owned());
                hinder(&mut member, scene.refused.get(&name).copied(), scene.now);
            }
            member
        };
        scene.instances.iter().map(member).collect()
    }

    fn world<'w>(&'w self, instance: &'w Value, turn: Turn) -> World<'w> {
        let Scene { facts, schemas, now, .. } = *self.scene;
        World { facts, instance, schemas, turn, now }
    }

    /// What is known of this propagation, or what must be written down before anything is decided by it.
    fn ledger(&self, members: &[Member<'_>]) -> Result<Ledger, Box<Look>> {
        let now = self.scene.now;
        if let Some(step) = self.published.is_null().then(|| self.first_good(members)).flatten() {
            return Err(Look::of(vec![step], Vec::new()).into());
        }
        let known = self.known();
        let is_new = known.is_none();
        let before = known.unwrap_or_else(|| Ledger::new(self.target, now));
        let mut ledger = before.clone();
        // Whoever takes away the mark has it tried again; a way back has none. Whoever holds what was given up wants it all the same.
        let is_retried = ledger.given_up.is_some()
            && match self.movement() {
                Movement::Forward => self.mark().is_none(),
                Movement::Back { .. } => ledger.restarted.is_none() && ledger.given_up == self.mark(),
            };
        if is_retried {
            (ledger.restarted, ledger.given_up) = (Some(now), None);
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
            (None, Some(_)) => Some(Deed::Paused { is_over: self.is_over(&ledger) }),
            (Some(_), None) => Some(Deed::Resumed { is_over: self.is_over(&ledger) }),
            (None, None) | (Some(_), Some(_)) => None,
        };
        let notices = turn.map(|it| telling::steered(it, self.target.number)).into_iter().collect();
        Err(Look::of(vec![Step::PatchDefinitionStatus(patch)], notices).into())
    }

    /// Whether it has come to an end, good or bad.
    fn is_over(&self, ledger: &Ledger) -> bool {
        let is_given_up = match self.movement() {
            Movement::Forward => self.mark().is_some(),
            Movement::Back { .. } => ledger.given_up.is_some(),
        };
        is_given_up || ledger.completed.is_some()
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
        let movement = self.movement();
        let is_abort = |it: &Mark| it.reason == ABORTED;
        // What was given up as a step forward may be a way back nevertheless.
        let mark = match movement {
            Movement::Forward => self.mark(),
            Movement::Back { .. } => {
                ledger.given_up.clone().filter(|it| !is_abort(it) && Some(it) != self.mark().as_ref())
            }
        };
        let is_aborted = mark.as_ref().is_some_and(is_abort);
        Fleet {
            members,
            target: self.target,
            last_good: mark::last_good(&self.scene.facts.history, |it| it.is_completed),
            movement,
            progress: Progress {
                started: ledger.started,
                is_completed: ledger.completed.is_some(),
                restarted: ledger.restarted,
                mark,
                waves: self.waves(),
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

    /// How many waves were told of, as far as they were of this propagation.
    fn waves(&self) -> usize {
        let told = self.known().and_then(|_| self.published["wave"].as_u64());
        told.and_then(|it| usize::try_from(it).ok()).unwrap_or_default()
    }

    /// What those who have not moved yet would lose.
    fn deletions(&self, members: &[Member<'_>]) -> Deletions {
        let Some(target) =
            self.scene.graph.filter(|_| self.rules.policy.deletes == Some(Deletes::RequireApproval))
        else {
            return Deletions::None;
        };
        let moving = members.iter().filter(|it| it.stance == Stance::Auto);
        let contents: BTreeSet<Digest> = moving.filter_map(|it| it.assigned).collect();
        let graphs = contents.iter().filter_map(|it| self.scene.schemas.graph_of(*it)?.ok());
        let Scene { facts, definition, .. } = self.scene;
        match graphs.into_iter().any(|it| deletions::deletes(it, target)) {
            false => Deletions::None,
            true if deletions::are_approved(definition, &facts.hold, self.target.number) => {
                Deletions::Approved
            }
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

    /// That a way back is halted is told before anything else: nothing but the status keeps it.
    fn halt(&self, members: &[Member<'_>], ledger: &Ledger, decision: &Decision) -> Option<Look> {
        let Phase::Halted(reason) = &decision.phase else { return None };
        if self.movement() == Movement::Forward || ledger.given_up.is_some() {
            return None;
        }
        let mark = Mark { outcome: Outcome::Halted, reason: reason.clone() };
        let record = telling::record(ledger.written(self.target), members, decision);
        let step = Step::PatchDefinitionStatus(status_patch(self.scene.definition, &record));
        let mut notices = telling::new_failures(self.target, members, decision, self.published);
        notices.extend(telling::given_up(self.target, members, decision, &mark, self.published));
        Some(Look::of(vec![step], notices))
    }

    /// What is written on revisions before anything else: that one was given up, or that it reached everybody.
    fn marks(&self, members: &[Member<'_>], decision: &Decision) -> Option<Look> {
        let revision = self.scene.facts.history.newest_with(self.target.digest)?;
        if let Some(mark) = &decision.mark {
            let step = annotate(revision, names::FAILED_ANNOTATION, Some(&mark.to_string()));
            let notices = telling::given_up(self.target, members, decision, mark, self.published);
            return Some(Look::of(vec![step], notices));
        }
        let is_over = decision.phase == Phase::Completed && !revision.is_completed;
        (is_over && self.is_good(&decision.counts)).then(|| {
            let time = self.scene.now.to_string();
            Look::of(vec![annotate(revision, names::COMPLETED_ANNOTATION, Some(&time))], Vec::new())
        })
    }

    /// That it has come to its end does not make it good: it may go on whoever fails, and who was not well before is excused.
    /// Somebody must have been well with it, however long that takes.
    fn is_good(&self, counts: &Counts) -> bool {
        let is_tried = counts.at_target > 0 || counts.total == 0;
        is_tried && counts.failed <= self.rules.policy.max_failures.of(counts.eligible)
    }

    /// Who has a turn, and what is told when nobody has.
    fn outcome(&self, members: &[Member<'_>], mut ledger: Ledger, decision: &Decision) -> Look {
        let turns = self.turns(members, &ledger, decision);
        let is_moving = turns.iter().any(|(at, turn)| self.leads_elsewhere(&members[*at], *turn));
        let is_done = decision.phase == Phase::Completed && ledger.completed.is_none();
        if is_done {
            ledger.completed = Some(self.scene.now);
        }
        let record = telling::record(ledger.written(self.target), members, decision);
        let is_told = record == *self.published;
        let notices = telling::notices(self.target, members, decision, self.published, is_done);
        Look {
            // Those who move now are told of with the next look, which follows at once; the number of their wave may be lost by then.
            status: (!is_told && (!is_moving || decision.is_wave_forgotten))
                .then(|| status_patch(self.scene.definition, &record)),
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

    /// Whether a turn changes anything: the schema of what an instance should begin with or go back to may refuse its spec.
    fn leads_elsewhere(&self, member: &Member<'_>, turn: Turn) -> bool {
        let to = || super::decide(&self.world(member.object, turn), None).verdict.assignment;
        matches!(turn, Turn::Goes(_)) || to().map(|it| it.digest) != member.assigned
    }

    fn turns(&self, members: &[Member<'_>], ledger: &Ledger, decision: &Decision) -> Vec<(usize, Turn)> {
        let goes = decision.moves.iter().map(|it| {
            let admission = Admission { at: it.at, from: it.from, is_excused: it.is_excused };
            (it.member, Turn::Goes(admission))
        });
        let returns = decision.returns.iter().filter_map(|it| {
            let to = self.returned(&members[it.member], it.to)?;
            let admission = Admission { at: ledger.started, from: self.target.digest, is_excused: false };
            Some((it.member, Turn::Takes { to, admission: Some(admission) }))
        });
        let births = decision.births.iter().filter(|it| !is_lost(&self.scene.instances[it.member]));
        let births = births.map(|it| (it.member, Turn::Takes { to: it.on, admission: None }));
        goes.chain(returns).chain(births).collect()
    }

    /// Where an abort sends an instance: to what it ran before, or where that is no longer kept, to what it was last well with; to what
    /// is good where that was given up itself.
    fn returned(&self, member: &Member<'_>, before: Digest) -> Option<Assignment> {
        let history = &self.scene.facts.history;
        let observed = || history.newest_with(member.observed?.digest);
        let found = history.newest_with(before).or_else(observed);
        let found = found.filter(|it| mark::mark_of(history, it.digest).is_none());
        let found = found.map(|it| Assignment { number: it.number, digest: it.digest });
        found.or_else(|| mark::last_good(history, |it| it.is_completed))
    }
}
