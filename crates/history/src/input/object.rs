//! Input revisions as objects of their own.

use krono_model::metadata::InstanceRef;
use krono_model::names as keys;
use krono_model::wire::ResourceGraphInputRevision;
use serde_json::{Value, json};

use super::{Definition, Input, KeptSpec, Origin, PackedSpec, Standing};
use crate::revision::Unreadable;
use crate::{Digest, RevisionNumber, names};

/// The object that holds an input revision; its identity is the label with the instance's UID, whatever it is called.
///
/// `definition` is the name of the definition. All that cannot be found again stands in spec, labels and annotations.
pub fn input_revision_object(input: &Input, name: &str, instance: &Value, definition: &str) -> Value {
    let of = InstanceRef::from_object(instance);
    let mut metadata = json!({
        "name": name,
        "namespace": of.namespace,
        "labels": {
            keys::INSTANCE_NAME_LABEL: names::label(&of.name),
            keys::INPUT_REVISION: input.number.to_string(),
            keys::RGD_REVISION: input.definition.number.to_string(),
            keys::INPUT_REVISION_OF_LABEL: of.uid,
        },
        "ownerReferences": [input_revision_owner(instance)],
    });
    if names::is_shortened_in_label(&of.name) {
        metadata["annotations"] = json!({keys::INSTANCE_NAME_ANNOTATION: of.name});
    }
    let mut spec = json!({
        "inputRevision": input.number.to_wire(),
        "rgdRevision": input.definition.number.to_wire(),
        "rgdRevisionRef": {
            "name": names::definition_revision(definition, input.definition.number),
            "digest": input.definition.digest.to_string(),
        },
        "instanceSpec": input.unpacked().unwrap_or_else(|| json!({})),
        "digest": input.digest.to_string(),
    });
    let optional = [
        ("restoredFrom", input.restored_from.map(|it| json!(it.to_wire()))),
        ("createdAt", input.created_at.as_ref().map(|it| json!(it))),
        ("author", input.origin.author.as_ref().map(|it| json!(it))),
        ("changeCause", input.origin.change_cause.as_ref().map(|it| json!(it))),
    ];
    for (field, value) in optional {
        if let Some(value) = value {
            spec[field] = value;
        }
    }
    json!({
        "apiVersion": "kro.run/v1alpha1",
        "kind": "ResourceGraphInputRevision",
        "metadata": metadata,
        "spec": spec,
    })
}

/// The reference to the instance, with which its input revisions go.
pub fn input_revision_owner(instance: &Value) -> Value {
    let of = InstanceRef::from_object(instance);
    json!({
        "apiVersion": instance["apiVersion"], "kind": of.kind, "name": of.name, "uid": of.uid, "controller": true,
    })
}

/// The input revision that an object holds.
pub fn read_object(object: &Value) -> Result<Input, Unreadable> {
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    let revision = crate::revision::input_revision(object, "")?;
    let malformed = |problem: String| Unreadable::Malformed { name: name.to_owned(), problem };
    let typed: ResourceGraphInputRevision =
        serde_json::from_value(object.clone()).map_err(|error| malformed(error.to_string()))?;
    let definition = RevisionNumber::from_wire(typed.spec.rgd_revision)
        .ok_or(Unreadable::Number { name: name.to_owned(), number: typed.spec.rgd_revision })?;
    let reference = typed.spec.rgd_revision_ref.and_then(|it| it.digest).unwrap_or_default();
    let content: Digest = reference.parse().map_err(|_| Unreadable::NoDigest { name: name.to_owned() })?;
    let status = typed.status.and_then(|it| it.propagation_status);
    Ok(Input {
        number: revision.number,
        definition: Definition { number: definition, digest: content },
        digest: revision.digest,
        created_at: typed.spec.created_at,
        restored_from: revision.restored_from,
        origin: Origin { author: typed.spec.author, change_cause: typed.spec.change_cause },
        standing: status.as_deref().and_then(Standing::read).unwrap_or(Standing::Superseded),
        spec: KeptSpec::Packed(PackedSpec::pack(&json!(typed.spec.instance_spec.unwrap_or_default()))),
    })
}
