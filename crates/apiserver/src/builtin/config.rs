//! `ConfigMaps` and Secrets.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use krono_schema::FieldError;
use serde_json::Value;

use crate::kind::Rules;

use super::findings::Findings;
use super::place::Place;
use super::{fill, names, read};

/// Rules of `ConfigMaps`.
pub(super) const CONFIG_MAP: Rules = Rules { default: |_| {}, validate: validate_config_map };

/// Rules of Secrets.
pub(super) const SECRET: Rules = Rules { default: default_secret, validate: validate_secret };

/// All values together may have this many bytes.
const SIZE_LIMIT: usize = 1024 * 1024;
const FROZEN: &str = "field is immutable when `immutable` is set";

/// `stringData` is a convenience for writers: it goes into `data` and is never shown.
fn default_secret(secret: &mut Value) {
    fill::empty(secret, "type", "Opaque");
    let Some(plain) = secret.as_object_mut().and_then(|fields| fields.remove("stringData")) else { return };
    let Value::Object(plain) = plain else { return };
    if plain.is_empty() {
        return;
    }
    fill::inside(secret, "data", |data| {
        for (key, value) in plain {
            data[key] = STANDARD.encode(value.as_str().unwrap_or_default()).into();
        }
    });
}

fn validate_config_map(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut findings = Findings::default();
    frozen(new, old, &["data", "binaryData"], &mut findings);
    let at = Place::ROOT.field("data");
    let mut size = keys(new, "data", str::len, &mut findings);
    for (key, _) in read::entries(new, "data").filter(|(key, _)| !new["binaryData"][*key].is_null()) {
        findings.invalid(at.key(key), key, "duplicate of key present in binaryData");
    }
    size += keys(new, "binaryData", decoded_length, &mut findings);
    if size > SIZE_LIMIT {
        findings.too_long(Place::ROOT, SIZE_LIMIT);
    }
    findings.into_errors()
}

fn validate_secret(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut findings = Findings::default();
    if let Some(old) = old {
        findings.immutable(Place::ROOT, new, old, "type");
    }
    frozen(new, old, &["data"], &mut findings);
    if keys(new, "data", decoded_length, &mut findings) > SIZE_LIMIT {
        findings.too_long(Place::ROOT.field("data"), SIZE_LIMIT);
    }
    contents(new, &mut findings);
    findings.into_errors()
}

/// Checks what a type of Secret must hold.
fn contents(secret: &Value, findings: &mut Findings) {
    let at = Place::ROOT.field("data");
    let has = |key: &str| !secret["data"][key].is_null();
    let needed: &[&str] = match read::text(secret, "type") {
        "kubernetes.io/service-account-token" => {
            let key = "kubernetes.io/service-account.name";
            if read::text(&secret["metadata"]["annotations"], key).is_empty() {
                findings.required(Place::ROOT.field("metadata.annotations").key(key), "");
            }
            &[]
        }
        "kubernetes.io/dockercfg" => &[".dockercfg"],
        "kubernetes.io/dockerconfigjson" => &[".dockerconfigjson"],
        "kubernetes.io/basic-auth" if has("username") || has("password") => &[],
        "kubernetes.io/basic-auth" => &["username", "password"],
        "kubernetes.io/ssh-auth" => &["ssh-privatekey"],
        "kubernetes.io/tls" => &["tls.crt", "tls.key"],
        _ => &[],
    };
    for key in needed.iter().filter(|key| !has(key)) {
        findings.required(at.key(key), "");
    }
}

/// Checks the keys of a map; gives the size of its values.
fn keys(object: &Value, field: &str, size: impl Fn(&str) -> usize, findings: &mut Findings) -> usize {
    let at = Place::ROOT.field(field);
    let mut total = 0;
    for (key, value) in read::entries(object, field) {
        findings.complaints(at.key(key), key, names::config_key(key));
        total += size(value.as_str().unwrap_or_default());
    }
    total
}

/// How many bytes a text of base64 stands for.
fn decoded_length(text: &str) -> usize {
    text.trim_end_matches('=').len() * 3 / 4
}

/// What was made immutable stays so.
fn frozen(new: &Value, old: Option<&Value>, fields: &[&str], findings: &mut Findings) {
    let Some(old) = old.filter(|old| read::is_true(old, "immutable")) else { return };
    if !read::is_true(new, "immutable") {
        findings.forbidden(Place::ROOT.field("immutable"), FROZEN);
    }
    for field in fields.iter().filter(|field| !read::same(&new[**field], &old[**field])) {
        findings.forbidden(Place::ROOT.field(field), FROZEN);
    }
}

#[cfg(test)]
mod tests;
