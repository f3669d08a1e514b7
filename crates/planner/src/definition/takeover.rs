//! Revisions that kro left become krono's.

use krono_history::RevisionNumber;
use krono_history::retention::Freshness;
use serde_json::Value;

use super::{Action, Failure, Notice, Plan, World, lineage};

/// Creates what kro left before anything else is decided; nothing when there is none, or when the server has just refused it.
pub(super) fn plan(world: &World<'_>) -> Option<Plan> {
    let left = world.past.left_by_kro;
    let newest = left.last().and_then(number)?;
    if matches!(world.failure, Some(Failure::Revision(_))) {
        return None;
    }
    if world.past.freshness == Freshness::Cached {
        return Some(Plan { needs_live_look: true, ..Plan::default() });
    }
    let actions = left.iter().map(|it| Action::CreateRevision(lineage::held(it.clone()))).collect();
    let notices = vec![Notice::TakenOver { count: left.len(), newest }];
    Some(Plan { actions, notices, ..Plan::default() })
}

fn number(revision: &Value) -> Option<RevisionNumber> {
    RevisionNumber::from_wire(revision["spec"]["revision"].as_i64()?)
}
