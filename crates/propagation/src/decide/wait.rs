//! Why instances wait.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::admit::Door;

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

    /// What people read, with the next step; `errors` are those of the expressions, by their number.
    pub(super) fn text(self, door: &Door<'_>, errors: &BTreeSet<(usize, String)>) -> String {
        let stage = |at: usize| door.policy.stages.get(at).map_or("the last", |it| it.name.as_str());
        let gate = |at: usize| door.gates.source(at).unwrap_or_default();
        let error = |at: usize| errors.iter().find(|it| it.0 == at).map_or("", |it| it.1.as_str());
        let name = door.assessor.fleet.definition["metadata"]["name"].as_str().unwrap_or("NAME");
        let command = |verb: &str, flags: &str| format!("`krono propagation {verb} rgd/{name}{flags}`");
        match self {
            Self::Aborted => {
                format!("the propagation was aborted; edit the definition, or run {}", command("retry", ""))
            }
            Self::GivenUp => {
                format!("the propagation was given up; edit the definition, or run {}", command("retry", ""))
            }
            Self::Paused if door.policy.is_paused => {
                "the propagation is paused by spec.propagation.paused; remove that".to_owned()
            }
            Self::Paused => format!("the propagation is paused; run {}", command("resume", "")),
            Self::Deletes => format!(
                "the revision deletes or replaces resources; if they may go, run {}",
                command("approve", " --deletes")
            ),
            Self::Window(Some(at)) => format!("no window is open; the next opens at {at}"),
            Self::Window(None) => "no window opens again; change spec.propagation.windows".to_owned(),
            Self::Stage(at) => format!("stage {:?} is not settled", stage(at)),
            Self::StageSoak(at, until) => format!("stage {:?} soaks until {until}", stage(at)),
            Self::StageApproval(at) => format!(
                "stage {:?} waits for approval; run {}",
                stage(at),
                command("approve", &format!(" --stage={}", quoted(stage(at))))
            ),
            Self::MaxInFlight(most) => format!("{most} may be on their way at once"),
            Self::Gate(at) => format!("propagateWhen[{at}] is not true: {}", gate(at)),
            Self::GateError(at) => format!("propagateWhen[{at}] has no value: {} ({})", gate(at), error(at)),
            Self::GateBudget => "propagateWhen is too costly to ask for everybody at once".to_owned(),
        }
    }
}

/// As a shell takes it for one word.
fn quoted(word: &str) -> String {
    let is_plain = |it: char| it.is_alphanumeric() || "-_./".contains(it);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}
