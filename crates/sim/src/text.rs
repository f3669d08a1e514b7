//! Reading objects.

use krono_graph::KindName;
use krono_model::names;
use krono_planner::instance::ObjectName;
use serde_json::Value;

pub(crate) fn metadata<'o>(object: &'o Value, field: &str) -> &'o str {
    object["metadata"][field].as_str().unwrap_or_default()
}

pub(crate) fn label<'o>(object: &'o Value, name: &str) -> Option<&'o str> {
    object["metadata"]["labels"][name].as_str()
}

/// The set of resources that an object is part of.
pub(crate) fn part_of(object: &Value) -> Option<&str> {
    label(object, names::APPLYSET_PART_OF_LABEL)
}

pub(crate) fn version(object: &Value) -> u64 {
    metadata(object, "resourceVersion").parse().unwrap_or_default()
}

pub(crate) fn is_terminating(object: &Value) -> bool {
    !object["metadata"]["deletionTimestamp"].is_null()
}

pub(crate) fn name_of(kind: &KindName, object: &Value) -> ObjectName {
    let namespace = if kind.namespaced { metadata(object, "namespace") } else { "" };
    ObjectName {
        kind: kind.clone(),
        namespace: namespace.to_owned(),
        name: metadata(object, "name").to_owned(),
    }
}
