//! The revisions of one definition that are kept, and their graphs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use jiff::Timestamp;
use krono_graph::{CompiledGraph, Interface, KindName, Options, compile, mentioned_kinds};
use krono_history::revision::{History, Presence, Revision, issued_at, known_definition_revision};
use krono_history::{Digest, RevisionNumber, input};
use krono_model::names;
use krono_planner::definition::Graphs;
use krono_planner::fleet::Schemas;
use kube::api::ApiResource;
use serde_json::{Value, json};

use crate::cache::Packed;
use crate::graphs::Graph;

/// The kind of revisions.
pub(crate) fn kind() -> KindName {
    KindName {
        api_version: "kro.run/v1alpha1".to_owned(),
        kind: "ResourceGraphDefinitionRevision".to_owned(),
        namespaced: false,
    }
}

/// The same, for requests.
pub(crate) fn resource() -> ApiResource {
    ApiResource {
        group: "kro.run".to_owned(),
        version: "v1alpha1".to_owned(),
        api_version: "kro.run/v1alpha1".to_owned(),
        kind: "ResourceGraphDefinitionRevision".to_owned(),
        plural: "resourcegraphdefinitionrevisions".to_owned(),
    }
}

/// The inputs of instances, for requests.
pub(crate) fn input_resource() -> ApiResource {
    ApiResource {
        kind: "ResourceGraphInputRevision".to_owned(),
        plural: "resourcegraphinputrevisions".to_owned(),
        ..resource()
    }
}

/// The name of the definition that a revision is of: the label, unless that is too short for it.
pub(crate) fn definition_of(revision: &Value) -> &str {
    let metadata = &revision["metadata"];
    let whole = metadata["annotations"][names::REVISION_OF_ANNOTATION].as_str();
    whole.or_else(|| metadata["labels"][names::REVISION_OF_LABEL].as_str()).unwrap_or_default()
}

/// Whether a name may be that of a definition's revision: long ones are shortened.
pub(crate) fn may_be_of(revision: &str, definition: &str) -> bool {
    let beginning = definition.char_indices().nth(200).map_or(definition, |(end, _)| &definition[..end]);
    revision.starts_with(beginning)
}

/// The label selector of a definition's revisions; may select those of others whose names are too long.
pub(crate) fn selector(definition: &str) -> String {
    format!("{}={}", names::REVISION_OF_LABEL, krono_history::names::label(definition))
}

/// The content of one revision, compiled once for all who ask.
struct Content {
    digest: Digest,
    /// The UID of the object that holds it, whose spec never changes.
    uid: String,
    /// All that it says.
    spec: Packed,
    /// The kinds that it mentions.
    kinds: Vec<(String, String)>,
    graph: OnceLock<Result<Arc<Graph>, String>>,
}

impl Content {
    /// What a revision object holds.
    fn of(object: &Value) -> Self {
        Self {
            digest: Digest::of_definition(&object["spec"]),
            uid: text(object, "uid").to_owned(),
            spec: Packed::new(&object["spec"]),
            kinds: mentioned_kinds(object),
            graph: OnceLock::new(),
        }
    }

    /// Its graph, or why it makes none.
    fn graph(&self, definition: &str, options: Options) -> &Result<Arc<Graph>, String> {
        self.graph.get_or_init(|| self.compiled(definition, options))
    }

    fn compiled(&self, definition: &str, options: Options) -> Result<Arc<Graph>, String> {
        let spec = self.spec.unpack();
        let interface = Interface::from_value(&spec["interface"]).map_err(|error| error.to_string())?;
        let mut content = json!({"schema": spec["schema"]});
        if let Some(resources) = spec.get("resources") {
            content["resources"] = resources.clone();
        }
        let definition = json!({"metadata": {"name": definition}, "spec": content});
        let listed = |all: Vec<krono_graph::Diagnostic>| {
            all.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        };
        compile(&definition, &interface, options).map(|it| Arc::new(Graph::new(it))).map_err(listed)
    }
}

/// The revisions of one definition that are kept.
#[derive(Default)]
pub(crate) struct Revisions {
    definition: Arc<str>,
    options: Options,
    kept: BTreeMap<RevisionNumber, Arc<Content>>,
    /// The objects that hold them, without what was compiled.
    objects: BTreeMap<RevisionNumber, Value>,
    pub(crate) deleted: BTreeSet<RevisionNumber>,
    pub(crate) history: History,
}

impl Revisions {
    /// From the objects that hold them; what was compiled before is not compiled again.
    pub(crate) fn read<'o>(
        definition: &Value,
        objects: impl IntoIterator<Item = &'o Value>,
        before: Option<&Self>,
        options: Options,
    ) -> Self {
        let mut read = Self { definition: text(definition, "name").into(), options, ..Self::default() };
        let mut history = Vec::new();
        for object in objects {
            history.extend(read.take(definition, object, before));
        }
        read.history = History::new(history);
        read
    }

    /// Takes in one object; of another kind's revision only the number counts.
    fn take(&mut self, definition: &Value, object: &Value, before: Option<&Self>) -> Option<Revision> {
        let known = |uid: &str| before?.kept.values().find(|it| it.uid == uid).cloned();
        let content = known(text(object, "uid")).unwrap_or_else(|| Arc::new(Content::of(object)));
        let revision = known_definition_revision(object, text(definition, "uid"), content.digest)?;
        if !is_of_same_kind(definition, object) {
            return Some(Revision { presence: Presence::Terminating, ..revision });
        }
        let is_held = object["metadata"]["finalizers"]
            .as_array()
            .is_some_and(|all| all.iter().any(|it| it == names::FINALIZER));
        if revision.presence == Presence::Terminating && !is_held {
            return Some(revision);
        }
        if revision.presence == Presence::Terminating {
            self.deleted.insert(revision.number);
        }
        self.kept.insert(revision.number, content);
        self.objects.insert(revision.number, without_content(object));
        Some(Revision { presence: Presence::Live, ..revision })
    }

    /// Whether instances learn the same from others that are kept.
    pub(crate) fn tells(&self, other: &Self) -> bool {
        let marks = |it: &Self| -> Vec<_> {
            it.history.live().map(|it| (it.number, it.health.clone(), it.is_completed)).collect()
        };
        self.kept().eq(other.kept()) && marks(self) == marks(other)
    }

    /// Numbers and contents, oldest first.
    pub(crate) fn kept(&self) -> impl DoubleEndedIterator<Item = (RevisionNumber, Digest)> {
        self.kept.iter().map(|(number, content)| (*number, content.digest))
    }

    /// The objects; with all that a revision says for the one that is asked for.
    pub(crate) fn objects(&self, whole: Option<RevisionNumber>) -> BTreeMap<RevisionNumber, Value> {
        let mut objects = self.objects.clone();
        if let Some(number) = whole
            && let (Some(object), Some(content)) = (objects.get_mut(&number), self.kept.get(&number))
        {
            object["spec"] = content.spec.unpack();
        }
        objects
    }

    /// When each was issued.
    pub(crate) fn issued_at(&self) -> BTreeMap<RevisionNumber, Timestamp> {
        self.objects.iter().filter_map(|(number, object)| Some((*number, issued_at(object)?))).collect()
    }

    /// The graph of some content: the newest revision that has it says what it was compiled against.
    pub(crate) fn graph(&self, digest: Digest) -> Option<&Result<Arc<Graph>, String>> {
        let newest = self.kept.values().rfind(|it| it.digest == digest)?;
        Some(newest.graph(&self.definition, self.options))
    }

    /// The kinds that some content mentions.
    pub(crate) fn kinds(&self, digest: Digest) -> &[(String, String)] {
        let newest = self.kept.values().rfind(|it| it.digest == digest);
        newest.map(|it| it.kinds.as_slice()).unwrap_or_default()
    }
}

impl Graphs for Revisions {
    fn graph_of(&self, digest: Digest) -> Option<Result<&CompiledGraph, &str>> {
        Some(self.graph(digest)?.as_ref().map(|it| &it.compiled).map_err(String::as_str))
    }
}

impl Schemas for Revisions {
    fn refusal(&self, content: Digest, spec: &Value) -> Option<String> {
        let graph = self.graph(content)?.as_ref().ok()?;
        input::refusal(&graph.compiled.instance.spec, graph.validator(), spec)
    }
}

fn is_of_same_kind(definition: &Value, revision: &Value) -> bool {
    let group = |it: &Value| it["group"].as_str().filter(|it| !it.is_empty()).unwrap_or("kro.run").to_owned();
    let (one, other) = (&definition["spec"]["schema"], &revision["spec"]["schema"]);
    one["kind"] == other["kind"] && group(one) == group(other)
}

/// A revision without what makes it large.
fn without_content(object: &Value) -> Value {
    let spec = &object["spec"];
    json!({
        "apiVersion": object["apiVersion"],
        "kind": object["kind"],
        "metadata": object["metadata"],
        "spec": {"revision": spec["revision"], "createdAt": spec["createdAt"], "restoredFrom": spec["restoredFrom"],
            "changeCause": spec["changeCause"]},
        "status": object["status"],
    })
}

fn text<'v>(object: &'v Value, field: &str) -> &'v str {
    object["metadata"][field].as_str().unwrap_or_default()
}
