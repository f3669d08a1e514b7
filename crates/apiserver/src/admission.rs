//! What the standard admission plugins make of objects. Pure: whatever else must be known is handed in.

mod account;
mod claim;
mod class;
mod priority;
mod runtime_class;
mod tolerations;

pub(crate) use account::mount_account;
pub(crate) use claim::{common_class, grows};
pub(crate) use class::{CLASS_ANNOTATION, default_class, is_default_ingress_class, is_default_storage_class};
pub(crate) use priority::{Priority, default_priority, give_priority, keep_priority};
pub(crate) use runtime_class::{check_overhead, use_runtime_class};
pub(crate) use tolerations::tolerate_lost_nodes;

use serde_json::Value;

/// Pods that a kubelet shows for those it runs by itself.
pub(crate) const MIRROR_ANNOTATION: &str = "kubernetes.io/config.mirror";

/// Keeps a claim that a pod uses.
pub(crate) const CLAIM_FINALIZER: &str = "kubernetes.io/pvc-protection";
/// Keeps a volume that is bound.
pub(crate) const VOLUME_FINALIZER: &str = "kubernetes.io/pv-protection";

fn list<'v>(object: &'v Value, field: &str) -> &'v [Value] {
    object.get(field).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn text<'v>(object: &'v Value, field: &str) -> &'v str {
    object.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The list in a field, made when absent.
fn list_mut<'v>(object: &'v mut Value, field: &str) -> Option<&'v mut Vec<Value>> {
    let fields = object.as_object_mut()?;
    let value = fields.entry(field).or_insert_with(|| Value::Array(Vec::new()));
    if value.is_null() {
        *value = Value::Array(Vec::new());
    }
    value.as_array_mut()
}
