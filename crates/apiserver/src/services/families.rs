//! Address families of a Service, in a cluster of IPv4 alone.

use std::net::IpAddr;

use krono_schema::{BadValue, ErrorKind, FieldError};
use serde_json::{Value, json};

use super::{list, text};

/// Fills in the policy and the families, and says what does not fit. Changes the spec.
pub(super) fn fill(spec: &mut Value, old: Option<&Value>) -> Vec<FieldError> {
    if text(spec, "type") == "ExternalName" || old.is_some_and(|old| is_unchanged_preference(spec, old)) {
        return Vec::new();
    }
    fill_policy(spec, old);
    let mut errors = Vec::new();
    release_second(spec, old, &mut errors);
    too_many(spec, &mut errors);
    infer_families(spec, &mut errors);
    if !errors.is_empty() {
        return errors;
    }
    if is_loose(spec) {
        fill_loose(spec);
        return errors;
    }
    unknown_families(spec, &mut errors);
    if errors.is_empty() && list(spec, "ipFamilies").is_empty() {
        spec["ipFamilies"] = json!(["IPv4"]);
    }
    errors
}

/// Headless and without a selector: whoever makes the endpoints decides.
fn is_loose(spec: &Value) -> bool {
    let selector = spec.get("selector").and_then(Value::as_object);
    text(spec, "clusterIP") == "None" && selector.is_none_or(serde_json::Map::is_empty)
}

fn policy(spec: &Value) -> &str {
    text(spec, "ipFamilyPolicy")
}

fn is_unchanged_preference(spec: &Value, old: &Value) -> bool {
    let prefers = |it: &Value| policy(it) == "PreferDualStack";
    prefers(spec)
        && prefers(old)
        && text(spec, "type") == text(old, "type")
        && list(spec, "clusterIPs") == list(old, "clusterIPs")
        && list(spec, "ipFamilies") == list(old, "ipFamilies")
}

fn fill_policy(spec: &mut Value, old: Option<&Value>) {
    if !policy(spec).is_empty() {
        return;
    }
    let before = old.map(policy).filter(|it| !it.is_empty()).map(str::to_owned);
    let default = if is_loose(spec) { "RequireDualStack" } else { "SingleStack" };
    spec["ipFamilyPolicy"] = before.unwrap_or_else(|| default.to_owned()).into();
}

fn release_second(spec: &mut Value, old: Option<&Value>, errors: &mut Vec<FieldError>) {
    let Some(old) = old else { return };
    for (field, what) in [("clusterIPs", "cluster IP"), ("ipFamilies", "IP family")] {
        let (now, before) = (list(spec, field), list(old, field));
        if policy(spec) == "SingleStack" {
            if now == before && now.len() > 1 {
                spec[field] = now[..1].to_vec().into();
            }
        } else if !now.is_empty() && now.len() < before.len() {
            errors.push(bad_policy(spec, &format!("must be 'SingleStack' to release the secondary {what}")));
        }
    }
}

fn too_many(spec: &Value, errors: &mut Vec<FieldError>) {
    if policy(spec) != "SingleStack" {
        return;
    }
    for (field, what) in [("clusterIPs", "cluster IPs"), ("ipFamilies", "IP families")] {
        if list(spec, field).len() == 2 {
            let detail =
                format!("must be 'RequireDualStack' or 'PreferDualStack' when multiple {what} are specified");
            errors.push(bad_policy(spec, &detail));
        }
    }
}

fn infer_families(spec: &mut Value, errors: &mut Vec<FieldError>) {
    let addresses: Vec<Value> = list(spec, "clusterIPs").to_vec();
    let mut families: Vec<Value> = list(spec, "ipFamilies").to_vec();
    for (index, address) in addresses.iter().enumerate().skip(families.len()) {
        match address.as_str().and_then(|text| text.parse::<IpAddr>().ok()) {
            Some(IpAddr::V4(_)) => families.push("IPv4".into()),
            Some(IpAddr::V6(_)) => {
                let detail = "IPv6 is not configured on this cluster";
                errors.push(invalid(&format!("spec.clusterIPs[{index}]"), addresses.clone().into(), detail));
            }
            None => break,
        }
    }
    if !families.is_empty() {
        spec["ipFamilies"] = families.into();
    }
}

fn fill_loose(spec: &mut Value) {
    let mut families: Vec<Value> = list(spec, "ipFamilies").to_vec();
    if families.is_empty() {
        families.push("IPv4".into());
    }
    if families.len() < 2 && policy(spec) != "SingleStack" {
        let other = if families[0] == "IPv4" { "IPv6" } else { "IPv4" };
        families.push(other.into());
    }
    spec["ipFamilies"] = families.into();
}

fn unknown_families(spec: &Value, errors: &mut Vec<FieldError>) {
    if policy(spec) == "RequireDualStack" {
        errors.push(bad_policy(spec, "this cluster is not configured for dual-stack services"));
    }
    for (index, family) in list(spec, "ipFamilies").iter().enumerate().filter(|(_, it)| *it == "IPv6") {
        let path = format!("spec.ipFamilies[{index}]");
        errors.push(invalid(&path, family.clone(), "not configured on this cluster"));
    }
}

fn bad_policy(spec: &Value, detail: &str) -> FieldError {
    invalid("spec.ipFamilyPolicy", spec["ipFamilyPolicy"].clone(), detail)
}

pub(super) fn invalid(path: &str, value: Value, detail: &str) -> FieldError {
    let (path, detail) = (path.to_owned(), detail.to_owned());
    FieldError { kind: ErrorKind::Invalid, path, value: BadValue::Value(value), detail }
}
