//! The revisions of one definition that are kept, read from the objects that hold them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use krono_graph::{CompiledGraph, Diagnostic, Interface, Options, compile};
use krono_history::revision::{History, Presence, Revision, is_of_same_kind, known_definition_revision};
use krono_history::{Digest, RevisionNumber, input};
use krono_model::names;
use krono_schema::Validator;
use serde_json::{Value, json};

use crate::definition::Graphs;
use crate::fleet::Schemas;

/// What somebody keeps of a revision's content, which never changes.
pub trait Content {
    /// The spec of the revision, whole.
    fn spec(&self) -> Value;

    /// Its graph, or why it makes none.
    fn graph(&self) -> Result<&CompiledGraph, &str>;

    /// Checks specs of instances; nothing where there is no graph.
    fn validator(&self) -> Option<&Validator>;
}

/// The revisions of one definition that are kept.
pub struct Revisions<C> {
    kept: BTreeMap<RevisionNumber, Kept<C>>,
    /// The objects that hold them, without their content.
    objects: BTreeMap<RevisionNumber, Value>,
    /// Those that somebody deleted: krono's finalizer holds them.
    pub deleted: BTreeSet<RevisionNumber>,
    /// As rules see them.
    pub history: History,
}

struct Kept<C> {
    digest: Digest,
    /// The UID of the object that holds it.
    uid: String,
    content: Arc<C>,
}

impl<C> Revisions<C> {
    /// From the objects that hold the revisions of a definition; what was made of a content `before` is not made again.
    pub fn read<'o>(
        definition: &Value,
        objects: impl IntoIterator<Item = &'o Value>,
        before: Option<&Self>,
        content: impl Fn(&Value) -> C,
    ) -> Self {
        let mut read = Self::default();
        let mut history = Vec::new();
        for object in objects {
            let known = before.and_then(|it| it.known(text(object, "uid")));
            let kept = known.unwrap_or_else(|| Kept {
                digest: Digest::of_definition(&object["spec"]),
                uid: text(object, "uid").to_owned(),
                content: Arc::new(content(object)),
            });
            history.extend(read.take(definition, object, kept));
        }
        read.history = History::new(history);
        read
    }

    fn known(&self, uid: &str) -> Option<Kept<C>> {
        self.kept.values().find(|it| it.uid == uid && !uid.is_empty()).cloned()
    }

    /// Takes in one object; of another kind's revision only the number counts.
    fn take(&mut self, definition: &Value, object: &Value, kept: Kept<C>) -> Option<Revision> {
        let revision = known_definition_revision(object, text(definition, "uid"), kept.digest)?;
        if !is_of_same_kind(definition, object) {
            return Some(Revision { presence: Presence::Terminating, ..revision });
        }
        if revision.presence == Presence::Terminating {
            if !is_held(object) {
                return Some(revision);
            }
            self.deleted.insert(revision.number);
        }
        self.kept.insert(revision.number, kept);
        self.objects.insert(revision.number, without_content(object));
        Some(Revision { presence: Presence::Live, ..revision })
    }

    /// The objects that hold them, without their content, but for one that is [whole](Self::whole).
    pub fn objects<'r>(&'r self, whole: Option<&'r Value>) -> BTreeMap<RevisionNumber, &'r Value> {
        let number = |it: &Value| it["spec"]["revision"].as_i64().and_then(RevisionNumber::from_wire);
        let objects = self.objects.iter().map(|(number, object)| (*number, object));
        objects.chain(whole.and_then(|it| Some((number(it)?, it)))).collect()
    }

    /// The object of that name, without its content: whoever has not seen a newer one may read it again.
    pub fn object(&self, name: &str) -> Option<&Value> {
        self.objects.values().find(|it| text(it, "name") == name)
    }

    /// Whether instances learn the same from others that are kept.
    pub fn tells(&self, other: &Self) -> bool {
        let marks = |it: &Self| -> Vec<_> {
            it.history.live().map(|it| (it.number, it.health.clone(), it.is_completed)).collect()
        };
        self.kept().eq(other.kept()) && marks(self) == marks(other)
    }

    /// Numbers and contents, oldest first.
    pub fn kept(&self) -> impl DoubleEndedIterator<Item = (RevisionNumber, Digest)> {
        self.kept.iter().map(|(number, it)| (*number, it.digest))
    }

    /// What is kept of some content: the newest revision that has it says what it was compiled against.
    pub fn content(&self, digest: Digest) -> Option<&C> {
        self.kept.values().rfind(|it| it.digest == digest).map(|it| &*it.content)
    }
}

impl<C: Content> Revisions<C> {
    /// The object of a revision, with its content.
    pub fn whole(&self, number: RevisionNumber) -> Option<Value> {
        let mut object = self.objects.get(&number)?.clone();
        object["spec"] = self.kept.get(&number)?.content.spec();
        Some(object)
    }
}

impl<C> Default for Revisions<C> {
    fn default() -> Self {
        Self {
            kept: BTreeMap::new(),
            objects: BTreeMap::new(),
            deleted: BTreeSet::new(),
            history: History::default(),
        }
    }
}

impl<C> Clone for Kept<C> {
    fn clone(&self) -> Self {
        Self { digest: self.digest, uid: self.uid.clone(), content: Arc::clone(&self.content) }
    }
}

impl<C> fmt::Debug for Revisions<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Revisions").field("history", &self.history).finish_non_exhaustive()
    }
}

impl<C: Content> Graphs for Revisions<C> {
    fn graph_of(&self, digest: Digest) -> Option<Result<&CompiledGraph, &str>> {
        self.content(digest).map(Content::graph)
    }
}

impl<C: Content + Send + Sync> Schemas for Revisions<C> {
    fn refusal(&self, content: Digest, spec: &Value) -> Option<String> {
        let content = self.content(content)?;
        input::refusal(&content.graph().ok()?.instance.spec, content.validator()?, spec)
    }
}

/// The graph of a revision's spec, compiled against what it says it was compiled against, or why there is none.
pub fn compile_revision(definition: &str, spec: &Value, options: Options) -> Result<CompiledGraph, String> {
    let interface = Interface::from_value(&spec["interface"]).map_err(|error| error.to_string())?;
    let mut content = json!({"schema": spec["schema"]});
    if let Some(resources) = spec.get("resources") {
        content["resources"] = resources.clone();
    }
    let definition = json!({"metadata": {"name": definition}, "spec": content});
    let listed = |all: Vec<Diagnostic>| all.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    compile(&definition, &interface, options).map_err(listed)
}

fn is_held(object: &Value) -> bool {
    let finalizers = object["metadata"]["finalizers"].as_array();
    finalizers.is_some_and(|all| all.iter().any(|it| it == names::FINALIZER))
}

/// A revision without what makes it large, of which the same can be read as long as its content is known.
fn without_content(object: &Value) -> Value {
    let spec = &object["spec"];
    let schema = json!({"kind": spec["schema"]["kind"], "group": spec["schema"]["group"]});
    json!({
        "apiVersion": object["apiVersion"],
        "kind": object["kind"],
        "metadata": object["metadata"],
        "spec": {"revision": spec["revision"], "createdAt": spec["createdAt"], "restoredFrom": spec["restoredFrom"],
            "changeCause": spec["changeCause"], "schema": schema},
        "status": object["status"],
    })
}

fn text<'v>(object: &'v Value, field: &str) -> &'v str {
    object["metadata"][field].as_str().unwrap_or_default()
}
