//! What becomes of failures.

use super::assess::{Settled, Standing, counts_failures};
use super::decision::Phase;
use crate::assignment::Told;
use crate::fleet::{Fleet, Member, Movement};
use crate::limits::Limits;
use crate::mark::{Mark, Outcome};
use crate::policy::{OnFailure, Policy};

/// Lets those who failed settle where so many may; tells the mark where they may not.
pub(super) fn judge(fleet: &Fleet<'_>, policy: &Policy, standings: &mut [Standing]) -> Option<Mark> {
    let failed = standings.iter().filter(|it| matches!(it, Standing::Failed(_))).count();
    let eligible = standings.iter().filter(|it| it.is_eligible()).count();
    let most = policy.max_failures.of(eligible);
    if failed > most && counts_failures(fleet, policy.on_failure) {
        let reason = reason(fleet, standings, most);
        return Some(match way_back(fleet, policy) {
            Some(Ok(())) => Mark { outcome: Outcome::RolledBack, reason },
            Some(Err(why)) => Mark { outcome: Outcome::Halted, reason: format!("{reason}; {why}") },
            None => Mark { outcome: Outcome::Halted, reason },
        });
    }
    for standing in standings {
        if let Standing::Failed(failure) = *standing {
            *standing = Standing::Settled(Settled::Failed(failure));
        }
    }
    None
}

/// Whether the fleet goes back, or why it may not; nothing where nobody wants that. A rollback is never rolled back, and there must
/// be something to go back to.
fn way_back(fleet: &Fleet<'_>, policy: &Policy) -> Option<Result<(), String>> {
    if (policy.on_failure, fleet.movement) != (OnFailure::Rollback, Movement::Forward) {
        return None;
    }
    let good = fleet.last_good.filter(|it| it.digest != fleet.target.digest)?.number;
    let limits = Limits::read(&fleet.definition["spec"]["revisionManagement"]["instances"]).limits;
    // A hold below the minimum would let nobody move at all.
    Some(match limits.minimum {
        Some(minimum) if good < minimum => Err(format!(
            "nobody goes back: revision {good}, the last good one, is below {minimum}, the lowest that the definition allows"
        )),
        Some(_) | None => Ok(()),
    })
}

/// With the first names, in the same order whatever the order of members: whatever else tells of them does not last.
fn reason(fleet: &Fleet<'_>, standings: &[Standing], most: usize) -> String {
    let eligible = standings.iter().filter(|it| it.is_eligible()).count();
    let is_failed = |(_, standing): &(&Member<'_>, &Standing)| matches!(standing, Standing::Failed(_));
    let mut members: Vec<&Member<'_>> =
        fleet.members.iter().zip(standings).filter(is_failed).map(|(it, _)| it).collect();
    members.sort_unstable_by_key(|it| (it.namespace, it.name));
    let mut failed = Told::default();
    for member in members {
        failed.add_with(|| member.full_name());
    }
    let instances = if eligible == 1 { "instance" } else { "instances" };
    let allowed = if most == 0 { String::new() } else { format!(", {most} may") };
    let more = if failed.count > failed.first.len() { ", …" } else { "" };
    format!("{} of {eligible} {instances} failed{allowed}: {}{more}", failed.count, failed.first.join(", "))
}

/// Why nobody may be admitted any more, if that is so.
pub(super) fn given_up(fleet: &Fleet<'_>, new: Option<&Mark>) -> Option<Phase> {
    if fleet.controls.is_aborted {
        return Some(Phase::Aborted);
    }
    // What was written down is what happened, whatever the policy says by now.
    let known = fleet.progress.mark.as_ref().filter(|_| !fleet.is_instant());
    let mark = known.or(new)?;
    Some(match mark.outcome {
        Outcome::Halted => Phase::Halted(mark.reason.clone()),
        Outcome::RolledBack => Phase::RolledBack(mark.reason.clone()),
    })
}
