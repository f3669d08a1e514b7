//! What a server says of itself when it starts.

use super::directory::shown;
use super::up::Running;
use crate::arguments::server::{ControllersWanted, Workloads};

/// How the last line begins; whoever started a server in the background reads up to here.
pub(super) const LAST_LINE: &str = "Stop it with ";

pub(super) fn text(running: &Running<'_>) -> String {
    let arguments = running.arguments;
    let directory = shown(&running.directory.path);
    let objects = if arguments.in_memory { "in memory, gone when the server ends" } else { &directory };
    let workloads = match arguments.workloads {
        Workloads::Simulate => "simulated: Pods become ready, nothing really runs",
        Workloads::None => "stored only; nothing runs",
    };
    let definitions = match arguments.controllers {
        ControllersWanted::Run => "served: a ResourceGraphDefinition becomes a kind of its own",
        ControllersWanted::None => "not served",
    };
    let kubeconfig = shown(&running.record.kubeconfig);
    let stop = match (arguments.detached, &arguments.directory.data_dir) {
        (false, _) => "Ctrl-C.".to_owned(),
        (true, None) => "`krono down`.".to_owned(),
        (true, Some(_)) => format!("`krono down --data-dir {directory}`."),
    };
    format!(
        "\
krono {version} serves the Kubernetes API at {url}
  objects     {objects}
  workloads   {workloads}
  definitions {definitions}
  kubeconfig  {kubeconfig}

Use it with kubectl:
  export KUBECONFIG={kubeconfig}
  kubectl get namespaces

{LAST_LINE}{stop}
",
        version = env!("CARGO_PKG_VERSION"),
        url = running.record.url,
    )
}
