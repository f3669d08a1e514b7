//! How each instance stands.

use jiff::Timestamp;

use crate::clock::Clock;
use crate::fleet::{Admission, Fleet, Health, Member, Movement, Stance};
use crate::policy::OnFailure;

/// How an instance stands in a propagation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It takes no part.
    Apart(Apart),
    /// It is new and has no revision yet.
    Newborn,
    /// It takes part, and has not been admitted.
    Candidate,
    /// It has been admitted and is on its way.
    InFlight(Flight),
    /// It has been admitted, and nobody waits for it.
    Settled(Settled),
    /// It has been admitted and failed, and that is one too many.
    Failed(Failure),
}

/// Why an instance takes no part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Apart {
    /// It does not follow its definition.
    Stance(Stance),
    /// It has the content already: it began with it, or came to it before.
    AtContent,
}

/// How far an instance is that is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flight {
    /// Its resources are not all at the target and ready.
    Updating,
    /// They are, and not for long enough.
    Soaking,
}

/// Why nobody waits for an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// It is at the target, and well.
    Observed,
    /// It was not well before, or its owner changed it: whatever becomes of it is told and not counted.
    Excused(Option<Failure>),
    /// It failed, and so many may.
    Failed(Failure),
}

/// How an instance failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It was in error for too long.
    Error,
    /// It was not ready at the target in time.
    Deadline,
    /// It became unready soon after it was ready.
    Soak,
}

impl Failure {
    /// What people read.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "in error for more than 30 seconds",
            Self::Deadline => "not ready at the new revision within the deadline",
            Self::Soak => "not ready for more than 30 seconds within its soak",
        }
    }
}

/// All that is to be known about instances one by one.
pub(super) struct Assessor<'a> {
    pub(super) fleet: &'a Fleet<'a>,
    pub(super) clock: &'a Clock<'a>,
}

impl Assessor<'_> {
    /// How an instance stands while failures are not counted: every one that is not excused is one too many.
    pub(super) fn standing(&self, member: &Member<'_>) -> Standing {
        let assigned = match (member.stance, member.assigned) {
            // What it begins with may be another revision than the one that refuses it.
            (Stance::Auto | Stance::Refused, None) => return Standing::Newborn,
            (Stance::Auto, Some(assigned)) => assigned,
            (stance, _) => return Standing::Apart(Apart::Stance(stance)),
        };
        if assigned != self.fleet.target.digest {
            return Standing::Candidate;
        }
        match member.admission.filter(|it| self.is_of_this(it)) {
            Some(admission) => self.admitted(member, admission),
            None => Standing::Apart(Apart::AtContent),
        }
    }

    /// Whether an admission was to the target and since it is the target; only then has the instance moved.
    fn is_of_this(&self, admission: &Admission) -> bool {
        admission.from != self.fleet.target.digest && admission.at >= self.fleet.progress.started
    }

    fn admitted(&self, member: &Member<'_>, admission: Admission) -> Standing {
        let soaked_at = self.soaked_at(member);
        if soaked_at.is_some_and(|it| it <= self.clock.now && is_well_by(member, it)) {
            return Standing::Settled(Settled::Observed);
        }
        let failure = self.failure(member, admission, soaked_at);
        let is_edited_first = member.is_edited && !member.has_failed;
        if admission.is_excused || failure.is_some() && is_edited_first {
            return Standing::Settled(Settled::Excused(failure));
        }
        match (failure, soaked_at) {
            (Some(failure), _) => Standing::Failed(failure),
            (None, Some(_)) => Standing::InFlight(Flight::Soaking),
            (None, None) => Standing::InFlight(Flight::Updating),
        }
    }

    fn soaked_at(&self, member: &Member<'_>) -> Option<Timestamp> {
        let since = member.observed_since(self.fleet.target.digest)?;
        // Who goes back in a hurry has no soak.
        let at_once = since.min(self.clock.now);
        Some(if self.fleet.is_instant() { at_once } else { self.clock.soaked_at(since) })
    }

    fn failure(
        &self,
        member: &Member<'_>,
        admission: Admission,
        soaked_at: Option<Timestamp>,
    ) -> Option<Failure> {
        let lasting = member.health.unwell_since().is_some_and(|it| self.clock.is_lasting(it));
        match (member.health, soaked_at) {
            (Health::Error(_), _) if lasting => Some(Failure::Error),
            (Health::Unready(_), Some(_)) if lasting => Some(Failure::Soak),
            (_, None) if self.clock.is_late(admission.at, member.hindered) => Some(Failure::Deadline),
            _ => None,
        }
    }

    /// When something about an instance that is on its way changes by itself.
    pub(super) fn changes_at(&self, member: &Member<'_>) -> Option<Timestamp> {
        let soaked_at = self.soaked_at(member);
        // Whoever has not arrived may be unready for as long as the deadline lets it.
        let may_be_unready = matches!((member.health, soaked_at), (Health::Unready(_), None));
        let lasting = member.health.unwell_since().filter(|_| !may_be_unready);
        let lasting = lasting.map(|it| self.clock.lasting_at(it));
        let late = member.admission.filter(|_| soaked_at.is_none());
        let late = late.map(|it| self.clock.late_at(it.at, member.hindered));
        let ahead = |it: &Timestamp| *it > self.clock.now;
        [lasting, soaked_at, late].into_iter().flatten().filter(ahead).min()
    }

    /// Whether it was moved by an earlier propagation that it has not come through: it was not well soon after, or never.
    pub(super) fn was_in_flight(&self, member: &Member<'_>) -> bool {
        let (Some(assigned), Some(_)) = (member.assigned, member.admission) else { return false };
        let Some(since) = member.observed_since(assigned) else { return true };
        !is_well_by(member, self.clock.soaked_at(since))
    }

    /// Whether the failure of an instance that is admitted now will not count.
    ///
    /// One that an earlier propagation broke is not excused, unless this is the way back from there.
    pub(super) fn is_excused(&self, member: &Member<'_>) -> bool {
        if member.is_ready() {
            return false;
        }
        let is_broken = self.was_in_flight(member) && member.admission.is_some_and(|it| !it.is_excused);
        !is_broken || matches!(self.fleet.movement, Movement::Back { .. })
    }
}

/// Whether it was not unwell when its soak ended, or is no longer.
fn is_well_by(member: &Member<'_>, soaked_at: Timestamp) -> bool {
    member.health.unwell_since().is_none_or(|since| since > soaked_at)
}

impl Standing {
    /// Whether it takes part, and has been admitted.
    pub fn is_admitted(self) -> bool {
        matches!(self, Self::InFlight(_) | Self::Settled(_) | Self::Failed(_))
    }

    /// Whether it takes part.
    pub fn is_eligible(self) -> bool {
        self == Self::Candidate || self.is_admitted()
    }

    /// Whether it has been admitted and nobody waits for it.
    pub fn is_settled(self) -> bool {
        matches!(self, Self::Settled(_))
    }

    /// Whether it is on its way, even if nobody waits for it. One that is excused is so until it has observed the target or is late.
    pub(super) fn is_moving(self, has_observed: bool) -> bool {
        matches!(self, Self::InFlight(_)) || self == Self::Settled(Settled::Excused(None)) && !has_observed
    }

    /// How it failed, if it did.
    pub fn failure(self) -> Option<Failure> {
        match self {
            Self::Failed(failure)
            | Self::Settled(Settled::Failed(failure) | Settled::Excused(Some(failure))) => Some(failure),
            Self::Apart(_)
            | Self::Newborn
            | Self::Candidate
            | Self::InFlight(_)
            | Self::Settled(Settled::Observed | Settled::Excused(None)) => None,
        }
    }
}

/// Whether failures stop a propagation at all.
pub(super) fn counts_failures(fleet: &Fleet<'_>, on_failure: OnFailure) -> bool {
    on_failure != OnFailure::Continue && !fleet.is_instant() && !fleet.progress.is_completed
}
