//! The fleet as it would be with some of the candidates admitted.

use krono_cel::Val;

use super::values::{self, Common};
use super::{Each, Gates, Mentions, Part, Round};
use crate::decide::Counts;

/// A candidate that the decision admits.
#[derive(Clone, Copy)]
pub(super) struct Admitted {
    pub(super) rank: usize,
    pub(super) member: usize,
}

/// What expressions see that changes as candidates are admitted.
pub(super) struct View<'r> {
    pub(super) fleet: Val<'r>,
    pub(super) instances: Option<Val<'r>>,
}

/// A fleet as it is, from which it can be told how it would be.
pub(super) struct Viewer<'r> {
    pub(super) round: Round<'r>,
    common: Common<'r>,
    /// All instances, made only where somebody asks for them.
    instances: Option<Val<'r>>,
}

impl<'r> Viewer<'r> {
    pub(super) fn new(gates: &'r Gates, round: Round<'r>) -> Self {
        let needs = |it: &Part| it.mentions.instances;
        let needs_all = gates.all.iter().any(|it| needs(&it.rest) || it.shared.iter().any(needs));
        let common = Common::new(&gates.sight);
        let instances = needs_all.then(|| Val::list(common.instances(&round)));
        Self { round, common, instances }
    }

    pub(super) fn view(&self, admitted: &[Admitted]) -> View<'r> {
        View { fleet: values::fleet(&self.counts(admitted)), instances: self.instances(admitted) }
    }

    pub(super) fn counts(&self, admitted: &[Admitted]) -> Counts {
        let mut counts = self.round.counts;
        for it in admitted {
            self.count(&mut counts, *it);
        }
        counts
    }

    /// Takes in one more who is admitted: it is on its way, and so no longer ready.
    pub(super) fn count(&self, counts: &mut Counts, admitted: Admitted) {
        let fleet = self.round.fleet;
        let was_ready = fleet.members[admitted.member].is_ready_with(fleet.target.digest);
        counts.admitted += 1;
        counts.moving += 1;
        counts.ready -= usize::from(was_ready);
    }

    pub(super) fn instances(&self, admitted: &[Admitted]) -> Option<Val<'r>> {
        let instances = self.instances.as_ref()?;
        if admitted.is_empty() {
            return Some(instances.clone());
        }
        let mut all: Vec<Val<'r>> = instances.as_list()?.iter().collect();
        for it in admitted {
            if let Some(instance) = all.get_mut(it.rank) {
                *instance = self.common.admitted(&self.round, it.member, it.rank);
            }
        }
        Some(Val::list(all))
    }

    /// As much of a candidate as is asked for.
    pub(super) fn candidate(&self, mentions: Mentions, rank: usize, member: usize) -> Val<'r> {
        match (mentions.each, &self.instances) {
            (Each::Nothing | Each::ExponentialTarget | Each::LinearTarget(_) | Each::Index, _) => {
                values::only_index(rank)
            }
            (Each::More, Some(instances)) => {
                instances.as_list().and_then(|it| it.get(rank)).unwrap_or(Val::Null)
            }
            (Each::More, None) => self.common.instance(&self.round, member, Some(rank)),
        }
    }
}
