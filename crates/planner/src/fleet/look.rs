//! One look at all instances of a definition that wait for their turn: who has it now, and what is written down first.

mod answer;
mod kept;
mod stopped;
mod turns;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use krono_graph::CompiledGraph;
use krono_history::Digest;
use krono_history::hold::Hold;
use krono_model::names;
use krono_propagation::assignment::Assignment;
use krono_propagation::fleet::{Controls, Deletions, Fleet, Leadership, Member, Movement, Progress, Stance};
use krono_propagation::mark::{self, Mark, Outcome};
use krono_propagation::policy::Deletes;
use krono_propagation::{Counts, Decision, Phase, decide, rehearse_at_rest};
use serde_json::Value;

use super::facts::{rollback_mode, way_to};
use super::ledger::{ABORTED, Ledger, PROPAGATION};
use super::member::{hinder, member};
use super::step::{Step, annotate, status_patch};
use super::waves::{Request, Rules, Waves};
use super::{Facts, Schemas, Turn, World, deletions, telling};
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
        let decision = self.decision(&self.fleet(&members, &ledger));
        let halt = self.halt(&members, &ledger, &decision);
        match halt.or_else(|| self.marks(&members, &decision)) {
            Some(look) => look,
            None => self.outcome(&members, ledger, &decision),
        }
    }

    /// Where everybody has come to rest, nobody is asked by gates: what is wrong with them is found as if a new revision came.
    fn decision(&self, fleet: &Fleet<'_>) -> Decision {
        let (Rules { policy, gates }, now) = (self.rules, self.scene.now);
        let mut decision = decide(fleet, policy, gates, now);
        if decision.phase == Phase::Completed && decision.births.is_empty() {
            decision.gate_errors = rehearse_at_rest(fleet, policy, gates, now);
        }
        decision
    }

    /// The mark on what instances move to.
    fn mark(&self) -> Option<Mark> {
        mark::mark_of(&self.scene.facts.history, self.target.digest)
    }

    fn members(&self) -> Vec<Member<'_>> {
        let scene = self.scene;
        let labels = |instance: &Value| {
            let namespace = instance["metadata"]["namespace"].as_str();
            namespace.and_then(|it| scene.namespaces.get(it)).unwrap_or(&Value::Null)
        };
        let failed = self.failed();
        let member = |instance| {
            let mut member = member(&self.world(instance, Turn::Waits), labels(instance));
            member.has_failed = failed.blames(&member);
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
}
