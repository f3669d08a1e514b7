//! The world of a plan, read from files.

use krono_graph::{CompiledGraph, KindName, Kinds};
use krono_model::names;
use krono_planner::preview::{Objects, crd_made_by};
use krono_schema::crd::{Scope, Version};
use serde_json::Value;

use super::kept::Versions;
use super::world::{Standing, crd_of, made};
use crate::command_error::CommandError;
use crate::document::Source;
use crate::kinds::KnownKinds;
use crate::observed::unlisted;

/// Where objects are that name no namespace.
const NAMESPACE: &str = "default";

/// All objects of files.
pub(super) struct Files(Vec<Value>);

impl Files {
    pub(super) fn read(sources: &[Source]) -> Result<Self, CommandError> {
        let mut objects = Vec::new();
        for source in sources {
            for file in crate::kinds::files(source)? {
                objects.extend(file.read_documents()?.values.into_iter().flat_map(unlisted));
            }
        }
        Ok(Self(objects))
    }

    pub(super) fn crds(&self) -> impl Iterator<Item = &Value> {
        self.of_kind("CustomResourceDefinition")
    }

    /// An edited definition as it stands.
    pub(super) fn standing(&self, edited: &Value) -> Standing {
        let name = &edited["metadata"]["name"];
        let live = self.of_kind("ResourceGraphDefinition").find(|it| it["metadata"]["name"] == *name);
        let crd = self.crds().find(|it| it["metadata"]["name"] == crd_of(edited).as_str());
        let (api_version, kind) = made(live.unwrap_or(edited));
        let is_instance =
            |it: &&Value| it["apiVersion"] == api_version.as_str() && it["kind"] == kind.as_str();
        let instances = self.0.iter().filter(is_instance).cloned().collect();
        let of = krono_history::names::label(name.as_str().unwrap_or_default());
        let label = |it: &Value| it["metadata"]["labels"][names::REVISION_OF_LABEL] == of.as_str();
        let revisions = self.of_kind("ResourceGraphDefinitionRevision").filter(|it| label(it));
        let revisions = revisions.cloned().collect();
        Standing { live: live.cloned(), graph: None, crd: crd.cloned(), revisions, instances }
    }

    /// Everything that is neither a definition nor an instance of one.
    pub(super) fn objects(&self, kinds: &KnownKinds, versions: &mut Versions) -> Objects {
        let mut objects = Objects::default();
        for object in &self.0 {
            let text = |field: &str| object[field].as_str().unwrap_or_default().to_owned();
            let (api_version, kind) = (text("apiVersion"), text("kind"));
            let mut object = object.clone();
            let Some(known) = kinds.find(&api_version, &kind) else {
                versions.note_resource(&object);
                continue;
            };
            place(&mut object, known.namespaced);
            versions.note_resource(&object);
            objects.add(KindName { api_version, kind, namespaced: known.namespaced }, object);
        }
        objects
    }

    fn of_kind(&self, kind: &'static str) -> impl Iterator<Item = &Value> {
        self.0.iter().filter(move |it| it["kind"] == kind)
    }
}

/// Makes instances and CRD what the API server would have made of them.
pub(super) fn complete(standing: &mut Standing) {
    let Some(graph) = standing.graph.as_deref() else { return };
    standing.instances.iter_mut().for_each(|it| admit(it, graph));
    if let (None, Some(live)) = (&standing.crd, &standing.live) {
        standing.crd = crd_made_by(live, graph);
    }
}

/// Gives an instance a namespace and the defaults of its kind.
pub(super) fn admit(instance: &mut Value, graph: &CompiledGraph) {
    place(instance, graph.instance.scope == Scope::Namespaced);
    if let Some(schema) = graph.crd.spec.versions.iter().find_map(Version::schema) {
        krono_schema::default(schema, instance);
    }
}

fn place(object: &mut Value, namespaced: bool) {
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    if namespaced {
        metadata.entry("namespace").or_insert_with(|| NAMESPACE.into());
    } else {
        metadata.remove("namespace");
    }
}
