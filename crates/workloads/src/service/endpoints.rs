//! The Pods behind a service, in both forms that clients read.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{
    EndpointAddress, EndpointPort as CorePort, EndpointSubset, Endpoints, ObjectReference, Pod, Service,
    ServicePort, ServiceSpec,
};
use k8s_openapi::api::discovery::v1::{Endpoint, EndpointConditions, EndpointPort, EndpointSlice};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde_json::json;

use crate::action::Plan;
use crate::difference::difference;
use crate::kind::{Key, World};
use crate::owner;
use crate::pod;
use crate::template::fresh_name;

const SERVICE_NAME: &str = "kubernetes.io/service-name";
const MANAGED_BY: &str = "endpointslice.kubernetes.io/managed-by";
const SLICE_CONTROLLER: &str = "endpointslice-controller.k8s.io";
const CORE_MANAGED_BY: &str = "endpoints.kubernetes.io/managed-by";
const CORE_CONTROLLER: &str = "endpoint-controller";
const HEADLESS: &str = "service.kubernetes.io/headless";

/// Keeps the endpoints of a service.
pub(super) fn plan(
    world: &World,
    service: &Service,
    spec: &ServiceSpec,
    pods: &[&Arc<Pod>],
    now: Timestamp,
    plan: &mut Plan,
) {
    let mut pods: Vec<&Pod> = pods.iter().map(|it| &***it).filter(|it| address(it).is_some()).collect();
    pods.retain(|it| !pod::is_finished(it));
    keep_endpoints(world, service, spec, &pods, plan);
    keep_slice(world, service, spec, &pods, now, plan);
}

/// Endpoints that were kept for a service go with it; slices have an owner and go by themselves.
pub(super) fn forget(world: &World, key: &Key, plan: &mut Plan) {
    let Some(known) = world.endpoints.get(&key.namespace, &key.name) else { return };
    let labels = known.metadata.labels.as_ref();
    if labels.and_then(|it| it.get(CORE_MANAGED_BY)).is_some_and(|it| it == CORE_CONTROLLER) {
        plan.delete(&**known);
    }
}

fn address(pod: &Pod) -> Option<&str> {
    pod.status.as_ref()?.pod_ip.as_deref().filter(|it| !it.is_empty())
}

fn is_headless(spec: &ServiceSpec) -> bool {
    spec.cluster_ip.as_deref() == Some("None")
}

/// The port of the containers that a port of the service leads to.
fn target(port: &ServicePort, pods: &[&Pod]) -> Option<i32> {
    match &port.target_port {
        None => Some(port.port),
        Some(IntOrString::Int(number)) => Some(*number),
        Some(IntOrString::String(name)) => {
            let containers = pods.iter().flat_map(|it| it.spec.iter().flat_map(|it| &it.containers));
            let mut ports = containers.flat_map(|it| it.ports.iter().flatten());
            ports.find(|it| it.name.as_ref() == Some(name)).map(|it| it.container_port)
        }
    }
}

fn reference(pod: &Pod) -> ObjectReference {
    ObjectReference {
        kind: Some("Pod".to_owned()),
        name: pod.metadata.name.clone(),
        namespace: pod.metadata.namespace.clone(),
        uid: pod.metadata.uid.clone(),
        ..ObjectReference::default()
    }
}

fn keep_endpoints(world: &World, service: &Service, spec: &ServiceSpec, pods: &[&Pod], plan: &mut Plan) {
    let (namespace, name) = (service.metadata.namespace.as_deref(), service.metadata.name.as_deref());
    let known = world.endpoints.get(namespace.unwrap_or_default(), name.unwrap_or_default());
    let subsets = subsets(spec, pods);
    if let Some(known) = known {
        let old = json!({"subsets": known.subsets});
        if let Some(patch) = difference(&old, &json!({"subsets": subsets})) {
            plan.patch(&**known, patch);
        }
        return;
    }
    let mut labels = service.metadata.labels.clone().unwrap_or_default();
    labels.insert(CORE_MANAGED_BY.to_owned(), CORE_CONTROLLER.to_owned());
    if is_headless(spec) {
        labels.insert(HEADLESS.to_owned(), String::new());
    }
    let metadata = ObjectMeta {
        name: service.metadata.name.clone(),
        namespace: service.metadata.namespace.clone(),
        labels: Some(labels),
        ..ObjectMeta::default()
    };
    plan.create(&Endpoints { metadata, subsets });
}

fn subsets(spec: &ServiceSpec, pods: &[&Pod]) -> Option<Vec<EndpointSubset>> {
    let publish_all = spec.publish_not_ready_addresses == Some(true);
    let living: Vec<&Pod> = pods.iter().copied().filter(|it| pod::is_active(it)).collect();
    let (ready, other): (Vec<&Pod>, Vec<&Pod>) =
        living.into_iter().partition(|it| publish_all || pod::is_ready(it));
    let addresses = |pods: Vec<&Pod>| {
        let mut all: Vec<EndpointAddress> = pods.into_iter().map(endpoint_address).collect();
        all.sort_by(|one, other| one.ip.cmp(&other.ip));
        Some(all).filter(|it| !it.is_empty())
    };
    let ports = spec.ports.iter().flatten().filter_map(|it| {
        let (name, protocol) = (it.name.clone(), it.protocol.clone());
        Some(CorePort { port: target(it, pods)?, name, protocol, app_protocol: it.app_protocol.clone() })
    });
    let subset = EndpointSubset {
        addresses: addresses(ready),
        not_ready_addresses: addresses(other),
        ports: Some(ports.collect::<Vec<_>>()).filter(|it| !it.is_empty()),
    };
    (subset.addresses.is_some() || subset.not_ready_addresses.is_some()).then(|| vec![subset])
}

fn endpoint_address(pod: &Pod) -> EndpointAddress {
    EndpointAddress {
        ip: address(pod).unwrap_or_default().to_owned(),
        node_name: pod.spec.as_ref().and_then(|it| it.node_name.clone()),
        target_ref: Some(reference(pod)),
        ..EndpointAddress::default()
    }
}

fn keep_slice(
    world: &World,
    service: &Service,
    spec: &ServiceSpec,
    pods: &[&Pod],
    now: Timestamp,
    plan: &mut Plan,
) {
    let publish_all = spec.publish_not_ready_addresses == Some(true);
    let mut endpoints: Vec<Endpoint> = pods.iter().map(|it| endpoint(it, publish_all)).collect();
    endpoints.sort_by(|one, other| one.addresses.cmp(&other.addresses));
    let ports: Vec<EndpointPort> =
        spec.ports.iter().flatten().filter_map(|it| slice_port(it, pods)).collect();
    let ports = if endpoints.is_empty() { Vec::new() } else { ports };
    let known = world.endpoint_slices.owned_by(owner::uid(&service.metadata)).next();
    match known {
        Some(known) => {
            let old = json!({"endpoints": known.endpoints, "ports": known.ports.clone().unwrap_or_default()});
            if let Some(patch) = difference(&old, &json!({"endpoints": endpoints, "ports": ports})) {
                plan.patch(&**known, patch);
            }
        }
        None => plan.create(&EndpointSlice {
            metadata: slice_metadata(world, service, spec, now),
            address_type: "IPv4".to_owned(),
            endpoints,
            ports: Some(ports),
        }),
    }
}

fn slice_metadata(world: &World, service: &Service, spec: &ServiceSpec, now: Timestamp) -> ObjectMeta {
    let name = service.metadata.name.clone().unwrap_or_default();
    let mut labels: BTreeMap<String, String> = service.metadata.labels.clone().unwrap_or_default();
    labels.insert(SERVICE_NAME.to_owned(), name.clone());
    labels.insert(MANAGED_BY.to_owned(), SLICE_CONTROLLER.to_owned());
    if is_headless(spec) {
        labels.insert(HEADLESS.to_owned(), String::new());
    }
    ObjectMeta {
        name: Some(fresh_name(world, &service.metadata, 0, now)),
        generate_name: Some(format!("{name}-")),
        namespace: service.metadata.namespace.clone(),
        labels: Some(labels),
        owner_references: Some(vec![owner::reference(service)]),
        ..ObjectMeta::default()
    }
}

fn slice_port(port: &ServicePort, pods: &[&Pod]) -> Option<EndpointPort> {
    Some(EndpointPort {
        name: Some(port.name.clone().unwrap_or_default()),
        port: Some(target(port, pods)?),
        protocol: port.protocol.clone(),
        app_protocol: port.app_protocol.clone(),
    })
}

fn endpoint(pod: &Pod, publish_all: bool) -> Endpoint {
    let (serving, ending) = (pod::is_ready(pod), pod.metadata.deletion_timestamp.is_some());
    Endpoint {
        addresses: address(pod).map(str::to_owned).into_iter().collect(),
        conditions: Some(EndpointConditions {
            ready: Some(publish_all || serving && !ending),
            serving: Some(serving),
            terminating: Some(ending),
        }),
        node_name: pod.spec.as_ref().and_then(|it| it.node_name.clone()),
        target_ref: Some(reference(pod)),
        ..Endpoint::default()
    }
}
