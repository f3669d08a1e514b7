//! Who does not move at once when an edit of a definition gets its number.

use std::collections::BTreeMap;

use krono_history::Digest;
use krono_history::hold::{Hold, Wish, hold};
use krono_history::revision::History;
use krono_model::names;
use serde_json::Value;

use super::{World, lineage};
use crate::fleet::Waves;

/// What keeps instances at some content; the last in this order is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cause {
    /// They have not come to what is current: they are on their way, or that refuses what they ask for.
    Behind,
    /// They wait for their turn.
    Turn,
    /// The definition is held.
    Hold,
    /// They are pinned, say, or wait for leave.
    Own,
}

impl Cause {
    /// Whether somebody wants them there.
    pub(super) fn is_wish(self) -> bool {
        match self {
            Self::Hold | Self::Own => true,
            Self::Behind | Self::Turn => false,
        }
    }

    /// What people can do about it.
    pub(super) fn cure(self) -> &'static str {
        match self {
            Self::Behind => "have them come to the current revision first (krono why tells what keeps one)",
            Self::Turn => {
                "let all of them move at once (without spec.propagateWhen, spec.propagation and a pause)"
            }
            Self::Hold => "release the hold",
            Self::Own => "unpin or approve them",
        }
    }
}

/// The contents that instances are at, or are meant to be, when an edit becomes the latest revision, and why.
///
/// Those that follow a definition which lets everybody move at once go along with it.
pub(super) fn left_behind(world: &World<'_>) -> BTreeMap<Digest, Cause> {
    let past = &world.past;
    let named = past.uses.named.iter().filter_map(|it| past.history.find(*it)).map(|it| it.digest);
    let own = past.staying.iter().copied().chain(named).map(|it| (it, Cause::Own));
    let wish = lineage::wish(world.definition, past.history);
    let current = current(&hold(wish, past.history), past.history);
    // Other content ends a hold that follows from a mark.
    let held = hold(Wish { automatic: None, ..wish }, past.history);
    let cause = match held {
        Hold::Held { .. } | Hold::Invalid(_) => Some(Cause::Hold),
        Hold::Released if waits_for_turn(world.definition) => Some(Cause::Turn),
        Hold::Released => None,
    };
    let served = current.filter(|_| cause == Some(Cause::Hold)).map(|it| (it, Cause::Hold));
    let following = past.following.iter().filter_map(|it| {
        let behind = (Some(*it) != current).then_some(Cause::Behind);
        cause.or(behind).map(|cause| (*it, cause))
    });
    let mut found = BTreeMap::new();
    for (digest, cause) in following.chain(served).chain(own) {
        let known = found.entry(digest).or_insert(cause);
        *known = cause.max(*known);
    }
    found
}

/// The content that instances move to before the edit.
fn current(hold: &Hold, history: &History) -> Option<Digest> {
    let revision = match hold {
        Hold::Held { number, .. } => history.find(*number),
        Hold::Released => history.latest(),
        Hold::Invalid(_) => None,
    };
    revision.map(|it| it.digest)
}

fn waits_for_turn(definition: &Value) -> bool {
    Waves::hold_instances_back(definition)
        || lineage::annotation(definition, names::PROPAGATION_ANNOTATION).is_some()
}
