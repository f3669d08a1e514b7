//! In which order instances move.

use std::cmp::Reverse;

use jiff::Timestamp;
use serde_json::Value;

use super::assess::{Assessor, Standing};
use crate::fleet::Member;
use crate::policy::Policy;

/// Those who take part, in the order in which they move.
pub(super) struct Ranks {
    /// Members by rank; the admitted first.
    pub(super) members: Vec<usize>,
    /// How many of them are admitted.
    pub(super) admitted: usize,
    /// The stage of each member that takes part.
    pub(super) stages: Vec<usize>,
}

/// What decides about the place of an instance; the lowest comes first.
///
/// A stage comes before all wishes, or one of its instances could wait for the settling of a later stage.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    admitted: Option<Timestamp>,
    stage: usize,
    order: i64,
    was_in_flight: Reverse<bool>,
    is_ready: Reverse<bool>,
    created: Timestamp,
}

impl Ranks {
    pub(super) fn new(assessor: &Assessor<'_>, policy: &Policy, standings: &[Standing]) -> Self {
        let members = assessor.fleet.members;
        let mut stages = vec![0; members.len()];
        let mut admitted = Vec::new();
        let mut candidates = Vec::new();
        for (at, (member, standing)) in members.iter().zip(standings).enumerate() {
            if !standing.is_eligible() {
                continue;
            }
            stages[at] = stage(member, policy);
            let key = key(assessor, member, stages[at], standing.is_admitted());
            if standing.is_admitted() { admitted.push((key, at)) } else { candidates.push((key, at)) }
        }
        for part in [&mut admitted, &mut candidates] {
            let name = |at: usize| (members[at].namespace, members[at].name);
            part.sort_unstable_by(|(a, at), (b, other)| a.cmp(b).then_with(|| name(*at).cmp(&name(*other))));
        }
        let count = admitted.len();
        let members = admitted.into_iter().chain(candidates).map(|(_, at)| at).collect();
        Self { members, admitted: count, stages }
    }

    pub(super) fn candidates(&self) -> impl Iterator<Item = (usize, usize)> {
        self.members.iter().copied().enumerate().skip(self.admitted)
    }
}

fn stage(member: &Member<'_>, policy: &Policy) -> usize {
    if policy.stages.is_empty() {
        return 0;
    }
    let labels = member.object.pointer("/metadata/labels").unwrap_or(&Value::Null);
    policy.stage_of(labels, member.namespace_labels)
}

fn key(assessor: &Assessor<'_>, member: &Member<'_>, stage: usize, is_admitted: bool) -> Key {
    let at = member.admission.filter(|_| is_admitted).map(|it| it.at);
    Key {
        admitted: at,
        stage,
        order: member.order,
        was_in_flight: Reverse(!is_admitted && assessor.was_in_flight(member)),
        is_ready: Reverse(!is_admitted && member.is_ready()),
        created: member.created,
    }
}
