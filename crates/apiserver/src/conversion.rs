//! Objects of one API version turned into another.

mod answer;
mod converters;
mod https;
mod webhook;

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;
use serde_json::Value;

use crate::autoscalers;
use crate::events;
use crate::object::Object;
use crate::resource::Resource;
use crate::status::Status;
use crate::stored::Stored;

pub(crate) use converters::Converters;
pub use https::HttpsWebhooks;
pub use webhook::{Posting, Webhook, WebhookAddress, WebhookAnswer, WebhookClient};

/// The answer of a [`Converter`], some time later: the objects in the same order, or why it could not be done.
pub type Converting<'a> = Pin<Box<dyn Future<Output = Result<Vec<Value>, String>> + Send + 'a>>;

/// Converts custom resources between versions, in process or by asking a webhook.
///
/// Given to a server with [`Builder::converter`](crate::Builder::converter). It takes part in every read, write, watch
/// and apply of a version that is not the stored one, and it must be able to go there and back.
///
/// ```
/// use krono_apiserver::{Converter, Converting};
/// use serde_json::Value;
///
/// /// `v1` says `size`, `v2` says `width`.
/// #[derive(Debug)]
/// struct Renamed;
///
/// impl Converter for Renamed {
///     fn convert<'a>(&'a self, objects: Vec<Value>, api_version: &'a str) -> Converting<'a> {
///         let (from, to) = if api_version.ends_with("v2") { ("size", "width") } else { ("width", "size") };
///         let convert = move |mut object: Value| {
///             if let Some(spec) = object["spec"].as_object_mut()
///                 && let Some(value) = spec.remove(from)
///             {
///                 spec.insert(to.to_owned(), value);
///             }
///             object["apiVersion"] = api_version.into();
///             object
///         };
///         Box::pin(async move { Ok(objects.into_iter().map(convert).collect()) })
///     }
/// }
/// ```
pub trait Converter: fmt::Debug + Send + Sync {
    /// Turns each object into `api_version`, which includes setting its `apiVersion`.
    ///
    /// Of the metadata only labels and annotations may change; whatever else changes is put back, and another name,
    /// namespace or uid is an error.
    fn convert<'a>(&'a self, objects: Vec<Value>, api_version: &'a str) -> Converting<'a>;

    /// What messages call it.
    fn name(&self) -> &'static str {
        "converter"
    }
}

/// The object in another API version of its kind.
pub(crate) async fn convert(
    resource: &Resource,
    object: Object,
    api_version: &str,
) -> Result<Object, Status> {
    let mut objects = convert_all(resource, vec![object], api_version).await?;
    objects.pop().ok_or_else(|| Status::internal("a conversion lost its object"))
}

/// Objects in another API version of their kind, in the same order.
async fn convert_all(
    resource: &Resource,
    mut objects: Vec<Object>,
    api_version: &str,
) -> Result<Vec<Object>, Status> {
    let is_other = |object: &Object| object.text("apiVersion") != api_version;
    let Some(converter) = resource.custom_part().and_then(|custom| custom.converter.as_ref()) else {
        return Ok(objects.into_iter().map(|object| relabel(resource, object, api_version)).collect());
    };
    let others: Vec<usize> = (0..objects.len()).filter(|index| is_other(&objects[*index])).collect();
    if others.is_empty() {
        return Ok(objects);
    }
    let asked = others.iter().map(|index| objects[*index].value().clone()).collect();
    let answered = converter.convert(asked, api_version).await;
    let originals: Vec<&Object> = others.iter().map(|index| &objects[*index]).collect();
    let checked =
        answer::check(converter.name(), &originals, answered, api_version).map_err(Status::unknown)?;
    for (index, object) in others.into_iter().zip(checked) {
        objects[index] = object;
    }
    Ok(objects)
}

fn relabel(resource: &Resource, mut object: Object, api_version: &str) -> Object {
    if object.text("apiVersion") == api_version {
        return object;
    }
    if events::is_event(&resource.kind) {
        return events::convert(object, api_version);
    }
    if autoscalers::is_autoscaler(&resource.kind) {
        return autoscalers::convert(object, api_version);
    }
    object.set("apiVersion", Some(api_version.into()));
    object
}

/// A stored object as this kind: with the defaults of the version it is stored in, converted, without fields that
/// this version does not know.
pub(crate) async fn read(resource: &Resource, stored: &Stored) -> Result<Object, Status> {
    let object = stored.decode().map_err(Status::internal)?;
    if resource.serves_as_is(stored) {
        return Ok(object);
    }
    let object = convert(resource, complete(resource, object), resource.api_version()).await?;
    Ok(finish(resource, object))
}

/// A custom object as its definition now says that it is, in the version in which it was stored.
fn complete(resource: &Resource, mut object: Object) -> Object {
    if resource.is_custom() {
        let schema = resource.schema_of(object.text("apiVersion"));
        krono_schema::prune_object(schema, object.value_mut());
        krono_schema::drop_nulls(schema, object.value_mut());
        krono_schema::default(schema, object.value_mut());
        resource.normalise(&mut object);
    }
    object
}

/// Conversion may bring fields that this version does not know; defaults were those of the version it came from.
fn finish(resource: &Resource, mut object: Object) -> Object {
    if resource.is_custom() {
        resource.prune(&mut object);
    }
    object
}

/// A stored object as this kind, ready to be sent or stored; cheap when nothing has to change.
pub(crate) async fn serve(resource: &Resource, stored: &Stored) -> Result<Stored, Status> {
    if resource.serves_as_is(stored) {
        return Ok(stored.clone());
    }
    restored(&read(resource, stored).await?, stored.version())
}

/// Stored objects as this kind, converted all at once.
pub(crate) async fn serve_all(resource: &Resource, mut stored: Vec<Stored>) -> Result<Vec<Stored>, Status> {
    let needy: Vec<usize> =
        (0..stored.len()).filter(|index| !resource.serves_as_is(&stored[*index])).collect();
    let objects = needy.iter().map(|index| {
        let object = stored[*index].decode().map_err(Status::internal)?;
        Ok(complete(resource, object))
    });
    let objects = objects.collect::<Result<Vec<_>, Status>>()?;
    let converted = convert_all(resource, objects, resource.api_version()).await?;
    for (index, object) in needy.into_iter().zip(converted) {
        stored[index] = restored(&finish(resource, object), stored[index].version())?;
    }
    Ok(stored)
}

fn restored(object: &Object, version: u64) -> Result<Stored, Status> {
    let record = crate::stored::encode(object, 0).map_err(Status::internal)?;
    Stored::new(record, version).map_err(Status::internal)
}

/// The record of an object that a client wrote in this version, without fields that the stored version does not know.
pub(crate) async fn record(resource: &Resource, object: Object) -> Result<Bytes, Status> {
    let mut object = convert(resource, object, &resource.storage_api_version).await?;
    if resource.is_custom() && resource.storage_api_version != resource.api_version() {
        krono_schema::prune_object(resource.schema_of(&resource.storage_api_version), object.value_mut());
    }
    resource.record(&object)
}
