//! What controllers have told about an object.

use kube::api::{Api, DynamicObject, ListParams};
use serde_json::Value;

use super::objects::Objects;

/// Where events of objects are that live in no namespace.
const DEFAULT: &str = "default";

/// The newest warning about an object that begins with one of these words; nothing where events cannot be read.
pub(crate) async fn newest_warning(objects: &Objects, object: &Value, beginning: &str) -> Option<String> {
    let metadata = &object["metadata"];
    let namespace = metadata["namespace"].as_str().unwrap_or(DEFAULT);
    let kind = objects.types.kind("", "Event")?;
    let api: Api<DynamicObject> = Api::namespaced_with(objects.client.clone(), namespace, &kind.resource);
    let name = metadata["name"].as_str()?;
    let all = api.list(&ListParams::default().fields(&format!("involvedObject.name={name}"))).await.ok()?;
    let all = all.items.into_iter().filter_map(|it| serde_json::to_value(it).ok());
    let about = all.filter(|it| it["involvedObject"]["uid"] == metadata["uid"] && it["type"] == "Warning");
    let meant = about.filter(|it| it["message"].as_str().is_some_and(|it| it.starts_with(beginning)));
    let newest = meant.max_by_key(time)?;
    newest["message"].as_str().map(str::to_owned)
}

fn time(event: &Value) -> String {
    let times = [&event["series"]["lastObservedTime"], &event["lastTimestamp"], &event["eventTime"]];
    let created = event["metadata"]["creationTimestamp"].as_str();
    times.into_iter().find_map(Value::as_str).or(created).unwrap_or_default().to_owned()
}
