//! All that is written down in the world of a small fleet.

use stateright::Representative;

use super::{FLEET, REVISIONS};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Instance {
    pub(super) assigned: u8,
    /// How it came there, and whether it was excused; when within a propagation makes no difference.
    pub(super) admission: Option<(When, bool)>,
    /// What it was last seen at; not to be taken for where it is.
    pub(super) observed: u8,
    /// Whether it has come to what it is assigned to.
    pub(super) is_there: bool,
    pub(super) is_broken: bool,
    pub(super) is_pinned: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum When {
    Earlier,
    Now,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Revision {
    pub(super) outcome: Option<bool>,
    pub(super) is_completed: bool,
}

/// All that is written down, and how much may still go wrong.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub(super) fleet: [Instance; FLEET],
    pub(super) revisions: [Revision; REVISIONS as usize],
    pub(super) latest: u8,
    pub(super) target: u8,
    pub(super) is_paused: bool,
    /// Whether somebody holds everybody at the first revision.
    pub(super) is_held: bool,
    pub(super) left: Left,
    /// What was found wrong with a decision.
    pub(super) violation: Option<&'static str>,
}

/// How often each may still happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Left {
    pub(super) failures: u8,
    pub(super) pins: u8,
    pub(super) pauses: u8,
    pub(super) retries: u8,
    pub(super) holds: u8,
}

impl State {
    pub(super) fn new(left: Left) -> Self {
        let instance = Instance {
            assigned: 0,
            admission: None,
            observed: 0,
            is_there: true,
            is_broken: false,
            is_pinned: false,
        };
        let mut state = Self {
            fleet: [instance; FLEET],
            revisions: [Revision::default(); REVISIONS as usize],
            latest: 1,
            target: 1,
            is_paused: false,
            is_held: false,
            left,
            violation: None,
        };
        state.revisions[0].is_completed = true;
        state
    }

    pub(super) fn last_good(&self) -> Option<u8> {
        let is_good = |it: &u8| {
            let revision = self.revisions[usize::from(*it)];
            revision.is_completed && revision.outcome.is_none()
        };
        (0..self.latest).rev().find(is_good)
    }

    /// What instances move to follows from a hold and from the marks.
    pub(super) fn aim(&mut self) {
        let is_rolled_back = self.revisions[usize::from(self.latest)].outcome == Some(true);
        let way_back = if self.is_held { Some(0) } else { self.last_good().filter(|_| is_rolled_back) };
        let target = way_back.unwrap_or(self.latest);
        if target != self.target {
            self.target = target;
            for admission in self.fleet.iter_mut().filter_map(|it| it.admission.as_mut()) {
                admission.0 = When::Earlier;
            }
        }
    }

    /// Those who were admitted to the target since it is the target, as it is written down.
    pub(super) fn admitted(&self) -> impl Iterator<Item = &Instance> {
        let is_admitted = |it: &&Instance| {
            let is_now = it.admission.is_some_and(|(when, _)| when == When::Now);
            !it.is_pinned && it.assigned == self.target && is_now
        };
        self.fleet.iter().filter(is_admitted)
    }

    /// How many of these nobody waits for: they are well there, or excused, or it was completed before they failed.
    pub(super) fn settled(&self) -> usize {
        let was_completed = self.current().is_completed;
        let is_settled = |it: &&Instance| {
            let is_excused = it.admission.is_some_and(|(_, is_excused)| is_excused);
            is_excused || if it.is_broken { was_completed } else { it.is_there }
        };
        self.admitted().filter(is_settled).count()
    }

    pub(super) fn current(&self) -> Revision {
        self.revisions[usize::from(self.target)]
    }
}

/// Who stands where does not matter: names only part equals, and a look parts them in every way that shows.
impl Representative for State {
    fn representative(&self) -> Self {
        let mut state = self.clone();
        state.fleet.sort_unstable();
        state
    }
}
