//! What controllers have told about an object.

use krono_views::time_of_event;
use kube::api::{Api, DynamicObject, ListParams};
use serde_json::Value;

use super::objects::Objects;

/// Where events of objects are that live in no namespace.
const DEFAULT: &str = "default";

/// All events about an object, in no order; nothing where events cannot be read.
pub(crate) async fn about(objects: &Objects, object: &Value) -> Vec<Value> {
    listed(objects, object).await.unwrap_or_default()
}

/// The newest warning about an object; nothing where events cannot be read.
pub(crate) async fn newest_warning(objects: &Objects, object: &Value) -> Option<String> {
    let warnings = about(objects, object).await.into_iter().filter(|it| it["type"] == "Warning");
    let newest = warnings.max_by_key(|it| time_of_event(it).unwrap_or_default().to_owned())?;
    newest["message"].as_str().map(str::to_owned)
}

async fn listed(objects: &Objects, object: &Value) -> Option<Vec<Value>> {
    let metadata = &object["metadata"];
    let namespace = metadata["namespace"].as_str().unwrap_or(DEFAULT);
    let kind = objects.types.kind("", "Event")?;
    let api: Api<DynamicObject> = Api::namespaced_with(objects.client.clone(), namespace, &kind.resource);
    let name = metadata["name"].as_str()?;
    let all = api.list(&ListParams::default().fields(&format!("involvedObject.name={name}"))).await.ok()?;
    let all = all.items.into_iter().filter_map(|it| serde_json::to_value(it).ok());
    Some(all.filter(|it| it["involvedObject"]["uid"] == metadata["uid"]).collect())
}
