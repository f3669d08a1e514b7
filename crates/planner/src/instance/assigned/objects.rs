//! Input revisions that are objects of their own.

use krono_graph::KindName;
use krono_history::input::{
    Input, Inputs, KeptSpec, Standing, input_revision_object, input_revision_owner, read_object,
};
use krono_history::retention::Restorable;
use krono_history::{RevisionNumber, names};
use krono_model::metadata::InstanceRef;
use krono_model::names as keys;
use serde_json::{Value, json};

use super::super::{Action, Cluster, InputAction, ObjectName, text};
use super::home::{INPUT_HISTORY, of_krono};
use super::{Asked, Keeping, Progress};

/// The kind of input revisions.
pub fn kind() -> KindName {
    KindName {
        api_version: "kro.run/v1alpha1".to_owned(),
        kind: "ResourceGraphInputRevision".to_owned(),
        namespaced: true,
    }
}

/// Whether objects may hold inputs of an instance: they stay its history when others are kept in its status.
pub fn may_have_objects(instance: &Value, keeping: Keeping<'_>) -> bool {
    // Asked at every look: inputs that are all here are not read for it.
    let has_gaps =
        |told: &Value| told.as_array().is_some_and(|all| all.iter().any(|it| it["spec"].is_null()));
    keeping != Keeping::Inline || has_gaps(of_krono(&instance["status"], INPUT_HISTORY))
}

/// The inputs of an instance: what its status tells, and what objects hold.
pub(crate) fn known(told: Inputs, instance: &Value, keeping: Keeping<'_>, cluster: &dyn Cluster) -> Inputs {
    if keeping == Keeping::Inline && !told.have_gaps() {
        return told;
    }
    let held = objects(instance, keeping, &told, cluster).into_iter();
    let held: Vec<Input> = held.filter_map(|it| read_object(it).ok()).map(Input::in_object).collect();
    let is_held = |input: &Input| held.iter().any(|it| it.number == input.number);
    let lost = |input: &Input| match input.spec {
        KeptSpec::Packed(_) | KeptSpec::Object(_) | KeptSpec::Dropped => input.clone(),
        KeptSpec::Elsewhere => Input { spec: KeptSpec::Dropped, ..input.clone() },
    };
    let others: Vec<Input> = told.iter().filter(|it| !is_held(it)).map(lost).collect();
    let all = Inputs::new(held.into_iter().chain(others).collect());
    let newest = all.current().and_then(|it| told.find(it.number));
    all.superseded().with_standing(newest.map_or(Standing::InProgress, |it| it.standing))
}

/// The objects that hold inputs of an instance: those with its UID, else, where inputs are to be objects, those that a
/// restored backup has left without owner.
fn objects<'c>(
    instance: &Value,
    keeping: Keeping<'_>,
    told: &Inputs,
    cluster: &'c dyn Cluster,
) -> Vec<&'c Value> {
    let members = cluster.members(text(instance, "uid"));
    let own: Vec<&Value> = members.into_iter().map(|it| it.object).collect();
    let Keeping::Objects { definition } = keeping else { return own };
    if !own.is_empty() || told.current().is_some() {
        return own;
    }
    let selector = json!({"matchLabels": {keys::INSTANCE_NAME_LABEL: names::label(text(instance, "name"))}});
    let found = cluster.selected(&kind(), Some(text(instance, "namespace")), &selector);
    found.into_iter().filter(|it| is_left(it, definition)).collect()
}

/// Whether an input revision has no owner, and is for a definition of that name.
fn is_left(object: &Value, definition: &str) -> bool {
    let owners = object["metadata"]["ownerReferences"].as_array();
    let number = object["spec"]["rgdRevision"].as_i64().and_then(RevisionNumber::from_wire);
    let name = number.map(|it| names::definition_revision(definition, it));
    owners.is_none_or(Vec::is_empty) && object["spec"]["rgdRevisionRef"]["name"].as_str() == name.as_deref()
}

impl Asked<'_> {
    /// What has to be done before an input may be begun: it is kept, and so are those before it.
    pub(super) fn keep(&self) -> Vec<Action> {
        let keeping = self.assigned.keeping;
        // The status would forget them: nobody would look for them again.
        let Keeping::Objects { definition } = keeping else { return self.prune() };
        let instance = self.world.instance;
        let there = objects(instance, keeping, &self.told, self.world.cluster);
        let number = |it: &Value| it["spec"]["inputRevision"].as_i64();
        let is_there = |input: &Input| there.iter().any(|it| number(it) == Some(input.number.to_wire()));
        let made = self.inputs.iter().filter(|it| it.unpacked().is_some() && !is_there(it));
        let made = made.filter_map(|it| self.create(it, definition));
        let uid = text(instance, "uid");
        let is_strange = |it: &&&Value| it["metadata"]["labels"][keys::INPUT_REVISION_OF_LABEL] != uid;
        let adopted = there.iter().filter(is_strange).map(|it| adopt(it, instance));
        adopted.chain(made).map(Action::Input).collect()
    }

    /// Nothing while somebody else has both names.
    fn create(&self, input: &Input, definition: &str) -> Option<InputAction> {
        let of = InstanceRef::from_object(self.world.instance);
        let usual = names::input_revision(&of.name, input.number);
        let longer = names::input_revision_of_kind(&of.kind, &of.name, input.number);
        let is_free = |name: &String| self.world.cluster.seen(&kind(), &of.namespace, name).is_none();
        let name = [usual, longer].into_iter().find(is_free)?;
        let object = input_revision_object(input, &name, self.world.instance, definition);
        Some(InputAction::Create { name: object_name(&object), object })
    }

    /// Whether all that is known of inputs stands in the status.
    pub(super) fn is_inline(&self) -> bool {
        self.assigned.keeping == Keeping::Inline && !self.told.have_gaps()
    }

    /// What is told about inputs that are kept, and those that are kept no longer.
    pub(in super::super) fn tend(&self, progress: &Progress) -> Vec<Action> {
        if self.is_new {
            return Vec::new();
        }
        let inputs = self.inputs_at(self.outcome(progress));
        let about = self.kept_objects().filter_map(|(object, number)| match inputs.find(number) {
            Some(input) => self.tell_about(object, input, progress),
            None => Some(pruned(object)),
        });
        about.map(Action::Input).collect()
    }

    /// The end of objects whose inputs are kept no longer.
    fn prune(&self) -> Vec<Action> {
        let surplus = self.kept_objects().filter(|(_, number)| self.inputs.find(*number).is_none());
        surplus.map(|(object, _)| Action::Input(pruned(object))).collect()
    }

    /// The objects that hold inputs of the instance.
    fn kept_objects(&self) -> impl Iterator<Item = (&Value, RevisionNumber)> {
        let uid = Some(text(self.world.instance, "uid")).filter(|_| !self.is_inline());
        let members = uid.map(|it| self.world.cluster.members(it)).unwrap_or_default();
        members.into_iter().filter_map(|it| Some((it.object, read_object(it.object).ok()?.number)))
    }

    /// Nothing when it is told already.
    fn tell_about(&self, object: &Value, input: &Input, progress: &Progress) -> Option<InputAction> {
        let before = &object["status"];
        let is_current = self.inputs.current().is_some_and(|it| it.number == input.number);
        let is_restorable = input.restorable(self.assigned.kept) == Restorable::Yes;
        let standing = if is_current { input.standing } else { Standing::Superseded };
        let is_told = before["propagationStatus"] == standing.as_str()
            && before["restorable"].as_bool().unwrap_or(true) == is_restorable;
        if is_told {
            return None;
        }
        let mut status = json!({
            "specHash": input.digest.to_string(),
            "createdAt": input.created_at,
            "propagationStatus": standing.as_str(),
            "restorable": if is_restorable { Value::Null } else { json!(false) },
        });
        if is_current {
            status["resourcesAtRevision"] = json!(progress.at);
            status["totalResources"] = json!(progress.total);
        }
        let version = &object["metadata"]["resourceVersion"];
        let patch = json!({"metadata": {"resourceVersion": version}, "status": status});
        Some(InputAction::Tell { name: object_name(object), patch })
    }
}

/// It goes, if it is still the one that was seen.
fn pruned(object: &Value) -> InputAction {
    InputAction::Prune { name: object_name(object), uid: text(object, "uid").to_owned() }
}

/// An input revision becomes that of the instance which has its name.
fn adopt(object: &Value, instance: &Value) -> InputAction {
    let patch = json!({"metadata": {
        "resourceVersion": object["metadata"]["resourceVersion"],
        "labels": {keys::INPUT_REVISION_OF_LABEL: instance["metadata"]["uid"]},
        "ownerReferences": [input_revision_owner(instance)],
    }});
    InputAction::Adopt { name: object_name(object), patch }
}

fn object_name(object: &Value) -> ObjectName {
    ObjectName {
        kind: kind(),
        namespace: text(object, "namespace").to_owned(),
        name: text(object, "name").to_owned(),
    }
}
