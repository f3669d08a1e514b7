//! Events: what people see with `kubectl describe` and `kubectl events`.

use k8s_openapi::api::core::v1::ObjectReference;
use krono_history::witness::Notes;
use krono_model::names::{EVENT_OF_MANAGER, EVENT_OF_USER};
use krono_model::wire::Author;
use krono_planner::definition::Notice;
use krono_planner::instance::Notice as OfInstance;
use krono_planner::{Transition, asker, notes, releaser, revision_told, transitions, wisher};
use kube::Client;
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use serde_json::Value;

use crate::options::Options;

/// Tells of what needs attention, and of changed conditions, if that is wanted.
pub(crate) struct Events {
    client: Client,
    /// Whether every change of a condition is told.
    of_conditions: bool,
    /// Whether objects tell the truth about users.
    notes: Notes,
}

impl Events {
    pub(crate) fn new(client: &Client, options: &Options) -> Self {
        Self { client: client.clone(), of_conditions: options.condition_events, notes: options.notes }
    }

    /// Tells what happened to a definition.
    pub(crate) async fn notice(&self, definition: &Value, notice: &Notice) {
        tracing::info!(definition = definition["metadata"]["name"].as_str(), "{notice}");
        let by = asker(notice, definition, self.notes);
        let mut event = notice_event(notice, by.as_ref());
        event.secondary = event.secondary.or_else(|| revision_told(notice, definition).map(revision));
        self.publish(event, definition).await;
    }

    /// Tells what was decided about an instance by its annotations, with whoever wished for it.
    pub(crate) async fn note_wish(&self, instance: &Value, told: OfInstance) {
        let by = wisher(told.reason, instance, self.notes);
        self.note(instance, told, by.as_ref()).await;
    }

    /// Tells what happened to an instance, because of somebody.
    pub(crate) async fn note(&self, instance: &Value, told: OfInstance, by: Option<&Author>) {
        let transition =
            Transition { condition: told.reason.to_owned(), note: told.note, is_warning: told.is_warning };
        self.publish(event(transition, by), instance).await;
    }

    /// Tells what began or ceased to hold about a definition.
    pub(crate) async fn tell_notes(&self, before: &Value, definition: &Value) {
        for transition in notes(before, &definition["status"]) {
            let condition = &transition.condition;
            let by = wisher(condition, definition, self.notes)
                .or_else(|| releaser(condition, before, definition, self.notes));
            self.publish(event(transition, by.as_ref()), definition).await;
        }
    }

    /// Tells of something about an object that needs attention.
    pub(crate) async fn warn(&self, object: &Value, reason: &str, note: String) {
        let (reason, action) = (reason.to_owned(), "Reconcile".to_owned());
        let event = Event { type_: EventType::Warning, reason, note: Some(note), action, secondary: None };
        self.publish(event, object).await;
    }

    /// A recorder counts events of one reason together, and tells the words of the first alone: each has its own.
    async fn publish(&self, event: Event, object: &Value) {
        let recorder = Recorder::new(self.client.clone(), reporter());
        if let Err(error) = recorder.publish(&event, &reference(object)).await {
            tracing::warn!(%error, "an event was not recorded");
        }
    }

    /// Tells what changed since an object had another status.
    pub(crate) async fn tell(&self, before: &Value, object: &Value) {
        if !self.of_conditions {
            return;
        }
        for transition in transitions(before, &object["status"]) {
            self.publish(event(transition, None), object).await;
        }
    }
}

fn reporter() -> Reporter {
    Reporter { controller: "kro".to_owned(), instance: None }
}

fn notice_event(notice: &Notice, by: Option<&Author>) -> Event {
    let transition = Transition {
        condition: notice.reason().to_owned(),
        note: notice.to_string(),
        is_warning: notice.is_warning(),
    };
    event(transition, by)
}

fn event(transition: Transition, by: Option<&Author>) -> Event {
    Event {
        type_: if transition.is_warning { EventType::Warning } else { EventType::Normal },
        reason: transition.condition,
        note: Some(transition.note),
        action: "Reconcile".to_owned(),
        secondary: by.and_then(actor),
    }
}

/// Whoever acted, as the second object that an event is about: events have no other place for it.
fn actor(author: &Author) -> Option<ObjectReference> {
    let user = author.user.as_ref().map(|it| (EVENT_OF_USER, it));
    let (kind, name) = user.or_else(|| author.manager.as_ref().map(|it| (EVENT_OF_MANAGER, it)))?;
    Some(ObjectReference {
        kind: Some(kind.to_owned()),
        name: Some(name.clone()),
        ..ObjectReference::default()
    })
}

fn revision(name: String) -> ObjectReference {
    let resource = crate::revisions::resource();
    let (api_version, kind) = (Some(resource.api_version), Some(resource.kind));
    ObjectReference { api_version, kind, name: Some(name), ..ObjectReference::default() }
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
