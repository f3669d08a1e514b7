//! Services: addresses of load balancers and of the Pods behind.

mod endpoints;

use std::net::Ipv4Addr;
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{
    LoadBalancerIngress, LoadBalancerStatus, Pod, Service, ServiceSpec, ServiceStatus,
};

use crate::action::{Plan, SIMULATOR};
use crate::fingerprint::fingerprint;
use crate::kind::{Key, World};
use crate::{owner, selector};

/// Load balancers have addresses of 198.18.0.0/15, which no network routes.
const FIRST_ADDRESS: u32 = 0xc612_0000;
const ADDRESSES: u64 = 1 << 17;

/// What to do about a service.
pub(crate) fn plan(world: &World, key: &Key, now: Timestamp) -> Plan {
    let mut plan = Plan::default();
    let Some(service) = world.services.get(&key.namespace, &key.name) else {
        endpoints::forget(world, key, &mut plan);
        return plan;
    };
    let Some(spec) = service.spec.as_ref().filter(|_| service.metadata.deletion_timestamp.is_none()) else {
        return plan;
    };
    balance(world, service, spec, &mut plan);
    if let Some(wanted) = spec.selector.as_ref().filter(|it| !it.is_empty()) {
        let pods = world.pods.within(&key.namespace);
        let pods: Vec<&Arc<Pod>> =
            pods.filter(|it| selector::has_all(it.metadata.labels.as_ref(), wanted)).collect();
        endpoints::plan(world, service, spec, &pods, now, &mut plan);
    }
    plan
}

fn balance(world: &World, service: &Service, spec: &ServiceSpec, plan: &mut Plan) {
    let old = service.status.clone().unwrap_or_default();
    let given =
        old.load_balancer.as_ref().and_then(|it| it.ingress.as_ref()).is_some_and(|it| !it.is_empty());
    let wanted = spec.type_.as_deref() == Some("LoadBalancer");
    if wanted == given {
        return;
    }
    let ingress = wanted.then(|| {
        let asked = spec.load_balancer_ip.clone().filter(|it| !it.is_empty());
        let ip = Some(asked.unwrap_or_else(|| address(world, service)));
        vec![LoadBalancerIngress { ip, ip_mode: Some("VIP".to_owned()), ..LoadBalancerIngress::default() }]
    });
    let status = ServiceStatus { load_balancer: Some(LoadBalancerStatus { ingress }), ..old };
    plan.set_status(service, service.status.as_ref(), &status);
    if wanted {
        plan.record(service, SIMULATOR, "EnsuredLoadBalancer", "Ensured load balancer (simulated)");
    }
}

/// The first free address from where the uid points to.
fn address(world: &World, service: &Service) -> String {
    let start = fingerprint(owner::uid(&service.metadata).as_bytes());
    let candidate = |offset: u64| {
        let offset = u32::try_from(start.wrapping_add(offset) % ADDRESSES).unwrap_or_default();
        Ipv4Addr::from(FIRST_ADDRESS + offset).to_string()
    };
    let is_used = |address: &String| {
        world.services.iter().any(|it| {
            let balancer = it.status.as_ref().and_then(|it| it.load_balancer.as_ref());
            balancer.is_some_and(|it| it.ingress.iter().flatten().any(|it| it.ip.as_ref() == Some(address)))
        })
    };
    (0..256).map(candidate).find(|it| !is_used(it)).unwrap_or_else(|| candidate(0))
}
