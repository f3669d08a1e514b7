//! Services.

use crate::printers::selector::{NONE, UNKNOWN, or_none};
use crate::printers::{Heading, Shown, selector};

pub(super) const SERVICE: &[Heading] = &[
    Heading::NAME,
    Heading::text("Type", "/spec/type"),
    Heading::told("Cluster-IP", cluster_address).field("/spec/clusterIP"),
    Heading::told("External-IP", external_addresses).field("/spec/externalIPs"),
    Heading::told("Port(s)", ports).field("/spec/ports"),
    Heading::AGE,
    Heading::told("Selector", |it| selector::labels(it.map("/spec/selector"))).field("/spec/selector").wide(),
];

fn cluster_address(service: &Shown<'_>) -> String {
    let first = service.texts("/spec/clusterIPs").first().copied();
    first.unwrap_or_else(|| service.text_or("/spec/clusterIP", NONE)).to_owned()
}

fn external_addresses(service: &Shown<'_>) -> String {
    let mut external = service.texts("/spec/externalIPs");
    match service.text("/spec/type") {
        "ClusterIP" | "NodePort" => or_none(external.join(",")),
        "LoadBalancer" => {
            let mut all = balancer_addresses(service);
            all.append(&mut external);
            if all.is_empty() { "<pending>".to_owned() } else { all.join(",") }
        }
        "ExternalName" => service.text("/spec/externalName").to_owned(),
        _ => UNKNOWN.to_owned(),
    }
}

/// The addresses of the load balancer of a Service or Ingress, in order and once each.
pub(in crate::printers) fn balancer_addresses<'o>(shown: &Shown<'o>) -> Vec<&'o str> {
    let ingress = shown.parts("/status/loadBalancer/ingress");
    let either =
        ingress.map(|it| Some(it.text("/ip")).filter(|ip| !ip.is_empty()).unwrap_or(it.text("/hostname")));
    let mut addresses: Vec<&str> = either.filter(|address| !address.is_empty()).collect();
    addresses.sort_unstable();
    addresses.dedup();
    addresses
}

fn ports(service: &Shown<'_>) -> String {
    let ports = service.parts("/spec/ports").map(|port| {
        let (number, protocol) = (port.number("/port"), port.text("/protocol"));
        match port.number("/nodePort") {
            0 => format!("{number}/{protocol}"),
            node_port => format!("{number}:{node_port}/{protocol}"),
        }
    });
    or_none(ports.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::printers::testing::{check, check_cell};
    use serde_json::{Value, json};

    #[test]
    fn rows() {
        check(
            ("", "Service"),
            json!({"metadata": {"name": "s"}, "spec": {
                "type": "NodePort", "clusterIP": "10.0.0.9", "clusterIPs": ["10.0.0.9"], "selector": {"a": "b"},
                "ports": [{"port": 80, "protocol": "TCP", "nodePort": 30080}, {"port": 53, "protocol": "UDP"}],
            }}),
            json!(["s", "NodePort", "10.0.0.9", "<none>", "80:30080/TCP,53/UDP", "<unknown>", "a=b"]),
        );
    }

    #[test]
    fn external() {
        let check = |service: Value, expect: &str| check_cell(external_addresses, &service, expect);
        let balanced = |ingress: Value, external: Value| json!({"spec": {"type": "LoadBalancer", "externalIPs": external}, "status": {"loadBalancer": {"ingress": ingress}}});
        check(json!({"spec": {"type": "ClusterIP"}}), "<none>");
        check(
            json!({"spec": {"type": "ClusterIP", "externalIPs": ["1.1.1.1", "2.2.2.2"]}}),
            "1.1.1.1,2.2.2.2",
        );
        check(json!({"spec": {"type": "ExternalName", "externalName": "example.com"}}), "example.com");
        check(balanced(json!(null), json!(null)), "<pending>");
        check(
            balanced(json!([{"hostname": "b"}, {"ip": "1.2.3.4"}, {"ip": "1.2.3.4"}]), json!(null)),
            "1.2.3.4,b",
        );
        check(balanced(json!([{"ip": "9.9.9.9"}]), json!(["1.1.1.1"])), "9.9.9.9,1.1.1.1");
        check(json!({}), "<unknown>");
    }
}
