//! Events: what people see with `kubectl describe` and `kubectl events`.

use k8s_openapi::api::core::v1::ObjectReference;
use krono_planner::{Transition, transitions};
use kube::Client;
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use serde_json::Value;

/// Tells of changed conditions, if that is wanted.
pub(crate) struct Events {
    recorder: Option<Recorder>,
}

impl Events {
    pub(crate) fn new(client: &Client, wanted: bool) -> Self {
        let reporter = Reporter { controller: "kro".to_owned(), instance: None };
        Self { recorder: wanted.then(|| Recorder::new(client.clone(), reporter)) }
    }

    /// Tells what changed since an object had another status.
    pub(crate) async fn tell(&self, before: &Value, object: &Value) {
        let Some(recorder) = &self.recorder else { return };
        for transition in transitions(before, &object["status"]) {
            if let Err(error) = recorder.publish(&event(transition), &reference(object)).await {
                tracing::warn!(%error, "an event was not recorded");
            }
        }
    }
}

fn event(transition: Transition) -> Event {
    Event {
        type_: if transition.is_warning { EventType::Warning } else { EventType::Normal },
        reason: transition.condition,
        note: Some(transition.note),
        action: "Reconcile".to_owned(),
        secondary: None,
    }
}

fn reference(object: &Value) -> ObjectReference {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let metadata = &object["metadata"];
    ObjectReference {
        api_version: text(&object["apiVersion"]),
        kind: text(&object["kind"]),
        name: text(&metadata["name"]),
        namespace: text(&metadata["namespace"]),
        uid: text(&metadata["uid"]),
        ..ObjectReference::default()
    }
}
