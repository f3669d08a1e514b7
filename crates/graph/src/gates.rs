//! `propagateWhen` of resources: expressions that hold changes of objects back that are there already.
//!
//! They are policy and no content: they come from the definition as it is now, whatever the revision of the graph that they are
//! compiled for.

mod ask;

use std::sync::Arc;

use krono_cel::{Env, ObjectType, Type, Val};
use krono_schema::Path;
use serde_json::Value;

use crate::budget::Budget;
use crate::compile::ELEMENT;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::expression::{Expression, Expressions};
use crate::graph::{CompiledGraph, Subject};

pub use ask::{Asking, Closed, Known};

/// The name of an object's place in its collection.
const INDEX: &str = "index";
const FIELD: &str = "propagateWhen";

/// The expressions of all nodes of a graph.
#[derive(Clone, Debug, Default)]
pub struct ResourceGates {
    nodes: Vec<NodeGates>,
}

/// The expressions of one node.
#[derive(Clone, Debug)]
struct NodeGates {
    /// By position.
    node: usize,
    env: Env,
    all: Vec<Gate>,
}

/// One expression, or why it makes no sense for this graph.
#[derive(Clone, Debug)]
struct Gate {
    source: String,
    compiled: Result<Expression, String>,
}

impl Gate {
    fn wrong(written: &Value) -> Self {
        Self { source: written.to_string(), compiled: Err("it is no expression".to_owned()) }
    }
}

impl ResourceGates {
    /// From `spec.resources` of a definition, with an environment that has the functions; and all that is wrong with them.
    ///
    /// An expression that makes no sense stays shut; those for resources that the graph does not have are left out.
    pub fn compile(graph: &CompiledGraph, resources: &Value, functions: &Env) -> (Self, Vec<Diagnostic>) {
        let mut diagnostics = Diagnostics::default();
        let mut nodes = Vec::new();
        let root = Path::named("spec.resources");
        for (index, entry) in resources.as_array().into_iter().flatten().enumerate() {
            let position = |it: &crate::graph::Node| entry.get("id").is_some_and(|id| id == it.id.as_str());
            let Some(node) = graph.nodes.iter().position(position) else { continue };
            let path = root.index(index);
            let path = path.field(FIELD);
            let mut reader = Reader { graph, functions, diagnostics: &mut diagnostics };
            nodes.extend(reader.node(node, &entry[FIELD], &path));
        }
        (Self { nodes }, diagnostics.finish().err().unwrap_or_default())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether changes of a node's objects may be held back.
    pub fn has(&self, node: usize) -> bool {
        self.of(node).is_some()
    }

    fn of(&self, node: usize) -> Option<&NodeGates> {
        self.nodes.iter().find(|it| it.node == node)
    }
}

struct Reader<'r> {
    graph: &'r CompiledGraph,
    functions: &'r Env,
    diagnostics: &'r mut Diagnostics,
}

impl Reader<'_> {
    fn node(&mut self, node: usize, written: &Value, path: &Path<'_>) -> Option<NodeGates> {
        if written.is_null() || written.as_array().is_some_and(Vec::is_empty) {
            return None;
        }
        if matches!(self.graph.nodes[node].subject, Subject::External(_)) {
            let message = "nothing is held back here: others make what externalRef names";
            self.diagnostics.report(path, message).advise("move it to the resources that should wait");
            return None;
        }
        let env = environment(self.graph, node, self.functions);
        let all = if let Some(list) = written.as_array() {
            list.iter().enumerate().map(|(at, it)| self.gate(it, &env, &path.index(at))).collect()
        } else {
            let advice = "write a list of expressions, - ${…}";
            self.diagnostics.report(path, "expected a list").advise(advice);
            vec![Gate::wrong(written)]
        };
        Some(NodeGates { node, env, all })
    }

    fn gate(&mut self, written: &Value, env: &Env, path: &Path<'_>) -> Gate {
        let Some(text) = written.as_str() else {
            let advice = "write a condition such as `${schema.spec.enabled}`";
            self.diagnostics.report(path, "expected an expression, ${…}").advise(advice);
            return Gate::wrong(written);
        };
        let mut found = Diagnostics::default();
        let compiled = Expressions { env, diagnostics: &mut found }.condition(text, path);
        if let Some((expression, message)) = compiled.as_ref().and_then(|it| Some((it, never(it, env)?))) {
            let advice = "mention schema, each or a resource";
            found.report(path, message).at(expression.span()).advise(advice);
        }
        let found = found.finish().err().unwrap_or_default();
        let why = found.first().map(|it| it.message.clone()).unwrap_or_default();
        self.diagnostics.adopt(found);
        let source = compiled.as_ref().map_or(text, Expression::source).to_owned();
        Gate { source, compiled: compiled.ok_or(why) }
    }
}

/// Why an expression that mentions nothing lets nothing through, if it does not.
fn never(expression: &Expression, env: &Env) -> Option<String> {
    if !expression.variables().is_empty() {
        return None;
    }
    match expression.evaluate(&env.bindings(), &Budget::default()) {
        Ok(Val::Bool(true)) => None,
        Ok(_) => Some("is never true, so that the resource would never change".to_owned()),
        Err(error) => Some(format!("never has a value: {}", error.message())),
    }
}

/// The instance, all nodes as they are observed, and the object that waits.
fn environment(graph: &CompiledGraph, node: usize, functions: &Env) -> Env {
    let known = graph.nodes[node].env.variables().iter();
    let mut env = functions.extend();
    for (slot, variable) in known.take(graph.nodes.len() + 1).enumerate() {
        let ty = if slot == 0 { variable.ty.clone() } else { placed(&variable.ty) };
        env = env.variable(&variable.name, ty);
    }
    env.variable(ELEMENT, element(&observed_type(graph, node))).build()
}

/// The type of what the name of a node stands for, with places.
fn observed_type(graph: &CompiledGraph, node: usize) -> Type {
    graph.nodes[node].env.variables().get(node + 1).map_or(Type::Dyn, |it| placed(&it.ty))
}

#[expect(clippy::wildcard_enum_match_arm, reason = "every other type is itself")]
fn element(ty: &Type) -> Type {
    match ty {
        Type::List(list) => list.element.clone(),
        other => other.clone(),
    }
}

/// The same type, of objects that know their place.
#[expect(clippy::wildcard_enum_match_arm, reason = "every other type is itself")]
fn placed(ty: &Type) -> Type {
    match ty {
        Type::List(list) => Type::list(placed(&list.element)),
        Type::Object(object) => {
            let (name, inner) = (format!("{}_placed", object.name), Arc::clone(object));
            Type::Object(Arc::new(ObjectType::new(&name, object.open, move || {
                let mut fields = inner.fields.clone();
                fields.insert(INDEX.into(), Type::Int);
                fields
            })))
        }
        other => other.clone(),
    }
}
