//! Revisions on resources.

use krono_graph::KindName;
use krono_history::RevisionNumber;
use krono_history::input::Input;
use krono_model::metadata::InstanceRef;
use krono_model::names;
use serde_json::Value;

use super::super::desired::{Desired, Standing, map};
use super::super::{Cluster, Seen};
use super::{Assigned, Stamping};

/// What is written on each resource of an instance.
pub(in super::super) struct Stamps<'p> {
    assigned: &'p Assigned<'p>,
    definition: String,
    input: String,
}

impl<'p> Stamps<'p> {
    pub(in super::super) fn new(assigned: &'p Assigned<'p>, input: &Input) -> Self {
        let (definition, input) = (input.definition.number.to_string(), input.number.to_string());
        Self { assigned, definition, input }
    }

    /// Writes them on an object of a kind.
    pub(in super::super) fn put(
        &self,
        object: &mut Value,
        kind: &KindName,
        instance: &InstanceRef,
        node: &str,
    ) {
        let prefix = self.prefix(kind);
        let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else { return };
        let annotations = map(metadata, "annotations");
        let values =
            [self.definition.as_str(), self.input.as_str(), &instance.name, &instance.namespace, node];
        for (name, value) in names::STAMPS.iter().zip(values) {
            if !value.is_empty() {
                annotations.insert(format!("{prefix}{name}"), value.into());
            }
        }
    }

    /// Whether an object has to be written only to be stamped.
    pub(in super::super) fn are_missing(&self, cluster: &dyn Cluster, desired: &Desired<'_>) -> bool {
        let is_due = self.assigned.stamping == Stamping::Always && matches!(desired.standing, Standing::Live);
        let name = &desired.name;
        let seen = || cluster.seen(&name.kind, &name.namespace, &name.name);
        is_due
            && seen().is_some_and(|Seen { object, .. }| {
                let prefix = self.prefix(&name.kind);
                let has =
                    |stamp: &str, value: &str| annotations(object)[&format!("{prefix}{stamp}")] == value;
                !(has(names::STAMPS[0], &self.definition) && has(names::STAMPS[1], &self.input))
            })
    }

    fn prefix(&self, kind: &KindName) -> &'static str {
        if (self.assigned.is_defined)(kind) { names::OWNER_STAMP_PREFIX } else { names::PREFIX }
    }
}

/// The number of the input that a resource was last written for.
pub(super) fn input_of(object: &Value) -> Option<RevisionNumber> {
    stamp(object, names::STAMPS[1])
}

/// The number of the definition's revision that a resource was last written for.
pub(in super::super) fn revision_of(object: &Value) -> Option<RevisionNumber> {
    stamp(object, names::STAMPS[0])
}

/// What has its stamps under other names is an instance itself, and has its pin under the plain one.
fn stamp(object: &Value, name: &str) -> Option<RevisionNumber> {
    let annotations = annotations(object);
    let owners = format!("{}{}", names::OWNER_STAMP_PREFIX, names::STAMPS[1]);
    let prefix = if annotations.get(&owners).is_some() { names::OWNER_STAMP_PREFIX } else { names::PREFIX };
    annotations[&format!("{prefix}{name}")].as_str()?.parse().ok()
}

fn annotations(object: &Value) -> &Value {
    static NONE: Value = Value::Null;
    object.pointer("/metadata/annotations").filter(|it: &&Value| it.is_object()).unwrap_or(&NONE)
}
