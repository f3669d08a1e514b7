//! `krono controller`.

use std::net::SocketAddr;

use clap::{Args, ValueEnum};

use super::cluster::ClusterArguments;

const EXAMPLES: &str = "\
Examples:
  krono controller
  krono controller --kubeconfig staging.kubeconfig --log-format json
  krono controller --leader-elect --leader-election-namespace kro-system";

/// Serve the definitions of a cluster
///
/// Makes a kind of every `ResourceGraphDefinition` and keeps the resources of its instances as they should be. Without a kubeconfig
/// it uses the service account of the Pod it runs in. `krono up` does all this by itself. Runs until Ctrl-C or SIGTERM; work that
/// has begun is finished.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ControllerArguments {
    #[command(flatten)]
    pub(crate) cluster: ClusterArguments,
    /// Wait until no other controller, krono's or kro's, leads
    #[arg(long)]
    pub(crate) leader_elect: bool,
    /// Where the lease is kept [default: the namespace of the Pod, or kro-system]
    #[arg(long, value_name = "NAMESPACE", requires = "leader_elect")]
    pub(crate) leader_election_namespace: Option<String>,
    /// Where Prometheus finds counters, under /metrics
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8078")]
    pub(crate) metrics_bind_address: SocketAddr,
    /// Where probes find /healthz and /readyz
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8079")]
    pub(crate) health_probe_bind_address: SocketAddr,
    /// How many definitions and instances to work on at a time
    #[arg(long, value_name = "NUMBER", default_value_t = krono_controller::Options::default().concurrency)]
    pub(crate) concurrency: usize,
    /// Let the kind of a definition go with it, and with the kind all instances
    #[arg(long)]
    pub(crate) allow_crd_deletion: bool,
    /// Believe the annotation `krono.dev/changed-by`, because a webhook writes it and lets nobody else
    #[arg(long)]
    pub(crate) trust_changed_by: bool,
    /// What kro has behind gates; InstanceConditionEvents=true tells every change of a condition by an Event
    #[arg(long, value_name = "GATE=BOOL", value_delimiter = ',', value_parser = gate)]
    pub(crate) feature_gates: Vec<(Gate, bool)>,
    /// How to write the log to standard error
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,
    /// What to write to the log
    #[arg(long, value_enum, default_value_t = LogLevel::Info)]
    pub(crate) log_level: LogLevel,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people
    Text,
    /// One JSON object per line
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogLevel {
    /// What failed
    Error,
    /// Also what may need attention
    Warn,
    /// Also what happens
    Info,
    /// Also why
    Debug,
}

/// What kro has behind a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gate {
    /// Every change of an instance's conditions is told by an Event.
    InstanceConditionEvents,
    /// Templates may call `omit()`.
    CelOmitFunction,
}

fn gate(text: &str) -> Result<(Gate, bool), String> {
    let (name, value) = text.split_once('=').ok_or("expected GATE=true or GATE=false")?;
    let gate = match name {
        "InstanceConditionEvents" => Gate::InstanceConditionEvents,
        "CELOmitFunction" => Gate::CelOmitFunction,
        _ => return Err(format!("no gate {name:?}; there are InstanceConditionEvents and CELOmitFunction")),
    };
    let value = value.parse().map_err(|_| format!("{value:?} is neither true nor false"))?;
    Ok((gate, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_are_named_as_kro_does() {
        assert_eq!(gate("InstanceConditionEvents=true"), Ok((Gate::InstanceConditionEvents, true)));
        assert_eq!(gate("CELOmitFunction=false"), Ok((Gate::CelOmitFunction, false)));
        let check = |text: &str, words: &str| assert!(gate(text).unwrap_err().contains(words), "{text}");
        check("CELOmitFunction", "expected GATE=true");
        check("CELOmitFunction=maybe", "neither true nor false");
        check("Rockets=true", "no gate");
    }
}
