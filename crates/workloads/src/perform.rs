//! Actions performed: requests without decisions.

use jiff::Timestamp;
use kube::api::{DeleteParams, GetParams, Patch, PatchParams, PostParams, Preconditions, Request};
use kube::{Client, Error};
use serde_json::{Value, json};

use crate::action::{Action, Record};
use crate::clock::stamp;
use crate::fingerprint::fingerprint;
use crate::kind::{Key, Kind, Object};
use crate::node;

/// The manager of what the simulator writes.
const MANAGER: &str = "krono-workloads";

/// What the server made of an action.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The object is this now.
    Stored(Object),
    /// The object is gone.
    Removed(Key),
    /// Nothing that the world shows.
    Nothing,
}

/// Performs one action.
pub(crate) async fn perform(client: &Client, action: &Action, now: Timestamp) -> Result<Outcome, Error> {
    match action {
        Action::Create { kind, namespace, object } => create(client, *kind, namespace, object).await,
        Action::Patch { key, uid, part, patch } => change(client, key, uid, part, patch).await,
        Action::Delete { key, uid, grace_seconds } => delete(client, key, uid, *grace_seconds).await,
        Action::Bind { key, uid, node } => bind(client, key, uid, node).await,
        Action::Renew { node } => renew(client, node, now).await,
        Action::Record(record) => tell(client, record, now).await,
    }
}

async fn create(client: &Client, kind: Kind, namespace: &str, object: &Value) -> Result<Outcome, Error> {
    let parameters = PostParams { field_manager: Some(MANAGER.to_owned()), ..PostParams::default() };
    let body = serde_json::to_vec(object).map_err(Error::SerdeError)?;
    let request = Request::new(kind.path(namespace)).create(&parameters, body);
    stored(kind, answer(client, request).await)
}

async fn change(client: &Client, key: &Key, uid: &str, part: &str, patch: &Value) -> Result<Outcome, Error> {
    let mut patch = patch.clone();
    patch["metadata"]["uid"] = json!(uid);
    let parameters = PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() };
    let place = Request::new(key.kind.path(&key.namespace));
    let patch = Patch::Merge(patch);
    let request = match part {
        "" => place.patch(&key.name, &parameters, &patch),
        part => place.patch_subresource(part, &key.name, &parameters, &patch),
    };
    stored(key.kind, answer(client, request).await)
}

async fn delete(client: &Client, key: &Key, uid: &str, grace_seconds: Option<u32>) -> Result<Outcome, Error> {
    let preconditions = Preconditions { uid: Some(uid.to_owned()), ..Preconditions::default() };
    let background = DeleteParams::background();
    let parameters = DeleteParams {
        grace_period_seconds: grace_seconds,
        preconditions: Some(preconditions),
        ..background
    };
    let request = Request::new(key.kind.path(&key.namespace)).delete(&key.name, &parameters);
    match answer(client, request).await {
        Ok(answer) if answer["kind"] == "Status" => Ok(Outcome::Removed(key.clone())),
        Err(error) if code(&error) == Some(409) => Ok(Outcome::Nothing),
        other => stored(key.kind, other),
    }
}

async fn bind(client: &Client, key: &Key, uid: &str, node: &str) -> Result<Outcome, Error> {
    let binding = json!({
        "apiVersion": "v1", "kind": "Binding",
        "metadata": {"name": key.name, "namespace": key.namespace, "uid": uid},
        "target": {"apiVersion": "v1", "kind": "Node", "name": node},
    });
    let body = serde_json::to_vec(&binding).map_err(Error::SerdeError)?;
    let path = Request::new(key.kind.path(&key.namespace));
    let request = path.create_subresource("binding", &key.name, &PostParams::default(), body);
    match answer(client, request).await {
        Ok(_) => Ok(Outcome::Nothing),
        Err(error) if code(&error) == Some(404) => Ok(Outcome::Nothing),
        Err(error) => Err(error),
    }
}

async fn renew(client: &Client, name: &str, now: Timestamp) -> Result<Outcome, Error> {
    let parameters = PatchParams::apply(MANAGER).force();
    let path = Request::new(Kind::Lease.path(node::LEASES));
    let request = path.patch(name, &parameters, &Patch::Apply(node::lease(name, now)));
    stored(Kind::Lease, answer(client, request).await)
}

/// Creates the event, or counts it once more.
async fn tell(client: &Client, record: &Record, now: Timestamp) -> Result<Outcome, Error> {
    let event = event(record, now);
    let body = serde_json::to_vec(&event).map_err(Error::SerdeError)?;
    let namespace = event["metadata"]["namespace"].as_str().unwrap_or_default();
    let path = Request::new(format!("/api/v1/namespaces/{namespace}/events"));
    let name = event["metadata"]["name"].as_str().unwrap_or_default();
    match answer(client, path.create(&PostParams::default(), body)).await {
        Err(error) if code(&error) == Some(409) => {}
        Err(error) if matches!(code(&error), Some(403 | 404)) => return Ok(Outcome::Nothing),
        other => return other.map(|_| Outcome::Nothing),
    }
    let known = answer(client, path.get(name, &GetParams::default())).await?;
    let count = known["count"].as_i64().unwrap_or(1) + 1;
    let counted = Patch::Merge(json!({"count": count, "lastTimestamp": event["lastTimestamp"]}));
    let request = path.patch(name, &PatchParams::default(), &counted);
    answer(client, request).await.map(|_| Outcome::Nothing)
}

fn event(record: &Record, now: Timestamp) -> Value {
    let Record { about, uid, field_path, component, warning, reason, message } = record;
    let namespace = if about.namespace.is_empty() { "default" } else { &about.namespace };
    let identity = fingerprint(format!("{uid} {reason} {message} {field_path:?}").as_bytes());
    json!({
        "apiVersion": "v1", "kind": "Event",
        "metadata": {"name": format!("{}.{}{identity:016x}", about.name, rank(reason)), "namespace": namespace},
        "involvedObject": {
            "apiVersion": about.kind.api_version(), "kind": about.kind.name(), "name": about.name,
            "namespace": about.namespace, "uid": uid, "fieldPath": field_path,
        },
        "reason": reason, "message": message, "type": if *warning { "Warning" } else { "Normal" },
        "source": {"component": component}, "reportingComponent": component, "reportingInstance": "",
        "firstTimestamp": stamp(now), "lastTimestamp": stamp(now), "count": 1,
    })
}

/// Clients order what happened within a second by name: the life of a Pod comes in its order.
fn rank(reason: &str) -> u8 {
    let life = ["FailedScheduling", "Scheduled", "Pulled", "Created", "Started", "BackOff", "Killing"];
    let position = life.iter().position(|it| *it == reason).unwrap_or(life.len());
    u8::try_from(position).unwrap_or_default()
}

async fn answer(
    client: &Client,
    request: Result<http::Request<Vec<u8>>, kube::core::request::Error>,
) -> Result<Value, Error> {
    client.request(request.map_err(Error::BuildRequest)?).await
}

/// An object that is gone, or there already, is as it should be: the watch tells how it is.
fn stored(kind: Kind, answer: Result<Value, Error>) -> Result<Outcome, Error> {
    match answer {
        Ok(mut value) => {
            if let Some(metadata) = value["metadata"].as_object_mut() {
                metadata.remove("managedFields");
            }
            kind.read(value).map(Outcome::Stored).map_err(Error::SerdeError)
        }
        Err(error) if code(&error) == Some(404) || already_exists(&error) => Ok(Outcome::Nothing),
        Err(error) => Err(error),
    }
}

fn already_exists(error: &Error) -> bool {
    matches!(error, Error::Api(status) if status.reason == "AlreadyExists")
}

/// The HTTP code of an error that the server answered with.
pub(crate) fn code(error: &Error) -> Option<u16> {
    if let Error::Api(status) = error { Some(status.code) } else { None }
}
