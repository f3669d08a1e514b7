//! What is the same for all instances of a definition.

use std::collections::BTreeMap;

use jiff::Timestamp;
use krono_history::RevisionNumber;
use krono_history::hold::{self, Hold};
use krono_history::input;
use krono_history::revision::History;
use krono_planner::instance::Stamping;
use krono_propagation::assignment::{Assignment, Fleet, Movement};
use krono_propagation::limits::{Allowance, Limits};
use serde_json::Value;

use crate::engine::Engine;
use crate::serving::Serving;

/// The revisions of a definition, and its policy about them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Facts {
    pub(crate) history: History,
    pub(crate) current: Assignment,
    pub(crate) limits: Limits,
    pub(crate) input_limit: usize,
    pub(crate) stamping: Stamping,
    hold: Hold,
    highest: Option<RevisionNumber>,
    issued_at: BTreeMap<RevisionNumber, Timestamp>,
}

impl Facts {
    /// Nothing while no revision is served.
    pub(crate) fn of(engine: &Engine, serving: &Serving) -> Option<Self> {
        let current = serving.current_revision()?;
        let definition = engine.definition(&serving.name)?;
        let policy = &definition["spec"]["revisionManagement"];
        let revisions = serving.revisions();
        let history = &revisions.history;
        let limits = Limits::read(&policy["instances"]).limits;
        let annotations = &definition["metadata"]["annotations"];
        let wish = hold::Wish {
            annotation: annotations[krono_model::names::ACTIVE_REVISION_ANNOTATION].as_str(),
            field: policy["activeRevision"].as_i64(),
            minimum: limits.minimum,
        };
        let last = definition["status"]["lastIssuedRevision"].as_i64().and_then(RevisionNumber::from_wire);
        Some(Self {
            current: Assignment { number: current.number, digest: current.digest },
            hold: hold::hold(wish, history),
            highest: history.highest().max(last),
            issued_at: revisions.issued_at(),
            input_limit: input_limit(policy),
            stamping: stamping(policy),
            limits,
            history: without_versions(history),
        })
    }

    /// The same, for a decision now.
    pub(crate) fn fleet<'f>(&'f self, stopped: &'f str, now: Timestamp) -> Fleet<'f> {
        Fleet {
            history: &self.history,
            current: Some(self.current),
            movement: match &self.hold {
                Hold::Released => Movement::Free,
                Hold::Held { .. } => Movement::Held,
                Hold::Invalid(_) => Movement::Stopped(stopped),
            },
            highest: self.highest,
            limits: &self.limits,
            issued_at: &self.issued_at,
            now,
        }
    }

    /// Why nobody moves, if nobody does.
    pub(crate) fn stopped(&self) -> String {
        if matches!(self.hold, Hold::Invalid(_)) { self.hold.to_string() } else { String::new() }
    }

    pub(crate) fn may_pin(&self) -> bool {
        self.limits.pins == Allowance::Allowed
    }
}

/// What is written on a revision beside its content is no news for instances.
fn without_versions(history: &History) -> History {
    let plain = history.live().cloned().map(|mut it| {
        it.object.resource_version = String::new();
        (it.superseded, it.unused_since) = (None, None);
        it
    });
    History::new(plain.collect())
}

fn input_limit(policy: &Value) -> usize {
    let limit = policy["inputHistoryLimit"].as_u64().and_then(|it| usize::try_from(it).ok());
    limit.unwrap_or(input::HISTORY_LIMIT)
}

fn stamping(policy: &Value) -> Stamping {
    if policy["stampResources"] == "Always" { Stamping::Always } else { Stamping::OnChange }
}
