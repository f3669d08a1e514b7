//! Graphs, compiled once for all who play.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use krono_graph::{CompiledGraph, Diagnostic, Interface, Kinds, Options, compile};
use krono_planner::revisions::compile_revision;
use krono_schema::Validator;
use serde_json::{Map, Value, json};

/// What was compiled so far, by content.
pub struct Library {
    kinds: Box<dyn Kinds + Send + Sync>,
    edits: Mutex<HashMap<String, Arc<Edit>>>,
    revisions: Mutex<HashMap<String, Compiled>>,
}

/// What is known of an edit.
pub(crate) struct Edit {
    pub(crate) compiled: Result<CompiledGraph, Vec<Diagnostic>>,
    pub(crate) interface: Map<String, Value>,
}

/// The graph of a revision, or why it has none.
pub(crate) type Compiled = Result<Arc<Graph>, String>;

/// The graph of a revision.
pub struct Graph {
    /// As it was compiled.
    pub compiled: CompiledGraph,
    validator: OnceLock<Validator>,
}

impl Graph {
    /// Checks specs of instances.
    pub(crate) fn validator(&self) -> &Validator {
        self.validator.get_or_init(|| Validator::new(&self.compiled.instance.spec))
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Library").finish_non_exhaustive()
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph").finish_non_exhaustive()
    }
}

impl Library {
    /// Compiles against these kinds, which never change.
    pub fn new(kinds: impl Kinds + Send + Sync + 'static) -> Self {
        Self { kinds: Box::new(kinds), edits: Mutex::default(), revisions: Mutex::default() }
    }

    /// A definition as it is.
    pub(crate) fn edit(&self, definition: &Value) -> Arc<Edit> {
        let key = content(&definition["spec"]).to_string();
        let mut edits = self.edits.lock().unwrap_or_else(PoisonError::into_inner);
        let made = || {
            let compiled = compile(definition, &*self.kinds, Options::default());
            let interface = Interface::of(definition, &*self.kinds).to_value();
            Arc::new(Edit { compiled, interface })
        };
        Arc::clone(edits.entry(key).or_insert_with(made))
    }

    /// The spec of a revision, compiled against what it says it was compiled against.
    pub(crate) fn revision(&self, definition: &str, spec: &Value) -> Compiled {
        let key = content(spec).to_string();
        let mut revisions = self.revisions.lock().unwrap_or_else(PoisonError::into_inner);
        let made = || revised(definition, spec);
        revisions.entry(key).or_insert_with(made).clone()
    }
}

fn revised(definition: &str, spec: &Value) -> Compiled {
    let compiled = compile_revision(definition, spec, Options::default())?;
    Ok(Arc::new(Graph { compiled, validator: OnceLock::new() }))
}

/// What graphs are made of.
fn content(spec: &Value) -> Value {
    let mut content = json!({"schema": spec["schema"]});
    if let Some(resources) = spec.get("resources") {
        content["resources"] = resources.clone();
    }
    content
}
