//! Labels and annotations of a CRD: krono's own, and those its author asked for and may give up again.

use std::collections::BTreeMap;

use krono_graph::CompiledGraph;
use krono_model::metadata::{Owner, instance_labels};
use krono_model::names;
use krono_schema::crd::Metadata;
use serde_json::{Map, Value, json};

/// Puts on a CRD what belongs there beside what the author asked for.
pub(super) fn add(metadata: &mut Metadata, graph: &CompiledGraph, owner: &Owner<'_>, digest: String) {
    metadata.labels.extend(instance_labels(owner));
    metadata.annotations.insert(names::CRD_DIGEST_ANNOTATION.to_owned(), digest);
    let (labels, annotations) = (listed(&graph.instance.labels), listed(&graph.instance.annotations));
    if labels.len() + annotations.len() > 0 {
        let record = format!("{labels};{annotations}");
        metadata.annotations.insert(names::CRD_METADATA_ANNOTATION.to_owned(), record);
    }
}

fn listed(entries: &BTreeMap<String, String>) -> String {
    entries.keys().map(String::as_str).collect::<Vec<_>>().join(",")
}

/// The merge patch that brings labels and annotations to what is needed; others keep theirs.
pub(super) fn patch(live: &Value, needed: &Metadata) -> Map<String, Value> {
    let live = &live["metadata"];
    let record = live["annotations"][names::CRD_METADATA_ANNOTATION].as_str().unwrap_or_default();
    let (labels, annotations) = record.split_once(';').unwrap_or_default();
    let annotations = annotations.split(',').chain([names::CRD_METADATA_ANNOTATION]);
    let fields = [
        ("labels", changes(&live["labels"], &needed.labels, labels.split(','))),
        ("annotations", changes(&live["annotations"], &needed.annotations, annotations)),
    ];
    let changed = fields.into_iter().filter(|(_, changes)| !changes.is_empty());
    changed.map(|(field, changes)| (field.to_owned(), Value::Object(changes))).collect()
}

/// What is missing or different, and null for what was asked for once and is no longer.
fn changes<'r>(
    live: &Value,
    needed: &BTreeMap<String, String>,
    recorded: impl Iterator<Item = &'r str>,
) -> Map<String, Value> {
    let missing = needed.iter().filter(|(key, value)| live[key.as_str()] != value.as_str());
    let given_up = recorded.filter(|key| live.get(key).is_some() && !needed.contains_key(*key));
    let given_up = given_up.map(|key| (key.to_owned(), Value::Null));
    missing.map(|(key, value)| (key.clone(), json!(value))).chain(given_up).collect()
}
