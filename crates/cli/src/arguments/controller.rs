//! `krono controller`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use clap::{Args, ValueEnum};

use super::cluster::ClusterArguments;
use super::definition::CollectionLimits;

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
    /// Where Prometheus finds counters, under /metrics; without a host, at every address of the machine or Pod
    #[arg(long, value_name = "ADDRESS", default_value = ":8078", value_parser = bind_address)]
    pub(crate) metrics_bind_address: BindAddress,
    /// Where probes find /healthz and /readyz; without a host, at every address of the machine or Pod
    #[arg(long, value_name = "ADDRESS", default_value = ":8079", value_parser = bind_address)]
    pub(crate) health_probe_bind_address: BindAddress,
    /// How many definitions and instances to work on at a time
    #[arg(long, value_name = "NUMBER", default_value_t = krono_controller::Options::default().concurrency)]
    pub(crate) concurrency: usize,
    #[command(flatten)]
    pub(crate) limits: CollectionLimits,
    /// Let the kind of a definition go with it, and with the kind all instances
    #[arg(long)]
    pub(crate) allow_crd_deletion: bool,
    /// Believe the annotation `krono.dev/changed-by`, because a webhook writes it and lets nobody else
    #[arg(long)]
    pub(crate) trust_changed_by: bool,
    /// What kro has behind gates; InstanceConditionEvents=true tells every change of a condition by an Event,
    /// InstanceConditionMetrics=true counts since when each condition of each instance says what it says,
    /// CELOmitFunction=false takes `omit` from templates
    #[arg(long, value_name = "GATE=BOOL", value_delimiter = ',', value_parser = gate)]
    pub(crate) feature_gates: Vec<(Gate, bool)>,
    /// How to write the log to standard error
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    pub(crate) log_format: LogFormat,
    /// What to write to the log
    #[arg(long, value_enum, default_value_t = LogLevel::Info)]
    pub(crate) log_level: LogLevel,
}

/// Where to listen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BindAddress {
    pub(crate) text: String,
    /// The first that the machine has.
    pub(crate) candidates: Vec<SocketAddr>,
}

fn bind_address(text: &str) -> Result<BindAddress, String> {
    let everywhere = |port: u16| {
        let hosts: [IpAddr; 2] = [Ipv6Addr::UNSPECIFIED.into(), Ipv4Addr::UNSPECIFIED.into()];
        hosts.map(|host| SocketAddr::new(host, port)).to_vec()
    };
    let candidates = match text.strip_prefix(':') {
        Some(port) => port.parse().ok().map(everywhere),
        None => text.parse().ok().map(|address| vec![address]),
    };
    let wrong = || format!("{text:?} is no address such as :8079 or 127.0.0.1:8079");
    Ok(BindAddress { text: text.to_owned(), candidates: candidates.ok_or_else(wrong)? })
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
    /// Metrics tell of every condition of an instance for how long it has been so.
    InstanceConditionMetrics,
    /// Templates may call `omit()`.
    CelOmitFunction,
}

fn unknown(gate: &str) -> String {
    let known = "InstanceConditionEvents, InstanceConditionMetrics and CELOmitFunction";
    format!("no gate {gate:?}; there are {known}")
}

fn gate(text: &str) -> Result<(Gate, bool), String> {
    let (name, value) = text.split_once('=').ok_or("expected GATE=true or GATE=false")?;
    let gate = match name {
        "InstanceConditionEvents" => Gate::InstanceConditionEvents,
        "InstanceConditionMetrics" => Gate::InstanceConditionMetrics,
        "CELOmitFunction" => Gate::CelOmitFunction,
        _ => return Err(unknown(name)),
    };
    let value = value.parse().map_err(|_| format!("{value:?} is neither true nor false"))?;
    Ok((gate, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_written_as_kro_does() {
        let check = |text: &str, expected: &[&str]| {
            let found = bind_address(text).map(|it| it.candidates);
            let found: Vec<String> = found.unwrap_or_default().iter().map(ToString::to_string).collect();
            assert_eq!(found, expected, "{text}");
        };
        check(":8078", &["[::]:8078", "0.0.0.0:8078"]);
        check("127.0.0.1:0", &["127.0.0.1:0"]);
        check("[::1]:80", &["[::1]:80"]);
        for wrong in ["8078", ":", ":http", "localhost:80", ":70000"] {
            check(wrong, &[]);
        }
    }

    #[test]
    fn gates_are_named_as_kro_does() {
        assert_eq!(gate("InstanceConditionEvents=true"), Ok((Gate::InstanceConditionEvents, true)));
        assert_eq!(gate("InstanceConditionMetrics=true"), Ok((Gate::InstanceConditionMetrics, true)));
        assert_eq!(gate("CELOmitFunction=false"), Ok((Gate::CelOmitFunction, false)));
        let check = |text: &str, words: &str| assert!(gate(text).unwrap_err().contains(words), "{text}");
        check("CELOmitFunction", "expected GATE=true");
        check("CELOmitFunction=maybe", "neither true nor false");
        check("Rockets=true", "no gate");
    }
}
