//! Fleet plans for programs.

use krono_history::RevisionNumber;
use krono_planner::preview::{Change, Effect, KindEffect};
use serde_json::{Value, json};

use super::body::diff;
use super::{FleetPlan, InstancePlan, Summary};

/// Every definition with every change of every instance to which something happens.
pub fn json(plans: &[FleetPlan]) -> Value {
    let total = plans.iter().fold(Summary::default(), |sum, it| sum.and(it.summary()));
    json!({
        "definitions": plans.iter().map(definition).collect::<Vec<_>>(),
        "summary": summary(&total),
    })
}

fn definition(plan: &FleetPlan) -> Value {
    let (effect, message) = match &plan.effect {
        KindEffect::Created => ("Created", None),
        KindEffect::Changed => ("Changed", None),
        KindEffect::Unchanged => ("Unchanged", None),
        KindEffect::Refused(words) => ("Refused", Some(words)),
    };
    let changed = plan.instances.iter().filter(|it| !it.forecast.is_unchanged());
    let mut value = json!({
        "name": plan.definition,
        "kind": plan.kind,
        "schema": effect,
        "instances": changed.map(instance).collect::<Vec<_>>(),
        "staying": plan.instances.iter().filter_map(stay).collect::<Vec<_>>(),
        "pending": plan.is_pending,
        "summary": summary(&plan.summary()),
    });
    if let Some(message) = message {
        value["message"] = json!(message);
    }
    value
}

fn stay(plan: &InstancePlan) -> Option<Value> {
    let stay = plan.course.stays.as_ref()?;
    Some(json!({
        "namespace": plan.namespace,
        "name": plan.name,
        "revision": plan.course.to.map(RevisionNumber::get),
        "reason": stay.reason,
        "message": stay.words,
    }))
}

fn instance(plan: &InstancePlan) -> Value {
    let forecast = &plan.forecast;
    let mut value = json!({
        "namespace": plan.namespace,
        "name": plan.name,
        "from": plan.course.from.map(RevisionNumber::get),
        "to": plan.course.to.map(RevisionNumber::get),
        "destructive": forecast.is_destructive(),
        "changes": forecast.changes.iter().map(change).collect::<Vec<_>>(),
    });
    if let Some(failure) = &forecast.failure {
        value["failure"] = json!(failure);
    }
    if !forecast.objections.is_empty() {
        value["objections"] = json!(forecast.objections);
    }
    value
}

fn change(change: &Change) -> Value {
    let (effect, message) = match &change.effect {
        Effect::Delete => ("Delete", None),
        Effect::Refused(words) => ("Refused", Some(words)),
        Effect::Release => ("Release", None),
        Effect::Update => ("Update", None),
        Effect::Create => ("Create", None),
    };
    let mut value = json!({
        "effect": effect,
        "apiVersion": change.kind.api_version,
        "kind": change.kind.kind,
        "namespace": change.name.as_ref().map(|it| &it.namespace),
        "name": change.name.as_ref().map(|it| &it.name),
        "node": change.node,
        "awaiting": change.is_awaiting,
        "diff": diff(change).changes_to_json(),
    });
    if let Some(message) = message {
        value["message"] = json!(message);
    }
    value
}

fn summary(sum: &Summary) -> Value {
    json!({
        "instances": sum.instances,
        "unchanged": sum.unchanged,
        "changed": sum.changed,
        "destructive": sum.destructive,
        "failing": sum.failing,
        "suspended": sum.suspended,
        "staying": sum.staying,
        "writes": sum.writes(),
        "created": sum.created,
        "updated": sum.updated,
        "deleted": sum.deleted,
        "released": sum.released,
        "refused": sum.refused,
        "regardless": sum.regardless,
    })
}
