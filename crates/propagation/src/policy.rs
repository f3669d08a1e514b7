//! `spec.propagation` of a definition: how a new revision reaches instances.

mod amount;
mod read;
mod selector;
mod stages;
#[cfg(test)]
mod tests;
pub mod window;

use jiff::SignedDuration;
use serde_json::Value;

use crate::problem::Problem;

pub use amount::Amount;
pub use selector::Selector;
use window::Windows;

/// How a new revision reaches instances.
#[derive(Clone, Debug)]
pub struct Policy {
    /// How many instances may be on their way at once; nothing when the gates alone decide.
    pub max_in_flight: Option<Amount>,
    /// How long an instance must stay ready before it counts.
    pub soak: SignedDuration,
    /// How long an instance may take.
    pub deadline: SignedDuration,
    /// How many instances may fail before [`Policy::on_failure`].
    pub max_failures: Amount,
    /// What happens when more fail.
    pub on_failure: OnFailure,
    /// Whether a rollback waits as other changes do.
    pub rollback_mode: RollbackMode,
    /// Which revision new instances begin with; nothing when the definition leaves it open.
    pub new_instances: Option<NewInstances>,
    /// Whether changes that delete resources wait for somebody's approval; nothing when the definition leaves it open.
    pub deletes: Option<Deletes>,
    /// Whether nobody is to be admitted.
    pub is_paused: bool,
    /// When instances may be admitted.
    pub windows: Windows,
    /// The rings that a revision goes through; who is in none comes last.
    pub stages: Vec<Stage>,
    /// What an error in a gate counts as.
    pub failure_policy: FailurePolicy,
}

/// What happens when more instances fail than may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFailure {
    /// Nobody else is admitted.
    Halt,
    /// The fleet goes back to the last good revision.
    Rollback,
    /// The failures are told, and the propagation goes on.
    Continue,
}

/// Whether a rollback waits as other changes do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RollbackMode {
    /// It waits for nothing but the number of instances that are on their way.
    Instant,
    /// It does.
    Controlled,
}

/// Which revision new instances begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewInstances {
    /// The current one.
    Current,
    /// The last that was completed.
    LastGood,
}

/// Whether changes that delete resources wait for somebody's approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deletes {
    /// They do not.
    Allow,
    /// They do.
    RequireApproval,
}

/// What an error in a gate counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailurePolicy {
    /// As false: nobody passes.
    Closed,
    /// As true.
    Open,
}

/// A ring of instances; the next begins when all of it is settled.
#[derive(Clone, Debug)]
pub struct Stage {
    /// What people call it.
    pub name: String,
    /// Which instances are in it, by their labels.
    pub instances: Option<Selector>,
    /// Which instances are in it, by the labels of their namespaces.
    pub namespaces: Option<Selector>,
    /// How long the next stage waits after this one has settled.
    pub soak: SignedDuration,
    /// Whether it begins only when somebody approves of it.
    pub needs_approval: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            max_in_flight: None,
            soak: SignedDuration::ZERO,
            deadline: SignedDuration::from_secs(DEADLINE_SECONDS),
            max_failures: Amount::Count(0),
            on_failure: OnFailure::Halt,
            rollback_mode: RollbackMode::Instant,
            new_instances: None,
            deletes: None,
            is_paused: false,
            windows: Windows::default(),
            stages: Vec::new(),
            failure_policy: FailurePolicy::Closed,
        }
    }
}

/// How long an instance may take unless the policy says otherwise.
const DEADLINE_SECONDS: i64 = 600;

impl Policy {
    /// From `spec.propagation`; tells everything that is wrong with it.
    ///
    /// ```
    /// use krono_propagation::policy::Policy;
    /// use serde_json::json;
    ///
    /// let problems = Policy::read(&json!({"maxInFlight": "120%", "progressDeadlineSeconds": 0})).unwrap_err();
    /// let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    /// assert_eq!(told, [
    ///     "spec.propagation.maxInFlight: \"120%\" is more than all; write a number, such as 5, or a share, such as \"20%\"",
    ///     "spec.propagation.progressDeadlineSeconds: 0 would let every instance fail at once; write at least 1, or leave it out for 600",
    /// ]);
    /// ```
    pub fn read(propagation: &Value) -> Result<Self, Vec<Problem>> {
        read::read(propagation)
    }

    /// The stage that labels put an instance into; the number of stages for one that is in none.
    pub fn stage_of(&self, instance: &Value, namespace: &Value) -> usize {
        let is_in = |stage: &Stage| stage.holds(instance, namespace);
        self.stages.iter().position(is_in).unwrap_or(self.stages.len())
    }
}

impl Stage {
    fn holds(&self, instance: &Value, namespace: &Value) -> bool {
        let matches =
            |selector: &Option<Selector>, labels| selector.as_ref().is_none_or(|it| it.matches(labels));
        matches(&self.instances, instance) && matches(&self.namespaces, namespace)
    }
}
