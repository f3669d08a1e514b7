//! Namespaces, and what limits their use.

use krono_schema::FieldError;
use serde_json::{Value, json};

use crate::kind::Rules;

use super::findings::Findings;
use super::place::Place;
use super::pod::quantity;
use super::{fill, read};

/// Rules of Namespaces.
pub(super) const NAMESPACE: Rules = Rules { default, validate: Rules::NONE.validate };
/// Rules of `LimitRanges`.
pub(super) const LIMIT_RANGE: Rules = Rules { default: default_limits, validate: Rules::NONE.validate };
/// Rules of `ResourceQuotas`.
pub(super) const RESOURCE_QUOTA: Rules = Rules { default: default_quota, validate: validate_quota };

fn default(namespace: &mut Value) {
    let name = read::text(&namespace["metadata"], "name").to_owned();
    if !name.is_empty() {
        fill::inside(namespace, "metadata", |metadata| {
            fill::inside(metadata, "labels", |labels| labels["kubernetes.io/metadata.name"] = name.into());
        });
    }
    fill::inside(namespace, "status", |status| fill::empty(status, "phase", "Active"));
}

fn default_limits(range: &mut Value) {
    fill::within(range, "spec", |spec| {
        fill::each(spec, "limits", |limit| {
            for field in ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] {
                fill::quantities(limit, field);
            }
            if limit["type"] == "Container" {
                fill::entries(limit, "max", "default");
                fill::entries(limit, "default", "defaultRequest");
                fill::entries(limit, "min", "defaultRequest");
            }
        });
    });
}

fn default_quota(quota: &mut Value) {
    fill::within(quota, "spec", |spec| fill::quantities(spec, "hard"));
    fill::absent(quota, "status", json!({}));
}

fn validate_quota(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut findings = Findings::default();
    let at = Place::ROOT.field("spec");
    let place = at.field("hard");
    for (name, amount) in read::entries(&new["spec"], "hard") {
        quantity(amount, place.key(name), &mut findings);
    }
    if let Some(old) = old {
        findings.immutable(at, &new["spec"], &old["spec"], "scopes");
    }
    findings.into_errors()
}

#[cfg(test)]
mod tests;
