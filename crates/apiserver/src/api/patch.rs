//! Objects patched and applied.

use std::sync::Arc;

use krono_patch::json::JsonPatchError;
use krono_patch::strategic::StrategicPatchError;
use serde_json::Value;

use super::modify::Changed;
use super::{Api, Call, Subresource};
use crate::input::Input;
use crate::managed::Managing;
use crate::object::Object;
use crate::reply::Reply;
use crate::resource::Resource;
use crate::status::{Status, Subject};
use crate::write::decode::{Decoded, applied, decode, duplicates};
use crate::write::metadata::{forbidden, invalid, required};

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
            _ => Err(Status::unsupported_patch()),
        }
    }

    /// What a patch makes of a document; applying is not done here.
    fn patched(self, resource: &Resource, document: Value, patch: Value) -> Result<Value, Status> {
        match self {
            Self::Strategic => krono_patch::strategic::apply(document, patch, resource.kind.schema.get())
                .map_err(|error| strategic_refusal(&error)),
            Self::Json => krono_patch::json::apply(document, patch).map_err(|error| json_refusal(&error)),
            Self::Merge | Self::Apply => krono_patch::merge::apply(document, patch)
                .map_err(|error| Status::bad_request(error.to_string())),
        }
    }
}

impl Api {
    pub(crate) async fn patch(self: &Arc<Self>, call: &Call) -> Result<Reply, Status> {
        let patch_type = PatchType::of(&call.resource, call.content_type.as_deref())?;
        check_options(call, patch_type)?;
        if patch_type == PatchType::Apply {
            return self.apply(call).await;
        }
        let patch = Input::json(&call.body)?;
        let change = |old: &Object, _: &Managing<'_>| {
            let patched = || patch_type.patched(&call.resource, old.value().clone(), patch.value.clone());
            // That the result is no object of its kind is the fault of the patch.
            let Decoded { object, warnings } = decoded(call, patched()?).map_err(|status| {
                let text = patched().map_or_else(|_| String::new(), |value| value.to_string());
                Status::invalid_patch(&[invalid("patch", text, status.reason_of_kind())])
            })?;
            Ok(Changed { object, part: call.part(), warnings, managed: false, is_patch: true })
        };
        let (stored, warnings) = self.modify(call, change).await?;
        self.object_reply(call, 200, &stored).await.map(|reply| reply.with_warnings(warnings))
    }

    pub(super) async fn patch_scale(self: &Arc<Self>, call: &Call) -> Result<Reply, Status> {
        let patch_type = PatchType::of(&call.resource, call.content_type.as_deref())?;
        check_options(call, patch_type)?;
        let patch = Input::yaml(&call.body)?;
        if patch_type == PatchType::Apply {
            let force = call.query.force.unwrap_or(false);
            let applied =
                |old: &Object, managing: &Managing<'_>| managing.scale_applied(old, &patch.value, force);
            return self.change_scale(call, applied).await;
        }
        let patched = |old: &Object, managing: &Managing<'_>| {
            managing.scaled(old, |scale| patch_type.patched(&call.resource, scale, patch.value.clone()))
        };
        self.change_scale(call, patched).await
    }

    async fn apply(self: &Arc<Self>, call: &Call) -> Result<Reply, Status> {
        let config = configuration(call)?;
        let force = call.query.force.unwrap_or(false);
        if self.storage.get(&call.key())?.is_none() {
            return self.apply_new(call, &config.object, force, config.warnings).await;
        }
        let change = |old: &Object, managing: &Managing<'_>| {
            let value = managing.apply(Some(old), config.object.value(), force)?;
            let object = applied(&call.resource, value)?;
            Ok(Changed { object, part: call.part(), warnings: Vec::new(), managed: true, is_patch: true })
        };
        let (stored, _) = self.modify(call, change).await?;
        self.object_reply(call, 200, &stored).await.map(|reply| reply.with_warnings(config.warnings))
    }

    /// Applying what is not there makes it.
    async fn apply_new(
        self: &Arc<Self>,
        call: &Call,
        config: &Object,
        force: bool,
        warnings: Vec<String>,
    ) -> Result<Reply, Status> {
        let subject = Subject::resource(&call.resource.kind);
        if call.subresource != Subresource::None {
            return Err(Status::not_found(subject, &call.name));
        }
        if !config.uid().is_empty() {
            let error = invalid("metadata.uid", config.uid(), "field is immutable");
            return Err(Status::invalid(&call.resource.kind, &call.name, &[error]));
        }
        let managing = self.managing(call);
        let value = managing.settled(|managing| managing.apply(None, config.value(), force)).await?;
        let mut object = applied(&call.resource, value)?;
        object.set_meta("resourceVersion", None);
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

/// The configuration of an apply: an object as it is written, without defaults. Whoever merges it complains of unknown
/// fields.
fn configuration(call: &Call) -> Result<Decoded, Status> {
    let input = Input::yaml(&call.body)?;
    let warnings = duplicates(&call.resource, &input, call.query.field_validation)?;
    let object = Object::new(input.value).ok_or_else(|| Status::bad_request("the body is not an object"))?;
    if !object.name().is_empty() && object.name() != call.name {
        let message = format!(
            "the name of the object ({}) does not match the name on the URL ({})",
            object.name(),
            call.name
        );
        return Err(Status::bad_request(message));
    }
    Ok(Decoded { object, warnings })
}

/// Refuses options that do not go together.
fn check_options(call: &Call, patch_type: PatchType) -> Result<(), Status> {
    let is_apply = patch_type == PatchType::Apply;
    let mut errors = Vec::new();
    if call.query.force.is_some() && !is_apply {
        errors.push(forbidden("force", "may not be specified for non-apply patch"));
    }
    if call.query.field_manager.is_empty() && is_apply {
        errors.push(required("fieldManager", "is required for apply patch"));
    }
    if errors.is_empty() { Ok(()) } else { Err(Status::invalid_options("PatchOptions", &errors)) }
}

fn decoded(call: &Call, value: Value) -> Result<Decoded, Status> {
    decode(&call.resource, Input { value, duplicates: Vec::new() }, call.query.field_validation)
}

fn json_refusal(error: &JsonPatchError) -> Status {
    match error {
        JsonPatchError::NotAList { .. } | JsonPatchError::NotAnOperation { .. } => {
            Status::bad_request(error.to_string())
        }
        JsonPatchError::TooManyOperations { .. } => Status::too_much(error.to_string()),
        JsonPatchError::Failed { .. } => Status::unprocessable(),
    }
}

fn strategic_refusal(error: &StrategicPatchError) -> Status {
    match error {
        StrategicPatchError::NotAnObject { .. }
        | StrategicPatchError::PrimitiveListFormat
        | StrategicPatchError::RetainKeysFormat
        | StrategicPatchError::SetElementOrderFormat
        | StrategicPatchError::TooDeep(_) => Status::bad_request(error.to_string()),
        StrategicPatchError::ListOfLists => Status::unprocessable(),
        StrategicPatchError::ListOfListsInSchema
        | StrategicPatchError::UnknownDirective { .. }
        | StrategicPatchError::MergeInList
        | StrategicPatchError::NoMergeKey { .. }
        | StrategicPatchError::ListWithoutMergeKey { .. }
        | StrategicPatchError::WrongType { .. }
        | StrategicPatchError::ElementNotAnObject { .. }
        | StrategicPatchError::DifferentTypes { .. }
        | StrategicPatchError::NoElements
        | StrategicPatchError::OrderMismatch { .. }
        | StrategicPatchError::UnknownField { .. }
        | StrategicPatchError::NotAStruct { .. }
        | StrategicPatchError::NotAList
        | StrategicPatchError::UnknownStrategy { .. } => Status::unknown(error.to_string()),
    }
}
