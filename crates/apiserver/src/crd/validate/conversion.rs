//! How a definition converts between its versions.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use krono_schema::FieldError;
use serde_json::Value;

use super::names::choice;
use super::spec::{Spec, list, text};
use super::url;
use crate::builtin::names::dns1035_label;
use crate::write::metadata::{forbidden, invalid, required};

const REVIEW_VERSIONS: [&str; 2] = ["v1", "v1beta1"];

pub(super) fn check(spec: &Spec<'_>, bad_bundle: bool, errors: &mut Vec<FieldError>) {
    let conversion = spec.get("conversion");
    if conversion.is_null() {
        return;
    }
    let strategy = text(conversion, "strategy");
    if strategy != "None" && spec.preserves_unknown_fields() {
        let detail = "must be None if spec.preserveUnknownFields is true";
        errors.push(invalid("spec.conversion.strategy", strategy, detail));
    }
    choice("spec.conversion.strategy", strategy, &["None", "Webhook"], errors);
    let webhook = conversion.get("webhook").unwrap_or(&Value::Null);
    if strategy == "Webhook" {
        client_config(config(webhook), bad_bundle, errors);
        review_versions(list(webhook, "conversionReviewVersions"), errors);
        return;
    }
    let detail = "should not be set when strategy is not set to Webhook";
    if config(webhook).is_some() {
        errors.push(forbidden("spec.conversion.webhookClientConfig", detail));
    }
    if !list(webhook, "conversionReviewVersions").is_empty() {
        errors.push(forbidden("spec.conversion.conversionReviewVersions", detail));
    }
}

/// Whether the webhook of a definition has a certificate that cannot be read.
pub(super) fn has_bad_bundle(spec: &Spec<'_>) -> bool {
    let webhook = spec.get("conversion").get("webhook");
    webhook.and_then(config).is_some_and(|config| bundle_problem(config).is_some())
}

fn config(webhook: &Value) -> Option<&Value> {
    webhook.get("clientConfig").filter(|it| !it.is_null())
}

fn client_config(config: Option<&Value>, bad_bundle: bool, errors: &mut Vec<FieldError>) {
    let path = "spec.conversion.webhookClientConfig";
    let Some(config) = config else {
        return errors.push(required(path, "required when strategy is set to Webhook"));
    };
    let url = config.get("url").and_then(Value::as_str);
    let service = config.get("service").filter(|it| !it.is_null());
    match (url, service) {
        (Some(url), None) => url::check(&format!("{path}.url"), url, errors),
        (None, Some(reference)) => service_reference(reference, &format!("{path}.service"), errors),
        (None, None) | (Some(_), Some(_)) => {
            errors.push(required(path, "exactly one of url or service is required"));
        }
    }
    if let Some(problem) = bundle_problem(config).filter(|_| !bad_bundle) {
        let bundle = text(config, "caBundle");
        errors.push(invalid(&format!("{path}.caBundle"), bundle, problem));
    }
}

/// Only the envelope is looked at; whether a certificate is sound is seen when the webhook is called.
fn bundle_problem(config: &Value) -> Option<&'static str> {
    let bundle = text(config, "caBundle");
    let decoded = STANDARD.decode(bundle).unwrap_or_default();
    let has_block = String::from_utf8_lossy(&decoded).contains("-----BEGIN CERTIFICATE-----");
    (!bundle.is_empty() && !has_block)
        .then_some("unable to load root certificates: unable to parse bytes as PEM block")
}

fn service_reference(service: &Value, path: &str, errors: &mut Vec<FieldError>) {
    for name in ["name", "namespace"] {
        if text(service, name).is_empty() {
            errors.push(required(&format!("{path}.{name}"), ""));
        }
    }
    let port = service.get("port").and_then(Value::as_i64).unwrap_or(443);
    if !(1..=65535).contains(&port) {
        let detail = "port is not valid: must be between 1 and 65535, inclusive";
        errors.push(invalid(&format!("{path}.port"), port, detail));
    }
    url::check_path(&format!("{path}.path"), text(service, "path"), errors);
}

fn review_versions(versions: &[Value], errors: &mut Vec<FieldError>) {
    let path = "spec.conversion.conversionReviewVersions";
    if versions.is_empty() {
        return errors.push(required(path, ""));
    }
    for (index, version) in versions.iter().enumerate() {
        let (at, name) = (format!("{path}[{index}]"), version.as_str().unwrap_or_default());
        if versions[..index].contains(version) {
            errors.push(invalid(&at, name, "duplicate version"));
        } else {
            errors.extend(dns1035_label(name).into_iter().map(|complaint| invalid(&at, name, complaint)));
        }
    }
    let is_known = |version: &Value| version.as_str().is_some_and(|it| REVIEW_VERSIONS.contains(&it));
    if !versions.iter().any(is_known) {
        let detail = format!("must include at least one of {}", REVIEW_VERSIONS.join(", "));
        errors.push(invalid(path, versions.to_vec(), detail));
    }
}
