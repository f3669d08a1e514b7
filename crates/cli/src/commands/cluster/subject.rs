//! Definitions and instances with their revisions.

use std::collections::BTreeSet;

use jiff::Timestamp;
use krono_cel::advice;
use krono_history::hold::{Hold, Place};
use krono_history::{RevisionNumber, names};
use krono_model::names as keys;
use krono_planner::instance::assignment;
use krono_propagation::limits::{Allowance, Limits, Policy};
use krono_views::{
    InputRow, RevisionRow, RevisionRows, assigned_revision, definition_of, input_rows, kind_of_instances,
};
use kube::api::WatchParams;
use serde_json::{Value, json};

use super::objects::{Listed, Objects};
use super::types::Type;
use super::wait::any_change;
use crate::arguments::target::{PlaceArguments, Target};
use crate::command_error::CommandError;

/// The group of definitions and revisions.
const GROUP: &str = "kro.run";
const DEFINITION: &str = "ResourceGraphDefinition";
const REVISION: &str = "ResourceGraphDefinitionRevision";
const INPUT: &str = "ResourceGraphInputRevision";

/// A definition or an instance.
pub(crate) enum Subject {
    Definition(Box<Definition>),
    Instance(Box<Instance>),
}

/// The longest value of a label.
const LONGEST_LABEL: usize = 63;

/// A definition with its revisions.
pub(crate) struct Definition {
    pub(crate) kind: Type,
    pub(crate) object: Value,
    /// The objects that hold its revisions.
    pub(crate) objects: Vec<Value>,
    /// From where a watch of these goes on.
    pub(crate) version: String,
    pub(crate) revisions: RevisionRows,
    /// Whether only its revisions are left, and the object is what the newest of them says.
    pub(crate) is_gone: bool,
}

/// An instance with its input revisions and its definition.
pub(crate) struct Instance {
    pub(crate) kind: Type,
    pub(crate) object: Value,
    /// The objects that hold input revisions, if any do.
    pub(crate) objects: Vec<Value>,
    /// From where a watch of these goes on.
    pub(crate) version: String,
    pub(crate) inputs: Vec<InputRow>,
    pub(crate) definition: Definition,
    /// Where it is, when commands have to be told.
    namespace: Option<String>,
}

/// Connects, and reads what somebody named, to be changed.
pub(crate) async fn read(
    place: &PlaceArguments,
    target: &Target,
) -> Result<(Objects, Subject), CommandError> {
    let (objects, subject) = read_kept(place, target).await?;
    if subject.definition().is_gone {
        return Err(CommandError::wrong(subject.definition().is_gone_in_words())
            .hint("they can be looked at; a definition of the same name and kind goes on with them"));
    }
    Ok((objects, subject))
}

/// Connects, and reads what somebody named, to be looked at: what is left of it is enough.
pub(crate) async fn read_kept(
    place: &PlaceArguments,
    target: &Target,
) -> Result<(Objects, Subject), CommandError> {
    let objects = Objects::of(&place.cluster, place.namespace.as_deref()).await?;
    let subject = subject(&objects, target).await?;
    Ok((objects, subject))
}

/// What somebody named.
pub(crate) async fn subject(objects: &Objects, target: &Target) -> Result<Subject, CommandError> {
    match target {
        Target::Definition(name) => Ok(Subject::Definition(Box::new(definition(objects, name).await?))),
        Target::Object { word, name } => {
            let kind = objects.types.find(word)?;
            if kind.resource.group == GROUP && kind.resource.kind == DEFINITION {
                return Ok(Subject::Definition(Box::new(definition(objects, name).await?)));
            }
            Ok(Subject::Instance(Box::new(instance(objects, kind, name).await?)))
        }
    }
}

/// Waits until a definition, an instance or one of their revisions is changed.
pub(crate) async fn changed(objects: &Objects, subject: &Subject) -> Result<(), CommandError> {
    let (kind, object, of, only, version) = match subject {
        Subject::Definition(it) => {
            let only = WatchParams::default().labels(&label_of(it.name()));
            (&it.kind, &it.object, REVISION, only, &it.version)
        }
        Subject::Instance(it) => (&it.kind, &it.object, INPUT, WatchParams::default(), &it.version),
    };
    let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default();
    let itself = WatchParams::default().fields(&format!("metadata.name={}", text("name")));
    let own = any_change(objects, kind, &itself, text("resourceVersion"));
    match objects.types.kind(GROUP, of).filter(|_| !version.is_empty()) {
        Some(of) => tokio::select! {
            changed = own => changed,
            changed = any_change(objects, of, &only, version) => changed,
        },
        None => own.await,
    }
}

impl Subject {
    /// The definition that it is, or is an instance of.
    pub(crate) fn definition(&self) -> &Definition {
        match self {
            Self::Definition(it) => it,
            Self::Instance(it) => &it.definition,
        }
    }

    /// The definition; an error where an instance was named.
    pub(crate) fn into_definition(self) -> Result<Definition, CommandError> {
        match self {
            Self::Definition(definition) => Ok(*definition),
            Self::Instance(instance) => {
                let error =
                    CommandError::usage(format!("{} is an instance, not a definition", instance.name()));
                Err(error.hint(format!("its definition is rgd/{}", instance.definition.name())))
            }
        }
    }

    /// The instance; an error where a definition was named.
    pub(crate) fn into_instance(self) -> Result<Instance, CommandError> {
        match self {
            Self::Instance(instance) => Ok(*instance),
            Self::Definition(definition) => {
                let (_, kind) = kind_of_instances(&definition.object);
                let error = CommandError::usage(format!(
                    "rgd/{} is a definition, not an instance",
                    definition.name()
                ));
                Err(error.hint(format!("name one of its instances: {}/NAME", kind.to_lowercase())))
            }
        }
    }
}

/// A definition with its revisions.
pub(crate) async fn definition(objects: &Objects, name: &str) -> Result<Definition, CommandError> {
    let kind = served(objects, DEFINITION)?;
    let found = objects.find(&kind, name).await?;
    let held = objects.list(&served(objects, REVISION)?.resource, &label_of(name)).await?;
    let of_it: Vec<Value> = held.items.into_iter().filter(|it| is_of(it, name)).collect();
    let (is_gone, version) = (found.is_none(), held.version);
    let Some(object) = found.or_else(|| left_of(name, &of_it)) else {
        let error = objects.get(&kind, name).await.err();
        let error = error.unwrap_or_else(|| CommandError::wrong(format!("rgd/{name} has just been made")));
        return Err(with_similar(objects, &kind, name, error).await);
    };
    let rows = if is_gone { RevisionRows::left } else { RevisionRows::new };
    let revisions = rows(&object, &of_it);
    Ok(Definition { kind, object, objects: of_it, version, revisions, is_gone })
}

/// What a definition was that is gone, as its newest revision has it.
fn left_of(name: &str, revisions: &[Value]) -> Option<Value> {
    let newest = revisions.iter().max_by_key(|it| it["spec"]["revision"].as_i64())?;
    let spec = json!({"schema": newest["spec"]["schema"], "resources": newest["spec"]["resources"]});
    Some(json!({"kind": DEFINITION, "metadata": {"name": name}, "spec": spec}))
}

/// What the revisions of a definition are found by.
fn label_of(name: &str) -> String {
    format!("{}={}", keys::REVISION_OF_LABEL, names::label(name))
}

fn served(objects: &Objects, kind: &str) -> Result<Type, CommandError> {
    objects.types.kind(GROUP, kind).cloned().ok_or_else(|| {
        CommandError::wrong(format!("the cluster does not know the kind {kind}"))
            .hint("`krono controller` brings it along, and so does `krono up`")
    })
}

/// A name too long for a label stands whole in an annotation.
fn is_of(revision: &Value, name: &str) -> bool {
    revision["metadata"]["annotations"][keys::REVISION_OF_ANNOTATION].as_str().is_none_or(|it| it == name)
}

async fn with_similar(objects: &Objects, kind: &Type, name: &str, error: CommandError) -> CommandError {
    let Ok(all) = objects.list(&kind.resource, "").await else { return error };
    let names: BTreeSet<&str> = all.items.iter().filter_map(|it| it["metadata"]["name"].as_str()).collect();
    match advice::nearest(name, &names) {
        Some(meant) => error.hint(format!("did you mean {meant:?}?")),
        None => error,
    }
}

async fn instance(objects: &Objects, kind: &Type, name: &str) -> Result<Instance, CommandError> {
    let object = objects.get(kind, name).await?;
    let definition = definition_of_instance(objects, kind, &object).await?;
    let inputs_kind = objects.types.kind(GROUP, INPUT).filter(|_| kind.namespaced);
    let held = match inputs_kind {
        Some(inputs) => objects.list_here(inputs, "").await?,
        None => Listed::default(),
    };
    let inputs = input_rows(&object, &held.items);
    let is_elsewhere = kind.namespaced && objects.namespace != objects.client.default_namespace();
    Ok(Instance {
        namespace: is_elsewhere.then(|| objects.namespace.clone()),
        kind: kind.clone(),
        object,
        objects: held.items,
        version: held.version,
        inputs,
        definition,
    })
}

async fn definition_of_instance(
    objects: &Objects,
    kind: &Type,
    object: &Value,
) -> Result<Definition, CommandError> {
    let is_own = |it: &Value| kind_of_instances(it) == (&kind.resource.group, &kind.resource.kind);
    // A name that is too long for a label is not what the label says.
    if let Some(name) = definition_of(object).filter(|it| it.len() < LONGEST_LABEL) {
        return definition(objects, name).await;
    }
    let all = objects.list(&served(objects, DEFINITION)?.resource, "").await?;
    let own = all.items.iter().find(|it| is_own(it)).and_then(|it| it["metadata"]["name"].as_str());
    let Some(name) = own else {
        return Err(CommandError::usage(format!("no definition defines {:?}", kind.word()))
            .hint("revisions are of definitions, `rgd/NAME`, and of their instances"));
    };
    definition(objects, name).await
}

impl Definition {
    pub(crate) fn name(&self) -> &str {
        self.object["metadata"]["name"].as_str().unwrap_or_default()
    }

    /// That only its revisions are left.
    pub(crate) fn is_gone_in_words(&self) -> String {
        format!("the definition {} is gone, and its revisions are kept", self.name())
    }

    /// A revision that is there, or an error that names those that are.
    pub(crate) fn find(&self, number: RevisionNumber) -> Result<&RevisionRow, CommandError> {
        self.revisions.find(number).ok_or_else(|| {
            CommandError::wrong(format!("there is no revision {number} of {}", self.name()))
                .hint(self.those_there())
        })
    }

    /// What is to be said of an edit of it that is no revision, if there is one.
    pub(crate) fn pending(&self) -> Option<&'static str> {
        krono_views::pending(&self.object, &self.revisions)
    }

    /// An error where its instances may not choose a revision, or not this one.
    pub(crate) fn check_pin(&self, number: RevisionNumber) -> Result<(), CommandError> {
        let field = "spec.revisionManagement.instances";
        let limits = Limits::read(&self.object["spec"]["revisionManagement"]["instances"]).limits;
        let refused = |words: String| {
            Err(CommandError::wrong(words).hint(format!("{field} of rgd/{} says so", self.name())))
        };
        match limits.minimum.filter(|it| *it > number) {
            _ if limits.pins == Allowance::Forbidden => {
                refused(format!("instances of {} may not be pinned or held", self.name()))
            }
            Some(minimum) => refused(format!(
                "instances of {} may not run revision {number}, but {minimum} or newer",
                self.name()
            )),
            None => Ok(()),
        }
    }

    /// An error where a pin to a revision would have ended by now.
    pub(crate) fn check_pin_lasts(&self, number: RevisionNumber, now: Timestamp) -> Result<(), CommandError> {
        let limits = Limits::read(&self.object["spec"]["revisionManagement"]["instances"]).limits;
        let end = limits.end_of_pin(&self.revisions.history, number);
        match end.filter(|it| *it <= now) {
            Some(end) => Err(CommandError::wrong(format!("a pin to revision {number} ended at {end}")).hint(
                format!("spec.revisionManagement.instances.pinExpires of rgd/{} says so", self.name()),
            )),
            None => Ok(()),
        }
    }

    /// What ends its hold, wherever the wish for it stands.
    pub(crate) fn how_to_release(&self) -> String {
        let name = self.name();
        if let Hold::Held { by: Place::Mark { given_up, .. }, .. } = &self.revisions.hold {
            return format!("`krono propagation retry rgd/{name}` has revision {given_up} tried again");
        }
        if self.annotation(keys::ACTIVE_REVISION_ANNOTATION).is_some() {
            return format!("`krono unpin rgd/{name}` ends that");
        }
        "remove spec.revisionManagement.activeRevision where the definition is kept".to_owned()
    }

    pub(crate) fn annotation(&self, key: &str) -> Option<&str> {
        self.object["metadata"]["annotations"][key].as_str()
    }

    /// The object of a revision that is there.
    pub(crate) fn object_of(&self, row: &RevisionRow) -> Option<&Value> {
        self.objects.iter().find(|it| it["metadata"]["name"] == row.name.as_str())
    }

    /// The spec of a revision, whole.
    pub(crate) fn spec_of(&self, row: &RevisionRow) -> Value {
        self.object_of(row).map(|it| it["spec"].clone()).unwrap_or_default()
    }

    pub(crate) fn those_there(&self) -> String {
        those_there(self.revisions.rows.iter().map(|it| it.number))
    }

    /// Those that one may go back to.
    pub(crate) fn those_good(&self) -> String {
        let (bad, good): (Vec<_>, Vec<_>) = self.revisions.rows.iter().partition(|it| it.failed.is_some());
        if bad.is_empty() {
            return self.those_there();
        }
        let good: Vec<String> = good.iter().map(|it| it.number.to_string()).collect();
        if good.is_empty() {
            return "all that are there have failed".to_owned();
        }
        format!("those that did not fail are {}", good.join(", "))
    }
}

impl Instance {
    /// As people name it.
    pub(crate) fn name(&self) -> String {
        format!("{}/{}", self.kind.word(), self.object["metadata"]["name"].as_str().unwrap_or_default())
    }

    /// The same, as commands take it.
    pub(crate) fn typed(&self) -> String {
        match &self.namespace {
            Some(namespace) => format!("{} -n {namespace}", self.name()),
            None => self.name(),
        }
    }

    /// The newest revision with the content that it is assigned to.
    pub(crate) fn assigned(&self) -> Option<RevisionNumber> {
        let content = assignment(&self.object).map(|(_, content, _)| content);
        let newest = content.and_then(|it| self.definition.revisions.history.newest_with(it));
        newest.map(|it| it.number).or_else(|| assigned_revision(&self.object))
    }

    /// The newest revision of the definition with the content that an input was for; nothing when that is not kept.
    pub(crate) fn definition_of(&self, row: &InputRow) -> Option<RevisionNumber> {
        let history = &self.definition.revisions.history;
        let found = match row.content {
            Some(content) => history.newest_with(content),
            None => history.find(row.definition?).filter(|_| row.restorable != Some(false)),
        };
        found.map(|it| it.number)
    }

    pub(crate) fn annotation(&self, key: &str) -> Option<&str> {
        self.object["metadata"]["annotations"][key].as_str()
    }

    /// How it follows its definition; nothing where what it says makes no sense or is not allowed.
    pub(crate) fn policy(&self) -> Option<Policy> {
        let management = &self.definition.object["spec"]["revisionManagement"];
        let allowed = Limits::read(&management["instances"]).limits.policies;
        let wished = self.annotation(keys::UPDATE_POLICY_ANNOTATION).map_or(Some(Policy::Auto), Policy::read);
        wished.filter(|it| allowed.is_none_or(|all| all.contains(it)))
    }

    /// An input revision that is there, or an error that names those that are.
    pub(crate) fn find(&self, number: RevisionNumber) -> Result<&InputRow, CommandError> {
        self.inputs.iter().find(|it| it.number == number).ok_or_else(|| {
            CommandError::wrong(format!("there is no input revision {number} of {}", self.name()))
                .hint(self.those_there())
        })
    }

    pub(crate) fn those_there(&self) -> String {
        those_there(self.inputs.iter().map(|it| it.number))
    }
}

fn those_there(numbers: impl Iterator<Item = RevisionNumber>) -> String {
    let numbers: Vec<String> = numbers.map(|it| it.to_string()).collect();
    if numbers.is_empty() {
        "there is none yet".to_owned()
    } else {
        format!("there are {}", numbers.join(", "))
    }
}
