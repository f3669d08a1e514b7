//! Namespaces: what makes them special.

use serde_json::{Value, json};

use crate::object::Object;
use crate::resource::Resource;
use crate::status::{Cause, Status, Subject};
use crate::write::Moment;
use crate::write::delete::{DeleteOptions, Deletion};
use crate::write::metadata;

/// Namespaces that are there from the start.
pub(crate) const INITIAL: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];
/// Namespaces that may not be deleted.
const PERMANENT: [&str; 3] = ["default", "kube-public", "kube-system"];
/// The finalizer in the spec of a namespace, taken away once the namespace is empty.
pub(crate) const FINALIZER: &str = "kubernetes";
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// Whether objects of this kind are namespaces.
pub(crate) fn is_namespace(resource: &Resource) -> bool {
    resource.kind.group.is_empty() && &*resource.kind.kind == "Namespace"
}

/// Gives a new namespace its finalizer, its phase and the label with its name. Changes the object.
pub(crate) fn prepare_new(object: &mut Object) {
    object.set("status", Some(json!({"phase": "Active"})));
    let spec = object.get("spec").cloned().unwrap_or_else(|| json!({}));
    object.set("spec", Some(with_finalizer(spec)));
    label(object);
}

/// Keeps the label with the name. Changes the object.
pub(crate) fn label(object: &mut Object) {
    let name = Value::from(object.name());
    let mut labels = object.meta("labels").cloned().unwrap_or_else(|| json!({}));
    if let Some(labels) = labels.as_object_mut() {
        labels.insert(NAME_LABEL.to_owned(), name);
    }
    object.set_meta("labels", Some(labels));
}

fn with_finalizer(mut spec: Value) -> Value {
    let named = spec
        .get("finalizers")
        .and_then(Value::as_array)
        .is_some_and(|it| it.iter().any(|it| it == FINALIZER));
    if !named && let Some(spec) = spec.as_object_mut() {
        let finalizers = spec.entry("finalizers").or_insert_with(|| json!([]));
        if let Some(finalizers) = finalizers.as_array_mut() {
            finalizers.push(FINALIZER.into());
        }
    }
    spec
}

/// Finalizers of the spec.
pub(crate) fn spec_finalizers(object: &Object) -> usize {
    object.value().pointer("/spec/finalizers").and_then(Value::as_array).map_or(0, Vec::len)
}

/// A namespace goes away only after its contents: it is marked, never removed at once.
pub(crate) fn decide_deletion(
    resource: &Resource,
    object: &Object,
    options: &DeleteOptions,
    moment: &Moment,
) -> Result<Deletion, Status> {
    metadata::check_deletable(resource, object, options.uid.as_deref(), options.version.as_deref())?;
    if object.is_deleting() {
        return Ok(Deletion::Unchanged);
    }
    let mut marked = object.clone();
    marked.set_meta("deletionTimestamp", Some(moment.now.as_str().into()));
    terminate(&mut marked);
    Ok(Deletion::Mark(Box::new(marked)))
}

/// Marks a namespace as going away. Changes the object.
fn terminate(object: &mut Object) {
    let mut status = object.get("status").cloned().unwrap_or_else(|| json!({}));
    if let Some(status) = status.as_object_mut() {
        status.insert("phase".to_owned(), "Terminating".into());
    }
    object.set("status", Some(status));
}

/// Refuses to delete namespaces that everything counts on.
pub(crate) fn check_deletable(name: &str) -> Result<(), Status> {
    if !PERMANENT.contains(&name) {
        return Ok(());
    }
    let subject = Subject { group: "", resource: "namespaces" };
    Err(Status::forbidden(subject, name, "this namespace may not be deleted"))
}

/// Refuses new objects in namespaces that are not there or are going away.
pub(crate) fn admit(
    resource: &Resource,
    name: &str,
    namespace: &str,
    found: Option<&Object>,
) -> Result<(), Status> {
    let Some(found) = found else {
        return Err(Status::not_found(Subject { group: "", resource: "namespaces" }, namespace));
    };
    if !found.is_deleting() {
        return Ok(());
    }
    let why = format!("unable to create new content in namespace {namespace} because it is being terminated");
    let cause = Cause {
        reason: "NamespaceTerminating".to_owned(),
        message: format!("namespace {namespace} is being terminated"),
        field: "metadata.namespace".to_owned(),
    };
    Err(Status::forbidden_because(Subject::resource(&resource.kind), name, &why, cause))
}
