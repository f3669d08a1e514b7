//! What a plan is made from.

use std::collections::BTreeMap;

use krono_graph::{CompiledGraph, KindName, Options, compile};
use krono_model::applyset::Inventory;
use krono_model::names;
use krono_planner::definition::crd_name;
use krono_planner::preview::Objects;
use serde_json::Value;

use super::kept::Versions;
use crate::described::Crd;
use crate::kinds::KnownKinds;

/// The world before an edit.
pub(super) struct World {
    /// By edited definition, in their order.
    pub(super) definitions: Vec<Standing>,
    /// Resources, and objects that definitions refer to.
    pub(super) objects: Objects,
    /// The kinds there are before the edit.
    pub(super) kinds: KnownKinds,
    /// What was read.
    pub(super) versions: Versions,
    /// Whether resources that were not read count as made.
    pub(super) assume_made: bool,
}

/// An edited definition as it stands.
#[derive(Default)]
pub(super) struct Standing {
    /// Nothing when it is new.
    pub(super) live: Option<Value>,
    /// Its graph; nothing when it makes none.
    pub(super) graph: Option<Box<CompiledGraph>>,
    pub(super) crd: Option<Value>,
    /// The objects that hold its revisions.
    pub(super) revisions: Vec<Value>,
    pub(super) instances: Vec<Value>,
}

impl Standing {
    /// The graph of the definition as it stands.
    pub(super) fn understand(&mut self, kinds: &KnownKinds, options: Options) {
        self.graph = self.live.as_ref().and_then(|it| compile(it, kinds, options).ok()).map(Box::new);
    }
}

/// The kinds that a definition mentions.
pub(super) fn mentioned(definition: &Value) -> Vec<(String, String)> {
    let resources = definition["spec"]["resources"].as_array().into_iter().flatten();
    let subject = |it: &Value| {
        let subject = it.get("template").or_else(|| it.get("externalRef"))?;
        Some((subject["apiVersion"].as_str()?.to_owned(), subject["kind"].as_str()?.to_owned()))
    };
    resources.filter_map(subject).collect()
}

/// API version and kind of a definition's instances.
pub(super) fn made(definition: &Value) -> (String, String) {
    let schema = &definition["spec"]["schema"];
    let text = |field: &str| schema[field].as_str().unwrap_or_default();
    let group = if text("group").is_empty() { "kro.run" } else { text("group") };
    (format!("{group}/{}", text("apiVersion")), text("kind").to_owned())
}

/// Adds the kinds of CRDs; what cannot be understood is left out, and missed where it is needed.
pub(super) fn add_crds<'v>(crds: impl IntoIterator<Item = &'v Value>, kinds: &mut KnownKinds) {
    for crd in crds {
        if let Some(Ok(crd)) = Crd::of(crd) {
            kinds.add_crd(crd);
        }
    }
}

/// The name of the CRD that an edited definition is about.
pub(super) fn crd_of(definition: &Value) -> String {
    crd_name(definition).unwrap_or_default()
}

/// How the objects of a kind are to be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Extent {
    /// Those that were made for an instance.
    Made,
    /// All.
    All,
}

/// The kinds whose objects matter to graphs; a kind in two versions is listed in that of the first graph.
pub(super) fn extents<'g>(graphs: impl Iterator<Item = &'g CompiledGraph>) -> BTreeMap<KindName, Extent> {
    let mut extents: BTreeMap<KindName, Extent> = BTreeMap::new();
    for node in graphs.flat_map(|it| &it.nodes) {
        let kind = node.subject.kind();
        let extent = match node.subject {
            krono_graph::Subject::Template(_) => Extent::Made,
            krono_graph::Subject::External(_) => Extent::All,
        };
        let same = |it: &KindName| it.group() == kind.group() && it.kind == kind.kind;
        let known = extents.keys().find(|it| same(it)).cloned();
        let known = extents.entry(known.unwrap_or_else(|| kind.clone())).or_insert(extent);
        *known = extent.max(*known);
    }
    extents
}

/// Whether an instance asks for an earlier input of its own, which may be an object.
pub(super) fn is_held(instance: &Value) -> bool {
    instance["metadata"]["annotations"].get(names::HOLD_INPUT_ANNOTATION).is_some()
}

/// The kinds of resources that instances say they have.
pub(super) fn inventories<'v>(
    instances: impl Iterator<Item = &'v Value>,
) -> impl Iterator<Item = krono_model::applyset::GroupKind> {
    instances.filter_map(|it| Inventory::read(it).ok().flatten()).flat_map(|it| it.group_kinds)
}

/// The label that all resources of instances have.
pub(super) const MADE: &str = names::APPLYSET_PART_OF_LABEL;
