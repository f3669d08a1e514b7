//! The decision itself.

use std::cell::OnceCell;

use krono_history::RevisionNumber;
use krono_history::revision::{Health, Revision};

use super::{Assignment, Because, Fleet, Gate, HeldInput, Instance, Life, Movement, Remark, Verdict};
use crate::fleet::read_order;
use crate::limits::{Allowance, Policy};
use crate::mark::mark_of;

pub(super) fn decide(fleet: &Fleet<'_>, instance: &Instance<'_>, gate: &dyn Gate) -> Verdict {
    let mut decision = Decision { fleet, instance, gate, remarks: Vec::new(), found: OnceCell::new() };
    let (assignment, because) = decision.weigh();
    Verdict { assignment, because, remarks: decision.remarks }
}

struct Decision<'d> {
    fleet: &'d Fleet<'d>,
    instance: &'d Instance<'d>,
    gate: &'d dyn Gate,
    remarks: Vec<Remark>,
    /// Found out once, when it matters: much has to be looked at.
    found: OnceCell<Option<Assignment>>,
}

/// What an instance would do if nobody set limits.
enum Wish<'d> {
    /// Move to a revision, or be there.
    Go(&'d Revision),
    /// Stay; one that is new begins with what is current.
    Stay,
    /// Stay; one that is new waits, for what it asks for cannot be had.
    Wait,
}

impl<'d> Decision<'d> {
    fn weigh(&mut self) -> (Option<Assignment>, Because) {
        if self.instance.life == Life::Ending {
            return (self.instance.assigned, Because::Ending);
        }
        let policy = self.policy();
        if self.instance.wishes.suspended || policy == Some(Policy::Paused) {
            return (self.place().or_else(|| self.newborn()), Because::Paused);
        }
        self.order();
        let (wish, because) = self.wish(policy);
        let (wanted, because) = self.granted(&wish, because);
        let has_turn = because == Because::AwaitingAdmission && self.will_be_admitted();
        match wanted.filter(|_| !has_turn).and_then(|it| self.lifted(it)) {
            Some(lifted) => (Some(lifted), Because::Minimum),
            None => (wanted, because),
        }
    }

    /// The policy in force; nothing for one that cannot be read, which keeps the instance where it is.
    fn policy(&mut self) -> Option<Policy> {
        let Some(text) = self.instance.wishes.policy else { return Some(Policy::Auto) };
        let Some(policy) = Policy::read(text) else {
            self.remarks.push(Remark::PolicyInvalid(text.to_owned()));
            return None;
        };
        let allowed = self.fleet.limits.policies.as_ref();
        if allowed.is_some_and(|it| !it.contains(&policy)) && policy != Policy::Auto {
            self.remarks.push(Remark::PolicyForbidden(policy));
            return Some(Policy::Auto);
        }
        Some(policy)
    }

    /// What the fleet makes of a place in the order is decided elsewhere.
    fn order(&mut self) {
        let Some(text) = self.instance.wishes.order else { return };
        if self.fleet.limits.order == Allowance::Forbidden {
            self.remarks.push(Remark::OrderForbidden);
        } else if read_order(text).is_none() {
            self.remarks.push(Remark::OrderInvalid(text.to_owned()));
        }
    }

    fn wish(&mut self, policy: Option<Policy>) -> (Wish<'d>, Because) {
        if let Some(wish) = self.hold() {
            return (wish, Because::InputHeld);
        }
        if let Some(wish) = self.pin() {
            return (wish, Because::Pinned);
        }
        match policy {
            Some(Policy::Auto | Policy::Paused) => (self.follow(), Because::Following),
            Some(Policy::Manual) => self.approval(),
            None => (Wish::Stay, Because::Manual),
        }
    }

    fn hold(&mut self) -> Option<Wish<'d>> {
        let held = self.instance.wishes.hold?;
        if self.fleet.limits.pins == Allowance::Forbidden {
            self.remarks.push(Remark::HoldForbidden);
            return None;
        }
        let revision = match held {
            HeldInput::Of(content) => self.fleet.history.newest_with(content),
            HeldInput::Unusable(problem) => {
                self.remarks.push(Remark::HoldUnusable(problem.to_owned()));
                None
            }
        };
        Some(revision.map_or(Wish::Wait, Wish::Go))
    }

    fn pin(&mut self) -> Option<Wish<'d>> {
        let text = self.instance.wishes.pin?;
        if self.fleet.limits.pins == Allowance::Forbidden {
            self.remarks.push(Remark::PinForbidden);
            return None;
        }
        match text.parse() {
            Err(wrong) => {
                self.remarks.push(Remark::PinInvalid(wrong));
                Some(Wish::Wait)
            }
            Ok(number) if self.has_ended(number) => {
                self.remarks.push(Remark::PinExpired(number));
                None
            }
            Ok(number) => Some(self.pinned(number)),
        }
    }

    fn has_ended(&self, number: RevisionNumber) -> bool {
        let Fleet { limits, history, now, .. } = self.fleet;
        limits.end_of_pin(history, number).is_some_and(|end| end <= *now)
    }

    fn pinned(&mut self, number: RevisionNumber) -> Wish<'d> {
        let Some(revision) = self.fleet.history.find(number) else {
            let is_past = self.fleet.highest.is_some_and(|it| number <= it);
            self.remarks.push(if is_past { Remark::PinPruned(number) } else { Remark::PinUnknown(number) });
            return Wish::Wait;
        };
        if let Some(reason) = self.unusable(revision) {
            self.remarks.push(Remark::PinUnusable { number, reason });
            return Wish::Wait;
        }
        if let Some((_, reason)) = self.fleet.history.given_up(revision.digest) {
            self.remarks.push(Remark::PinnedToFailed { number, reason: reason.to_owned() });
        }
        Wish::Go(revision)
    }

    fn unusable(&self, revision: &Revision) -> Option<String> {
        match &revision.health {
            Health::DoesNotCompile(reason) => Some(reason.clone()),
            Health::Good | Health::Failed(_) => self.instance.evidence.unusable(revision),
        }
    }

    fn follow(&mut self) -> Wish<'d> {
        if let Movement::Stopped(reason) = self.fleet.movement {
            self.remarks.push(Remark::Stopped(reason.to_owned()));
            return Wish::Stay;
        }
        self.current().map_or(Wish::Stay, Wish::Go)
    }

    fn current(&self) -> Option<&'d Revision> {
        let current = self.fleet.current?;
        self.fleet.history.find(current.number).or_else(|| self.fleet.history.newest_with(current.digest))
    }

    fn approval(&mut self) -> (Wish<'d>, Because) {
        if let Some(revision) = self.approved() {
            return (Wish::Go(revision), Because::Approved);
        }
        self.tell_of_newer();
        (Wish::Stay, Because::Manual)
    }

    /// The revision that somebody approved of and that is not behind the instance.
    fn approved(&mut self) -> Option<&'d Revision> {
        let number: RevisionNumber = match self.instance.wishes.approval?.parse() {
            Ok(number) => number,
            Err(wrong) => {
                self.remarks.push(Remark::ApprovalInvalid(wrong));
                return None;
            }
        };
        let place = self.place().and_then(|it| self.fleet.history.newest_with(it.digest));
        let Some(revision) = self.fleet.history.find(number) else {
            let is_past = place.is_some_and(|it| number <= it.number);
            if !is_past {
                self.remarks.push(Remark::ApprovalUnknown(number));
            }
            return None;
        };
        if let Some(place) = place.filter(|it| number < it.number) {
            // What it has is approved, under whichever number.
            if place.digest != revision.digest {
                self.remarks.push(Remark::ApprovalBehind { number, at: place.number });
            }
            return None;
        }
        let current = self.fleet.current.map(|it| it.number);
        if let Some(current) = current.filter(|it| number > *it) {
            self.remarks.push(Remark::ApprovalAhead { number, current });
            return None;
        }
        Some(revision)
    }

    fn tell_of_newer(&mut self) {
        let (Some(place), Some(current)) = (self.known_place(), self.fleet.current) else { return };
        if place.digest != current.digest {
            self.remarks.push(Remark::AwaitsApproval(current.number));
        }
    }

    /// Where the wish leads, with what the schema of the revision and the gate have to say.
    fn granted(&mut self, wish: &Wish<'d>, because: Because) -> (Option<Assignment>, Because) {
        let revision = match wish {
            Wish::Stay => return (self.place().or_else(|| self.newborn()), because),
            Wish::Wait => return (self.waiting_place(), because),
            Wish::Go(revision) => *revision,
        };
        if let Some(known) = self.known_assignment().filter(|it| it.digest == revision.digest) {
            return (Some(known), because);
        }
        // A stored input was seen through the schema of its revision; the spec of today is not asked for.
        if because != Because::InputHeld && self.is_refused(revision) {
            return (self.place(), because);
        }
        let to = Assignment::of(revision);
        if because == Because::Following && !self.gate.admits(self.known_assignment(), to) {
            // One that does not say where it is waits there nevertheless; one that is new is nowhere.
            let from = self.place().filter(|it| it.digest != to.digest);
            return from.map_or((Some(to), because), |from| (Some(from), Because::AwaitingAdmission));
        }
        (Some(to), because)
    }

    fn is_refused(&mut self, revision: &Revision) -> bool {
        let refusal = self.instance.evidence.refusal(revision);
        self.remarks
            .extend(refusal.clone().map(|problem| Remark::SpecRefused { number: revision.number, problem }));
        refusal.is_some()
    }

    /// Whether who waits for admission comes to what the minimum allows when its turn is; nobody is admitted to what was given up,
    /// unless people hold it.
    fn will_be_admitted(&self) -> bool {
        let Some(target) = self.fleet.current.map(|it| self.newest_number(it)) else { return false };
        let is_tried =
            || self.fleet.current.is_some_and(|it| mark_of(self.fleet.history, it.digest).is_none());
        self.fleet.limits.minimum.is_none_or(|it| target >= it)
            && (self.fleet.movement == Movement::Held || is_tried())
    }

    /// Equal contents are one: an instance is at the newest number of its own.
    fn newest_number(&self, of: Assignment) -> RevisionNumber {
        self.fleet.history.newest_with(of.digest).map_or(of.number, |it| it.number)
    }

    /// What the minimum makes of an assignment that is below it: the lowest that is allowed and that nobody gave up.
    fn lifted(&mut self, assignment: Assignment) -> Option<Assignment> {
        let minimum = self.fleet.limits.minimum?;
        let newest = self.newest_number(assignment);
        if newest >= minimum {
            return None;
        }
        self.remarks.push(Remark::BelowMinimum { number: newest, minimum });
        let history = self.fleet.history;
        let is_allowed = |it: &&Revision| it.number >= minimum && self.unusable(it).is_none();
        let mut allowed = history.live().filter(is_allowed).peekable();
        let is_any = allowed.peek().is_some();
        let Some(lowest) = allowed.find(|it| mark_of(history, it.digest).is_none()) else {
            let remark = if is_any { Remark::MinimumGivenUp } else { Remark::MinimumUnknown };
            self.remarks.push(remark(minimum));
            return None;
        };
        (!self.is_refused(lowest)).then(|| Assignment::of(lowest))
    }

    /// What the status says, if its content is there.
    fn known_assignment(&self) -> Option<Assignment> {
        self.instance.assigned.filter(|it| self.fleet.history.newest_with(it.digest).is_some())
    }

    /// The newest revision with the content that the status says.
    fn known_place(&self) -> Option<&'d Revision> {
        self.fleet.history.newest_with(self.instance.assigned?.digest)
    }

    /// Where the instance is: what its status says, else what its resources tell.
    fn place(&self) -> Option<Assignment> {
        self.known_assignment().or_else(|| *self.found.get_or_init(|| self.recovered()))
    }

    /// What is left of it tells: content under which no resource becomes another, else what its newest input was for, else
    /// the highest stamp.
    fn recovered(&self) -> Option<Assignment> {
        let (history, evidence) = (self.fleet.history, self.instance.evidence);
        let recorded = evidence.recorded().and_then(|it| history.newest_with(it));
        // No resource was changed since it was stamped: where that revision is pruned, the next one made the same of it.
        let stamped = || evidence.highest_stamp().and_then(|it| history.live().find(|at| at.number >= it));
        self.fitting(recorded).or(recorded).or_else(stamped).map(Assignment::of)
    }

    /// Where an instance stays that waits. One whose status names what is no longer kept stays at just that, unless its
    /// resources are those of another content: nothing is written for any other.
    fn waiting_place(&self) -> Option<Assignment> {
        let Some(assigned) = self.instance.assigned else { return self.place() };
        let recorded = || self.instance.evidence.recorded().and_then(|it| self.fleet.history.newest_with(it));
        let fitting = || self.fitting(recorded()).map(Assignment::of);
        self.known_assignment().or_else(fitting).or(Some(assigned))
    }

    /// The newest content under which no resource becomes another; where several are, what is known otherwise decides.
    ///
    /// What an older one made and a newer one leaves out is there beside all that the newer wants: the one that accounts for
    /// more was there last, unless resources were written for a newer one since.
    fn fitting(&self, recorded: Option<&'d Revision>) -> Option<&'d Revision> {
        let evidence = self.instance.evidence;
        let fits = |it: &&Revision| evidence.fit(it.digest).is_some();
        let stamp = evidence.highest_stamp();
        let current = self.fleet.current.map(|it| it.digest);
        let newest = || {
            let live = self.fleet.history.live();
            let fitting = live.filter_map(|it| Some((it, evidence.fit(it.digest)?)));
            let rank =
                |it: &Revision, fit| (Some(it.number) >= stamp, fit, Some(it.digest) == current, it.number);
            fitting.max_by_key(|(it, fit)| rank(it, *fit)).map(|(it, _)| it)
        };
        recorded.filter(fits).or_else(newest)
    }

    /// What an instance begins with.
    fn newborn(&mut self) -> Option<Assignment> {
        let current = self.current()?;
        (!self.is_refused(current)).then(|| Assignment::of(current))
    }
}
