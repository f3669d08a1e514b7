//! What the server says of a definition: whether its names are free, and whether it is served.

use serde_json::{Map, Value, json};

use super::approval;
use super::definition::{Definition, Names};
use crate::object::Object;

/// The definition with its conditions and accepted names, given all definitions there are.
pub(crate) fn with_status(object: &Object, all: &[Definition], now: &str) -> Object {
    let definition = Definition::read(object);
    let judgement = Judgement::of(&definition, &Taken::by_group(&definition.group, all));
    let mut status = object.get("status").cloned().filter(Value::is_object).unwrap_or_else(|| json!({}));
    status["acceptedNames"] = judgement.accepted.to_value();
    for condition in conditions(&definition, judgement.conflict.as_ref()) {
        set_condition(&mut status, &condition, now);
    }
    if let Some((approved, reason, message)) = approval::conformance(object, &definition.group) {
        let kind = "KubernetesAPIApprovalPolicyConformant";
        set_condition(&mut status, &Condition { kind, status: approved, reason, message }, now);
    }
    let mut changed = object.clone();
    changed.set("status", Some(status));
    changed
}

/// One condition of a definition.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    pub(crate) kind: &'static str,
    pub(crate) status: bool,
    pub(crate) reason: &'static str,
    pub(crate) message: String,
}

/// A name that another definition has.
#[derive(Debug, PartialEq, Eq)]
struct Conflict {
    reason: &'static str,
    message: String,
}

/// Names of a group that are in use.
#[derive(Debug, Default)]
struct Taken<'d> {
    resources: Vec<&'d str>,
    kinds: Vec<&'d str>,
}

impl<'d> Taken<'d> {
    fn by_group(group: &str, all: &'d [Definition]) -> Self {
        let mut taken = Self::default();
        for Names { plural, singular, short_names, kind, list_kind, .. } in
            all.iter().filter(|it| it.group == group).map(|it| &it.accepted)
        {
            taken.resources.extend([plural.as_str(), singular]);
            taken.resources.extend(short_names.iter().map(String::as_str));
            taken.kinds.extend([kind.as_str(), list_kind]);
        }
        taken
    }
}

/// Which of the names that are asked for a definition gets.
#[derive(Debug)]
struct Judgement {
    accepted: Names,
    /// The last name that it does not get.
    conflict: Option<Conflict>,
}

impl Judgement {
    fn of(definition: &Definition, taken: &Taken<'_>) -> Self {
        let (asked, had) = (&definition.names, &definition.accepted);
        let mut it = Self { accepted: had.clone(), conflict: None };
        if it.is_free(&asked.plural, &had.plural, &taken.resources, "PluralConflict") {
            it.accepted.plural.clone_from(&asked.plural);
        }
        if it.is_free(&asked.singular, &had.singular, &taken.resources, "SingularConflict") {
            it.accepted.singular.clone_from(&asked.singular);
        }
        it.short_names(asked, had, taken);
        if it.is_free(&asked.kind, &had.kind, &taken.kinds, "KindConflict") {
            it.accepted.kind.clone_from(&asked.kind);
        }
        if it.is_free(&asked.list_kind, &had.list_kind, &taken.kinds, "ListKindConflict") {
            it.accepted.list_kind.clone_from(&asked.list_kind);
        }
        it.accepted.categories.clone_from(&asked.categories);
        it
    }

    /// Whether a name is ours already, or nobody's.
    fn is_free(&mut self, asked: &str, had: &str, taken: &[&str], reason: &'static str) -> bool {
        let free = asked == had || !taken.contains(&asked);
        if !free {
            self.conflict = Some(Conflict { reason, message: in_use(asked) });
        }
        free
    }

    fn short_names(&mut self, asked: &Names, had: &Names, taken: &Taken<'_>) {
        let is_taken =
            |name: &&String| !had.short_names.contains(name) && taken.resources.contains(&name.as_str());
        let conflicts: Vec<String> =
            asked.short_names.iter().filter(is_taken).map(|name| in_use(name)).collect();
        let message = match conflicts.as_slice() {
            [] => return self.accepted.short_names.clone_from(&asked.short_names),
            [only] => only.clone(),
            several => format!("[{}]", several.join(", ")),
        };
        self.conflict = Some(Conflict { reason: "ShortNamesConflict", message });
    }
}

fn in_use(name: &str) -> String {
    format!("{name:?} is already in use")
}

fn conditions(definition: &Definition, conflict: Option<&Conflict>) -> Vec<Condition> {
    let condition =
        |kind, status, reason, message: &str| Condition { kind, status, reason, message: message.to_owned() };
    let (names, established) = ("NamesAccepted", "Established");
    match conflict {
        None => vec![
            condition(names, true, "NoConflicts", "no conflicts found"),
            condition(established, true, "InitialNamesAccepted", "the initial names have been accepted"),
        ],
        Some(conflict) => {
            let refused = condition(names, false, conflict.reason, &conflict.message);
            if definition.established {
                return vec![refused];
            }
            vec![refused, condition(established, false, "NotAccepted", "not all names are accepted")]
        }
    }
}

/// Sets a condition; its time changes only with its status.
pub(crate) fn set_condition(status: &mut Value, condition: &Condition, now: &str) {
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

impl Names {
    /// The names on the wire; `plural` and `kind` are always there.
    fn to_value(&self) -> Value {
        let mut fields = Map::new();
        fields.insert("plural".to_owned(), self.plural.as_str().into());
        fields.insert("kind".to_owned(), self.kind.as_str().into());
        for (name, text) in [("singular", &self.singular), ("listKind", &self.list_kind)] {
            if !text.is_empty() {
                fields.insert(name.to_owned(), text.as_str().into());
            }
        }
        for (name, list) in [("shortNames", &self.short_names), ("categories", &self.categories)] {
            if !list.is_empty() {
                fields.insert(name.to_owned(), json!(list));
            }
        }
        Value::Object(fields)
    }
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
        // Of several conflicts the last is told.
        check("others", "Widget", "ListKindConflict");
        check("others", "WidgetList", "KindConflict");
    }

    #[test]
    fn names_are_judged_one_by_one() {
        let first = Definition::read(&with_status(&definition("widgets", "Widget"), &[], "now"));
        let mut second = definition("gadgets", "Gadget");
        second.value_mut()["spec"]["names"]["shortNames"] = json!(["widgets", "g", "widgets"]);
        let second = with_status(&second, &[first], "now");
        let status = second.get("status").unwrap();
        assert_eq!(
            status["acceptedNames"],
            json!({"plural": "gadgets", "singular": "gadgets", "kind": "Gadget", "listKind": "GadgetList"})
        );
        assert_eq!(status["conditions"][0]["reason"], "ShortNamesConflict");
        let message = r#"["widgets" is already in use, "widgets" is already in use]"#;
        assert_eq!(status["conditions"][0]["message"], message);
    }

    #[test]
    fn protected_groups_tell_of_their_approval() {
        let mut object = definition("widgets", "Widget");
        object.value_mut()["spec"]["group"] = "x.k8s.io".into();
        object.set_meta("annotations", Some(json!({"api-approved.kubernetes.io": "unapproved, a test"})));
        let judged = with_status(&object, &[], "now");
        let condition = &judged.get("status").unwrap()["conditions"][2];
        assert_eq!(condition["reason"], "UnapprovedAnnotation");
        assert_eq!(condition["message"], r#"not approved: "unapproved, a test""#);
    }
}
