//! Pods assigned to nodes.

use std::sync::Arc;

use super::modify::Changed;
use super::{Api, Call};
use crate::input::{Format, Input};
use crate::managed::Managing;
use crate::object::Object;
use crate::pods;
use crate::protobuf;
use crate::reply::Reply;
use crate::request::Verb;
use crate::status::{Details, Status, Subject, success};
use crate::write::update::Part;

impl Api {
    pub(crate) async fn bind(self: &Arc<Self>, verb: Verb, call: &Call) -> Result<Reply, Status> {
        if verb != Verb::Create {
            return Err(Status::method_not_allowed(Subject::resource(&call.resource.kind), verb.name()));
        }
        let Input { value, .. } = binding(call)?;
        let bound = |old: &Object, _: &Managing<'_>| {
            let object = pods::bound(&call.resource, old, &value, &crate::world::moment())?;
            Ok(Changed { object, part: Part::Whole, warnings: Vec::new(), managed: false, is_patch: false })
        };
        self.modify(call, bound).await?;
        Ok(Reply::value(201, &success(&Details::default())))
    }
}

/// The body is a binding, not a pod.
fn binding(call: &Call) -> Result<Input, Status> {
    if Format::of(call.content_type.as_deref()) != Some(Format::Protobuf) {
        return call.input();
    }
    let decoded = protobuf::decode_as(&call.body, "v1", "Binding");
    let value = decoded.map_err(|error| Status::bad_request(error.to_string()))?;
    Ok(Input { value, duplicates: Vec::new() })
}
