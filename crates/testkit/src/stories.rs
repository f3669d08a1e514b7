//! Random stories: what users do while a controller works.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::graphs::{NodePlan, graphs};
use crate::kinds::SIM_VERSION;

/// What happens in a world, beside what a controller does.
#[derive(Clone, Debug)]
pub struct Story {
    /// The definition, and what becomes of it.
    pub graphs: Vec<Vec<NodePlan>>,
    /// How many instances there are: `i0`, `i1` and so on, in the namespace `home`.
    pub instances: usize,
    /// What users do, in this order.
    pub deeds: Vec<Deed>,
    /// Whether somebody else's object is in the way at first.
    pub obstacle: bool,
    /// Of all that chance decides while the story is played.
    pub seed: u64,
}

/// What somebody other than the controller does.
#[derive(Clone, Debug)]
pub enum Deed {
    /// Changes an instance, if it is there.
    Edit(usize, Wish),
    /// Deletes an instance, if it is there.
    Delete(usize),
    /// Makes an instance, unless it is there.
    Create(usize, Wish),
    /// Replaces the definition by one of the story's.
    Define(usize),
    /// Changes the object that all instances refer to.
    Share(&'static str),
    /// Changes some resource behind the controller's back.
    Tamper(usize, Tampering),
}

/// How a resource is tampered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tampering {
    /// A field of the controller's gets another value.
    Change,
    /// A field is added.
    Add,
    /// It is deleted.
    Delete,
    /// A part says that it is not ready.
    Unready,
}

/// The spec of an instance.
#[derive(Clone, Debug)]
pub struct Wish {
    texts: [&'static str; 2],
    flags: [bool; 3],
    items: usize,
}

/// The name of the `ConfigMap` of others that is in the way, where a resource should be.
pub const OBSTACLE: &str = "i0-n0";

/// With what all instances begin.
pub const FIRST: Wish = Wish { texts: ["one", "three"], flags: [true, false, true], items: 2 };

impl Wish {
    /// The spec.
    pub fn spec(&self) -> Value {
        let items = ["one", "two", "three", "four", "five", "six", "seven"];
        // The first and the last items change places, so that collections do not only grow at their end.
        let items: Vec<_> = items.iter().skip(self.items % 3).take(self.items).collect();
        let [f0, f1, f2] = self.flags;
        json!({"a": self.texts[0], "b": self.texts[1], "f0": f0, "f1": f1, "f2": f2, "items": items})
    }
}

impl Story {
    /// The name of an instance.
    pub fn instance(&self, index: usize) -> String {
        format!("i{}", index % self.instances)
    }

    /// The nodes of a definition.
    pub fn graph(&self, index: usize) -> &[NodePlan] {
        &self.graphs[index % self.graphs.len()]
    }

    /// Objects of others, which nobody may touch; some look much like those of instances.
    pub fn foreign(&self) -> Vec<Value> {
        let theirs = json!({"kro.run/owned": "true", "applyset.kubernetes.io/part-of": "applyset-theirs-v1"});
        let mut foreign = vec![
            object("v1", "ConfigMap", "home", "theirs", &theirs),
            object(SIM_VERSION, "Part", "home", "i0-n999", &json!({"kro.run/owned": "true"})),
            object("v1", "ConfigMap", "elsewhere", "i0-n0", &json!({"shared": "yes"})),
            object(SIM_VERSION, "Site", "", "theirs", &theirs),
        ];
        if self.obstacle {
            foreign.push(object("v1", "ConfigMap", "home", OBSTACLE, &theirs));
        }
        foreign
    }
}

/// The object that all instances refer to.
pub fn shared() -> Value {
    let mut shared = object("v1", "ConfigMap", "home", "shared", &json!({"shared": "yes"}));
    shared["data"] = json!({"own": "three"});
    shared
}

/// A merge patch of the values of an object of a kind.
pub fn tampered(kind: &str, values: &Value) -> Value {
    if kind == "ConfigMap" { json!({"data": values}) } else { json!({"spec": {"values": values}}) }
}

fn object(api_version: &str, kind: &str, namespace: &str, name: &str, labels: &Value) -> Value {
    let mut metadata = json!({"name": name, "labels": labels});
    if !namespace.is_empty() {
        metadata["namespace"] = namespace.into();
    }
    json!({"apiVersion": api_version, "kind": kind, "metadata": metadata})
}

/// Stories with up to three definitions of up to 60 nodes and up to three instances.
pub fn stories() -> impl Strategy<Value = Story> {
    stories_with(3)
}

/// The same with up to so many definitions.
pub fn stories_with(most: usize) -> impl Strategy<Value = Story> {
    let graphs = prop::collection::vec(graphs(), 1..=most);
    let deeds = prop::collection::vec(deeds(), 0..8);
    (graphs, 1..=3_usize, deeds, prop::bool::weighted(0.2), any::<u64>()).prop_map(
        |(graphs, instances, deeds, obstacle, seed)| Story { graphs, instances, deeds, obstacle, seed },
    )
}

fn deeds() -> impl Strategy<Value = Deed> {
    let tampering =
        prop::sample::select(vec![Tampering::Change, Tampering::Add, Tampering::Delete, Tampering::Unready]);
    prop_oneof![
        4 => (0..3_usize, wishes()).prop_map(|(instance, wish)| Deed::Edit(instance, wish)),
        2 => (0..3_usize).prop_map(Deed::Delete),
        2 => (0..3_usize, wishes()).prop_map(|(instance, wish)| Deed::Create(instance, wish)),
        2 => (0..3_usize).prop_map(Deed::Define),
        1 => prop::sample::select(vec!["one", "two"]).prop_map(Deed::Share),
        3 => (any::<usize>(), tampering).prop_map(|(which, how)| Deed::Tamper(which, how)),
    ]
}

/// What somebody may ask an instance for.
pub fn wishes() -> impl Strategy<Value = Wish> {
    let text = || prop::sample::select(vec!["one", "two", "three"]);
    ([text(), text()], any::<[bool; 3]>(), 0..5_usize).prop_map(|(texts, flags, items)| Wish {
        texts,
        flags,
        items,
    })
}
