//! What is shown of objects, and what an edit makes of them where the API server cannot be asked.

use krono_model::names;
use serde_json::{Map, Value};

/// What the API server or controllers keep for themselves.
const KEPT: [&str; 9] = [
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// An object without its status and without what the API server keeps for itself.
pub fn content(object: &Value) -> Value {
    let fields = object.as_object().into_iter().flatten().filter(|(name, _)| *name != "status");
    let fields = fields.map(|(name, value)| match name.as_str() {
        "metadata" => (name.clone(), metadata(value)),
        _ => (name.clone(), value.clone()),
    });
    Value::Object(fields.collect())
}

fn metadata(metadata: &Value) -> Value {
    let fields = metadata.as_object().into_iter().flatten();
    let shown = fields.filter(|(name, _)| !KEPT.contains(&name.as_str()));
    let shown = shown.map(|(name, value)| match name.as_str() {
        "annotations" => (name.clone(), without_stamps(value)),
        _ => (name.clone(), value.clone()),
    });
    shown.collect::<Map<_, _>>().into()
}

/// Stamps say which revision wrote an object last, and come with whatever else is written.
fn without_stamps(annotations: &Value) -> Value {
    let is_stamp = |key: &str| {
        let name = key.strip_prefix(names::PREFIX).or_else(|| key.strip_prefix(names::OWNER_STAMP_PREFIX));
        name.is_some_and(|it| names::STAMPS.contains(&it))
    };
    let fields = annotations.as_object().into_iter().flatten().filter(|(key, _)| !is_stamp(key));
    fields.map(|(key, value)| (key.clone(), value.clone())).collect::<Map<_, _>>().into()
}

/// What an edit of what is wanted makes of what is: fields no longer wanted go, those wanted anew come, all else stays.
pub(super) fn merged(live: Option<&Value>, old: Option<&Value>, new: &Value) -> Value {
    let Some(live) = live else { return new.clone() };
    if old == Some(new) {
        return live.clone();
    }
    match (live, new) {
        (Value::Object(live), Value::Object(new)) => Value::Object(merged_fields(live, old, new)),
        (Value::Array(live), Value::Array(new)) if live.len() == new.len() => {
            let old = |index: usize| old.and_then(|it| it.get(index));
            let items = live.iter().zip(new).enumerate();
            items.map(|(index, (live, new))| merged(Some(live), old(index), new)).collect()
        }
        (_, _) => new.clone(),
    }
}

fn merged_fields(
    live: &Map<String, Value>,
    old: Option<&Value>,
    new: &Map<String, Value>,
) -> Map<String, Value> {
    let was_wanted = |name: &str| old.is_some_and(|it| it.get(name).is_some());
    let kept = live.iter().filter(|(name, _)| !new.contains_key(*name) && !was_wanted(name));
    let mut fields: Map<String, Value> = kept.map(|(name, it)| (name.clone(), it.clone())).collect();
    for (name, new) in new {
        let old = old.and_then(|it| it.get(name));
        fields.insert(name.clone(), merged(live.get(name), old, new));
    }
    fields
}

/// What the API server made of an object, with its own spelling kept wherever the edit changed nothing.
pub(super) fn settled(live: Option<&Value>, old: Option<&Value>, new: &Value, after: Value) -> Value {
    let (Some(live), Some(old)) = (live, old) else { return after };
    if old == new {
        return live.clone();
    }
    match (live, after) {
        (Value::Object(live), Value::Object(after)) => {
            let field = |(name, after): (String, Value)| {
                let value = match (new.get(&name), old.get(&name)) {
                    (Some(new), Some(old)) => settled(live.get(&name), Some(old), new, after),
                    (_, _) => after,
                };
                (name, value)
            };
            Value::Object(after.into_iter().map(field).collect())
        }
        (Value::Array(live), Value::Array(after)) if live.len() == after.len() => {
            let item = |(index, after): (usize, Value)| match (new.get(index), old.get(index)) {
                (Some(new), Some(old)) => settled(live.get(index), Some(old), new, after),
                (_, _) => after,
            };
            Value::Array(after.into_iter().enumerate().map(item).collect())
        }
        (_, after) => after,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_the_edit_changes_changes() {
        let check = |live: Value, old: Value, new: Value, expect: Value| {
            assert_eq!(merged(Some(&live), Some(&old), &new), expect, "{live} {old} {new}");
        };
        check(json!({"a": 1, "theirs": 2}), json!({"a": 1}), json!({"a": 3}), json!({"a": 3, "theirs": 2}));
        check(json!({"a": 1, "b": 2}), json!({"a": 1, "b": 2}), json!({"b": 2}), json!({"b": 2}));
        check(json!({"cpu": "1"}), json!({"cpu": "1000m"}), json!({"cpu": "1000m"}), json!({"cpu": "1"}));
        check(
            json!({"list": [{"name": "a", "image": "1", "policy": "Always"}]}),
            json!({"list": [{"name": "a", "image": "1"}]}),
            json!({"list": [{"name": "a", "image": "2"}]}),
            json!({"list": [{"name": "a", "image": "2", "policy": "Always"}]}),
        );
        assert_eq!(merged(None, None, &json!({"a": 1})), json!({"a": 1}));
    }

    #[test]
    fn the_servers_spelling_stays_where_nothing_is_edited() {
        let live = json!({"cpu": "1", "image": "a", "extra": true});
        let (old, new) = (json!({"cpu": "1000m", "image": "a"}), json!({"cpu": "1000m", "image": "b"}));
        let after = json!({"cpu": "1000m", "image": "b", "extra": true});
        let expect = json!({"cpu": "1", "image": "b", "extra": true});
        assert_eq!(settled(Some(&live), Some(&old), &new, after.clone()), expect);
        assert_eq!(settled(None, Some(&old), &new, after.clone()), after);
    }

    #[test]
    fn what_the_server_keeps_for_itself_is_not_shown() {
        let object =
            json!({"kind": "A", "metadata": {"name": "a", "uid": "1", "labels": {"a": "b"}}, "status": {}});
        assert_eq!(content(&object), json!({"kind": "A", "metadata": {"name": "a", "labels": {"a": "b"}}}));
    }
}
