//! Rules of the few kinds that are special to the server itself.

use krono_schema::FieldError;
use serde_json::{Value, json};

use crate::crd;
use crate::kind::Kind;
use crate::namespaces;
use crate::object::Object;
use crate::pods;
use crate::resource::Resource;
use crate::status::Status;
use crate::write::Moment;
use crate::write::delete::{DeleteOptions, Deletion, decide};
use crate::write::metadata::check_deletable;

/// How a kind differs from all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strategy {
    /// It does not.
    Plain,
    /// Namespaces.
    Namespace,
    /// Custom resource definitions.
    Definition,
    /// Pods.
    Pod,
}

impl Strategy {
    pub(crate) fn of(kind: &Kind) -> Self {
        match (&*kind.group, &*kind.kind) {
            ("", "Namespace") => Self::Namespace,
            ("", "Pod") => Self::Pod,
            ("apiextensions.k8s.io", "CustomResourceDefinition") => Self::Definition,
            _ => Self::Plain,
        }
    }

    /// Fills in defaults. Changes the object.
    pub(crate) fn default(self, object: &mut Object) {
        match self {
            Self::Definition => crd::default(object),
            Self::Plain | Self::Namespace | Self::Pod => {}
        }
    }

    /// Gives a new object what only the server sets. Changes the object.
    pub(crate) fn prepare_new(self, object: &mut Object) {
        match self {
            Self::Plain | Self::Pod => {}
            Self::Namespace => namespaces::prepare_new(object),
            Self::Definition => crd::prepare_new(object),
        }
    }

    /// Keeps what a change may not touch. Changes the new object.
    pub(crate) fn prepare_update(self, new: &mut Object, old: &Object, finalize: bool) {
        match self {
            Self::Plain | Self::Pod => {}
            Self::Namespace => {
                namespaces::label(new);
                if !finalize {
                    new.set("spec", old.get("spec").cloned());
                }
            }
            Self::Definition => crd::prepare_update(new),
        }
    }

    /// What is wrong with the name of an object beyond what no name of its kind may be.
    pub(crate) fn name_complaint(self, object: &Object) -> Option<&'static str> {
        match self {
            Self::Plain | Self::Namespace | Self::Pod => None,
            Self::Definition => crd::name_complaint(object),
        }
    }

    /// What is wrong with an object or a change.
    pub(crate) fn errors(self, new: &Object, old: Option<&Object>) -> Vec<FieldError> {
        match self {
            Self::Plain | Self::Namespace | Self::Pod => Vec::new(),
            Self::Definition => crd::validate(new, old),
        }
    }

    /// What deleting an object means.
    pub(crate) fn decide_deletion(
        self,
        resource: &Resource,
        object: &Object,
        options: &DeleteOptions,
        moment: &Moment,
    ) -> Result<Deletion, Status> {
        match self {
            Self::Namespace if namespaces::spec_finalizers(object) > 0 => {
                namespaces::decide_deletion(resource, object, options, moment)
            }
            Self::Definition if !object.is_deleting() => {
                check_deletable(resource, object, options.uid.as_deref(), options.version.as_deref())?;
                Ok(Deletion::Mark(Box::new(terminating(object, moment))))
            }
            Self::Pod => pods::decide_deletion(resource, object, options, moment),
            Self::Plain | Self::Namespace | Self::Definition => decide(resource, object, options, moment),
        }
    }

    /// Gives an object that is gone its last words. Changes the object.
    pub(crate) fn finish(self, object: &mut Object, moment: &Moment) {
        match self {
            Self::Pod => pods::finish(object, moment),
            Self::Plain | Self::Namespace | Self::Definition => {}
        }
    }

    /// Whether something beside its finalizers keeps an object that is being deleted.
    pub(crate) fn is_held(self, object: &Object) -> bool {
        match self {
            Self::Namespace => namespaces::spec_finalizers(object) > 0,
            Self::Pod => pods::is_held(object),
            Self::Plain | Self::Definition => false,
        }
    }
}

/// A definition goes away only after its objects.
fn terminating(object: &Object, moment: &Moment) -> Object {
    let mut marked = object.clone();
    marked.add_finalizer(crd::CLEANUP_FINALIZER);
    marked.set_meta("deletionTimestamp", Some(moment.now.as_str().into()));
    let message =
        "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon".to_owned();
    let (kind, reason) = ("Terminating", "InstanceDeletionPending");
    let mut status = marked.get("status").cloned().filter(Value::is_object).unwrap_or_else(|| json!({}));
    crd::set_condition(&mut status, &crd::Condition { kind, status: true, reason, message }, &moment.now);
    marked.set("status", Some(status));
    marked
}
