//! The revisions of one definition that are kept, and their graphs.

use std::sync::{Arc, OnceLock};

use krono_graph::{CompiledGraph, KindName, Options, mentioned_kinds};
use krono_history::Digest;
use krono_model::names;
use krono_planner::revisions::{self, compile_revision};
use krono_schema::Validator;
use kube::api::ApiResource;
use serde_json::Value;
use tokio::time::Instant;

use crate::cache::Packed;
use crate::graphs::Graph;
use crate::metrics::Metrics;

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

/// The revisions of one definition that are kept.
pub(crate) type Revisions = revisions::Revisions<Content>;

/// How graphs are compiled, and who counts that.
#[derive(Clone, Default)]
pub(crate) struct Compiler {
    pub(crate) options: Options,
    pub(crate) metrics: Metrics,
}

impl Compiler {
    fn compile(&self, definition: &str, spec: &Value) -> Result<CompiledGraph, String> {
        let began = Instant::now();
        let compiled = compile_revision(definition, spec, self.options);
        self.metrics.compiled_revision(began.elapsed(), compiled.is_err());
        compiled
    }
}

/// The content of one revision, compiled once for all who ask.
pub(crate) struct Content {
    definition: Arc<str>,
    compiler: Compiler,
    spec: Packed,
    /// The kinds that it mentions.
    kinds: Vec<(String, String)>,
    graph: OnceLock<Result<Arc<Graph>, String>>,
}

impl Content {
    fn of(object: &Value, definition: &Arc<str>, compiler: &Compiler) -> Self {
        Self {
            definition: Arc::clone(definition),
            compiler: compiler.clone(),
            spec: Packed::new(&object["spec"]),
            kinds: mentioned_kinds(object),
            graph: OnceLock::new(),
        }
    }

    fn compiled(&self) -> &Result<Arc<Graph>, String> {
        self.graph.get_or_init(|| {
            let compiled = self.compiler.compile(&self.definition, &self.spec.unpack());
            compiled.map(|it| Arc::new(Graph::new(it)))
        })
    }
}

impl revisions::Content for Content {
    fn spec(&self) -> Value {
        self.spec.unpack()
    }

    fn graph(&self) -> Result<&CompiledGraph, &str> {
        self.compiled().as_ref().map(|it| &it.compiled).map_err(String::as_str)
    }

    fn validator(&self) -> Option<&Validator> {
        self.compiled().as_ref().ok().map(|it| it.validator())
    }
}

/// From the objects that hold them; what was compiled before is not compiled again.
pub(crate) fn read<'o>(
    definition: &Value,
    objects: impl IntoIterator<Item = &'o Value>,
    before: Option<&Revisions>,
    compiler: &Compiler,
) -> Revisions {
    let name: Arc<str> = definition["metadata"]["name"].as_str().unwrap_or_default().into();
    Revisions::read(definition, objects, before, |object| Content::of(object, &name, compiler))
}

/// The graph of some content, or why it makes none; nothing when no kept revision has it.
pub(crate) fn graph(revisions: &Revisions, digest: Digest) -> Option<&Result<Arc<Graph>, String>> {
    revisions.content(digest).map(Content::compiled)
}

/// What has become of each that is kept, in kro's words.
pub(crate) fn states(revisions: &Revisions) -> impl Iterator<Item = &'static str> {
    let contents = revisions.kept().filter_map(|(_, digest)| revisions.content(digest));
    contents.map(|it| match it.graph.get() {
        None => "Pending",
        Some(Ok(_)) => "Active",
        Some(Err(_)) => "Failed",
    })
}

/// The kinds that some content mentions.
pub(crate) fn kinds(revisions: &Revisions, digest: Digest) -> &[(String, String)] {
    revisions.content(digest).map(|it| it.kinds.as_slice()).unwrap_or_default()
}
