//! In which order instances move.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::Value;

use super::assess::{Assessor, Standing};
use crate::fleet::{Member, Movement};
use crate::policy::Policy;

/// Those who take part, in the order in which they move.
pub(super) struct Ranks {
    /// Members by rank; the admitted first.
    pub(super) members: Vec<usize>,
    /// How many of them are admitted.
    pub(super) admitted: usize,
    /// The times at which they were.
    pub(super) admissions: BTreeSet<Timestamp>,
    /// The stage of each member that takes part; nothing where there are no stages.
    stages: Vec<usize>,
}

/// What decides about the place of an instance before its age and its name do; the lowest comes first.
///
/// A stage comes before all wishes, or one of its instances could wait for the settling of a later stage; where stages do not matter
/// all are in the same. On the way back, whoever failed where all come from goes before others, whatever their wishes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Class {
    is_candidate: bool,
    admitted: Option<Timestamp>,
    stage: usize,
    returns: Reverse<bool>,
    order: i64,
    was_in_flight: Reverse<bool>,
    is_ready: Reverse<bool>,
}

/// Classes are few however many instances there are, so that these are put into them instead of being sorted.
#[derive(Default)]
struct Classes {
    places: BTreeMap<Class, usize>,
    /// The members of each class, with the time of their creation.
    held: Vec<Vec<(Timestamp, usize)>>,
    /// Neighbours mostly are of the same.
    last: Option<(Class, usize)>,
}

impl Classes {
    fn add(&mut self, class: Class, created: Timestamp, at: usize) {
        let place = match self.last {
            Some((last, place)) if last == class => place,
            Some(_) | None => *self.places.entry(class).or_insert(self.held.len()),
        };
        if place == self.held.len() {
            self.held.push(Vec::new());
        }
        self.last = Some((class, place));
        self.held[place].push((created, at));
    }

    /// Members in the order of their ranks.
    fn ranked(mut self, members: &[Member<'_>]) -> Vec<usize> {
        let name = |at: usize| (members[at].namespace, members[at].name);
        let mut ranked = Vec::with_capacity(self.held.iter().map(Vec::len).sum());
        for place in self.places.values() {
            let class = &mut self.held[*place];
            // Costs one pass where whoever lists them has them in this order.
            class.sort_unstable_by(|(a, at), (b, other)| a.cmp(b).then_with(|| name(*at).cmp(&name(*other))));
            ranked.extend(class.iter().map(|(_, at)| *at));
        }
        ranked
    }
}

impl Ranks {
    pub(super) fn new(assessor: &Assessor<'_>, policy: &Policy, standings: &[Standing]) -> Self {
        let members = assessor.fleet.members;
        let mut stages = vec![0; if policy.stages.is_empty() { 0 } else { members.len() }];
        let mut classes = Classes::default();
        let mut admitted = 0;
        for (at, (member, standing)) in members.iter().zip(standings).enumerate() {
            if !standing.is_eligible() {
                continue;
            }
            let stage = stage(member, policy);
            if let Some(known) = stages.get_mut(at) {
                *known = stage;
            }
            admitted += usize::from(standing.is_admitted());
            classes.add(class(assessor, member, stage, standing.is_admitted()), member.created, at);
        }
        let admissions = classes.places.keys().filter_map(|it| it.admitted).collect();
        Self { members: classes.ranked(members), admitted, admissions, stages }
    }

    pub(super) fn candidates(&self) -> impl Iterator<Item = (usize, usize)> {
        self.members.iter().copied().enumerate().skip(self.admitted)
    }

    /// The stage of a member that takes part.
    pub(super) fn stage(&self, member: usize) -> usize {
        self.stages.get(member).copied().unwrap_or_default()
    }
}

fn stage(member: &Member<'_>, policy: &Policy) -> usize {
    if policy.stages.is_empty() {
        return 0;
    }
    let labels = member.object.pointer("/metadata/labels").unwrap_or(&Value::Null);
    policy.stage_of(labels, member.namespace_labels)
}

fn class(assessor: &Assessor<'_>, member: &Member<'_>, stage: usize, is_admitted: bool) -> Class {
    let was_in_flight = !is_admitted && assessor.was_in_flight(member);
    Class {
        is_candidate: !is_admitted,
        admitted: member.admission.filter(|_| is_admitted).map(|it| it.at),
        stage: if assessor.fleet.is_instant() { 0 } else { stage },
        returns: Reverse(was_in_flight && assessor.fleet.movement != Movement::Forward),
        order: member.order,
        was_in_flight: Reverse(was_in_flight),
        is_ready: Reverse(!is_admitted && member.is_ready()),
    }
}
