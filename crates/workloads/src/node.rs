//! The node that Pods seem to run on.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Node, NodeCondition, NodeStatus};
use serde_json::{Value, json};

use crate::action::{Action, Plan};
use crate::clock::{later, stamp};
use crate::kind::{Key, World};
use crate::options::Options;

/// The namespace in which nodes show that they are alive.
pub(crate) const LEASES: &str = "kube-node-lease";
/// The label of simulated nodes.
pub const SIMULATED: &str = "krono.dev/simulated";
/// The address of the node; from the block for documentation, so that nobody answers.
pub(crate) const ADDRESS: &str = "192.0.2.1";

const RENEW_EVERY: Duration = Duration::from_secs(10);
const LEASE_SECONDS: i32 = 40;

/// Keeps the node there and ready.
pub(crate) fn plan(world: &World, key: &Key, now: Timestamp, options: &Options) -> Plan {
    let mut plan = Plan::default();
    if key.name != options.node {
        return plan;
    }
    match world.nodes.get("", &key.name) {
        Some(node) if node.metadata.deletion_timestamp.is_some() => {}
        Some(node) => {
            let old = node.status.clone().unwrap_or_default();
            plan.set_status(&**node, node.status.as_ref(), &status(&key.name, old, now));
        }
        None => {
            let mut node = node(&key.name);
            node.status = Some(status(&key.name, NodeStatus::default(), now));
            plan.create(&node);
        }
    }
    plan
}

/// Keeps the node alive.
pub(crate) fn plan_lease(world: &World, key: &Key, now: Timestamp, options: &Options) -> Plan {
    let mut plan = Plan::default();
    if key.name != options.node || key.namespace != LEASES {
        return plan;
    }
    let lease = world.leases.get(&key.namespace, &key.name);
    let renewed = lease.and_then(|it| it.spec.as_ref()?.renew_time.as_ref()).map(|it| it.0);
    if let Some(due) = renewed.map(|it| later(it, RENEW_EVERY)).filter(|it| *it > now) {
        plan.look_at(due);
    } else {
        plan.actions.push(Action::Renew { node: key.name.clone() });
        // In case there is no place for it yet.
        plan.look_at(later(now, RENEW_EVERY));
    }
    plan
}

fn node(name: &str) -> Node {
    let labels = [
        ("kubernetes.io/hostname", name),
        ("kubernetes.io/os", "linux"),
        ("kubernetes.io/arch", "amd64"),
        ("node.kubernetes.io/instance-type", "simulated"),
        (SIMULATED, "true"),
    ];
    let mut node = Node::default();
    node.metadata.name = Some(name.to_owned());
    node.metadata.labels = Some(labels.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
    node
}

fn status(name: &str, mut old: NodeStatus, now: Timestamp) -> NodeStatus {
    // Quantities in the form that servers give them, or they would never be equal.
    let resources = json!({"cpu": "64", "memory": "256Gi", "ephemeral-storage": "1Ti", "pods": "10k"});
    let fixed = json!({
        "capacity": resources, "allocatable": resources,
        "addresses": [{"type": "InternalIP", "address": ADDRESS}, {"type": "Hostname", "address": name}],
        "nodeInfo": {
            "architecture": "amd64", "operatingSystem": "linux", "osImage": "krono (simulated)",
            "kernelVersion": "simulated", "containerRuntimeVersion": "simulated://1",
            "kubeletVersion": "v1.35.8-simulated", "kubeProxyVersion": "",
            "bootID": "simulated", "machineID": "simulated", "systemUUID": "simulated",
        },
    });
    let fixed: NodeStatus = serde_json::from_value(fixed).unwrap_or_default();
    let conditions = conditions(old.conditions.take().unwrap_or_default(), now);
    NodeStatus {
        capacity: fixed.capacity,
        allocatable: fixed.allocatable,
        addresses: fixed.addresses,
        node_info: fixed.node_info,
        conditions: Some(conditions),
        ..old
    }
}

fn conditions(mut conditions: Vec<NodeCondition>, now: Timestamp) -> Vec<NodeCondition> {
    let wanted = [
        ("MemoryPressure", "False", "KubeletHasSufficientMemory", "the simulated node has sufficient memory"),
        ("DiskPressure", "False", "KubeletHasNoDiskPressure", "the simulated node has no disk pressure"),
        ("PIDPressure", "False", "KubeletHasSufficientPID", "the simulated node has sufficient PIDs"),
        ("Ready", "True", "KubeletReady", "the simulated node is ready"),
    ];
    for (type_, status, reason, message) in wanted {
        let known = conditions.iter_mut().find(|it| it.type_ == type_);
        if known.as_ref().is_some_and(|it| it.status == status) {
            continue;
        }
        let condition = NodeCondition {
            type_: type_.to_owned(),
            status: status.to_owned(),
            reason: Some(reason.to_owned()),
            message: Some(message.to_owned()),
            last_heartbeat_time: Some(stamp(now)),
            last_transition_time: Some(stamp(now)),
        };
        match known {
            Some(known) => *known = condition,
            None => conditions.push(condition),
        }
    }
    conditions
}

/// The lease that shows the node alive.
pub(crate) fn lease(name: &str, now: Timestamp) -> Value {
    json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name},
        "spec": {
            "holderIdentity": name, "leaseDurationSeconds": LEASE_SECONDS,
            "renewTime": k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime(now),
        },
    })
}
