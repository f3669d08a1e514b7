//! One object as it is kept.

use krono_model::names;
use krono_planner::digest::Digest;
use krono_planner::instance::Applied;
use serde_json::{Value, json};

use super::packed::{Packed, Sample};
use super::sight::{Sight, fingerprint, version};

/// One object.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Of its managed fields only who wrote its spec is left, and that only of what was made for nobody.
    pub(super) object: Packed,
    pub(super) uid: Box<str>,
    /// The number of its spec, which is the same whatever the schema that it is seen through; 0 where there is none.
    pub(super) generation: u64,
    /// Whether the server itself has answered with its spec or listed it. A watch that is older than the schema of a kind
    /// does not show all of one, and shows what is no longer part of one.
    pub(super) told: bool,
    /// Its fingerprint.
    pub(super) spec: u64,
    pub(super) sight: Sight,
    pub(crate) live: Option<Digest>,
    pub(crate) applied: Option<Applied>,
}

impl Entry {
    pub(crate) fn object(&self) -> Value {
        self.object.unpack()
    }

    /// The same for as long as nothing more is seen of the object.
    pub(crate) fn sight(&self) -> Sight {
        self.sight
    }

    /// Whether the server itself has answered with this spec: only then is it certain to be all of it.
    pub(crate) fn is_told(&self) -> bool {
        self.told
    }

    pub(crate) fn labels(&self) -> Value {
        self.object.labels()
    }

    /// Its metadata and its status, which is cheaper.
    pub(crate) fn without_spec(&self) -> Value {
        self.object.without_spec()
    }

    /// An object as it was read; it loses most of its managed fields.
    pub(crate) fn read(object: &mut Value, sample: &mut Sample) -> Self {
        let live = Digest::of_applied(object, names::MANAGER_RESOURCES);
        let writers = writers_of_spec(object);
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.remove("managedFields");
            if !writers.is_empty() {
                metadata.insert("managedFields".to_owned(), writers.into());
            }
        }
        Self {
            object: sample.pack(object),
            uid: uid(object).into(),
            generation: generation(object),
            told: false,
            spec: fingerprint(&object["spec"]),
            sight: Sight::of(object),
            live,
            applied: None,
        }
    }

    /// An object whose spec is certain to be whole.
    pub(super) fn told(object: &mut Value, sample: &mut Sample) -> Self {
        Self { told: true, ..Self::read(object, sample) }
    }

    /// Whether a spec differs from the known one by the schema that it is seen through, if at all.
    pub(super) fn has_spec_of(&self, object: &Value) -> bool {
        *self.uid == *uid(object) && self.generation > 0 && self.generation == generation(object)
    }

    /// Whether this is the same object in the same version, and looks different all the same: seen through another schema.
    pub(super) fn is_seen_otherwise(&self, object: &Value) -> bool {
        self.has_spec_of(object)
            && self.sight.version == version(object)
            && self.spec != fingerprint(&object["spec"])
    }
}

/// What an object is a member of: an `ApplySet`, or the inputs of the instance with a UID.
pub(super) fn applyset(object: &Value) -> Option<&str> {
    let labels = &object["metadata"]["labels"];
    labels[names::APPLYSET_PART_OF_LABEL].as_str().or_else(|| labels[names::INPUT_REVISION_OF_LABEL].as_str())
}

pub(super) fn uid(object: &Value) -> &str {
    object["metadata"]["uid"].as_str().unwrap_or_default()
}

fn generation(object: &Value) -> u64 {
    object["metadata"]["generation"].as_u64().unwrap_or_default()
}

/// Who wrote the spec of an object that was not made for an instance, and when.
fn writers_of_spec(object: &Value) -> Vec<Value> {
    let entries = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    let entries = entries.filter(|_| applyset(object).is_none());
    let of_spec = entries.filter(|it| !it["fieldsV1"]["f:spec"].is_null() && it.get("subresource").is_none());
    let told = |it: &Value| {
        let (manager, operation, time) = (&it["manager"], &it["operation"], &it["time"]);
        json!({"manager": manager, "operation": operation, "time": time, "fieldsV1": {"f:spec": {}}})
    };
    of_spec.map(told).collect()
}
