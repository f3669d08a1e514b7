//! Revisions, from the objects that hold them.

use jiff::Timestamp;
use krono_model::names as keys;
use krono_model::wire::{ResourceGraphDefinitionRevision, ResourceGraphInputRevision};
use serde_json::{Value, json};

use super::{Health, ObjectVersion, Ownership, Presence, Revision};
use crate::{Digest, RevisionNumber};

/// An object that holds no revision.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It has not the fields.
    #[error("{name} is no revision: {problem}; delete it, the number stays taken")]
    Malformed {
        /// Its name.
        name: String,
        /// What is wrong.
        problem: String,
    },
    /// The number is none.
    #[error("{name} has the number {number}, which no revision can have; delete it")]
    Number {
        /// Its name.
        name: String,
        /// What it has.
        number: i64,
    },
    /// It does not say of which definition content its input is.
    #[error("{name} does not say which content its input was for; it cannot be compared or restored")]
    NoDigest {
        /// Its name.
        name: String,
    },
}

/// The revision of a definition that an object holds; `owner` is the UID of the definition.
///
/// The digest is found anew: what an object says about its own content is not believed.
pub fn definition_revision(object: &Value, owner: &str) -> Result<Revision, Unreadable> {
    let name = metadata(object, "name");
    let typed: ResourceGraphDefinitionRevision = typed(object)?;
    let content = json!({"schema": typed.spec.schema, "resources": typed.spec.resources});
    let superseded = typed.status.and_then(|it| it.superseded);
    Ok(Revision {
        restored_from: typed.spec.restored_from.and_then(RevisionNumber::from_wire),
        superseded,
        ..common(object, owner, number(name, typed.spec.revision)?, Digest::of_definition(&content))
    })
}

/// The same of an object whose content was found out before: of one that is read often, only what changes is looked at.
pub fn known_definition_revision(object: &Value, owner: &str, digest: Digest) -> Option<Revision> {
    let number = RevisionNumber::from_wire(object["spec"]["revision"].as_i64()?)?;
    Some(Revision {
        restored_from: object["spec"]["restoredFrom"].as_i64().and_then(RevisionNumber::from_wire),
        superseded: object["status"]["superseded"].as_bool(),
        ..common(object, owner, number, digest)
    })
}

/// When a revision was issued, as the object that holds it tells.
pub fn issued_at(object: &Value) -> Option<Timestamp> {
    let created = object["spec"]["createdAt"].as_str();
    created.or_else(|| object["metadata"]["creationTimestamp"].as_str())?.parse().ok()
}

/// The input revision that an object holds; `owner` is the UID of the instance.
pub fn input_revision(object: &Value, owner: &str) -> Result<Revision, Unreadable> {
    let name = metadata(object, "name");
    let typed: ResourceGraphInputRevision = typed(object)?;
    let no_digest = || Unreadable::NoDigest { name: name.to_owned() };
    let reference = typed.spec.rgd_revision_ref.and_then(|it| it.digest).ok_or_else(no_digest)?;
    let definition: Digest = reference.parse().map_err(|_| no_digest())?;
    let digest = Digest::of_input(&json!(typed.spec.instance_spec.unwrap_or_default()), definition);
    Ok(Revision {
        restored_from: typed.spec.restored_from.and_then(RevisionNumber::from_wire),
        ..common(object, owner, number(name, typed.spec.input_revision)?, digest)
    })
}

fn common(object: &Value, owner: &str, number: RevisionNumber, digest: Digest) -> Revision {
    Revision {
        number,
        digest,
        issued_at: issued_at(object),
        object_made_at: time(metadata(object, "creationTimestamp")),
        replaced_at: annotation(object, keys::REPLACED_ANNOTATION).and_then(time),
        restored_from: None,
        is_rollback: annotation(object, keys::ROLLED_BACK_TO_ANNOTATION).is_some(),
        health: annotation(object, keys::FAILED_ANNOTATION)
            .map_or(Health::Good, |reason| Health::Failed(reason.to_owned())),
        is_completed: annotation(object, keys::COMPLETED_ANNOTATION).is_some(),
        superseded: None,
        unused_since: annotation(object, keys::UNUSED_SINCE_ANNOTATION).and_then(time),
        presence: presence(object),
        ownership: ownership(object, owner),
        object: ObjectVersion {
            name: metadata(object, "name").to_owned(),
            uid: metadata(object, "uid").to_owned(),
            resource_version: metadata(object, "resourceVersion").to_owned(),
        },
    }
}

fn typed<T: serde::de::DeserializeOwned>(object: &Value) -> Result<T, Unreadable> {
    serde_json::from_value(object.clone()).map_err(|error| Unreadable::Malformed {
        name: metadata(object, "name").to_owned(),
        problem: error.to_string(),
    })
}

fn number(name: &str, number: i64) -> Result<RevisionNumber, Unreadable> {
    RevisionNumber::from_wire(number).ok_or_else(|| Unreadable::Number { name: name.to_owned(), number })
}

/// A mark that cannot be read is no mark: it is made anew.
fn time(text: &str) -> Option<Timestamp> {
    text.parse().ok()
}

/// Whether a revision is one of the kind that a definition makes; a definition of the same name may have made another.
pub fn is_of_same_kind(definition: &Value, revision: &Value) -> bool {
    let group = |it: &Value| it["group"].as_str().filter(|it| !it.is_empty()).unwrap_or("kro.run").to_owned();
    let (one, other) = (&definition["spec"]["schema"], &revision["spec"]["schema"]);
    one["kind"] == other["kind"] && group(one) == group(other)
}

fn presence(object: &Value) -> Presence {
    if object["metadata"]["deletionTimestamp"].is_null() { Presence::Live } else { Presence::Terminating }
}

fn ownership(object: &Value, owner: &str) -> Ownership {
    let owners = object["metadata"]["ownerReferences"].as_array();
    let is_own = owners.is_some_and(|owners| owners.iter().any(|it| it["uid"] == owner));
    if is_own { Ownership::Own } else { Ownership::Orphan }
}

fn metadata<'v>(object: &'v Value, field: &str) -> &'v str {
    object["metadata"][field].as_str().unwrap_or_default()
}

fn annotation<'v>(object: &'v Value, key: &str) -> Option<&'v str> {
    object["metadata"]["annotations"][key].as_str()
}
