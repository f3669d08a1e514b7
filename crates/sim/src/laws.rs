//! What must never happen, whatever goes wrong.

use std::collections::BTreeSet;

use krono_graph::{CompiledGraph, KindName, NodeState, Observed, Target};
use krono_model::applyset::Inventory;
use krono_model::metadata::InstanceRef;
use krono_model::names;
use krono_planner::instance::{Cluster, ObjectName, input_kind};
use serde_json::Value;

use crate::server::{Request, Server};
use crate::text::{is_terminating, label, metadata, name_of, part_of, version};

/// A write of the controller, as it happened.
pub(crate) struct Deed<'a> {
    pub(crate) instance: &'a ObjectName,
    pub(crate) request: &'a Request,
    /// The object before it.
    pub(crate) before: Option<&'a Value>,
    pub(crate) server: &'a Server,
    /// Whether it was planned for an instance that is being deleted.
    pub(crate) ending: bool,
    /// Objects that are nobody's but their owners'.
    pub(crate) guarded: &'a BTreeSet<ObjectName>,
}

impl Deed<'_> {
    /// What is wrong with it, if anything is.
    pub(crate) fn wrong(&self) -> Option<String> {
        let name = self.request.name();
        let after = self.server.get(name);
        if after.map(version) == self.before.map(version) {
            return None;
        }
        let wrong = if self.guarded.contains(name) {
            Some("touched what is not theirs")
        } else if name == self.instance {
            self.before.is_none().then_some("brought an instance back")
        } else {
            self.wrong_with_resource(name)
        };
        wrong.map(|it| format!("{it}: {:?}", self.request))
    }

    fn wrong_with_resource(&self, name: &ObjectName) -> Option<&'static str> {
        if name.kind == input_kind() {
            return self.wrong_with_input();
        }
        let Some(instance) = self.server.get(self.instance) else {
            return Some("worked for an instance that is gone");
        };
        let id = InstanceRef::from_object(instance).applyset_id();
        let is_ours = self.before.and_then(part_of).is_none_or(|it| it == id);
        match self.request {
            _ if !is_ours => Some("changed the resource of another instance"),
            Request::Apply { .. } => {
                (!is_covered(instance, name)).then_some("applied outside of the inventory")
            }
            Request::Delete { .. } | Request::Merge { .. } => {
                let later = self.ending && self.leaves_later_wave(&id);
                let owned = self.before.and_then(part_of).is_some();
                match () {
                    () if !owned => Some("removed what nobody made"),
                    () if later => Some("removed a resource before those that depend on it"),
                    () => None,
                }
            }
            Request::Create { .. } | Request::Status { .. } => Some("made an unexpected request"),
        }
    }

    /// Inputs of others are left alone, unless a backup has left them without owner.
    fn wrong_with_input(&self) -> Option<&'static str> {
        let uid = self.server.get(self.instance).map(|it| metadata(it, "uid"));
        let before = self.before.filter(|it| it["metadata"]["ownerReferences"].is_array());
        let owner = before.and_then(|it| label(it, names::INPUT_REVISION_OF_LABEL));
        (uid.is_some() && owner.is_some() && owner != uid).then_some("changed the input of another instance")
    }

    fn leaves_later_wave(&self, id: &str) -> bool {
        let own = self.before.map_or(0, wave);
        self.server.objects().any(|(_, it)| part_of(it) == Some(id) && wave(it) > own)
    }
}

fn wave(object: &Value) -> usize {
    let text = object["metadata"]["annotations"][names::APPLY_ORDER_ANNOTATION].as_str();
    text.and_then(|it| it.parse().ok()).unwrap_or_default()
}

fn is_covered(instance: &Value, name: &ObjectName) -> bool {
    let Ok(Some(inventory)) = Inventory::read(instance) else { return false };
    let home = instance["metadata"]["namespace"].as_str().unwrap_or_default();
    let group = name.kind.group();
    let has_kind = inventory.group_kinds.iter().any(|it| it.kind == name.kind.kind && it.group == group);
    let at_home = name.namespace.is_empty() || name.namespace == home;
    has_kind && (at_home || inventory.namespaces.contains(&name.namespace))
}

/// Why nothing may be pruned yet, if so: something is not known, not there, or not as it should be.
pub(crate) fn not_settled(
    graph: &CompiledGraph,
    instance: &Value,
    view: &dyn Cluster,
    server: &Server,
) -> Option<String> {
    let evaluation = graph.evaluate(instance, &Plain(view));
    for (node, state) in graph.nodes.iter().zip(&evaluation.nodes) {
        let complaint = match state {
            NodeState::Excluded { .. } => None,
            NodeState::Resolved(resolved) => absent(&resolved.target, node.subject.kind(), view, server),
            NodeState::Waiting { .. } | NodeState::Pending(_) | NodeState::Failed(_) => {
                Some("unknown".to_owned())
            }
        };
        if let Some(complaint) = complaint {
            return Some(format!("pruned while node {} is not settled: {complaint}", node.id));
        }
    }
    None
}

fn absent(target: &Target, kind: &KindName, view: &dyn Cluster, server: &Server) -> Option<String> {
    let Target::Objects(objects) = target else { return None };
    objects.iter().find_map(|object| {
        let name = name_of(kind, object);
        let seen = view.seen(kind, &name.namespace, &name.name);
        let spelled = server.spelled(kind, object);
        let is_there = seen.is_some_and(|it| !is_terminating(it.object) && holds(it.object, &spelled));
        (!is_there).then(|| format!("{name:?}"))
    })
}

/// Whether a value has all that another has.
fn holds(value: &Value, part: &Value) -> bool {
    match (value, part) {
        (Value::Object(value), Value::Object(part)) => {
            part.iter().all(|(name, it)| value.get(name).is_some_and(|value| holds(value, it)))
        }
        (_, _) => value == part,
    }
}

/// What is in the cluster, without any judgement.
pub(crate) struct Plain<'v>(pub(crate) &'v dyn Cluster);

impl Observed for Plain<'_> {
    fn object(&self, kind: &KindName, namespace: &str, name: &str) -> Option<&Value> {
        Some(self.0.seen(kind, namespace, name)?.object)
    }

    fn selected(&self, kind: &KindName, namespace: Option<&str>, selector: &Value) -> Vec<&Value> {
        self.0.selected(kind, namespace, selector)
    }
}
