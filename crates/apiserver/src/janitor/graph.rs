//! Who owns whom, and what lies where.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use serde_json::Value;

use crate::crd;
use crate::write::delete::{FOREGROUND, ORPHAN};

const NAMESPACES: &str = "/namespaces/";

/// Something to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// Delete an object that has no reason to be.
    Delete { key: Arc<str>, uid: String, foreground: bool },
    /// Take an owner away.
    Disown { key: Arc<str>, owner: String },
    /// Take a finalizer away.
    Release { key: Arc<str>, finalizer: &'static str },
    /// Let an empty namespace go.
    FinishNamespace { name: String },
    /// Give a namespace what its pods need.
    Furnish { namespace: String },
    /// Give roles that are made of others their rules.
    Gather,
    /// Let a claim or volume go that nobody uses.
    Unprotect { key: Arc<str> },
}

/// All objects, by uid.
#[derive(Debug, Default)]
pub(super) struct Graph {
    nodes: HashMap<String, Node>,
    uids: HashMap<Arc<str>, String>,
    dependents: HashMap<String, BTreeSet<String>>,
    /// Objects by namespace and by kind, in order of key.
    members: HashMap<String, BTreeMap<Arc<str>, String>>,
    /// Places that end once they are empty.
    ending: BTreeSet<String>,
}

#[derive(Debug)]
struct Node {
    key: Arc<str>,
    namespace: String,
    owners: Vec<Owner>,
    deleting: bool,
    finalizers: Vec<String>,
}

#[derive(Debug)]
struct Owner {
    uid: String,
    blocks: bool,
}

impl Node {
    fn read(key: &Arc<str>, metadata: &Value) -> Self {
        let text = |value: &Value, name: &str| {
            value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let list = |name: &str| metadata.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        let owner = |owner: &Value| Owner {
            uid: text(owner, "uid"),
            blocks: owner.get("blockOwnerDeletion").and_then(Value::as_bool).unwrap_or(false),
        };
        Self {
            key: Arc::clone(key),
            namespace: text(metadata, "namespace"),
            owners: list("ownerReferences").iter().map(owner).collect(),
            deleting: metadata.get("deletionTimestamp").is_some_and(|it| !it.is_null()),
            finalizers: list("finalizers").iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        }
    }

    fn awaits(&self, finalizer: &str) -> bool {
        self.deleting && self.finalizers.iter().any(|it| it == finalizer)
    }

    fn places(&self) -> [String; 2] {
        [namespace_place(&self.namespace), kind_place(&self.key)]
    }

    /// The place that ends with this object.
    fn own_place(&self) -> Option<String> {
        if let Some(name) = self.key.strip_prefix(NAMESPACES) {
            return Some(namespace_place(name));
        }
        let (plural, group) = self.key.strip_prefix(crd::PREFIX)?.split_once('.')?;
        Some(format!("{group}/{plural}"))
    }
}

fn namespace_place(name: &str) -> String {
    format!("namespace {name}")
}

/// `{group}/{plural}` of a key.
fn kind_place(key: &str) -> String {
    key.splitn(3, '/').take(2).collect::<Vec<_>>().join("/")
}

impl Graph {
    /// Takes an object in without looking at what follows.
    pub(super) fn insert(&mut self, key: &Arc<str>, metadata: &Value) {
        self.forget(key);
        let uid = metadata.get("uid").and_then(Value::as_str).unwrap_or_default().to_owned();
        let node = Node::read(key, metadata);
        for owner in &node.owners {
            self.dependents.entry(owner.uid.clone()).or_default().insert(uid.clone());
        }
        for place in node.places() {
            self.members.entry(place).or_default().insert(Arc::clone(key), uid.clone());
        }
        if let Some(place) = node.own_place().filter(|_| node.deleting) {
            self.ending.insert(place);
        }
        self.uids.insert(Arc::clone(key), uid.clone());
        self.nodes.insert(uid, node);
    }

    fn forget(&mut self, key: &str) -> Option<(String, Node)> {
        let uid = self.uids.remove(key)?;
        let node = self.nodes.remove(&uid)?;
        for owner in &node.owners {
            if let Some(dependents) = self.dependents.get_mut(&owner.uid) {
                dependents.remove(&uid);
                if dependents.is_empty() {
                    self.dependents.remove(&owner.uid);
                }
            }
        }
        for place in node.places() {
            if let Some(members) = self.members.get_mut(&place) {
                members.remove(key);
            }
        }
        Some((uid, node))
    }

    /// What has to be done, whatever happened before.
    pub(super) fn review(&self) -> Vec<Task> {
        let mut uids: Vec<&String> = self.nodes.keys().collect();
        uids.sort();
        uids.into_iter().flat_map(|uid| self.consequences(uid)).collect()
    }

    /// An object is new or changed.
    pub(super) fn changed(&mut self, key: &Arc<str>, metadata: &Value) -> Vec<Task> {
        self.insert(key, metadata);
        let Some(uid) = self.uids.get(key).cloned() else { return Vec::new() };
        let mut tasks = self.consequences(&uid);
        tasks.extend(self.swept(&uid));
        let owners: Vec<String> = self.nodes[&uid].owners.iter().map(|it| it.uid.clone()).collect();
        tasks.extend(owners.iter().filter_map(|owner| self.unblocked(owner)));
        tasks
    }

    /// An object is gone.
    pub(super) fn removed(&mut self, key: &str) -> Vec<Task> {
        let Some((uid, node)) = self.forget(key) else { return Vec::new() };
        if let Some(place) = node.own_place() {
            self.ending.remove(&place);
        }
        let dependents: Vec<String> = self.dependents.get(&uid).into_iter().flatten().cloned().collect();
        let mut tasks: Vec<Task> = dependents.iter().filter_map(|it| self.orphaned(it, &uid)).collect();
        tasks.extend(node.owners.iter().filter_map(|owner| self.unblocked(&owner.uid)));
        tasks.extend(node.places().iter().filter_map(|place| self.emptied(place)));
        tasks
    }

    /// What follows from the state of one object.
    fn consequences(&self, uid: &str) -> Vec<Task> {
        let Some(node) = self.nodes.get(uid) else { return Vec::new() };
        let dependents = || self.dependents.get(uid).into_iter().flatten();
        let mut tasks = Vec::new();
        if node.awaits(ORPHAN) {
            let disown = |key: &Arc<str>| Task::Disown { key: Arc::clone(key), owner: uid.to_owned() };
            tasks.extend(dependents().filter_map(|it| self.nodes.get(it)).map(|it| disown(&it.key)));
            tasks.push(Task::Release { key: Arc::clone(&node.key), finalizer: ORPHAN });
        }
        if node.awaits(FOREGROUND) {
            tasks.extend(dependents().filter_map(|it| self.delete(it)));
            tasks.extend(self.unblocked(uid));
        }
        if !node.deleting
            && !node.owners.is_empty()
            && !node.owners.iter().any(|it| self.is_present(node, &it.uid))
        {
            tasks.extend(self.delete(uid));
        }
        if let Some(place) = node.own_place().filter(|_| node.deleting) {
            let members = self.members.get(&place).into_iter().flat_map(|it| it.values());
            tasks.extend(members.filter_map(|it| self.delete(it)));
            tasks.extend(self.emptied(&place));
        }
        tasks
    }

    /// New objects in places that end go at once.
    fn swept(&self, uid: &str) -> Option<Task> {
        let ends = self.nodes.get(uid)?.places().iter().any(|place| self.ending.contains(place));
        if ends { self.delete(uid) } else { None }
    }

    fn orphaned(&self, dependent: &str, owner: &str) -> Option<Task> {
        let node = self.nodes.get(dependent)?;
        if node.owners.iter().any(|it| self.is_present(node, &it.uid)) {
            return Some(Task::Disown { key: Arc::clone(&node.key), owner: owner.to_owned() });
        }
        self.delete(dependent)
    }

    /// Owners live in the namespace of their dependents, or in none.
    fn is_present(&self, dependent: &Node, owner: &str) -> bool {
        self.nodes.get(owner).is_some_and(|it| it.namespace.is_empty() || it.namespace == dependent.namespace)
    }

    fn delete(&self, uid: &str) -> Option<Task> {
        let node = self.nodes.get(uid).filter(|it| !it.deleting)?;
        let foreground = self.dependents.contains_key(uid);
        Some(Task::Delete { key: Arc::clone(&node.key), uid: uid.to_owned(), foreground })
    }

    /// Deletes an object whose time has come.
    pub(super) fn delete_by_key(&self, key: &str) -> Option<Task> {
        self.delete(self.uids.get(key)?)
    }

    /// Lets an owner go whose dependents no longer hold it back.
    fn unblocked(&self, owner: &str) -> Option<Task> {
        let node = self.nodes.get(owner).filter(|it| it.awaits(FOREGROUND))?;
        let blocks = |it: &Node| it.owners.iter().any(|it| it.uid == owner && it.blocks);
        let held =
            self.dependents.get(owner).into_iter().flatten().filter_map(|it| self.nodes.get(it)).any(blocks);
        (!held).then(|| Task::Release { key: Arc::clone(&node.key), finalizer: FOREGROUND })
    }

    /// Lets a place go that is empty.
    fn emptied(&self, place: &str) -> Option<Task> {
        let empty = self.members.get(place).is_none_or(BTreeMap::is_empty);
        if !empty || !self.ending.contains(place) {
            return None;
        }
        if let Some(name) = place.strip_prefix("namespace ") {
            return Some(Task::FinishNamespace { name: name.to_owned() });
        }
        let (group, plural) = place.split_once('/')?;
        let key = format!("{}{plural}.{group}", crd::PREFIX).into();
        Some(Task::Release { key, finalizer: crd::CLEANUP_FINALIZER })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn owned(uid: &str, owner: &str) -> Value {
        json!({"uid": uid, "namespace": "n", "ownerReferences": [{"uid": owner, "blockOwnerDeletion": true}]})
    }

    fn words(tasks: &[Task]) -> Vec<String> {
        let word = |task: &Task| match task {
            Task::Delete { uid, foreground, .. } => {
                format!("delete {uid}{}", if *foreground { " foreground" } else { "" })
            }
            Task::Disown { key, owner } => format!("disown {key} {owner}"),
            Task::Release { key, finalizer } => format!("release {key} {finalizer}"),
            Task::FinishNamespace { name } => format!("finish {name}"),
            other @ (Task::Furnish { .. } | Task::Gather | Task::Unprotect { .. }) => format!("{other:?}"),
        };
        tasks.iter().map(word).collect()
    }

    #[test]
    fn dependents_follow_their_owner() {
        let mut graph = Graph::default();
        let (a, b, c) = (Arc::from("/maps/n/a"), Arc::from("/maps/n/b"), Arc::from("/maps/n/c"));
        assert!(graph.changed(&a, &json!({"uid": "a", "namespace": "n"})).is_empty());
        assert!(graph.changed(&b, &owned("b", "a")).is_empty());
        assert!(graph.changed(&c, &owned("c", "b")).is_empty());
        assert_eq!(words(&graph.removed("/maps/n/a")), ["delete b foreground"]);
        assert_eq!(words(&graph.removed("/maps/n/b")), ["delete c"]);
        assert_eq!(words(&graph.changed(&b, &owned("b2", "nobody"))), ["delete b2"]);
    }

    #[test]
    fn foreground_and_orphan() {
        let mut graph = Graph::default();
        let (a, b) = (Arc::from("/maps/n/a"), Arc::from("/maps/n/b"));
        graph.changed(&a, &json!({"uid": "a", "namespace": "n"}));
        graph.changed(&b, &owned("b", "a"));
        let going = |finalizer: &str| json!({"uid": "a", "namespace": "n", "deletionTimestamp": "t", "finalizers": [finalizer]});
        assert_eq!(words(&graph.changed(&a, &going(FOREGROUND))), ["delete b"]);
        assert_eq!(
            words(&graph.changed(&a, &going(ORPHAN))),
            ["disown /maps/n/b a", "release /maps/n/a orphan"]
        );
        graph.changed(&a, &going(FOREGROUND));
        assert_eq!(words(&graph.removed("/maps/n/b")), ["release /maps/n/a foregroundDeletion"]);
    }

    #[test]
    fn places_end_once_they_are_empty() {
        let mut graph = Graph::default();
        let (ns, map) = (Arc::from("/namespaces/n"), Arc::from("/maps/n/a"));
        graph.changed(&ns, &json!({"uid": "ns"}));
        graph.changed(&map, &json!({"uid": "a", "namespace": "n"}));
        let going = json!({"uid": "ns", "deletionTimestamp": "t"});
        assert_eq!(words(&graph.changed(&ns, &going)), ["delete a"]);
        assert_eq!(words(&graph.removed("/maps/n/a")), ["finish n"]);
        let definition = Arc::from("apiextensions.k8s.io/customresourcedefinitions/things.krono.dev");
        graph.changed(&Arc::from("krono.dev/things/n/x"), &json!({"uid": "x", "namespace": "m"}));
        assert_eq!(
            words(&graph.changed(&definition, &json!({"uid": "d", "deletionTimestamp": "t"}))),
            ["delete x"]
        );
        let released = graph.removed("krono.dev/things/n/x");
        assert_eq!(words(&released), [format!("release {definition} {}", crd::CLEANUP_FINALIZER)]);
    }
}
