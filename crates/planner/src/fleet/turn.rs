//! Whether an instance that follows its definition may move.

use krono_propagation::assignment::{Assignment, Closed, Gate, Open};
use krono_propagation::fleet::Admission;
use serde_json::{Value, json};

use super::record::ADMISSION;
use crate::instance::{ASSIGNMENT, of_krono};

/// Whether an instance that follows its definition may move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Turn {
    /// It may: nobody waits for a turn.
    #[default]
    Free,
    /// It stays where it is; one that is new begins with what is current.
    Waits,
    /// It is admitted to what is current.
    Goes(Admission),
    /// It goes elsewhere: back to what it ran before, or to what is to be begun with.
    Takes {
        /// The revision.
        to: Assignment,
        /// How it comes there; nothing for one that is new.
        admission: Option<Admission>,
    },
}

impl Turn {
    pub(super) fn gate(self) -> &'static dyn Gate {
        match self {
            Self::Free | Self::Goes(_) | Self::Takes { .. } => &Open,
            Self::Waits => &Closed,
        }
    }

    pub(super) fn leads_to(self) -> Option<Assignment> {
        match self {
            Self::Takes { to, .. } => Some(to),
            Self::Free | Self::Waits | Self::Goes(_) => None,
        }
    }

    pub(super) fn admission(self) -> Option<Admission> {
        match self {
            Self::Goes(admission) => Some(admission),
            Self::Takes { admission, .. } => admission,
            Self::Free | Self::Waits => None,
        }
    }
}

/// As it stands in the status of an instance: with the generation of its spec, which tells whether that was edited since.
pub(super) fn written(admission: &Admission, generation: &Value) -> Value {
    let mut written = json!({
        "at": admission.at.to_string(),
        "from": admission.from.to_string(),
        "generation": generation,
    });
    if admission.is_excused {
        written["excused"] = json!(true);
    }
    written
}

/// How an instance came to the content that it should run, as its status tells.
pub(crate) fn admission(instance: &Value) -> Option<Admission> {
    read(&of_krono(&instance["status"], ASSIGNMENT)[ADMISSION])
}

/// From the status of an instance.
fn read(written: &Value) -> Option<Admission> {
    Some(Admission {
        at: written["at"].as_str()?.parse().ok()?,
        from: written["from"].as_str()?.parse().ok()?,
        is_excused: written["excused"] == true,
    })
}
