//! The revisions of one definition that are kept, and their graphs.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use krono_graph::{Interface, KindName, Options, compile};
use krono_history::{Digest, RevisionNumber};
use krono_model::names;
use kube::api::ApiResource;
use serde_json::{Value, json};

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

/// The name of the definition that a revision is of: the label, unless that is too short for it.
pub(crate) fn definition_of(revision: &Value) -> &str {
    let metadata = &revision["metadata"];
    let whole = metadata["annotations"][names::REVISION_OF_ANNOTATION].as_str();
    whole.or_else(|| metadata["labels"][names::REVISION_OF_LABEL].as_str()).unwrap_or_default()
}

/// The content of one revision, compiled once for all who ask.
pub(crate) struct Content {
    pub(crate) digest: Digest,
    /// The UID of the object that holds it, whose spec never changes.
    uid: String,
    spec: Value,
    graph: OnceLock<Result<Arc<Graph>, String>>,
}

impl Content {
    /// What a revision object holds.
    pub(crate) fn of(object: &Value) -> Self {
        Self {
            digest: Digest::of_definition(&object["spec"]),
            uid: object["metadata"]["uid"].as_str().unwrap_or_default().to_owned(),
            spec: object["spec"].clone(),
            graph: OnceLock::new(),
        }
    }

    /// Its graph, or why it makes none.
    pub(crate) fn graph(&self, definition: &str, options: Options) -> Result<Arc<Graph>, String> {
        self.graph.get_or_init(|| self.compiled(definition, options)).clone()
    }

    fn compiled(&self, definition: &str, options: Options) -> Result<Arc<Graph>, String> {
        let interface = Interface::from_value(&self.spec["interface"]).map_err(|error| error.to_string())?;
        let definition = json!({"metadata": {"name": definition}, "spec": self.spec});
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
}

impl Revisions {
    /// From the objects that hold them; what was compiled before is not compiled again.
    pub(crate) fn read<'o>(
        definition: Arc<str>,
        objects: impl IntoIterator<Item = &'o Value>,
        before: Option<&Self>,
        options: Options,
    ) -> Self {
        let known = |uid: &str| before?.kept.values().find(|it| it.uid == uid).cloned();
        let kept = objects.into_iter().filter_map(|object| {
            let number = RevisionNumber::from_wire(object["spec"]["revision"].as_i64()?)?;
            let uid = object["metadata"]["uid"].as_str().unwrap_or_default();
            Some((number, known(uid).unwrap_or_else(|| Arc::new(Content::of(object)))))
        });
        Self { definition, options, kept: kept.collect() }
    }

    /// Numbers and contents, oldest first.
    pub(crate) fn kept(&self) -> impl DoubleEndedIterator<Item = (RevisionNumber, Digest)> {
        self.kept.iter().map(|(number, content)| (*number, content.digest))
    }

    /// The graph of some content: the newest revision that has it says what it was compiled against.
    pub(crate) fn graph_of(&self, digest: Digest) -> Option<Result<Arc<Graph>, String>> {
        let newest = self.kept.values().rfind(|it| it.digest == digest)?;
        Some(newest.graph(&self.definition, self.options))
    }
}
