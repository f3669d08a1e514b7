//! What a change of content takes away from every instance.

use std::fmt;

use krono_model::metadata::is_retained_by_default;
use serde_json::Value;

/// A resource that a change takes away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The id of the resource in the definition.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Whether another takes its place.
    pub replaced: bool,
    /// Whether the objects stay, though nobody looks after them any longer.
    pub retained: bool,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, kind, .. } = self;
        match (self.retained, self.replaced) {
            (false, false) => write!(f, "{id} ({kind}) is deleted"),
            (false, true) => write!(f, "{id} ({kind}) is deleted, and another is made in its place"),
            (true, false) => write!(f, "{id} ({kind}) is given up and stays (deletionPolicy: Retain)"),
            (true, true) => {
                write!(
                    f,
                    "{id} ({kind}) is given up and stays (deletionPolicy: Retain); another is made in its place"
                )
            }
        }
    }
}

/// What each instance loses when it moves from one content to the other, what is really deleted first.
///
/// Each is a whole spec, of a definition or of a revision. Only what follows from the templates themselves is told: conditions
/// and names that hold expressions are different for every instance.
pub fn losses(old: &Value, new: &Value) -> Vec<Loss> {
    let mut losses: Vec<Loss> = resources(old).filter_map(|it| loss(it, find(new, &it["id"]))).collect();
    losses.sort_by_key(|it| it.retained);
    losses
}

fn resources(spec: &Value) -> impl Iterator<Item = &Value> {
    // What others make is never deleted.
    spec["resources"].as_array().into_iter().flatten().filter(|it| it["template"].is_object())
}

fn find<'s>(spec: &'s Value, id: &Value) -> Option<&'s Value> {
    resources(spec).find(|it| it["id"] == *id)
}

fn loss(old: &Value, new: Option<&Value>) -> Option<Loss> {
    let identity = |it: &Value| {
        let template = &it["template"];
        let group = template["apiVersion"]
            .as_str()
            .and_then(|it| it.rsplit_once('/'))
            .map(|(group, _)| group.to_owned());
        let metadata = &template["metadata"];
        (group, template["kind"].clone(), metadata["name"].clone(), metadata["namespace"].clone())
    };
    if new.is_some_and(|new| identity(new) == identity(old)) {
        return None;
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let template = &old["template"];
    let policy = old["deletionPolicy"].as_str();
    let (version, kind) = (text(&template["apiVersion"]), text(&template["kind"]));
    Some(Loss {
        id: text(&old["id"]),
        retained: policy.map_or_else(|| is_retained_by_default(&version, &kind), |it| it == "Retain"),
        kind,
        replaced: new.is_some(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fixture::content;

    fn check(old: &Value, new: &Value, expected: &[&str]) {
        let told: Vec<String> = losses(old, new).iter().map(Loss::to_string).collect();
        assert_eq!(told, expected);
    }

    fn with(resource: Value) -> Value {
        let mut spec = content(3);
        spec["resources"].as_array_mut().unwrap().insert(0, resource);
        spec
    }

    #[test]
    fn v25_what_is_deleted_is_told_first() {
        check(&content(3), &content(5), &[]);
        check(&content(1), &content(3), &[]);
        check(&content(3), &content(1), &["service (Service) is deleted"]);
        let claim =
            with(json!({"id": "data", "template": {"apiVersion": "v1", "kind": "PersistentVolumeClaim"}}));
        let kept = "data (PersistentVolumeClaim) is given up and stays (deletionPolicy: Retain)";
        check(&claim, &content(1), &["service (Service) is deleted", kept]);
        let mut deleted = claim;
        deleted["resources"][0]["deletionPolicy"] = json!("Delete");
        check(&deleted, &content(3), &["data (PersistentVolumeClaim) is deleted"]);
    }

    #[test]
    fn another_kind_or_name_is_another_object() {
        let config = |kind: &str, name: &str, version: &str| {
            with(
                json!({"id": "config", "template": {"apiVersion": version, "kind": kind, "metadata": {"name": name}}}),
            )
        };
        let replaced = "config (ConfigMap) is deleted, and another is made in its place";
        check(&config("ConfigMap", "a", "v1"), &config("Secret", "a", "v1"), &[replaced]);
        check(&config("ConfigMap", "a", "v1"), &config("ConfigMap", "b", "v1"), &[replaced]);
        check(&config("Job", "a", "batch/v1"), &config("Job", "a", "batch/v2"), &[]);
    }

    #[test]
    fn what_others_make_is_not_lost() {
        let external = with(json!({"id": "shared", "externalRef": {"kind": "ConfigMap"}}));
        check(&external, &content(3), &[]);
    }
}
