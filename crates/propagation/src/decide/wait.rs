//! Why instances wait.

use jiff::Timestamp;

use crate::gate::Gates;
use crate::policy::Policy;

/// Why an instance waits for its admission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wait {
    /// The propagation was aborted.
    Aborted,
    /// It was given up.
    GivenUp,
    /// It is paused.
    Paused,
    /// Nobody approved of what the revision deletes.
    Deletes,
    /// No window is open; with the next opening, where there is one.
    Window(Option<Timestamp>),
    /// An earlier stage, by its number, is not settled.
    Stage(usize),
    /// An earlier stage, by its number, has settled; the next begins then.
    StageSoak(usize, Timestamp),
    /// Nobody approved of its stage, by its number.
    StageApproval(usize),
    /// So many are on their way that there is no room.
    MaxInFlight(usize),
    /// An expression of `propagateWhen`, by its number, is not true.
    Gate(usize),
    /// An expression of `propagateWhen`, by its number, has no value.
    GateError(usize),
    /// The expressions cost so much that it was not asked yet.
    GateBudget,
}

impl Wait {
    /// As it stands in a status.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Aborted => "Aborted",
            Self::GivenUp => "Halted",
            Self::Paused => "Paused",
            Self::Deletes => "DeletesNeedApproval",
            Self::Window(_) => "WindowClosed",
            Self::Stage(_) => "EarlierStage",
            Self::StageSoak(..) => "StageSoaking",
            Self::StageApproval(_) => "StageNeedsApproval",
            Self::MaxInFlight(_) => "MaxInFlight",
            Self::Gate(_) => "GateClosed",
            Self::GateError(_) => "GateFailed",
            Self::GateBudget => "GateNotAsked",
        }
    }

    /// What people read, with the next step.
    pub(super) fn text(self, policy: &Policy, gates: &Gates) -> String {
        let stage = |at: usize| policy.stages.get(at).map_or("the last", |it| it.name.as_str());
        let gate = |at: usize| gates.source(at).unwrap_or_default();
        match self {
            Self::Aborted => "the propagation was aborted; edit the definition, or retry".to_owned(),
            Self::GivenUp => "the propagation was given up; edit the definition, or retry".to_owned(),
            Self::Paused => "the propagation is paused; resume it".to_owned(),
            Self::Deletes => "the revision deletes or replaces resources; approve of that".to_owned(),
            Self::Window(Some(at)) => format!("no window is open; the next opens at {at}"),
            Self::Window(None) => "no window opens again; change spec.propagation.windows".to_owned(),
            Self::Stage(at) => format!("stage {:?} is not settled", stage(at)),
            Self::StageSoak(at, until) => format!("stage {:?} soaks until {until}", stage(at)),
            Self::StageApproval(at) => format!("stage {:?} waits for approval; approve of it", stage(at)),
            Self::MaxInFlight(most) => format!("{most} may be on their way at once"),
            Self::Gate(at) => format!("propagateWhen[{at}] is not true: {}", gate(at)),
            Self::GateError(at) => format!("propagateWhen[{at}] has no value: {}", gate(at)),
            Self::GateBudget => "propagateWhen is too costly to ask for everybody at once".to_owned(),
        }
    }
}
