//! Random histories of a definition, its revisions and its instances.

use proptest::prelude::*;
use serde_json::{Value, json};

/// What happens, beside what controllers do.
#[derive(Clone, Debug)]
pub(crate) struct History {
    /// In this order.
    pub(crate) deeds: Vec<Deed>,
    /// Of all that chance decides while the history is played.
    pub(crate) seed: u64,
}

/// What somebody does; numbers of revisions are taken from those that were issued, and one more.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    /// The definition gets some content.
    Define(usize),
    /// The definition gets content that does not compile.
    DefineBadly,
    /// Edits become revisions on request, or at once.
    Manual(bool),
    /// A request to issue what is pending.
    CreateRevision,
    /// A request to have a revision back.
    Rollback(usize),
    /// A revision is served whatever the spec says, or none is.
    Hold(Option<usize>),
    /// How many revisions are kept.
    Limit(usize),
    /// Inputs of instances are objects of their own or stand in their status, and so many of them are kept.
    Keep(&'static str, usize),
    /// The propagation of a revision comes to its end.
    Complete(usize),
    /// Somebody deletes a revision.
    DeleteRevision(usize),
    /// An instance is pinned, or unpinned.
    Pin(usize, Option<usize>),
    /// An instance may move to a revision.
    Approve(usize, usize),
    /// How an instance follows its definition.
    Follow(usize, Option<&'static str>),
    /// An instance's spec.
    Edit(usize, &'static str),
    /// A request to have an input of an instance back.
    RollbackInput(usize, usize),
    /// An instance is held at an input, or no longer.
    HoldInput(usize, Option<usize>),
    /// An instance goes.
    Delete(usize),
    /// An instance comes.
    Create(usize, &'static str),
    /// A process dies.
    Restart,
    /// Time passes.
    Wait(i64),
    /// The cluster is lost, and restored from a backup without status.
    Import,
}

/// Histories that begin with a definition and instances.
pub(crate) fn histories(most: usize) -> impl Strategy<Value = History> {
    (prop::collection::vec(deed(), 1..most), any::<u64>()).prop_map(|(deeds, seed)| History { deeds, seed })
}

fn deed() -> impl Strategy<Value = Deed> {
    let number = || 0..20_usize;
    let instance = || 0..3_usize;
    let text = || prop::sample::select(vec!["one", "two", "three"]);
    let policies = vec![None, Some("Manual"), Some("Auto"), Some("Paused"), Some("nonsense")];
    let follow = (instance(), prop::sample::select(policies));
    let keeping = prop::sample::select(vec!["Inline", "Objects", "Objects"]);
    prop_oneof![
        8 => (0..CONTENTS).prop_map(Deed::Define),
        1 => Just(Deed::DefineBadly),
        1 => any::<bool>().prop_map(Deed::Manual),
        1 => Just(Deed::CreateRevision),
        3 => number().prop_map(Deed::Rollback),
        2 => prop::option::of(number()).prop_map(Deed::Hold),
        2 => (0..3_usize).prop_map(Deed::Limit),
        2 => (keeping, 0..4_usize).prop_map(|(keeping, limit)| Deed::Keep(keeping, limit)),
        2 => number().prop_map(Deed::Complete),
        1 => number().prop_map(Deed::DeleteRevision),
        3 => (instance(), prop::option::of(number())).prop_map(|(of, it)| Deed::Pin(of, it)),
        1 => (instance(), number()).prop_map(|(of, it)| Deed::Approve(of, it)),
        2 => follow.prop_map(|(of, it)| Deed::Follow(of, it)),
        2 => (instance(), text()).prop_map(|(of, it)| Deed::Edit(of, it)),
        2 => (instance(), number()).prop_map(|(of, it)| Deed::RollbackInput(of, it)),
        1 => (instance(), prop::option::of(number())).prop_map(|(of, it)| Deed::HoldInput(of, it)),
        1 => instance().prop_map(Deed::Delete),
        2 => (instance(), text()).prop_map(|(of, it)| Deed::Create(of, it)),
        2 => Just(Deed::Restart),
        3 => prop::sample::select(vec![5, 61, 130_i64]).prop_map(Deed::Wait),
        1 => Just(Deed::Import),
    ]
}

/// How many contents a definition may have.
pub(crate) const CONTENTS: usize = 12;

/// The schema and the resources of a definition.
pub(crate) fn content(index: usize) -> Value {
    let has = |bit: usize| index & bit != 0;
    let mut data = json!({"own": "${schema.spec.a}", "mark": index.to_string()});
    let mut spec = json!({"a": "string"});
    if has(4) {
        spec["c"] = "string | default=\"third\"".into();
        data["third"] = "${schema.spec.c}".into();
    }
    let mut resources = vec![resource("main", "v1", "ConfigMap", &json!({"data": data}))];
    if has(1) {
        let values = json!({"values": {"own": "${main.data.own}"}});
        let mut part = resource("part", "sim.krono.dev/v1", "Part", &json!({"spec": values}));
        part["readyWhen"] = json!(["${part.status.ready}"]);
        resources.push(part);
    }
    if has(2) {
        resources.push(resource("extra", "v1", "ConfigMap", &json!({"data": {"own": "${main.data.own}"}})));
    }
    json!({"schema": {"kind": "Demo", "apiVersion": "v1alpha1", "spec": spec}, "resources": resources})
}

/// Content that does not compile.
pub(crate) fn bad_content() -> Value {
    let mut content = content(0);
    content["resources"][0]["template"]["data"]["own"] = "${schema.spec.nobody}".into();
    content
}

fn resource(id: &str, api_version: &str, kind: &str, content: &Value) -> Value {
    let name = format!("${{schema.metadata.name}}-{id}");
    let mut template = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}});
    for (field, value) in content.as_object().into_iter().flatten() {
        template[field] = value.clone();
    }
    json!({"id": id, "template": template})
}
