//! The decision itself.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Action, CreateProblem, Issue, IssueReason, Judgement, LARGEST, Life, Named, NewRevision, Notice, Refusal,
    Report, Standing, UpdatePolicy, World,
};
use crate::RevisionNumber;
use crate::hold::{Hold, hold};
use crate::number::{Exhausted, Traces};
use crate::retention::{Fate, Freshness, Reason, Uses, fates, kept};
use crate::revision::{Ownership, Revision};
use crate::rollback::{Ending, Request, Situation, Verdict, judge};

pub(super) fn decide(world: &World<'_>) -> Issue {
    let mut decision = Decision::new(world);
    let standing = match world.life {
        Life::Ending => Standing::Ending,
        Life::Living => {
            let standing = decision.rollback().unwrap_or_else(|| decision.content());
            decision.superseded();
            decision.replaced();
            decision.adopted();
            decision.pruned();
            standing
        }
    };
    decision.finish(standing)
}

struct Decision<'w, 'a> {
    world: &'w World<'a>,
    hold: Hold,
    current: Option<&'w Revision>,
    kept: BTreeMap<RevisionNumber, BTreeSet<Reason>>,
    issue: Report,
    actions: Vec<Action>,
}

impl<'w, 'a> Decision<'w, 'a> {
    fn new(world: &'w World<'a>) -> Self {
        let hold = hold(world.hold, world.history);
        let current = current(world, &hold);
        let kept = kept(world.history, &uses(world, &hold, current), world.history_limit);
        let issue = Report {
            standing: Standing::Issued,
            current: current.map(named),
            latest: world.history.latest().map(named),
            hold: hold.clone(),
            kept: kept.clone(),
            needs_live_look: false,
            next_look: None,
            notices: Vec::new(),
        };
        Self { world, hold, current, kept, issue, actions: Vec::new() }
    }

    fn finish(self, standing: Standing) -> Issue {
        Issue { actions: self.actions, report: Report { standing, ..self.issue } }
    }

    fn tell(&mut self, notice: Notice) {
        self.issue.notices.push(notice);
    }

    /// What a request to roll back leads to; nothing when the content that was read stays.
    fn rollback(&mut self) -> Option<Standing> {
        let world = self.world;
        let request = world.rollback.as_ref()?;
        let situation = Situation {
            name: world.lineage.name(),
            history: world.history,
            highest: traces(world).highest(),
            spec: world.spec,
            hold: &self.hold,
            keeper: world.keeper,
            answered: world.answered,
        };
        match judge(request, &situation) {
            Verdict::Restore { number, hold } => Some(self.restore(request, number, hold)),
            Verdict::Refused(refusal) => {
                self.actions.push(Action::AnswerRollback { request: request.text.to_owned() });
                self.tell(Notice::RollbackRefused(refusal));
                None
            }
            Verdict::PutBack { manager } => {
                self.tell(Notice::RequestPutBack { request: request.text.to_owned(), manager });
                None
            }
        }
    }

    fn restore(&mut self, request: &Request<'_>, from: RevisionNumber, hold: Ending) -> Standing {
        let still_held = match (&self.hold, hold) {
            (Hold::Held { number, .. }, Ending::Stays) => Some(*number),
            (Hold::Held { .. } | Hold::Released | Hold::Invalid(_), _) => None,
        };
        self.tell(Notice::RollingBack { to: from, still_held });
        self.actions.push(Action::RestoreSpec { from, request: request.text.to_owned(), hold });
        Standing::Restoring { from }
    }

    /// Where the content that was read stands.
    fn content(&mut self) -> Standing {
        let world = self.world;
        let is_issued = world.history.latest().is_some_and(|it| it.digest == world.spec);
        if is_issued {
            self.end_requests();
            return Standing::Issued;
        }
        let refusal = match self.new_content() {
            Ok(standing) => return standing,
            Err(refusal) => refusal,
        };
        // It was about this content, and means no other that comes later.
        if let Some(request) = world.create_request {
            let problem = CreateProblem::Refused(refusal.clone());
            self.refuse_create(request, problem);
        }
        Standing::Refused(refusal)
    }

    /// Where content stands that is not that of the latest revision.
    fn new_content(&mut self) -> Result<Standing, Refusal> {
        let world = self.world;
        if let Judgement::Refused(words) = world.judgement {
            return Err(Refusal::Judgement(words.to_owned()));
        }
        if !self.is_wanted() {
            return Ok(Standing::Pending { digest: world.spec });
        }
        if world.size > LARGEST {
            return Err(Refusal::TooLarge { size: world.size, largest: LARGEST });
        }
        if world.judgement == Judgement::Awaited {
            return Ok(Standing::Due);
        }
        Ok(self.numbered()?)
    }

    fn refuse_create(&mut self, request: &str, problem: CreateProblem) {
        self.actions.push(Action::AnswerCreate);
        self.tell(Notice::CreateRefused { request: request.to_owned(), problem });
    }

    /// Requests that have been fulfilled go.
    fn end_requests(&mut self) {
        let create = self.world.create_request.map(|_| Action::AnswerCreate);
        let restoring = self.world.restoring.map(|_| Action::FinishRestoring);
        self.actions.extend(create.into_iter().chain(restoring));
    }

    /// Whether new content gets a number without further ado.
    fn is_wanted(&mut self) -> bool {
        let world = self.world;
        let Some(request) = world.create_request else {
            return world.update_policy == UpdatePolicy::Automatic || self.restored_from_request().is_some();
        };
        let is_meant = request == "true" || world.spec.starts_with(request);
        if !is_meant {
            self.refuse_create(request, CreateProblem::NotPending { pending: world.spec });
        }
        is_meant || world.update_policy == UpdatePolicy::Automatic || self.restored_from_request().is_some()
    }

    fn numbered(&mut self) -> Result<Standing, Exhausted> {
        let world = self.world;
        if world.freshness == Freshness::Cached {
            self.issue.needs_live_look = true;
            return Ok(Standing::Due);
        }
        let taken = self.taken();
        let number = taken.map_or_else(|| traces(world).next(), Ok)?;
        let newest = || world.history.newest_with(world.spec).map(|it| it.number);
        let restored_from = self.restored_from_request().or_else(newest);
        let because = match restored_from {
            Some(from) => IssueReason::Restored(from),
            None if number == RevisionNumber::FIRST => IssueReason::First,
            None => IssueReason::Edited,
        };
        let name = world.lineage.name_of(number);
        if taken.is_none() {
            self.actions.push(Action::Reserve(number));
        }
        self.actions.push(Action::Create(NewRevision { name, number, digest: world.spec, restored_from }));
        self.tell(Notice::Issued { number, because });
        Ok(Standing::Issuing { number, because })
    }

    /// The number that was taken for this very content by somebody who has not come to create it: a rival that is about to,
    /// and finds it created, or a controller that died.
    fn taken(&self) -> Option<RevisionNumber> {
        let world = self.world;
        let last = world.traces.last_issued.filter(|_| world.reserved == Some(world.spec))?;
        let is_newest = traces(world).highest() == Some(last);
        (is_newest && world.history.highest() < Some(last)).then_some(last)
    }

    /// The revision that a rollback asked for, if its content is what was read.
    fn restored_from_request(&self) -> Option<RevisionNumber> {
        let number = self.world.restoring?;
        self.world.history.recall(number, self.world.spec).map(|it| it.number)
    }

    fn superseded(&mut self) {
        let Some(current) = self.current else { return };
        for revision in self.world.history.live() {
            let superseded = revision.number < current.number;
            if revision.superseded != Some(superseded) {
                let revision = revision.object.clone();
                self.actions.push(Action::SetSuperseded { revision, superseded });
            }
        }
    }

    fn replaced(&mut self) {
        let history = self.world.history;
        let unnoted = history.live().filter(|it| it.replaced_at.is_none());
        let replaced = unnoted.filter_map(|it| Some((it, history.replaced_at(it.number)?)));
        let note = |(it, at): (&Revision, _)| Action::NoteReplaced { revision: it.object.clone(), at };
        self.actions.extend(replaced.map(note));
    }

    fn adopted(&mut self) {
        let orphans = self.world.history.live().filter(|it| it.ownership == Ownership::Orphan);
        self.actions.extend(orphans.map(|it| Action::Adopt(it.object.clone())));
    }

    fn pruned(&mut self) {
        let world = self.world;
        let fates = fates(world.history, &self.kept, world.now, world.freshness);
        let mut numbers = Vec::new();
        for revision in world.history.live() {
            let object = || revision.object.clone();
            match fates.get(&revision.number) {
                Some(Fate::Mark) => {
                    self.actions.push(Action::MarkUnused { revision: object(), since: world.now });
                }
                Some(Fate::Unmark) => self.actions.push(Action::Unmark(object())),
                Some(Fate::Delete) => {
                    self.actions.push(Action::Prune(object()));
                    numbers.push(revision.number);
                }
                Some(Fate::Recheck) => self.issue.needs_live_look = true,
                Some(Fate::Due(at) | Fate::Spared(at)) => {
                    self.issue.next_look = Some(self.issue.next_look.map_or(*at, |it| it.min(*at)));
                }
                Some(Fate::Kept) | None => {}
            }
        }
        if !numbers.is_empty() {
            self.tell(Notice::Pruned { numbers });
        }
    }
}

/// What instances move to. Where a hold makes no sense everybody stays.
fn current<'w>(world: &World<'w>, hold: &Hold) -> Option<&'w Revision> {
    match hold {
        Hold::Released => world.history.latest(),
        Hold::Held { number, .. } => world.history.find(*number),
        Hold::Invalid(_) => world.serving.and_then(|it| world.history.find(it)),
    }
}

fn uses(world: &World<'_>, hold: &Hold, current: Option<&Revision>) -> Uses {
    let served = match hold {
        Hold::Held { number, .. } => Some(*number),
        Hold::Released | Hold::Invalid(_) => world.uses.held,
    };
    Uses {
        current: current.map(|it| it.number),
        held: served,
        rollback_source: world.restoring.or(world.uses.rollback_source),
        ..world.uses.clone()
    }
}

fn traces(world: &World<'_>) -> Traces {
    Traces { live: world.traces.live.max(world.history.highest()), ..world.traces }
}

fn named(revision: &Revision) -> Named {
    Named { number: revision.number, digest: revision.digest, name: revision.object.name.clone() }
}
