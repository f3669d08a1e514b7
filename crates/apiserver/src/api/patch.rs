//! Objects patched and applied.

use std::sync::Arc;

use serde_json::Value;

use super::modify::Changed;
use super::{Api, Call, Subresource};
use crate::input::Input;
use crate::managed::Managing;
use crate::object::Object;
use crate::reply::Reply;
use crate::resource::Resource;
use crate::status::{Status, Subject};
use crate::write::decode::{Decoded, decode};

/// The ways to say what should change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PatchType {
    Json,
    Merge,
    Strategic,
    Apply,
}

const JSON: &str = "application/json-patch+json";
const MERGE: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";
pub(super) const APPLY: &str = "application/apply-patch+yaml";

impl PatchType {
    /// The type a `Content-Type` names; only built-in kinds say how their lists are merged.
    fn of(resource: &Resource, content_type: Option<&str>) -> Result<Self, Status> {
        let essence = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
        match essence {
            JSON => Ok(Self::Json),
            MERGE => Ok(Self::Merge),
            STRATEGIC if !resource.is_custom() => Ok(Self::Strategic),
            APPLY => Ok(Self::Apply),
            _ if resource.is_custom() => Err(Status::unsupported_media_type(&[JSON, MERGE, APPLY])),
            _ => Err(Status::unsupported_media_type(&[JSON, MERGE, STRATEGIC, APPLY])),
        }
    }

    /// What a patch makes of a document; applying is not done here.
    fn patched(self, resource: &Resource, document: Value, patch: Value) -> Result<Value, Status> {
        match self {
            Self::Strategic => krono_patch::strategic::apply(document, patch, resource.kind.schema.get())
                .map_err(|error| Status::bad_request(error.to_string())),
            Self::Json => krono_patch::json::apply(document, patch)
                .map_err(|error| Status::bad_request(error.to_string())),
            Self::Merge | Self::Apply => krono_patch::merge::apply(document, patch)
                .map_err(|error| Status::bad_request(error.to_string())),
        }
    }
}

impl Api {
    pub(crate) async fn patch(self: &Arc<Self>, call: &Call) -> Result<Reply, Status> {
        let patch_type = PatchType::of(&call.resource, call.content_type.as_deref())?;
        if patch_type == PatchType::Apply {
            return self.apply(call).await;
        }
        let patch = Input::json(&call.body)?;
        let change = |old: &Object| {
            let value = patch_type.patched(&call.resource, old.value().clone(), patch.value.clone())?;
            let Decoded { object, warnings } = decoded(call, value)?;
            Ok(Changed { object, part: call.part(), warnings, managed: false })
        };
        let (stored, warnings) = self.modify(call, change).await?;
        self.object_reply(call, 200, &stored).await.map(|reply| reply.with_warnings(warnings))
    }

    pub(super) async fn patch_scale(self: &Arc<Self>, call: &Call) -> Result<Reply, Status> {
        let patch_type = PatchType::of(&call.resource, call.content_type.as_deref())?;
        let patch = Input::yaml(&call.body)?;
        self.change_scale(call, |scale| patch_type.patched(&call.resource, scale, patch.value.clone())).await
    }

    async fn apply(self: &Arc<Self>, call: &Call) -> Result<Reply, Status> {
        if call.query.field_manager.is_empty() {
            return Err(Status::manager_required());
        }
        let config = configuration(call)?;
        let managing = self.managing(call);
        let force = call.query.force.unwrap_or(false);
        if self.storage.get(&call.key())?.is_none() {
            return self.apply_new(call, &managing, &config.object, force, config.warnings).await;
        }
        let change = |old: &Object| {
            let value = managing.apply(Some(old), config.object.value(), force)?;
            let Decoded { object, .. } = decoded(call, value)?;
            Ok(Changed { object, part: call.part(), warnings: Vec::new(), managed: true })
        };
        let (stored, _) = self.modify(call, change).await?;
        self.object_reply(call, 200, &stored).await.map(|reply| reply.with_warnings(config.warnings))
    }

    /// Applying what is not there makes it.
    async fn apply_new(
        self: &Arc<Self>,
        call: &Call,
        managing: &Managing<'_>,
        config: &Object,
        force: bool,
        warnings: Vec<String>,
    ) -> Result<Reply, Status> {
        let subject = Subject::resource(&call.resource.kind);
        if call.subresource != Subresource::None {
            return Err(Status::not_found(subject, &call.name));
        }
        if !config.uid().is_empty() {
            let why = format!(
                "uid mismatch: the provided object specified uid {}, and no existing object was found",
                config.uid()
            );
            return Err(Status::conflict(subject, &call.name, &why));
        }
        let value = managing.apply(None, config.value(), force)?;
        let Decoded { object, .. } = decoded(call, value)?;
        let stored = self.insert(call, object, true).await?;
        self.after_write(call, &call.name).await?;
        self.after_create(call, &call.name).await?;
        self.object_reply(call, 201, &stored).await.map(|reply| reply.with_warnings(warnings))
    }

    /// Who writes, and to what.
    pub(super) fn managing<'c>(&self, call: &'c Call) -> Managing<'c> {
        let registry = self.registry.snapshot();
        let kind = &call.resource.kind;
        let versions = registry.versions_of(&kind.group, &kind.plural).cloned().collect();
        let manager = crate::managed::manager_name(&call.query.field_manager, &call.user_agent);
        Managing::new(
            &call.resource,
            versions,
            call.subresource.name(),
            manager,
            crate::world::now().as_second(),
        )
    }
}

/// The configuration of an apply: an object whose unknown fields are complained of, without defaults.
fn configuration(call: &Call) -> Result<Decoded, Status> {
    let input = Input::yaml(&call.body)?;
    let value = input.value.clone();
    let checked = decode(&call.resource, input, call.query.field_validation)?;
    let mut object = Object::new(value).ok_or_else(|| Status::bad_request("the body is not an object"))?;
    call.resource.prune(&mut object);
    if object.name().is_empty() {
        object.set_meta("name", Some(call.name.as_str().into()));
    }
    if object.name() != call.name {
        let message = format!(
            "the name of the object ({}) does not match the name on the URL ({})",
            object.name(),
            call.name
        );
        return Err(Status::bad_request(message));
    }
    Ok(Decoded { object, warnings: checked.warnings })
}

fn decoded(call: &Call, value: Value) -> Result<Decoded, Status> {
    decode(&call.resource, Input { value, duplicates: Vec::new() }, call.query.field_validation)
}
