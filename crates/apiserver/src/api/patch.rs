//! Objects patched.

use std::sync::Arc;

use serde_json::Value;

use super::modify::Changed;
use super::{Api, Call};
use crate::input::Input;
use crate::object::Object;
use crate::reply::Reply;
use crate::resource::Resource;
use crate::status::Status;
use crate::write::decode::decode;

/// The ways to say what should change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PatchType {
    Json,
    Merge,
}

const ACCEPTED: [&str; 2] = ["application/json-patch+json", "application/merge-patch+json"];

impl PatchType {
    fn of(_resource: &Resource, content_type: Option<&str>) -> Result<Self, Status> {
        let essence = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
        match essence {
            "application/json-patch+json" => Ok(Self::Json),
            "application/merge-patch+json" => Ok(Self::Merge),
            _ => Err(Status::unsupported_media_type(&ACCEPTED)),
        }
    }

    fn apply(self, document: Value, patch: Value) -> Result<Value, Status> {
        match self {
            Self::Json => krono_patch::json::apply(document, patch)
                .map_err(|error| Status::bad_request(error.to_string())),
            Self::Merge => krono_patch::merge::apply(document, patch)
                .map_err(|error| Status::bad_request(error.to_string())),
        }
    }
}

impl Api {
    pub(crate) async fn patch(self: &Arc<Self>, call: &Call) -> Result<Reply, Status> {
        let patch_type = PatchType::of(&call.resource, call.content_type.as_deref())?;
        let patch = Input::json(&call.body)?;
        let change = |old: &Object| patched(call, patch_type, old, &patch.value);
        let (stored, warnings) = self.modify(call, change).await?;
        self.object_reply(call, 200, &stored).await.map(|reply| reply.with_warnings(warnings))
    }

    pub(super) async fn patch_scale(self: &Arc<Self>, call: &Call) -> Result<Reply, Status> {
        let patch_type = PatchType::of(&call.resource, call.content_type.as_deref())?;
        let patch = Input::json(&call.body)?;
        self.change_scale(call, |scale| patch_type.apply(scale, patch.value.clone())).await
    }
}

/// What a patch makes of an object.
fn patched(call: &Call, patch_type: PatchType, old: &Object, patch: &Value) -> Result<Changed, Status> {
    let value = patch_type.apply(old.value().clone(), patch.clone())?;
    let input = Input { value, duplicates: Vec::new() };
    let decoded = decode(&call.resource, input, call.query.field_validation)?;
    Ok(Changed { object: decoded.object, part: call.part(), warnings: decoded.warnings })
}
