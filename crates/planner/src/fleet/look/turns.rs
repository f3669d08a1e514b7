//! Who has a turn, and where it leads.

use krono_history::Digest;
use krono_propagation::Decision;
use krono_propagation::assignment::Assignment;
use krono_propagation::fleet::{Admission, Member};
use krono_propagation::mark;

use super::super::ledger::Ledger;
use super::super::{Turn, decide, is_lost};
use super::Looking;

impl Looking<'_> {
    /// Whether a turn changes anything: the schema of what an instance should begin with or go back to may refuse its spec.
    pub(super) fn leads_elsewhere(&self, member: &Member<'_>, turn: Turn) -> bool {
        let to = || decide(&self.world(member.object, turn), None).verdict.assignment;
        matches!(turn, Turn::Goes(_)) || to().map(|it| it.digest) != member.assigned
    }

    pub(super) fn turns(
        &self,
        members: &[Member<'_>],
        ledger: &Ledger,
        decision: &Decision,
    ) -> Vec<(usize, Turn)> {
        let goes = decision.moves.iter().map(|it| {
            let admission = Admission { at: it.at, from: it.from, is_excused: it.is_excused };
            (it.member, Turn::Goes(admission))
        });
        let returns = decision.returns.iter().filter_map(|it| {
            let to = self.returned(&members[it.member], it.to)?;
            let admission = Admission { at: ledger.started, from: self.target.digest, is_excused: false };
            Some((it.member, Turn::Takes { to, admission: Some(admission) }))
        });
        let facts = self.scene.facts;
        let births = decision.births.iter().filter(|it| !is_lost(&self.scene.instances[it.member], facts));
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
