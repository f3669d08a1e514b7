//! Why a definition or an instance is where it is, in one sentence.

mod definition;
mod instance;

pub use definition::{pending, why_definition, why_gone};
pub use instance::{why_instance, why_left};

use krono_model::condition::{self, Condition, Status};
use serde_json::Value;

use crate::table::cell;

fn condition(object: &Value, condition_type: &str) -> Option<Condition> {
    let all = condition::read_all(object["status"].get("conditions"));
    all.into_iter().find(|it| it.condition_type == condition_type)
}

/// What a condition that holds says.
pub(crate) fn told_by(object: &Value, condition_type: &str) -> Option<String> {
    let condition = condition(object, condition_type).filter(|it| it.status == Status::True)?;
    Some(said(&condition))
}

/// What keeps an object from being ready.
fn unready(object: &Value) -> Option<String> {
    let ready = condition(object, condition::READY).filter(|it| it.status != Status::True)?;
    Some(said(&ready))
}

fn said(condition: &Condition) -> String {
    let message = condition.message.as_deref().map(cell).filter(|it| !it.is_empty());
    message.or_else(|| condition.reason.clone()).unwrap_or_else(|| "nobody says why".to_owned())
}

fn is_deleting(object: &Value) -> bool {
    !object["metadata"]["deletionTimestamp"].is_null()
}

/// `1 instance`, `2 instances`.
pub fn counted_instances(count: u64) -> String {
    format!("{count} instance{}", if count == 1 { "" } else { "s" })
}
