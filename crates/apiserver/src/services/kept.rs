//! What an update of a Service keeps of what was allocated, and what no longer fits its type.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{has_address, has_health_check, has_node_ports, is_external, list, port, text};

/// Fills in allocated values that the client left out. Changes the new spec.
pub(super) fn keep(new: &mut Value, old: &Value) {
    if has_address(old) && has_address(new) {
        if text(new, "clusterIP").is_empty() {
            copy(new, old, "clusterIP");
        }
        if list(new, "clusterIPs").is_empty() {
            copy(new, old, "clusterIPs");
        }
    }
    if has_node_ports(old) && has_node_ports(new) {
        keep_node_ports(new, old);
    }
    let is_checked = has_health_check(old) && has_health_check(new);
    if is_checked && port(new, "healthCheckNodePort") == 0 {
        copy(new, old, "healthCheckNodePort");
    }
    sync_addresses(new, old);
}

fn copy(new: &mut Value, old: &Value, field: &str) {
    let (Some(fields), Some(value)) = (new.as_object_mut(), old.get(field)) else { return };
    fields.insert(field.to_owned(), value.clone());
}

fn remove(spec: &mut Value, field: &str) {
    if let Some(fields) = spec.as_object_mut() {
        fields.remove(field);
    }
}

/// A port without a node port gets the one it had, by name, unless another port asks for that one.
fn keep_node_ports(new: &mut Value, old: &Value) {
    let (now, before) = (node_ports(new), node_ports(old));
    let known: BTreeMap<&str, u64> =
        list(old, "ports").iter().map(|it| (text(it, "name"), port(it, "nodePort"))).collect();
    for it in new.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten() {
        let known = known.get(text(it, "name")).copied().unwrap_or_default();
        let is_used = now.contains(&known) && before.contains(&known);
        if port(it, "nodePort") == 0 && known != 0 && !is_used {
            it["nodePort"] = known.into();
        }
    }
}

fn node_ports(spec: &Value) -> BTreeSet<u64> {
    list(spec, "ports").iter().map(|it| port(it, "nodePort")).filter(|it| *it != 0).collect()
}

/// Clients that know only one of `clusterIP` and `clusterIPs` mean both. Changes the new spec.
fn sync_addresses(new: &mut Value, old: &Value) {
    if list(new, "clusterIPs").is_empty() && text(new, "clusterIP") == text(old, "clusterIP") {
        copy(new, old, "clusterIPs");
    }
    let is_same = list(new, "clusterIPs") == list(old, "clusterIPs");
    if text(new, "clusterIP") == text(old, "clusterIP") || !is_same {
        return;
    }
    match text(new, "clusterIP") {
        "" => remove(new, "clusterIPs"),
        address => new["clusterIPs"] = vec![address.to_owned()].into(),
    }
}

/// Wipes what the new type has no use for and the client did not touch. Changes the new Service.
pub(crate) fn drop_unfit(service: &mut Value, old: &Value) {
    let before = old.get("spec").unwrap_or(&Value::Null);
    let Some(spec) = service.get_mut("spec") else { return };
    let is_same = |spec: &Value, field: &str| spec.get(field) == before.get(field);
    let lost = |had: fn(&Value) -> bool, spec: &Value| had(before) && !had(spec);
    if lost(has_address, spec) {
        if is_same(spec, "clusterIP") && is_same(spec, "clusterIPs") {
            remove(spec, "clusterIP");
            remove(spec, "clusterIPs");
        }
        for field in ["ipFamilies", "ipFamilyPolicy"] {
            if is_same(spec, field) {
                remove(spec, field);
            }
        }
    }
    if lost(has_node_ports, spec) && node_ports(before).is_superset(&node_ports(spec)) {
        for it in spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten() {
            remove(it, "nodePort");
        }
    }
    let balanced = |spec: &Value| text(spec, "type") == "LoadBalancer";
    let gone = [
        ("healthCheckNodePort", lost(has_health_check, spec)),
        ("allocateLoadBalancerNodePorts", lost(balanced, spec)),
        ("loadBalancerClass", lost(balanced, spec)),
        ("externalTrafficPolicy", lost(is_external, spec)),
    ];
    for (field, _) in gone.into_iter().filter(|(_, is_lost)| *is_lost) {
        if is_same(spec, field) {
            remove(spec, field);
        }
    }
    if !balanced(spec) && service.get("status").is_some_and(Value::is_object) {
        service["status"]["loadBalancer"] = serde_json::json!({});
    }
}
