//! From what the author wrote to a graph.

#![expect(clippy::wildcard_enum_match_arm, reason = "the elements of anything else are not known")]

mod conditions;
mod external;
mod manifest;
mod status;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use krono_cel::library::kro;
use krono_cel::{Env, EnvBuilder, Type};
use krono_schema::cel::cel_type;
use krono_schema::crd::InstanceSchema;
use krono_schema::{Path, Schema, SchemaType, object_meta};
use serde_json::Value;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::expression::{Expression, Expressions, unwrapped};
use crate::graph::{CompiledGraph, Dimension, Node, Subject};
use crate::identity::Identity;
use crate::kinds::{Kinds, KnownKind};
use crate::names;
use crate::order::Order;
use crate::rgd::{self, NodeSource, Source, SubjectSource};

/// The name of the instance in expressions.
pub(crate) const INSTANCE: &str = "schema";
/// A name that no expression can mention.
const UNSPEAKABLE: &str = "a node without a name";
/// The name of one element of a collection in `readyWhen`.
pub(crate) const ELEMENT: &str = "each";

/// What a definition may use.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How many `forEach` entries a node may have.
    pub dimensions: usize,
    /// How many objects a collection may have.
    pub objects: usize,
    /// Whether templates may call `omit()`.
    pub omit: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { dimensions: 10, objects: 1000, omit: true }
    }
}

/// Compiles a `ResourceGraphDefinition`, or tells all that is wrong with it.
pub fn compile(
    definition: &Value,
    kinds: &dyn Kinds,
    options: Options,
) -> Result<CompiledGraph, Vec<Diagnostic>> {
    match compile_in_part(definition, kinds, options) {
        (Some(graph), found) if found.is_empty() => Ok(graph),
        (_, found) => Err(found),
    }
}

/// All that is wrong with a `ResourceGraphDefinition`, and its graph where every node was understood in spite of that: something to
/// check more against, and nothing to evaluate.
pub fn compile_in_part(
    definition: &Value,
    kinds: &dyn Kinds,
    options: Options,
) -> (Option<CompiledGraph>, Vec<Diagnostic>) {
    let mut diagnostics = Diagnostics::default();
    let source = rgd::read(definition, &mut diagnostics);
    let subjects: Vec<Option<KnownKind>> =
        source.nodes.iter().map(|node| manifest::known_kind(node, kinds, &mut diagnostics)).collect();
    let mut compiler = Compiler {
        env: environment(&source, &subjects, options),
        source: &source,
        subjects: &subjects,
        options,
        diagnostics: &mut diagnostics,
    };
    let nodes: Vec<Node> = (0..source.nodes.len()).filter_map(|index| compiler.node(index)).collect();
    let order = compiler.order(&nodes);
    let status = compiler.status();
    // Each of them is absent for a reason that was reported.
    let graph = match (source.instance, order, status) {
        (Some(instance), Some(order), Some((status, crd))) => {
            Some(CompiledGraph { instance, crd, nodes, order, status, most_objects: options.objects })
        }
        _ => None,
    };
    // Of conditions that make no sense, nothing is known.
    if let Some(graph) = graph.as_ref().filter(|_| diagnostics.is_empty()) {
        report_objects_made_twice(graph, &mut diagnostics);
    }
    (graph, diagnostics.finish().err().unwrap_or_default())
}

/// Two nodes that always make the same object would undo each other's work.
fn report_objects_made_twice(graph: &CompiledGraph, diagnostics: &mut Diagnostics) {
    let certain = |it: &Node| graph.identity_of(it).filter(Identity::is_certain);
    let made: Vec<Option<Identity>> = graph.nodes.iter().map(certain).collect();
    for (index, identity) in made.iter().enumerate().filter(|(_, it)| it.is_some()) {
        let Some(first) = made.iter().take(index).position(|it| it == identity) else { continue };
        let message = format!("the resource {:?} makes this object already", graph.nodes[first].id);
        let path = format!("spec.resources[{index}].template.metadata.name");
        diagnostics
            .report(path, message)
            .advise("give it another name or namespace, or make one resource of the two");
    }
}

static WITH_OMIT: LazyLock<Env> = LazyLock::new(|| kro::environment().library(kro::omit()).build());

/// Where templates are evaluated: the instance in slot 0, then the nodes in their order.
fn environment(source: &Source<'_>, subjects: &[Option<KnownKind>], options: Options) -> Env {
    let instance = source.instance.as_ref().map_or_else(unknown_instance, InstanceSchema::variable);
    let instance = cel_type(&instance.into(), "__type_schema");
    let base = if options.omit { WITH_OMIT.extend() } else { kro::environment() };
    let declare = |env: EnvBuilder, (node, known): (&NodeSource<'_>, &Option<KnownKind>)| {
        let object = object_type(node.id, known.as_ref());
        // A node that takes the instance's name has been reported; under that name everybody means the instance.
        let name = if node.id == INSTANCE { UNSPEAKABLE } else { node.id };
        env.variable(name, if is_collection(node) { Type::list(object) } else { object })
    };
    source.nodes.iter().zip(subjects).fold(base.variable(INSTANCE, instance), declare).build()
}

/// What is known of every instance, whatever its definition says.
fn unknown_instance() -> Schema {
    let string = || Schema::of_type(SchemaType::String);
    let fields =
        [("apiVersion", string()), ("kind", string()), ("metadata", object_meta()), ("spec", Schema::any())];
    Schema::object(fields)
}

fn object_type(id: &str, known: Option<&KnownKind>) -> Type {
    known.map_or(Type::Dyn, |known| cel_type(&manifest::object_schema(known), &type_name(id)))
}

/// What the types of a node are called in messages.
fn type_name(id: &str) -> String {
    format!("__type_{id}")
}

fn is_collection(node: &NodeSource<'_>) -> bool {
    let selects = |external: &serde_json::Map<String, Value>| {
        external.get("metadata").and_then(|it| it.get("selector")).is_some_and(|it| !it.is_null())
    };
    !node.for_each.is_empty() || matches!(node.subject, SubjectSource::External(it) if selects(it))
}

pub(crate) struct Compiler<'a> {
    env: Env,
    source: &'a Source<'a>,
    subjects: &'a [Option<KnownKind>],
    options: Options,
    diagnostics: &'a mut Diagnostics,
}

impl Compiler<'_> {
    fn node(&mut self, index: usize) -> Option<Node> {
        let source = &self.source.nodes[index];
        let root = Path::named("spec.resources");
        let path = root.index(source.index);
        let for_each = self.dimensions(source, &path);
        let env = with_iterators(&self.env, &for_each);
        let known = self.subjects[index].as_ref();
        let subject = match source.subject {
            SubjectSource::Template(template) => {
                self.manifest(source, template, known, &env, &path).map(Subject::Template)
            }
            SubjectSource::External(external) => {
                self.reference(source, external, known, &path).map(Subject::External)
            }
        };
        let include_when =
            self.conditions(&source.include_when, &path.field("includeWhen"), &self.env.clone());
        let ready_env = ready_environment(source, known);
        let ready_when = self.conditions(&source.ready_when, &path.field("readyWhen"), &ready_env);
        let mut node = Node {
            id: source.id.to_owned(),
            subject: subject?,
            dependencies: BTreeSet::new(),
            include_when,
            ready_when,
            for_each,
            deletion: source.deletion,
            env,
            ready_env,
        };
        node.dependencies = self.dependencies(&node, &path);
        Some(node)
    }

    fn expressions<'e>(&'e mut self, env: &'e Env) -> Expressions<'e> {
        Expressions { env, diagnostics: self.diagnostics }
    }

    fn conditions(&mut self, texts: &[(usize, &str)], path: &Path<'_>, env: &Env) -> Vec<Expression> {
        let mut expressions = self.expressions(env);
        let texts = texts.iter();
        texts.filter_map(|(index, text)| expressions.condition(text, &path.index(*index))).collect()
    }

    fn dimensions(&mut self, source: &NodeSource<'_>, path: &Path<'_>) -> Vec<Dimension> {
        let at = path.field("forEach");
        if source.for_each.len() > self.options.dimensions {
            let message = format!(
                "{} dimensions; at most {} are allowed",
                source.for_each.len(),
                self.options.dimensions
            );
            self.diagnostics.report(at, message).advise("make one list of all combinations with map()");
        }
        let env = self.env.clone();
        let mut dimensions: Vec<Dimension> = Vec::new();
        for (index, (iterator, list)) in source.for_each.iter().enumerate() {
            let at = at.index(index);
            self.check_iterator(iterator, &dimensions, &at.field(iterator));
            let Some(list) = self.expressions(&env).standalone(list, &at.field(iterator)) else { continue };
            if !matches!(unwrapped(list.result_type()), Type::List(_) | Type::Dyn) {
                let message = format!("returns type \"{}\" but expected a list", list.result_type());
                let advice = if_not_a_list(list.result_type(), list.source());
                self.diagnostics.report(at.field(iterator), message).at(list.span()).advise(advice);
            }
            self.expressions(&env).refuse_omit(&list, &at.field(iterator));
            dimensions.push(Dimension { iterator: (*iterator).to_owned(), list });
        }
        dimensions
    }

    fn check_iterator(&mut self, name: &str, earlier: &[Dimension], path: &Path<'_>) {
        if let Some((message, advice)) = names::complaint(name) {
            self.diagnostics.report(path, message).advise(advice);
        }
        if earlier.iter().any(|it| it.iterator == name) {
            self.diagnostics
                .report(path, format!("{name:?} is an iterator of this resource already"))
                .advise("choose another name");
        }
        if self.source.nodes.iter().any(|it| it.id == name) {
            self.diagnostics
                .report(path, format!("{name:?} is the id of a resource"))
                .advise("choose another name");
        }
    }

    /// The nodes that a node's expressions mention, but for those about readiness.
    fn dependencies(&mut self, node: &Node, path: &Path<'_>) -> BTreeSet<usize> {
        let mut variables = BTreeSet::new();
        let mut shape = |shape: &crate::shape::Shape| variables.extend(shape.variables());
        match &node.subject {
            Subject::Template(manifest) => shape(&manifest.shape),
            Subject::External(it) => {
                [&it.namespace, &it.name, &it.selector].into_iter().flatten().for_each(shape);
            }
        }
        let lists = node.for_each.iter().map(|it| &it.list);
        node.include_when.iter().chain(lists).for_each(|it| variables.extend(it.variables()));
        // Slot 0 is the instance; behind the nodes stand the iterators.
        let nodes = variables.iter().filter_map(|slot| slot.checked_sub(1));
        let mut dependencies: BTreeSet<usize> = nodes.filter(|it| *it < self.source.nodes.len()).collect();
        let own = self.source.nodes.iter().position(|it| it.id == node.id);
        if own.is_some_and(|own| dependencies.remove(&own)) {
            let advice = format!("only readyWhen may look at {:?} itself", node.id);
            self.diagnostics.report(path, "self references are not allowed").advise(advice);
        }
        dependencies
    }

    fn order(&mut self, nodes: &[Node]) -> Option<Order> {
        // Positions are those of the definition only if every node was understood.
        if nodes.len() < self.source.nodes.len() {
            return None;
        }
        let dependencies: Vec<_> = nodes.iter().map(|it| it.dependencies.clone()).collect();
        Order::of(&dependencies)
            .map_err(|cycle| {
                let ids: Vec<_> = cycle.0.iter().map(|node| nodes[*node].id.as_str()).collect();
                let message = format!("graph contains a cycle: {}", ids.join(" -> "));
                self.diagnostics.report("spec.resources", message).advise("remove one of these references");
            })
            .ok()
    }
}

fn if_not_a_list(ty: &Type, source: &str) -> String {
    match unwrapped(ty) {
        Type::Map(_) | Type::Object(_) => {
            format!("a map becomes a list of its keys with ${{{source}.map(key, key)}}")
        }
        Type::Int => format!("write ${{lists.range({source})}} to count"),
        _ => format!("write ${{[{source}]}} for a list of one"),
    }
}

/// `readyWhen` sees the node alone; of a collection, one element at a time.
fn ready_environment(source: &NodeSource<'_>, known: Option<&KnownKind>) -> Env {
    let object = object_type(source.id, known);
    let base = kro::environment();
    if !is_collection(source) {
        return base.variable(source.id, object).build();
    }
    let base = base.variable(ELEMENT, object.clone());
    match source.subject {
        SubjectSource::External(_) => base.variable(source.id, Type::list(object)).build(),
        SubjectSource::Template(_) => base.build(),
    }
}

fn with_iterators(env: &Env, dimensions: &[Dimension]) -> Env {
    let declare =
        |env: EnvBuilder, it: &Dimension| env.variable(&it.iterator, element_type(it.list.result_type()));
    if dimensions.is_empty() { env.clone() } else { dimensions.iter().fold(env.extend(), declare).build() }
}

fn element_type(list: &Type) -> Type {
    match unwrapped(list) {
        Type::List(list) => list.element.clone(),
        _ => Type::Dyn,
    }
}
