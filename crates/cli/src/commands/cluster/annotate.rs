//! Wishes of people, written on objects so that others leave them.

use std::collections::BTreeMap;

use krono_model::names::MANAGER_KRONO;
use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};

use super::objects::{Objects, refused, value};
use super::types::Type;
use crate::command_error::CommandError;

/// How often a write is tried that others get in the way of.
const ATTEMPTS: usize = 10;
const CONFLICT: u16 = 409;

/// Sets annotations by server-side apply, beside those that krono has set before; gives the object as it is then.
pub(crate) async fn set(
    objects: &Objects,
    kind: &Type,
    object: &Value,
    wanted: &[(&str, &str)],
) -> Result<Value, CommandError> {
    let mut object = object.clone();
    let name = text(&object["metadata"]["name"]);
    if !object["metadata"]["deletionTimestamp"].is_null() {
        let message =
            format!("{} {name} is being deleted, and does nothing else any more", text(&object["kind"]));
        return Err(CommandError::wrong(message));
    }
    let mut attempt = 0;
    loop {
        attempt += 1;
        let written = match owned(&object) {
            Some(owned) => {
                let patch = Patch::Apply(applied(&object, owned, wanted));
                objects.api(kind).patch(&name, &params(objects).force(), &patch).await
            }
            None => {
                objects.api(kind).patch(&name, &params(objects), &Patch::Merge(merged(&object, wanted))).await
            }
        };
        match written {
            Ok(written) => return Ok(value(written, &kind.resource)),
            Err(kube::Error::Api(status)) if status.code == CONFLICT && attempt < ATTEMPTS => {
                object = objects.get(kind, &name).await?;
            }
            Err(error) => return Err(refused(&error)),
        }
    }
}

/// Takes annotations away, whoever wrote them; gives the object as it is then.
pub(crate) async fn remove(
    objects: &Objects,
    kind: &Type,
    object: &Value,
    keys: &[&str],
) -> Result<Value, CommandError> {
    let gone: Vec<(&str, Option<&str>)> = keys.iter().map(|it| (*it, None)).collect();
    change(objects, kind, object, &gone).await
}

/// Changes annotations, whoever wrote them; gives the object as it is then.
pub(crate) async fn change(
    objects: &Objects,
    kind: &Type,
    object: &Value,
    changes: &[(&str, Option<&str>)],
) -> Result<Value, CommandError> {
    let annotations: BTreeMap<_, _> = changes.iter().copied().collect();
    let patch = json!({"metadata": {"uid": object["metadata"]["uid"], "annotations": annotations}});
    let name = text(&object["metadata"]["name"]);
    let written = objects.api(kind).patch(&name, &params(objects), &Patch::Merge(patch)).await;
    written.map(|it| value(it, &kind.resource)).map_err(|error| refused(&error))
}

fn params(objects: &Objects) -> PatchParams {
    PatchParams { dry_run: objects.is_trial, ..PatchParams::apply(MANAGER_KRONO) }
}

/// The annotations that krono has applied before: what it does not apply again would go.
///
/// Nothing where it has applied more than annotations, which an apply of annotations alone would take away.
fn owned(object: &Value) -> Option<BTreeMap<String, String>> {
    let entries = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    let is_own = |it: &&Value| {
        it["manager"] == MANAGER_KRONO
            && it["operation"] == "Apply"
            && it.get("subresource").is_none_or(|it| it == "")
    };
    let mut owned = BTreeMap::new();
    for entry in entries.filter(is_own) {
        let fields = only(&entry["fieldsV1"], "f:metadata").and_then(|it| only(it, "f:annotations"))?;
        for key in fields.as_object()?.keys().filter_map(|it| it.strip_prefix("f:")) {
            if let Some(value) = object["metadata"]["annotations"][key].as_str() {
                owned.insert(key.to_owned(), value.to_owned());
            }
        }
    }
    Some(owned)
}

/// The one field of an object that has no other; an object without any is itself.
fn only<'v>(fields: &'v Value, name: &str) -> Option<&'v Value> {
    let all = fields.as_object()?;
    let others = all.keys().filter(|it| *it != name && *it != ".").count();
    (others == 0).then(|| all.get(name).unwrap_or(fields))
}

/// UID and resource version keep it from creating what is gone and from undoing what has just been answered.
fn applied(object: &Value, mut annotations: BTreeMap<String, String>, wanted: &[(&str, &str)]) -> Value {
    annotations.extend(wanted.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())));
    let metadata = &object["metadata"];
    let mut identity = json!({
        "name": metadata["name"],
        "uid": metadata["uid"],
        "resourceVersion": metadata["resourceVersion"],
        "annotations": annotations,
    });
    if let Some(namespace) = metadata.get("namespace") {
        identity["namespace"] = namespace.clone();
    }
    json!({"apiVersion": object["apiVersion"], "kind": object["kind"], "metadata": identity})
}

fn merged(object: &Value, wanted: &[(&str, &str)]) -> Value {
    let annotations: BTreeMap<_, _> = wanted.iter().copied().collect();
    let metadata = &object["metadata"];
    json!({"metadata": {"uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"], "annotations": annotations}})
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(fields: &Value) -> Value {
        json!({"metadata": {
            "name": "my-app", "uid": "u", "resourceVersion": "7",
            "annotations": {"krono.dev/active-revision": "2", "other": "x"},
            "managedFields": [
                {"manager": "kubectl", "operation": "Apply", "fieldsV1": {"f:spec": {}}},
                {"manager": "krono", "operation": "Apply", "subresource": "status", "fieldsV1": {"f:status": {}}},
                {"manager": "krono", "operation": "Apply", "fieldsV1": fields},
            ],
        }})
    }

    #[test]
    fn what_krono_has_set_before_stays() {
        let fields = json!({"f:metadata": {"f:annotations": {".": {}, "f:krono.dev/active-revision": {}}}});
        let object = object(&fields);
        let patch = applied(&object, owned(&object).unwrap(), &[("kro.run/rgd-revision", "3")]);
        assert_eq!(
            patch["metadata"],
            json!({
                "name": "my-app", "uid": "u", "resourceVersion": "7",
                "annotations": {"krono.dev/active-revision": "2", "kro.run/rgd-revision": "3"},
            })
        );
    }

    #[test]
    fn what_is_more_than_annotations_is_not_applied_away() {
        for more in [
            json!({"f:metadata": {"f:annotations": {}}, "f:spec": {"f:schema": {}}}),
            json!({"f:metadata": {"f:annotations": {}, "f:labels": {}}}),
        ] {
            assert_eq!(owned(&object(&more)), None, "{more}");
        }
        assert_eq!(owned(&json!({"metadata": {}})), Some(BTreeMap::new()));
    }
}
