//! The subresources of a definition.

use krono_schema::FieldError;
use serde_json::Value;

use super::column::json_path;
use super::spec::text;
use crate::write::metadata::{invalid, required};

pub(super) fn check(subresources: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let Some(scale) = subresources.get("scale").filter(|it| !it.is_null()) else { return };
    let under_spec = (&[".spec."][..], "should be a json path under .spec");
    let under_status = (&[".status."][..], "should be a json path under .status");
    for (name, rule) in [("specReplicasPath", under_spec), ("statusReplicasPath", under_status)] {
        let (at, value) = (format!("{path}.scale.{name}"), text(scale, name));
        if value.is_empty() {
            errors.push(required(&at, ""));
        } else {
            replicas_path(&at, value, rule, errors);
        }
    }
    let selector = text(scale, "labelSelectorPath");
    if !selector.is_empty() {
        let rule = (&[".spec.", ".status."][..], "should be a json path under either .spec or .status");
        replicas_path(&format!("{path}.scale.labelSelectorPath"), selector, rule, errors);
    }
}

fn replicas_path(path: &str, value: &str, (roots, detail): (&[&str], &str), errors: &mut Vec<FieldError>) {
    let problem = json_path(path, value);
    let is_rooted = roots.iter().any(|root| value.starts_with(root));
    errors.extend(problem.or_else(|| (!is_rooted).then(|| invalid(path, value, detail))));
}
