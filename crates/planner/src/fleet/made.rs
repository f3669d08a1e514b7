//! What an instance is made with.

use jiff::Timestamp;
use krono_history::Digest;
use krono_history::input::Definition;
use krono_history::issue::Named;
use krono_propagation::assignment::Remark;
use serde_json::Value;

use super::{Facts, Revised, Schemas, Turn, World, decide};
use crate::instance::assignment;

/// What an instance is made with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Made {
    /// Whatever is current: the definition has no revision, or the instance is on its way out.
    Current,
    /// The graph of this content, and no more than that: the instance is on its way out.
    Content(Digest),
    /// Nothing; it waits for its first revision and is told why.
    Nothing(String),
    /// A revision.
    Revision {
        /// Which.
        by: Revised,
        /// Why there is no graph of it.
        problem: Option<String>,
    },
}

/// What an instance is made with, given what instances move to and what is the same for all of them; nothing while its
/// assignment has to be decided, or written down, first.
pub fn made(
    instance: &Value,
    current: Option<&Named>,
    facts: Option<&Facts>,
    schemas: &dyn Schemas,
    now: Timestamp,
) -> Option<Made> {
    if current.is_none() {
        return Some(Made::Current);
    }
    if !instance["metadata"]["deletionTimestamp"].is_null() {
        let content = assignment(instance).map(|(_, digest, _)| digest);
        let content = content.filter(|it| matches!(schemas.graph_of(*it), Some(Ok(_))));
        return Some(content.map_or(Made::Current, Made::Content));
    }
    let facts = facts?;
    // Who may move is for the fleet to say; the instance asks for whatever else has changed.
    let turn = if facts.is_gated { Turn::Waits } else { Turn::Free };
    let decision = decide(&World { facts, instance, schemas, turn, now }, None);
    if !decision.is_settled() {
        return None;
    }
    let verdict = decision.verdict;
    let Some(by) = facts.made(&verdict) else {
        let words: Vec<String> = verdict.remarks.iter().map(Remark::to_string).collect();
        return Some(Made::Nothing(words.join("; ")));
    };
    Some(Made::Revision { by, problem: problem(&by.definition, schemas) })
}

fn problem(definition: &Definition, schemas: &dyn Schemas) -> Option<String> {
    let reason = match schemas.graph_of(definition.digest) {
        None => "no kept revision has this content",
        Some(Err(reason)) => reason,
        Some(Ok(_)) => return None,
    };
    Some(format!("revision {} cannot be served: {reason}", definition.number))
}
