//! Addresses and node ports given to a Service.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use krono_schema::FieldError;
use serde_json::{Value, json};

use super::families::{self, invalid};
use super::pool::{Pool, Refusal, Reservation, Reserving};
use super::{claims, has_address, has_health_check, has_node_ports, is_headless, kept, list, port, text};
use crate::status::Status;
use crate::storage::Storage;
use crate::world::random;

/// Why a Service gets nothing.
#[derive(Debug)]
pub(crate) enum Refused {
    /// It asks for what it cannot have.
    Invalid(Vec<FieldError>),
    /// The server has nothing left, or cannot tell.
    Failed(Status),
}

impl From<FieldError> for Refused {
    fn from(error: FieldError) -> Self {
        Self::Invalid(vec![error])
    }
}

/// Gives a new or changed Service what it needs. The result keeps it for the Service until that is stored.
pub(crate) fn allocate(
    pool: &Arc<Pool>,
    storage: &Storage,
    spec: &mut Value,
    old: Option<&Value>,
) -> Result<Reservation, Refused> {
    match old {
        Some(old) => kept::keep(spec, old),
        None if list(spec, "clusterIPs").is_empty() && !text(spec, "clusterIP").is_empty() => {
            spec["clusterIPs"] = json!([spec["clusterIP"]]);
        }
        None => {}
    }
    let errors = families::fill(spec, old);
    if !errors.is_empty() {
        return Err(Refused::Invalid(errors));
    }
    let mut reserving = pool.open(storage).map_err(Refused::Failed)?;
    give_address(&mut reserving, spec, old)?;
    if has_node_ports(spec) {
        give_node_ports(&mut reserving, spec, old)?;
    }
    if has_health_check(spec) && !old.is_some_and(has_health_check) {
        give_health_port(&mut reserving, spec)?;
    }
    Ok(reserving.close())
}

fn give_address(reserving: &mut Reserving<'_>, spec: &mut Value, old: Option<&Value>) -> Result<(), Refused> {
    if !has_address(spec) || is_headless(spec) || old.is_some_and(has_address) {
        return Ok(());
    }
    let first = list(spec, "clusterIPs").first().and_then(Value::as_str).unwrap_or_default().to_owned();
    if first.is_empty() {
        let address = reserving.any_address(random()).map_err(|why| {
            Refused::Failed(Status::internal(format!("failed to allocate a serviceIP: {why}")))
        })?;
        spec["clusterIP"] = address.to_string().into();
        spec["clusterIPs"] = json!([address.to_string()]);
        return Ok(());
    }
    // What is no address at all is complained of by the rules of the kind.
    let Ok(address) = first.parse::<IpAddr>() else { return Ok(()) };
    reserving.address(address).map_err(|why| {
        let detail = format!("failed to allocate IP {first}: {why}");
        invalid("spec.clusterIPs", spec["clusterIPs"].clone(), &detail).into()
    })
}

fn wants_node_ports(spec: &Value) -> bool {
    text(spec, "type") == "NodePort" || spec["allocateLoadBalancerNodePorts"] != false
}

fn give_node_ports(
    reserving: &mut Reserving<'_>,
    spec: &mut Value,
    old: Option<&Value>,
) -> Result<(), Refused> {
    let held = old.map(claims::node_ports).unwrap_or_default();
    let is_held = |number: u64| held.iter().any(|it| u64::from(*it) == number);
    let may_choose = wants_node_ports(spec);
    let named: BTreeMap<u64, u64> = requested(spec);
    // Ports of one number share one node port: only their protocols differ.
    let mut given: BTreeMap<u64, u64> = BTreeMap::new();
    let mut taken: Vec<u64> = Vec::new();
    let shares = |given: &BTreeMap<u64, u64>, taken: &[u64], number: u64, wanted: u64| {
        if old.is_some() { taken.contains(&wanted) } else { given.get(&number) == Some(&wanted) }
    };
    let ports = spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten();
    for (index, it) in ports.enumerate() {
        let (number, mut wanted) = (port(it, "port"), port(it, "nodePort"));
        if wanted == 0 && !may_choose {
            continue;
        }
        if wanted == 0 && old.is_none() {
            wanted = given.get(&number).or_else(|| named.get(&number)).copied().unwrap_or_default();
        }
        if wanted == 0 {
            wanted = reserving.any_port(random()).map(u64::from).map_err(|why| no_port(&why))?;
        } else if !is_held(wanted) && !shares(&given, &taken, number, wanted) {
            let refused = |why: Refusal| {
                invalid(&format!("spec.ports[{index}].nodePort"), wanted.into(), &why.to_string())
            };
            reserving.port(wanted).map_err(refused)?;
        }
        taken.push(wanted);
        given.entry(number).or_insert(wanted);
        it["nodePort"] = wanted.into();
    }
    Ok(())
}

fn no_port(why: &Refusal) -> Refused {
    Refused::Failed(Status::internal(format!("failed to allocate a nodePort: {why}")))
}

/// The node ports that are asked for, by port.
fn requested(spec: &Value) -> BTreeMap<u64, u64> {
    let mut requested = BTreeMap::new();
    for it in list(spec, "ports").iter().filter(|it| port(it, "nodePort") != 0) {
        requested.entry(port(it, "port")).or_insert_with(|| port(it, "nodePort"));
    }
    requested
}

fn give_health_port(reserving: &mut Reserving<'_>, spec: &mut Value) -> Result<(), Refused> {
    let failed = |message: String| Refused::Failed(Status::internal(message));
    match port(spec, "healthCheckNodePort") {
        0 => {
            let number = reserving.any_port(random());
            let number = number
                .map_err(|why| failed(format!("failed to allocate a HealthCheck NodePort 0: {why}")))?;
            spec["healthCheckNodePort"] = number.into();
            Ok(())
        }
        wanted => reserving.port(wanted).map_err(|why| {
            failed(format!("failed to allocate requested HealthCheck NodePort {wanted}: {why}"))
        }),
    }
}
