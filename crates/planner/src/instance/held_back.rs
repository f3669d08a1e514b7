//! Resources that are there and whose change has to wait: they go on being made from the input that they are at (V34).

use std::collections::BTreeMap;

use krono_graph::{CompiledGraph, Evaluation, Known};
use krono_history::RevisionNumber;
use krono_history::input::Input;
use krono_model::metadata::InstanceRef;
use krono_propagation::gate::{ResourceFacts, resource_facts};
use serde_json::Value;

use super::assigned::{Asked, Stamps};
use super::desired::{Desired, Standing, desired};
use super::resources::Visible;
use super::{ObjectName, World, text};

/// What resources are held back by, beside the world.
pub(super) struct Holding<'p, 'a> {
    pub(super) world: &'p World<'a>,
    pub(super) graph: &'p CompiledGraph,
    pub(super) evaluation: &'p Evaluation,
    pub(super) asked: &'p Asked<'p>,
    pub(super) instance: &'p InstanceRef,
    pub(super) visible: &'p Visible<'p, 'a>,
}

/// The resources of earlier inputs, each evaluated once.
type Former<'a> = BTreeMap<RevisionNumber, Vec<Desired<'a>>>;

impl<'a> Holding<'_, 'a> {
    /// Puts what they are at in the place of what they should become, for resources whose change has to wait.
    pub(super) fn hold_back(&self, desired: &mut [Desired<'a>]) {
        let gates = self.asked.gates();
        let is_changed = |it: &Desired<'a>| {
            gates.has(&self.graph.nodes[it.node].id)
                && self.asked.may_wait()
                && self.asked.is_behind(it)
                && !self.input_at(it).is_some_and(|it| self.asked.passes(it))
        };
        let changed: Vec<usize> = (0..desired.len()).filter(|at| is_changed(&desired[*at])).collect();
        if changed.is_empty() {
            return;
        }
        let mut former = Former::new();
        let earlier: Vec<Option<Desired<'a>>> =
            changed.iter().map(|at| self.earlier(&desired[*at], &mut former)).collect();
        let reasons = self.reasons(&changed, desired);
        for ((at, earlier), reason) in changed.into_iter().zip(earlier).zip(reasons) {
            let is_other = earlier.as_ref().is_none_or(|it| it.digest != desired[at].digest);
            if let Some(reason) = reason.filter(|_| is_other) {
                wait(&mut desired[at], earlier, reason);
            }
        }
    }

    /// For each, why it has to wait; nothing where it has not to.
    fn reasons(&self, changed: &[usize], desired: &[Desired<'a>]) -> Vec<Option<String>> {
        let gates = self.asked.gates();
        let compiled = gates.compiled(self.graph, self.asked.content());
        let standings: BTreeMap<(usize, &str, &str), (bool, bool)> = desired
            .iter()
            .map(|it| {
                let is_failed = matches!(it.standing, Standing::Refused(_));
                (
                    (it.node, it.name.namespace.as_str(), it.name.name.as_str()),
                    (self.asked.is_at(it), is_failed),
                )
            })
            .collect();
        let known = |node: usize, object: &Value, is_ready: bool| {
            let namespaced = self.graph.nodes[node].subject.kind().namespaced;
            let namespace = if namespaced { text(object, "namespace") } else { "" };
            let found = standings.get(&(node, namespace, text(object, "name"))).copied();
            // What others make is as it is.
            let (is_updated, is_failed) = found.unwrap_or((true, false));
            let (name, value) = resource_facts(ResourceFacts { is_updated, is_ready, is_failed });
            Known { name, value }
        };
        let asking =
            compiled.gates.ask(self.graph, &self.asked.instance, self.evaluation, self.visible, &known);
        let reason = |at: &usize| {
            let Desired { node, name, .. } = &desired[*at];
            let closed = asking.closed(*node, &name.namespace, &name.name)?;
            let passes = closed.error.is_some() && gates.is_open();
            (!passes).then(|| closed.to_string())
        };
        changed.iter().map(reason).collect()
    }

    /// The same resource as the input that it is at wants it; nothing where that is not known.
    fn earlier(&self, wanted: &Desired<'a>, former: &mut Former<'a>) -> Option<Desired<'a>> {
        let input = self.input_at(wanted)?;
        let all = former.entry(input.number).or_insert_with(|| self.made_from(input).unwrap_or_default());
        let found = all.iter().position(|it| it.name == wanted.name)?;
        Some(Desired { node: wanted.node, ..all.swap_remove(found) })
    }

    fn input_at(&self, wanted: &Desired<'_>) -> Option<&Input> {
        let ObjectName { kind, namespace, name } = &wanted.name;
        self.asked.input_at(self.world.cluster.seen(kind, namespace, name)?.object)
    }

    /// All resources of an earlier input.
    fn made_from(&self, input: &Input) -> Option<Vec<Desired<'a>>> {
        let assigned = self.asked.assigned();
        let graph = assigned.schemas.graph_of(input.definition.digest)?.ok()?;
        let mut instance = self.world.instance.clone();
        instance["spec"] = input.unpacked()?;
        let evaluation = graph.evaluate(&instance, self.visible);
        let stamps = Stamps::new(assigned, input);
        Some(desired(self.world, graph, &evaluation, self.instance, self.visible.id, Some(&stamps)))
    }
}

/// Lets a resource be what it was; where nobody knows what that is, it is left alone.
fn wait<'a>(desired: &mut Desired<'a>, earlier: Option<Desired<'a>>, reason: String) {
    match earlier {
        Some(earlier) => *desired = earlier,
        None => desired.standing = Standing::Live,
    }
    desired.waits = Some(reason);
}
