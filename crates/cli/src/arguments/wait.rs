//! How long to wait for an answer.

use std::time::Duration;

use clap::Args;

/// The controller answers what is asked for.
#[derive(Clone, Debug, Args)]
pub(crate) struct WaitArguments {
    /// Whether to wait until the controller has answered
    #[arg(
        long,
        value_name = "BOOL",
        default_value_t = true,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        action = clap::ArgAction::Set
    )]
    pub(crate) wait: bool,
    /// How many seconds to wait
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(crate) timeout: u64,
}

impl WaitArguments {
    /// The longest time to wait; nothing to wait for where nobody wants to.
    pub(crate) fn limit(&self) -> Option<Duration> {
        self.wait.then(|| Duration::from_secs(self.timeout))
    }
}
