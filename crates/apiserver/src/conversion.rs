//! Objects of one API version turned into another.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;
use serde_json::Value;

use crate::events;
use crate::object::Object;
use crate::resource::Resource;
use crate::status::Status;
use crate::stored::Stored;

/// The answer of a [`Converter`], some time later: the objects in the same order, or why it could not be done.
pub type Converting<'a> = Pin<Box<dyn Future<Output = Result<Vec<Value>, String>> + Send + 'a>>;

/// Converts custom resources between versions, in process or by asking a webhook.
pub trait Converter: fmt::Debug + Send + Sync {
    /// Turns each object into `api_version`. Names, namespaces and uids must not change.
    fn convert<'a>(&'a self, objects: Vec<Value>, api_version: &'a str) -> Converting<'a>;
}

/// The object in another API version of its kind.
pub(crate) async fn convert(
    resource: &Resource,
    object: Object,
    api_version: &str,
) -> Result<Object, Status> {
    if object.text("apiVersion") == api_version {
        return Ok(object);
    }
    if events::is_event(&resource.kind) {
        return Ok(events::convert(object, api_version));
    }
    let converter = resource.custom_part().and_then(|custom| custom.converter.as_ref());
    let Some(converter) = converter else { return Ok(relabel(object, api_version)) };
    let (from, version) = (object.text("apiVersion").to_owned(), object.version().to_owned());
    let failed = |why: &str| {
        Status::internal(format!(
            "conversion of {} from {from} to {api_version} failed: {why}",
            resource.kind.kind
        ))
    };
    let answer = converter.convert(vec![object.into_value()], api_version).await;
    let mut objects = answer.map_err(|why| failed(&why))?;
    let mut object = objects.pop().and_then(Object::new).ok_or_else(|| failed("no object came back"))?;
    object.set_meta("resourceVersion", (!version.is_empty()).then(|| version.into()));
    Ok(object)
}

fn relabel(mut object: Object, api_version: &str) -> Object {
    object.set("apiVersion", Some(api_version.into()));
    object
}

/// A stored object as this kind: converted, without fields it does not know, with its defaults.
pub(crate) async fn read(resource: &Resource, stored: &Stored) -> Result<Object, Status> {
    let object = stored.decode().map_err(Status::internal)?;
    if resource.serves_as_is(stored) {
        return Ok(object);
    }
    let mut object = convert(resource, object, resource.api_version()).await?;
    if resource.is_custom() {
        resource.prune(&mut object);
        resource.default(&mut object);
    }
    Ok(object)
}

/// A stored object as this kind, ready to be sent or stored; cheap when nothing has to change.
pub(crate) async fn serve(resource: &Resource, stored: &Stored) -> Result<Stored, Status> {
    if resource.serves_as_is(stored) {
        return Ok(stored.clone());
    }
    let object = read(resource, stored).await?;
    let record = crate::stored::encode(&object, 0).map_err(Status::internal)?;
    Stored::new(record, stored.version()).map_err(Status::internal)
}

/// The record of an object that a client wrote in this version.
pub(crate) async fn record(resource: &Resource, object: Object) -> Result<Bytes, Status> {
    resource.record(&convert(resource, object, &resource.storage_api_version).await?)
}
