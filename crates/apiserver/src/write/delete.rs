//! What deleting an object does to it.

use serde_json::Value;

use super::{Moment, metadata};
use crate::object::Object;
use crate::query::Query;
use crate::resource::Resource;
use crate::status::Status;

/// Finalizer of the garbage collector: dependents go first.
pub(crate) const FOREGROUND: &str = "foregroundDeletion";
/// Finalizer of the garbage collector: dependents lose their owner first.
pub(crate) const ORPHAN: &str = "orphan";

/// What happens to dependents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Propagation {
    /// They are deleted afterwards.
    Background,
    /// They are deleted before.
    Foreground,
    /// They stay.
    Orphan,
}

/// `DeleteOptions`, from the body and the query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DeleteOptions {
    /// What happens to dependents, when said.
    pub(crate) propagation: Option<Propagation>,
    /// The uid the object must have.
    pub(crate) uid: Option<String>,
    /// The version the object must have.
    pub(crate) version: Option<String>,
    /// Seconds to wait; only kinds with a graceful end look at it.
    pub(crate) grace_period_seconds: Option<i64>,
    /// Nothing is stored.
    pub(crate) dry_run: bool,
}

/// What to do with the stored object.
#[derive(Debug, PartialEq)]
pub(crate) enum Deletion {
    /// Remove it.
    Remove,
    /// Store it marked as being deleted; finalizers remain.
    Mark(Box<Object>),
    /// It is being deleted already.
    Unchanged,
}

impl DeleteOptions {
    /// Reads the options; the body wins over the query.
    pub(crate) fn read(body: Option<&Value>, query: &Query) -> Result<Self, Status> {
        let field = |name: &str| body.and_then(|body| body.get(name)).filter(|value| !value.is_null());
        let text = |name: &str| field(name).and_then(Value::as_str);
        let precondition = |name: &str| {
            let value = field("preconditions").and_then(|it| it.get(name)).and_then(Value::as_str);
            value.map(str::to_owned)
        };
        let policy = text("propagationPolicy").or(query.propagation_policy.as_deref());
        let orphan = field("orphanDependents").and_then(Value::as_bool).or(query.orphan_dependents);
        let dry_run = field("dryRun").and_then(Value::as_array).is_some_and(|it| !it.is_empty());
        Ok(Self {
            propagation: propagation(policy, orphan)?,
            uid: precondition("uid"),
            version: precondition("resourceVersion"),
            grace_period_seconds: field("gracePeriodSeconds")
                .and_then(Value::as_i64)
                .or(query.grace_period_seconds),
            dry_run: dry_run || query.dry_run,
        })
    }
}

fn propagation(policy: Option<&str>, orphan: Option<bool>) -> Result<Option<Propagation>, Status> {
    match (policy, orphan) {
        (Some(policy), Some(_)) => {
            let detail = "orphanDependents and deletionPropagation cannot be both set";
            let error = metadata::invalid("propagationPolicy", policy, detail);
            Err(Status::invalid_options("DeleteOptions", &[error]))
        }
        (Some("Background"), None) | (None, Some(false)) => Ok(Some(Propagation::Background)),
        (Some("Foreground"), None) => Ok(Some(Propagation::Foreground)),
        (Some("Orphan"), None) | (None, Some(true)) => Ok(Some(Propagation::Orphan)),
        (None, None) => Ok(None),
        (Some(other), None) => {
            let supported = ["Foreground", "Background", "Orphan", "nil"];
            let error = metadata::unsupported("propagationPolicy", other, &supported);
            Err(Status::invalid_options("DeleteOptions", &[error]))
        }
    }
}

/// Decides what deleting the object means.
pub(crate) fn decide(
    resource: &Resource,
    object: &Object,
    options: &DeleteOptions,
    moment: &Moment,
) -> Result<Deletion, Status> {
    metadata::check_deletable(resource, object, options.uid.as_deref(), options.version.as_deref())?;
    let mut marked = object.clone();
    set_finalizers(&mut marked, options.propagation);
    if marked.finalizers().next().is_none() {
        return Ok(Deletion::Remove);
    }
    if !marked.is_deleting() {
        marked.set_meta("deletionTimestamp", Some(moment.now.as_str().into()));
        marked.set_meta("deletionGracePeriodSeconds", Some(0.into()));
        if let Some(generation) = marked.generation() {
            marked.set_meta("generation", Some((generation + 1).into()));
        }
    }
    if marked == *object { Ok(Deletion::Unchanged) } else { Ok(Deletion::Mark(Box::new(marked))) }
}

/// A policy that is said replaces the finalizers of another policy; none leaves them alone.
pub(crate) fn set_finalizers(object: &mut Object, propagation: Option<Propagation>) {
    let Some(propagation) = propagation else { return };
    let (keep, drop): (Option<&str>, &[&str]) = match propagation {
        Propagation::Background => (None, &[FOREGROUND, ORPHAN]),
        Propagation::Foreground => (Some(FOREGROUND), &[ORPHAN]),
        Propagation::Orphan => (Some(ORPHAN), &[FOREGROUND]),
    };
    for name in drop {
        object.remove_finalizer(name);
    }
    if let Some(name) = keep {
        object.add_finalizer(name);
    }
}
