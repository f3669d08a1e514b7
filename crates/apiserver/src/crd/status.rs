//! What the server says of a definition: whether its names are free, and whether it is served.

use serde_json::{Value, json};

use super::definition::{Definition, Names};
use crate::object::Object;

/// Reason of a definition whose names nobody else has.
const NAME_CONFLICT_FREE: &str = "NoConflicts";

/// The definition with its conditions, accepted names and stored versions, given all other definitions and built-in kinds.
pub(crate) fn with_status(object: &Object, others: &[Definition], now: &str) -> Object {
    let definition = Definition::read(object);
    let conflict = conflict(&definition, others);
    let mut status = object.get("status").cloned().filter(Value::is_object).unwrap_or_else(|| json!({}));
    let accepted = match &conflict {
        None => object.value().pointer("/spec/names").cloned().unwrap_or_else(|| json!({})),
        Some(_) => status.get("acceptedNames").cloned().unwrap_or_else(|| json!({"kind": "", "plural": ""})),
    };
    status["acceptedNames"] = accepted;
    for condition in conditions(&definition, conflict.as_ref()) {
        set_condition(&mut status, &condition, now);
    }
    let mut changed = object.clone();
    changed.set("status", Some(status));
    changed
}

#[derive(Debug, PartialEq, Eq)]
struct Condition {
    kind: &'static str,
    status: bool,
    reason: &'static str,
    message: String,
}

/// A name that another definition has.
#[derive(Debug, PartialEq, Eq)]
struct Conflict {
    reason: &'static str,
    name: String,
}

fn conditions(definition: &Definition, conflict: Option<&Conflict>) -> Vec<Condition> {
    let accepted = "the initial names have been accepted".to_owned();
    let established = |status: bool, reason: &'static str, message: String| Condition {
        kind: "Established",
        status,
        reason,
        message,
    };
    match conflict {
        None => vec![
            Condition {
                kind: "NamesAccepted",
                status: true,
                reason: NAME_CONFLICT_FREE,
                message: "no conflicts found".to_owned(),
            },
            established(true, "InitialNamesAccepted", accepted),
        ],
        Some(conflict) => {
            let message = format!("{:?} is already in use", conflict.name);
            let names = Condition { kind: "NamesAccepted", status: false, reason: conflict.reason, message };
            if definition.established {
                return vec![names];
            }
            vec![names, established(false, "NotAccepted", "not all names are accepted".to_owned())]
        }
    }
}

/// The first name that another definition of the group has been given before.
fn conflict(definition: &Definition, others: &[Definition]) -> Option<Conflict> {
    let taken: Vec<&Names> = others
        .iter()
        .filter(|other| other.group == definition.group && other.name != definition.name && other.established)
        .map(|other| &other.names)
        .collect();
    let resources =
        |names: &Names| [&[names.plural.clone(), names.singular.clone()][..], &names.short_names].concat();
    let is_taken = |name: &String| taken.iter().any(|names| resources(names).contains(name));
    let kind_taken =
        |name: &String| taken.iter().any(|names| names.kind == *name || names.list_kind == *name);
    let names = &definition.names;
    let found = |reason, name: &String, taken: bool| taken.then(|| Conflict { reason, name: name.clone() });
    found("PluralConflict", &names.plural, is_taken(&names.plural))
        .or_else(|| found("SingularConflict", &names.singular, is_taken(&names.singular)))
        .or_else(|| names.short_names.iter().find_map(|it| found("ShortNamesConflict", it, is_taken(it))))
        .or_else(|| found("KindConflict", &names.kind, kind_taken(&names.kind)))
        .or_else(|| found("ListKindConflict", &names.list_kind, kind_taken(&names.list_kind)))
}

/// Sets a condition; its time changes only with its status.
fn set_condition(status: &mut Value, condition: &Condition, now: &str) {
    let mut list = status.get("conditions").and_then(Value::as_array).cloned().unwrap_or_default();
    let text = if condition.status { "True" } else { "False" };
    let known = list.iter_mut().find(|it| it.get("type") == Some(&condition.kind.into()));
    let since = known
        .as_ref()
        .filter(|it| it.get("status") == Some(&text.into()))
        .and_then(|it| it.get("lastTransitionTime").cloned())
        .unwrap_or_else(|| now.into());
    let value = json!({
        "type": condition.kind, "status": text, "reason": condition.reason, "message": condition.message,
        "lastTransitionTime": since,
    });
    match known {
        Some(known) => *known = value,
        None => list.push(value),
    }
    status["conditions"] = Value::Array(list);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(name: &str, kind: &str) -> Object {
        Object::new(json!({
            "metadata": {"name": format!("{name}.krono.dev")},
            "spec": {
                "group": "krono.dev", "scope": "Namespaced",
                "names": {"plural": name, "singular": name, "kind": kind, "listKind": format!("{kind}List")},
                "versions": [{"name": "v1", "served": true, "storage": true}],
            },
        }))
        .unwrap()
    }

    #[test]
    fn free_names_are_accepted() {
        let established = with_status(&definition("widgets", "Widget"), &[], "now");
        assert!(Definition::read(&established).established);
        let again = with_status(&established, &[], "later");
        assert_eq!(again, established);
    }

    #[test]
    fn taken_names_are_not() {
        let first = Definition::read(&with_status(&definition("widgets", "Widget"), &[], "now"));
        let check = |name: &str, kind: &str, reason: &str| {
            let second = with_status(&definition(name, kind), std::slice::from_ref(&first), "now");
            let conditions = second.value().pointer("/status/conditions").unwrap().clone();
            assert_eq!(conditions[0]["reason"], reason);
            assert_eq!(conditions[1]["status"], "False");
        };
        check("others", "Widget", "KindConflict");
        check("others", "WidgetList", "KindConflict");
    }
}
