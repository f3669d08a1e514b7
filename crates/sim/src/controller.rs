//! A controller's memory: caches, what was applied, and the work on each instance. All of it is lost with the process.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use krono_graph::{CompiledGraph, KindName};
use krono_model::applyset::{GroupKind, Inventory};
use krono_model::names;
use krono_planner::instance::{
    Action, Applied, Cluster, Interest, Member, ObjectName, Refused, Seen, input_kind,
};
use krono_schema::selector::selects;
use serde_json::Value;

use crate::cache::{Cache, Entry};
use crate::lineage::Mind;
use crate::server::Server;
use crate::text::{label, metadata, part_of};

/// What one process knows.
#[derive(Debug, Default)]
pub struct Controller {
    pub(crate) caches: BTreeMap<KindName, Cache>,
    pub(crate) ledger: BTreeMap<ObjectName, Applied>,
    pub(crate) work: BTreeMap<ObjectName, Work>,
    pub(crate) mind: Mind,
}

/// The work on one instance.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is set and read by itself")]
pub(crate) struct Work {
    /// There is something to look at.
    pub(crate) due: bool,
    /// Trying again later may help.
    pub(crate) later: bool,
    /// Whether a pass is under way: what it learned is forgotten at its end.
    pub(crate) running: bool,
    /// What the last plan wants and is not done yet.
    pub(crate) pending: VecDeque<Action>,
    /// Something was not as it was seen: the pass ends after what is pending.
    pub(crate) stale: bool,
    pub(crate) refused: Refused,
    /// Objects that were read although no cache holds them.
    pub(crate) glimpsed: BTreeMap<ObjectName, Entry>,
    pub(crate) interests: Vec<Interest>,
    /// A request was not answered since the work last came to its end: it may have been heard.
    pub(crate) unanswered: bool,
    /// Whether the last plan was for an instance that is being deleted.
    pub(crate) ending: bool,
}

impl Work {
    pub(crate) fn is_busy(&self) -> bool {
        self.due || !self.pending.is_empty()
    }

    /// Begins a pass, unless one is under way.
    pub(crate) fn begin(&mut self) {
        if !self.running {
            self.refused = Refused::default();
            self.glimpsed.clear();
            (self.running, self.later) = (true, false);
        }
    }

    /// Ends a pass.
    pub(crate) fn end(&mut self, later: bool) {
        (self.running, self.stale) = (false, false);
        self.later |= later;
    }
}

impl Controller {
    /// A process that starts: it lists everything, and looks at every instance.
    pub fn started(server: &Server, whole: &BTreeSet<KindName>, instances: &BTreeSet<KindName>) -> Self {
        let cache = |kind: &KindName| {
            (kind.clone(), Cache::listed(server, kind, whole.contains(kind) || instances.contains(kind)))
        };
        let caches: BTreeMap<_, _> = server.kinds().map(cache).collect();
        let mut controller = Self { caches, ..Self::default() };
        controller.look_at_all(instances);
        controller
    }

    /// Every instance is due.
    pub(crate) fn look_at_all(&mut self, instances: &BTreeSet<KindName>) {
        let caches = instances.iter().filter_map(|kind| self.caches.get(kind));
        for (name, _) in caches.flat_map(Cache::entries) {
            self.work.entry(name.clone()).or_default().due = true;
        }
    }

    pub(crate) fn cached(&self, name: &ObjectName) -> Option<&Entry> {
        self.caches.get(&name.kind)?.get(name)
    }

    /// Something happened to an object: those whom it concerns are due.
    pub(crate) fn look_at_concerned(
        &mut self,
        kind: &KindName,
        object: &Value,
        instances: &BTreeSet<KindName>,
    ) {
        if instances.contains(kind) {
            self.work.entry(crate::text::name_of(kind, object)).or_default().due = true;
        }
        if let Some(owner) = owner(object, instances) {
            self.work.entry(owner).or_default().due = true;
        }
        for work in self.work.values_mut() {
            work.due |= work.interests.iter().any(|it| concerns(it, kind, object));
        }
    }

    /// What can be seen on behalf of an instance, looking for its resources among some kinds.
    pub(crate) fn view<'c>(&'c self, work: &'c Work, searched: BTreeSet<GroupKind>) -> View<'c> {
        View { controller: self, glimpsed: &work.glimpsed, searched }
    }
}

/// The instance that an object was made for, as its labels say.
pub(crate) fn owner(object: &Value, instances: &BTreeSet<KindName>) -> Option<ObjectName> {
    let of = |name: &str| label(object, name).unwrap_or_default();
    let api_version = format!("{}/{}", of(names::INSTANCE_GROUP_LABEL), of(names::INSTANCE_VERSION_LABEL));
    let is_kind = |it: &&KindName| it.api_version == api_version && it.kind == of(names::INSTANCE_KIND_LABEL);
    Some(ObjectName {
        kind: instances.iter().find(is_kind)?.clone(),
        namespace: of(names::INSTANCE_NAMESPACE_LABEL).to_owned(),
        name: of(names::INSTANCE_NAME_LABEL).to_owned(),
    })
}

fn concerns(interest: &Interest, kind: &KindName, object: &Value) -> bool {
    match interest {
        Interest::Named(name) => *name == crate::text::name_of(kind, object),
        Interest::Selected { kind: of, namespace, selector } => {
            of == kind
                && is_in(object, namespace.as_deref())
                && selects(selector, &object["metadata"]["labels"])
        }
    }
}

fn is_in(object: &Value, namespace: Option<&str>) -> bool {
    namespace.is_none_or(|it| it == metadata(object, "namespace"))
}

/// What a controller sees on behalf of one instance.
pub(crate) struct View<'c> {
    controller: &'c Controller,
    glimpsed: &'c BTreeMap<ObjectName, Entry>,
    searched: BTreeSet<GroupKind>,
}

/// The kinds among which a controller looks for the resources of an instance: those it may want, and those it noted.
pub(crate) fn searched(instance: &Value, graph: Option<&CompiledGraph>) -> BTreeSet<GroupKind> {
    let noted = Inventory::read(instance).ok().flatten().unwrap_or_default().group_kinds;
    let nodes = graph.iter().flat_map(|graph| &graph.nodes);
    nodes.map(|node| group_kind(node.subject.kind())).chain(noted).collect()
}

/// A kind without its version.
pub(crate) fn group_kind(kind: &KindName) -> GroupKind {
    let group = kind.group();
    GroupKind { group: group.to_owned(), kind: kind.kind.clone() }
}

impl Cluster for View<'_> {
    fn seen(&self, kind: &KindName, namespace: &str, name: &str) -> Option<Seen<'_>> {
        let name = ObjectName { kind: kind.clone(), namespace: namespace.to_owned(), name: name.to_owned() };
        let entry = self.controller.cached(&name).or_else(|| self.glimpsed.get(&name))?;
        let applied = self.controller.ledger.get(&name).copied();
        Some(Seen { object: &entry.object, live: entry.live, applied })
    }

    fn selected(&self, kind: &KindName, namespace: Option<&str>, selector: &Value) -> Vec<&Value> {
        let entries = self.controller.caches.get(kind).into_iter().flat_map(Cache::entries);
        let objects = entries.map(|(_, it)| &it.object);
        objects.filter(|it| is_in(it, namespace) && selects(selector, &it["metadata"]["labels"])).collect()
    }

    fn members(&self, applyset: &str) -> Vec<Member<'_>> {
        let entries = self.controller.caches.values().flat_map(Cache::entries);
        let inputs = input_kind();
        let members = entries.filter(|(name, it)| {
            if name.kind == inputs {
                return label(&it.object, names::INPUT_REVISION_OF_LABEL) == Some(applyset);
            }
            part_of(&it.object) == Some(applyset) && self.searched.contains(&group_kind(&name.kind))
        });
        members.map(|(name, it)| Member { kind: &name.kind, object: &it.object }).collect()
    }
}
