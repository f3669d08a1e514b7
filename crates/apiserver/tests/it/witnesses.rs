//! Who changes custom resources, seen by the program around the server.

use std::sync::Arc;

use krono_apiserver::rbac::{MASTERS, User};
use krono_apiserver::{Server, Witness};
use serde_json::{Value, json};

use crate::definitions::{WIDGETS, definition, widget};
use crate::harness::{Harness, MAPS, start_with};

/// Notes every user on what it sees of definitions with a label.
#[derive(Debug)]
struct Notes;

impl Witness for Notes {
    fn looks_at(&self, _: &str, labels: &Value) -> bool {
        labels["seen"] == "yes"
    }

    fn note(&self, user: &str, object: &mut Value, old: Option<&Value>) {
        let verb = if old.is_some() { "changed" } else { "made" };
        object["metadata"]["annotations"]["seen"] = json!(format!("{verb} by {user}"));
    }
}

fn acting_as(harness: &Harness, name: &str) -> Harness {
    let user = User { name: name.to_owned(), groups: vec![MASTERS.to_owned()], ..User::default() };
    Harness { server: harness.server.acting_as(user) }
}

#[tokio::test]
async fn a_witness_sees_who_changes_what_it_looks_at() {
    let harness = start_with(Server::builder().witness(Arc::new(Notes))).await;
    let mut kind = definition();
    kind["metadata"]["labels"] = json!({"seen": "yes"});
    harness.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &kind).await.ok();
    let (alice, bob) = (acting_as(&harness, "alice"), acting_as(&harness, "bob"));
    let made = alice.post(WIDGETS, &widget("a", 1)).await.ok();
    assert_eq!(made["metadata"]["annotations"]["seen"], "made by alice");
    let path = format!("{WIDGETS}/a");
    let changed = bob.patch(&path, "merge-patch+json", &json!({"spec": {"size": 2}})).await.ok();
    assert_eq!(changed["metadata"]["annotations"]["seen"], "changed by bob");
    assert!(!changed["metadata"]["managedFields"].to_string().contains("f:seen"), "{changed:#}");
    // Nobody says anything by writing what is there.
    let again = bob.patch(&path, "merge-patch+json", &json!({"spec": {"size": 2}})).await.ok();
    assert_eq!(again["metadata"]["resourceVersion"], changed["metadata"]["resourceVersion"]);
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
    let map = alice.post(MAPS, &map).await.ok();
    assert!(map["metadata"].get("annotations").is_none(), "{map:#}");
}
