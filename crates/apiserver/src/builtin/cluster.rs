//! Smaller kinds: leases, priority classes, endpoints, definitions of custom resources, admission.

use krono_schema::FieldError;
use serde_json::{Value, json};

use crate::kind::Rules;

use super::findings::Findings;
use super::place::Place;
use super::{fill, read};

/// Rules of Leases.
pub(super) const LEASE: Rules = Rules { default: |_| {}, validate: validate_lease };
/// Rules of `PriorityClasses`.
pub(super) const PRIORITY_CLASS: Rules = Rules { default: default_priority, validate: validate_priority };
/// Rules of Endpoints.
pub(super) const ENDPOINTS: Rules = Rules { default: default_endpoints, validate: Rules::NONE.validate };
/// Rules of `EndpointSlices`.
pub(super) const ENDPOINT_SLICE: Rules = Rules { default: default_slice, validate: validate_slice };
/// Rules of `CustomResourceDefinitions`; what they define is checked where they are installed.
pub(super) const DEFINITION: Rules = Rules { default: default_definition, validate: Rules::NONE.validate };
/// Rules of webhook configurations.
pub(super) const WEBHOOKS: Rules = Rules { default: default_webhooks, validate: Rules::NONE.validate };
/// Rules of `ValidatingAdmissionPolicies` and their bindings.
pub(super) const ADMISSION_POLICY: Rules =
    Rules { default: default_admission, validate: Rules::NONE.validate };

/// The highest priority that users may give.
const HIGHEST_PRIORITY: i64 = 1_000_000_000;

fn validate_lease(new: &Value, _old: Option<&Value>) -> Vec<FieldError> {
    let mut findings = Findings::default();
    let (spec, at) = (&new["spec"], Place::ROOT.field("spec"));
    if let Some(seconds) = read::integer(spec, "leaseDurationSeconds").filter(|it| *it <= 0) {
        findings.invalid(at.field("leaseDurationSeconds"), seconds, "must be greater than 0");
    }
    findings.not_negative(at, spec, "leaseTransitions");
    if !read::text(spec, "preferredHolder").is_empty() && read::text(spec, "strategy").is_empty() {
        findings.forbidden(at.field("preferredHolder"), "may only be specified if `strategy` is defined");
    }
    findings.into_errors()
}

fn default_priority(class: &mut Value) {
    fill::absent(class, "preemptionPolicy", "PreemptLowerPriority");
    fill::absent(class, "value", 0);
}

fn validate_priority(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut findings = Findings::default();
    let at = Place::ROOT;
    let system = read::text(&new["metadata"], "name").starts_with("system-");
    match old {
        None => {
            let value = read::integer(new, "value").unwrap_or_default();
            if !system && value > HIGHEST_PRIORITY {
                let detail =
                    format!("maximum allowed value of a user defined priority is {HIGHEST_PRIORITY}");
                findings.forbidden(at.field("value"), detail);
            }
            let policy = read::text(new, "preemptionPolicy");
            findings.choice(at.field("preemptionPolicy"), policy, &["PreemptLowerPriority", "Never"]);
        }
        Some(old) => {
            if new["value"] != old["value"] {
                findings.forbidden(at.field("value"), "may not be changed in an update.");
            }
            findings.immutable(at, new, old, "preemptionPolicy");
        }
    }
    findings.into_errors()
}

fn default_endpoints(endpoints: &mut Value) {
    fill::each(endpoints, "subsets", |subset| {
        fill::each(subset, "ports", |port| fill::empty(port, "protocol", "TCP"));
    });
}

fn default_slice(slice: &mut Value) {
    fill::each(slice, "endpoints", |endpoint| fill::absent(endpoint, "conditions", json!({})));
    fill::each(slice, "ports", |port| {
        fill::absent(port, "name", "");
        fill::absent(port, "protocol", "TCP");
    });
}

fn validate_slice(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut findings = Findings::default();
    let kind = read::text(new, "addressType");
    findings.choice(Place::ROOT.field("addressType"), kind, &["IPv4", "IPv6", "FQDN"]);
    if let Some(old) = old {
        findings.immutable(Place::ROOT, new, old, "addressType");
    }
    findings.into_errors()
}

fn default_definition(definition: &mut Value) {
    fill::inside(definition, "spec", |spec| {
        fill::within(spec, "names", |names| {
            let kind = read::text(names, "kind").to_owned();
            fill::empty(names, "singular", kind.to_lowercase());
            if !kind.is_empty() {
                fill::empty(names, "listKind", format!("{kind}List"));
            }
        });
        fill::inside(spec, "conversion", |conversion| {
            fill::empty(conversion, "strategy", "None");
            fill::within(conversion, "webhook", client);
        });
    });
    stored_versions(definition);
}

/// Objects are stored in the version that says so, until the definition has been changed.
fn stored_versions(definition: &mut Value) {
    let versions = read::list(&definition["spec"], "versions");
    let Some(stored) = versions.iter().find(|version| read::is_true(version, "storage")) else { return };
    let stored = json!([stored["name"]]);
    fill::inside(definition, "status", |status| fill::empty(status, "storedVersions", stored));
}

/// A webhook's service listens on the port of HTTPS.
fn client(webhook: &mut Value) {
    fill::within(webhook, "clientConfig", |client| {
        fill::within(client, "service", |service| fill::absent(service, "port", 443));
    });
}

fn default_webhooks(configuration: &mut Value) {
    let mutating = read::text(configuration, "kind").starts_with("Mutating");
    fill::each(configuration, "webhooks", |webhook| {
        fill::absent(webhook, "failurePolicy", "Fail");
        match_resources(webhook);
        fill::absent(webhook, "timeoutSeconds", 10);
        if mutating {
            fill::absent(webhook, "reinvocationPolicy", "Never");
        }
        fill::each(webhook, "rules", |rule| fill::absent(rule, "scope", "*"));
        client(webhook);
    });
}

fn match_resources(target: &mut Value) {
    fill::absent(target, "matchPolicy", "Equivalent");
    fill::absent(target, "namespaceSelector", json!({}));
    fill::absent(target, "objectSelector", json!({}));
}

fn default_admission(policy: &mut Value) {
    let binding = read::text(policy, "kind").ends_with("Binding");
    fill::within(policy, "spec", |spec| {
        if !binding {
            fill::absent(spec, "failurePolicy", "Fail");
        }
        for field in ["matchConstraints", "matchResources"] {
            fill::within(spec, field, |target| {
                match_resources(target);
                for rules in ["resourceRules", "excludeResourceRules"] {
                    fill::each(target, rules, |rule| fill::absent(rule, "scope", "*"));
                }
            });
        }
    });
}

#[cfg(test)]
mod tests;
