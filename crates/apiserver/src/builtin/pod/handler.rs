//! Probes and hooks.

use serde_json::Value;

use crate::builtin::findings::Findings;
use crate::builtin::place::Place;
use crate::builtin::{names, read};

/// Checks the probes and hooks of a container.
pub(super) fn validate_probes(container: &Value, at: Place<'_>, findings: &mut Findings) {
    let lifecycle = at.field("lifecycle");
    for hook in ["postStart", "preStop"] {
        let handler = &container["lifecycle"][hook];
        if !handler.is_null() {
            validate(handler, &["exec", "httpGet", "tcpSocket", "sleep"], lifecycle.field(hook), findings);
        }
    }
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        if !container[name].is_null() {
            probe(&container[name], name, at.field(name), findings);
        }
    }
}

fn probe(probe: &Value, name: &str, at: Place<'_>, findings: &mut Findings) {
    validate(probe, &["exec", "httpGet", "tcpSocket", "grpc"], at, findings);
    for field in
        ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"]
    {
        findings.not_negative(at, probe, field);
    }
    if let Some(seconds) = read::integer(probe, "terminationGracePeriodSeconds").filter(|it| *it <= 0) {
        findings.invalid(at.field("terminationGracePeriodSeconds"), seconds, "must be greater than 0");
    }
    let threshold = read::integer(probe, "successThreshold").unwrap_or_default();
    if name != "readinessProbe" && threshold != 1 {
        findings.invalid(at.field("successThreshold"), threshold, "must be 1");
    }
}

fn validate(handler: &Value, types: &[&str], at: Place<'_>, findings: &mut Findings) {
    let mut given = types.iter().filter(|name| !handler[**name].is_null());
    let Some(first) = given.next() else {
        findings.required(at, "must specify a handler type");
        return;
    };
    action(first, &handler[*first], at.field(first), findings);
    for other in given {
        findings.forbidden(at.field(other), "may not specify more than 1 handler type");
    }
}

fn action(name: &str, action: &Value, at: Place<'_>, findings: &mut Findings) {
    match name {
        "exec" if read::list(action, "command").is_empty() => findings.required(at.field("command"), ""),
        "httpGet" => {
            if read::text(action, "path").is_empty() {
                findings.required(at.field("path"), "");
            }
            port(&action["port"], at.field("port"), findings);
            let scheme = read::text(action, "scheme");
            if !matches!(scheme, "HTTP" | "HTTPS") {
                findings.unsupported(at.field("scheme"), scheme, &["HTTP", "HTTPS"]);
            }
        }
        "tcpSocket" | "grpc" => port(&action["port"], at.field("port"), findings),
        _ => {}
    }
}

/// Checks a port that is a number or a name.
pub(in crate::builtin) fn port(port: &Value, at: Place<'_>, findings: &mut Findings) {
    match port.as_str() {
        Some(name) => findings.complaints(at, name, names::port_name(name)),
        None => port_number(port.as_i64().unwrap_or_default(), at, findings),
    }
}

/// Checks the number of a port.
pub(in crate::builtin) fn port_number(number: i64, at: Place<'_>, findings: &mut Findings) {
    for complaint in names::port_number(number) {
        findings.invalid(at, number, complaint);
    }
}
