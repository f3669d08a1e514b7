//! What controllers told while it happened.

use std::collections::BTreeMap;

use jiff::Timestamp;
use krono_model::condition::READY;
use krono_model::{definition, instance, names};
use serde_json::Value;

use super::{Change, Entry, Whose};
use crate::table::cell;

/// What every new revision is told with.
const ISSUED: &str = "RevisionIssued";
const REVISION: &str = "ResourceGraphDefinitionRevision";
/// What tells of resources, not of revisions.
const OF_RESOURCES: [&str; 1] = ["Contested"];

/// The events about a definition or an instance that belong to its history, newest first; `kept_since` is when the oldest
/// revision was issued that is kept, which tells of its issue itself.
pub(super) fn of_events(events: &[Value], whose: Whose, kept_since: Option<Timestamp>) -> Vec<Entry> {
    let is_shown = |it: &&Value| {
        let reason = it["reason"].as_str().unwrap_or_default();
        let is_kept = || kept_since.is_some() && super::second(time_of_event(it)) >= kept_since;
        let is_known = reason == ISSUED && is_kept();
        !is_known && !is_state(reason) && !OF_RESOURCES.contains(&reason)
    };
    let mut entries: Vec<Entry> = events.iter().filter(is_shown).map(|it| entry(it, whose)).collect();
    entries.sort_by_key(|it| std::cmp::Reverse(super::instant(it.when.as_deref())));
    entries
}

/// When revisions were told to be issued, by the names of their objects: to less than a second, unlike revisions themselves.
pub(super) fn issued(events: &[Value]) -> BTreeMap<&str, Timestamp> {
    let of_revision = |it: &&Value| it["reason"] == ISSUED && it["related"]["kind"] == REVISION;
    let told = |it: &'_ Value| super::instant(time_of_event(it));
    let all = events.iter().filter(of_revision);
    all.filter_map(|it| Some((it["related"]["name"].as_str()?, told(it)?))).collect()
}

/// Whether an event tells only how an object is, as its conditions do.
fn is_state(reason: &str) -> bool {
    reason == READY || definition::DEPENDENTS.contains(&reason) || instance::DEPENDENTS.contains(&reason)
}

fn entry(event: &Value, whose: Whose) -> Entry {
    let text = |value: &Value| value.as_str().filter(|it| !it.is_empty()).map(str::to_owned);
    Entry {
        when: time_of_event(event).map(str::to_owned),
        what: Change::Told { whose, reason: text(&event["reason"]).map(|it| cell(&it)).unwrap_or_default() },
        who: who(event),
        why: text(&event["message"]).map(|it| cell(&it)).unwrap_or_default(),
    }
}

/// Whoever acted where the event tells, else the controller that tells it; krono's own go by the name of kro's, so that what
/// waits for their events finds them.
fn who(event: &Value) -> Option<String> {
    let text = |value: &Value| value.as_str().filter(|it| !it.is_empty()).map(str::to_owned);
    let related = &event["related"];
    let is_somebody = [names::EVENT_OF_USER, names::EVENT_OF_MANAGER].iter().any(|it| related["kind"] == *it);
    let teller = || text(&event["reportingComponent"]).or_else(|| text(&event["source"]["component"]));
    let controller = || teller().map(|it| if it == "kro" { names::MANAGER_KRONO.to_owned() } else { it });
    text(&related["name"]).filter(|_| is_somebody).or_else(controller)
}

/// When an event was last seen, in RFC 3339.
pub fn time_of_event(event: &Value) -> Option<&str> {
    let times = [&event["series"]["lastObservedTime"], &event["lastTimestamp"], &event["eventTime"]];
    times.into_iter().chain([&event["metadata"]["creationTimestamp"]]).find_map(Value::as_str)
}
