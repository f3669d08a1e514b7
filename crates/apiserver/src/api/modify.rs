//! Objects changed: replaced, patched, scaled.

use std::sync::Arc;

use serde_json::Value;

use super::{Api, Call, Subresource};
use crate::conversion;
use crate::object::Object;
use crate::reply::Reply;
use crate::request::Verb;
use crate::scale;
use crate::services::{self, Reservation};
use crate::status::{Status, Subject};
use crate::storage::Expect;
use crate::stored::Stored;
use crate::write::decode::decode;
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
}

impl Api {
    pub(crate) async fn update(self: &Arc<Self>, call: &Call) -> Result<Reply, Status> {
        let (mut warnings, input) = (Vec::new(), call.input()?);
        let decoded = decode(&call.resource, input, call.query.field_validation)?;
        warnings.extend(decoded.warnings);
        let object = decoded.object;
        let (stored, _) = self.modify(call, |_| Ok(replacement(call, object.clone()))).await?;
        self.object_reply(call, 200, &stored).await.map(|reply| reply.with_warnings(warnings))
    }

    /// Reads, changes and writes back until nobody comes between; gives the object and the change's warnings.
    pub(super) async fn modify(
        &self,
        call: &Call,
        mut change: impl FnMut(&Object) -> Result<Changed, Status>,
    ) -> Result<(Stored, Vec<String>), Status> {
        for _ in 0..TRIES {
            let stored = self.stored(call)?;
            let old = conversion::read(&call.resource, &stored).await?;
            let Changed { mut object, part, warnings, managed } = change(&old)?;
            update::check_identity(&call.resource, &mut object, &old)?;
            if !managed {
                self.managing(call).note(&mut object, Some(&old));
            }
            if part == Part::Main {
                self.admit(call, &mut object, Some(&old))?;
            }
            self.check_escalation(call, &object, Some(&old))?;
            // Addresses stay reserved until the object is stored.
            let _reservation = match part {
                Part::Main => self.allocate(call, &mut object, Some(&old))?,
                Part::Status | Part::Whole => Reservation::default(),
            };
            prepare_change(call, &mut object, &old, part)?;
            if let Some(stored) = self.write_change(call, &stored, object, &old).await? {
                self.after_write(call, &call.name).await?;
                return Ok((stored, warnings));
            }
        }
        Err(Status::modified(Subject::resource(&call.resource.kind), &call.name))
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
        written.map(|version| Stored::new(record, version).map_err(Status::internal)).transpose()
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
        let wanted = wanted.clone();
        self.change_scale(call, |_| Ok(wanted.clone())).await
    }

    /// Changes the number of replicas to what `change` makes of the scale.
    pub(super) async fn change_scale(
        &self,
        call: &Call,
        change: impl Fn(Value) -> Result<Value, Status>,
    ) -> Result<Reply, Status> {
        let scaled = |old: &Object| {
            let wanted = change(scale::of(&call.resource, old))?;
            let object = scale::applied(&call.resource, old, &wanted)?;
            Ok(Changed { object, part: Part::Main, warnings: Vec::new(), managed: false })
        };
        let (stored, _) = self.modify(call, scaled).await?;
        let object = conversion::read(&call.resource, &stored).await?;
        Ok(scale_reply(call, &object))
    }
}

fn scale_reply(call: &Call, object: &Object) -> Reply {
    Reply::value(200, &call.renderer().scale(&scale::of(&call.resource, object)))
}

fn prepare_change(call: &Call, new: &mut Object, old: &Object, part: Part) -> Result<(), Status> {
    update::prepare(&call.resource, new, old, part);
    if part == Part::Main && services::is_service(&call.resource.kind) {
        services::drop_unfit(new.value_mut(), old.value());
    }
    call.resource.strategy.prepare_update(new, old, call.subresource == Subresource::Finalize);
    if call.subresource == Subresource::Binding {
        return Ok(());
    }
    update::validate(&call.resource, new, old)
}

fn replacement(call: &Call, object: Object) -> Changed {
    Changed { object, part: call.part(), warnings: Vec::new(), managed: false }
}

/// Whether nothing holds back an object that is being deleted.
fn is_released(call: &Call, object: &Object) -> bool {
    object.finalizers().next().is_none() && !call.resource.strategy.is_held(object)
}
