//! Kinds of the core group.

mod config;
mod endpoints;
mod event;
mod machine;
mod pod;
mod replication;
mod service;
mod volume;

pub(super) use self::service::balancer_addresses as service_addresses;
use super::{Heading, Sheet};

const NAMESPACE: &[Heading] = &[
    Heading::NAME,
    Heading::text("Status", "/status/phase").said("The status of the namespace"),
    Heading::AGE,
];

const SERVICE_ACCOUNT: &[Heading] = &[Heading::NAME, Heading::AGE];

/// The sheet of a kind.
pub(super) fn sheet(kind: &str) -> Option<Sheet> {
    let headings = match kind {
        "ComponentStatus" => machine::COMPONENT_STATUS,
        "ConfigMap" => config::CONFIG_MAP,
        "Endpoints" => endpoints::ENDPOINTS,
        "Event" => event::EVENT,
        "Namespace" => NAMESPACE,
        "Node" => machine::NODE,
        "PersistentVolume" => volume::VOLUME,
        "PersistentVolumeClaim" => volume::CLAIM,
        "Pod" => return Some(pod::POD),
        "PodTemplate" => pod::POD_TEMPLATE,
        "ReplicationController" => replication::CONTROLLER,
        "ResourceQuota" => config::QUOTA,
        "Secret" => config::SECRET,
        "Service" => service::SERVICE,
        "ServiceAccount" => SERVICE_ACCOUNT,
        _ => return None,
    };
    Some(Sheet::of(headings))
}
