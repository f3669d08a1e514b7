//! Objects changed: replaced, patched, scaled.

use std::sync::Arc;

use serde_json::Value;

use super::{Api, Call, Subresource};
use crate::conversion;
use crate::managed::Managing;
use crate::object::Object;
use crate::reply::Reply;
use crate::request::Verb;
use crate::scale;
use crate::services::{self, Reservation};
use crate::status::{Status, Subject};
use crate::storage::Expect;
use crate::stored::Stored;
use crate::witness;
use crate::write::decode::decode;
use crate::write::metadata::{finalizer_warnings, invalid};
use crate::write::policy;
use crate::write::update::{self, Part};

/// How often a write that others overtake is tried again.
const TRIES: usize = 1000;

/// What a change makes of the stored object.
pub(super) struct Changed {
    pub(super) object: Object,
    pub(super) part: Part,
    pub(super) warnings: Vec<String>,
    /// Who manages which field is known already.
    pub(super) managed: bool,
    /// The client said what to change, not what to make.
    pub(super) is_patch: bool,
}

impl Api {
    pub(crate) async fn update(self: &Arc<Self>, call: &Call) -> Result<Reply, Status> {
        let (mut warnings, input) = (Vec::new(), call.input()?);
        let decoded = decode(&call.resource, input, call.query.field_validation)?;
        warnings.extend(decoded.warnings);
        let object = decoded.object;
        if self.is_created_by_update(call)? {
            let stored = self.create_by_update(call, object).await?;
            return self.object_reply(call, 201, &stored).await.map(|reply| reply.with_warnings(warnings));
        }
        let (stored, _) = self.modify(call, |_, _| Ok(replacement(call, object.clone()))).await?;
        self.object_reply(call, 200, &stored).await.map(|reply| reply.with_warnings(warnings))
    }

    /// Whether the object is not there and its kind may be created by replacing it.
    fn is_created_by_update(&self, call: &Call) -> Result<bool, Status> {
        let may = policy::creates_on_update(&call.resource) && call.subresource == Subresource::None;
        Ok(may && self.storage.get(&call.key())?.is_none())
    }

    async fn create_by_update(self: &Arc<Self>, call: &Call, mut object: Object) -> Result<Stored, Status> {
        let missing = Object::empty(&call.name, call.namespace.as_deref());
        object.set_meta("resourceVersion", None);
        update::check_name(&call.resource, &mut object, &missing)?;
        self.insert(call, object, false).await
    }

    /// Reads, changes and writes back until nobody comes between; gives the object and the change's warnings.
    pub(super) async fn modify(
        &self,
        call: &Call,
        mut change: impl FnMut(&Object, &Managing<'_>) -> Result<Changed, Status>,
    ) -> Result<(Stored, Vec<String>), Status> {
        for _ in 0..TRIES {
            let stored = self.stored(call)?;
            let old = conversion::read(&call.resource, &stored).await?;
            let managing = self.managing(call);
            let changed = managing.settled(|managing| change(&old, managing)).await?;
            let Changed { mut object, part, mut warnings, managed, is_patch } = changed;
            if is_patch {
                update::check_patched(&call.resource, &object, &old)?;
            }
            update::check_identity(&call.resource, &mut object, &old)?;
            if !managed {
                object = managing.settled(|managing| managing.noted(&object, Some(&old))).await;
            }
            warnings.extend(finalizer_warnings(&call.resource, &object, Some(&old)));
            if part == Part::Main {
                self.admit(call, &mut object, Some(&old))?;
            }
            self.check_escalation(call, &object, Some(&old))?;
            // Addresses stay reserved until the object is stored.
            let _reservation = match part {
                Part::Main => self.allocate(call, &mut object, Some(&old))?,
                Part::Status | Part::Whole => Reservation::default(),
            };
            if let Err(status) = self.prepare_change(call, &mut object, &old, part) {
                return Err(if is_patch { blame_patch(status, &object) } else { status });
            }
            if let Some(stored) = self.write_change(call, &stored, object, &old).await? {
                self.after_write(call, &call.name).await?;
                return Ok((stored, warnings));
            }
        }
        Err(Status::modified(Subject::resource(&call.resource.kind), &call.name))
    }

    fn prepare_change(&self, call: &Call, new: &mut Object, old: &Object, part: Part) -> Result<(), Status> {
        update::prepare(&call.resource, new, old, part);
        if part == Part::Main {
            witness::see(self.settings.witness.as_deref(), call, new, Some(old));
        }
        if part == Part::Main && services::is_service(&call.resource.kind) {
            services::drop_unfit(new.value_mut(), old.value());
        }
        call.resource.strategy.prepare_update(new, old, call.subresource == Subresource::Finalize);
        if call.subresource == Subresource::Binding {
            return Ok(());
        }
        update::validate(&call.resource, new, old, part)
    }

    /// Writes the change; `None` when the object was changed in between.
    async fn write_change(
        &self,
        call: &Call,
        stored: &Stored,
        new: Object,
        old: &Object,
    ) -> Result<Option<Stored>, Status> {
        let gone = new.is_deleting() && is_released(call, &new);
        if !gone && !update::is_change(&new, old) {
            return Ok(Some(stored.clone()));
        }
        let record = conversion::record(&call.resource, new).await?;
        if call.query.dry_run {
            return Stored::new(record, stored.version()).map(Some).map_err(Status::internal);
        }
        let expect = Expect::Version(stored.version());
        let written = (!gone).then(|| record.clone());
        let written = self.storage.set(&call.key(), expect, written).await?;
        // What is gone keeps the version of its last change.
        let version = |version| if gone { stored.version() } else { version };
        written.map(|it| Stored::new(record, version(it)).map_err(Status::internal)).transpose()
    }

    pub(crate) async fn scale(self: &Arc<Self>, verb: Verb, call: &Call) -> Result<Reply, Status> {
        let subject = Subject::resource(&call.resource.kind);
        match verb {
            Verb::Get => {
                let object = conversion::read(&call.resource, &self.stored(call)?).await?;
                Ok(scale_reply(call, &object))
            }
            Verb::Update => self.write_scale(call, &call.input()?.value).await,
            Verb::Patch => self.patch_scale(call).await,
            Verb::List | Verb::Watch | Verb::Create | Verb::Delete | Verb::DeleteCollection => {
                Err(Status::method_not_allowed(subject, verb.name()))
            }
        }
    }

    pub(super) async fn write_scale(&self, call: &Call, wanted: &Value) -> Result<Reply, Status> {
        let replaced = |old: &Object, managing: &Managing<'_>| managing.scaled(old, |_| Ok(wanted.clone()));
        self.change_scale(call, replaced).await
    }

    /// Changes an object by its scale.
    pub(super) async fn change_scale(
        &self,
        call: &Call,
        change: impl Fn(&Object, &Managing<'_>) -> Result<Object, Status>,
    ) -> Result<Reply, Status> {
        let scaled = |old: &Object, managing: &Managing<'_>| {
            let object = change(old, managing)?;
            Ok(Changed { object, part: Part::Main, warnings: Vec::new(), managed: true, is_patch: false })
        };
        let (stored, _) = self.modify(call, scaled).await?;
        let object = conversion::read(&call.resource, &stored).await?;
        Ok(scale_reply(call, &object))
    }
}

fn scale_reply(call: &Call, object: &Object) -> Reply {
    Reply::value(200, &call.renderer().scale(&scale::of(&call.resource, object)))
}

/// That a patch makes something that is no object of its kind is the fault of the patch.
fn blame_patch(status: Status, object: &Object) -> Status {
    if status.reason != "BadRequest" {
        return status;
    }
    Status::invalid_patch(&[invalid("patch", object.value().to_string(), status.reason_of_kind())])
}

fn replacement(call: &Call, object: Object) -> Changed {
    Changed { object, part: call.part(), warnings: Vec::new(), managed: false, is_patch: false }
}

/// Whether nothing holds back an object that is being deleted.
fn is_released(call: &Call, object: &Object) -> bool {
    object.finalizers().next().is_none() && !call.resource.strategy.is_held(object)
}
