//! Revisions that kro left, as krono's own (V45).

use std::collections::BTreeMap;

use jiff::Timestamp;
use krono_model::wire::{Author, ResourceGraphDefinitionRevision};
use serde_json::{Value, json};

use crate::issue::NewRevision;
use crate::revision::{History, definition_revision_object};
use crate::witness::Notes;
use crate::{Digest, RevisionNumber, names};

/// The API version of kro's revisions.
pub const GRAPH_REVISION_API_VERSION: &str = "internal.kro.run/v1alpha1";
/// The kind of kro's revisions.
pub const GRAPH_REVISION_KIND: &str = "GraphRevision";
/// Who is said to have made the change, where nobody knows who did.
const MANAGER: &str = "kro";

/// What there is of a `GraphRevision`.
struct Snapshot<'a> {
    number: RevisionNumber,
    spec: &'a Value,
    digest: Digest,
    created: Option<&'a str>,
}

/// The objects that hold what kro's revisions of a definition hold, under the same numbers, oldest first.
///
/// Left out: revisions of other definitions, those on their way out, and numbers that are not above all that krono has. So it
/// may be interrupted and done again if the oldest is written first, what krono pruned does not come back, and what kro issued
/// since krono was here last comes too. kro's own objects stay as they are.
pub fn graph_revisions(
    found: &[Value],
    definition: &Value,
    history: &History,
) -> Vec<ResourceGraphDefinitionRevision> {
    let name = definition["metadata"]["name"].as_str().unwrap_or_default();
    let snapshots = found.iter().filter_map(|it| snapshot(it, name));
    let snapshots: BTreeMap<RevisionNumber, Snapshot<'_>> = snapshots.map(|it| (it.number, it)).collect();
    let mut newest: BTreeMap<Digest, RevisionNumber> =
        history.live().map(|it| (it.digest, it.number)).collect();
    let missing = snapshots.into_iter().filter(|(number, _)| Some(*number) > history.highest());
    let imported = missing.map(|(number, snapshot)| {
        let restored_from = newest.insert(snapshot.digest, number);
        object(definition, name, &snapshot, restored_from)
    });
    imported.collect()
}

fn snapshot<'a>(object: &'a Value, definition: &str) -> Option<Snapshot<'a>> {
    let held = &object["spec"]["snapshot"];
    let is_meant = object["kind"] == GRAPH_REVISION_KIND
        && held["name"] == definition
        && object["metadata"]["deletionTimestamp"].is_null();
    if !is_meant || !held["spec"]["schema"].is_object() {
        return None;
    }
    Some(Snapshot {
        number: RevisionNumber::from_wire(object["spec"]["revision"].as_i64()?)?,
        digest: Digest::of_definition(&held["spec"]),
        spec: &held["spec"],
        created: object["metadata"]["creationTimestamp"].as_str(),
    })
}

fn object(
    definition: &Value,
    name: &str,
    snapshot: &Snapshot<'_>,
    restored_from: Option<RevisionNumber>,
) -> ResourceGraphDefinitionRevision {
    let number = snapshot.number;
    let new = NewRevision {
        name: names::definition_revision(name, number),
        number,
        digest: snapshot.digest,
        restored_from,
    };
    let metadata = json!({"name": name, "uid": definition["metadata"]["uid"]});
    let then = json!({"metadata": metadata, "spec": snapshot.spec});
    let created: Option<Timestamp> = snapshot.created.and_then(|it| it.parse().ok());
    let mut object =
        definition_revision_object(&new, &then, None, Notes::Doubted, created.unwrap_or_default());
    object.spec.created_at = created.and(snapshot.created).map(str::to_owned);
    let time = object.spec.created_at.clone();
    object.spec.author = Some(Author { manager: Some(MANAGER.to_owned()), user: None, time });
    object
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::revision::definition_revision;

    fn definition() -> Value {
        json!({
            "metadata": {"name": "web", "uid": "d-1", "annotations": {"kubernetes.io/change-cause": "today"}},
            "spec": spec("b"),
        })
    }

    fn spec(image: &str) -> Value {
        json!({"schema": {"kind": "Web", "apiVersion": "v1alpha1"}, "resources": [{"id": "a", "template": {"image": image}}]})
    }

    fn graph_revision(of: &str, number: i64, image: &str) -> Value {
        json!({
            "apiVersion": "internal.kro.run/v1alpha1",
            "kind": "GraphRevision",
            "metadata": {"name": format!("{of}-r{number:05}"), "creationTimestamp": format!("2026-01-0{number}T00:00:00Z")},
            "spec": {"revision": number, "snapshot": {"name": of, "generation": number, "spec": spec(image)}},
        })
    }

    fn imported(found: &[Value], history: &History) -> Vec<Value> {
        let objects = graph_revisions(found, &definition(), history);
        objects.iter().map(|it| serde_json::to_value(it).unwrap()).collect()
    }

    fn history(objects: &[Value]) -> History {
        History::new(objects.iter().map(|it| definition_revision(it, "d-1").unwrap()).collect())
    }

    #[test]
    fn v45_numbers_and_contents_are_kros() {
        let found =
            [graph_revision("web", 3, "a"), graph_revision("web", 1, "a"), graph_revision("web", 2, "b")];
        let objects = imported(&found, &History::default());
        let names: Vec<_> = objects.iter().map(|it| it["metadata"]["name"].clone()).collect();
        assert_eq!(names, ["web-rev-1", "web-rev-2", "web-rev-3"]);
        let history = history(&objects);
        let digests: Vec<_> = history.live().map(|it| it.digest).collect();
        let [a, b] = ["a", "b"].map(|it| Digest::of_definition(&spec(it)));
        assert_eq!(digests, [a, b, a]);
        assert_eq!(objects[2]["spec"]["restoredFrom"], 1);
        assert_eq!(objects[1]["spec"]["author"], json!({"manager": "kro", "time": "2026-01-02T00:00:00Z"}));
        assert_eq!(objects[1]["spec"]["createdAt"], "2026-01-02T00:00:00Z");
        assert_eq!(objects[1]["spec"].get("changeCause"), None);
        assert_eq!(objects[0]["metadata"]["ownerReferences"][0]["uid"], "d-1");
    }

    #[test]
    fn v45_an_import_can_be_repeated() {
        let found = [graph_revision("web", 1, "a"), graph_revision("web", 2, "b")];
        let first = imported(&found, &History::default());
        assert_eq!(imported(&found, &history(&first)), Vec::<Value>::new());
        assert_eq!(imported(&found, &history(&first[..1])), first[1..]);
        assert_eq!(
            imported(&found, &history(&first[1..])),
            Vec::<Value>::new(),
            "what was pruned stays away"
        );
    }

    #[test]
    fn v45_what_kro_issued_since_is_above_krono_s_own() {
        let own = history(&imported(&[graph_revision("web", 2, "a")], &History::default()));
        let found =
            [graph_revision("web", 1, "b"), graph_revision("web", 3, "a"), graph_revision("web", 4, "c")];
        let objects = imported(&found, &own);
        let told: Vec<_> =
            objects.iter().map(|it| (&it["metadata"]["name"], &it["spec"]["restoredFrom"])).collect();
        assert_eq!(told, [(&json!("web-rev-3"), &json!(2)), (&json!("web-rev-4"), &Value::Null)]);
    }

    #[test]
    fn v45_what_is_no_revision_of_the_definition_is_left_out() {
        let mut terminating = graph_revision("web", 1, "a");
        terminating["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        let mut empty = graph_revision("web", 2, "a");
        empty["spec"]["snapshot"]["spec"] = Value::Null;
        let found =
            [graph_revision("other", 3, "a"), graph_revision("web", 0, "a"), terminating, empty, json!("x")];
        assert_eq!(imported(&found, &History::default()), Vec::<Value>::new());
    }
}
