//! What the values of expressions come from, as far as a definition tells.

use std::collections::BTreeMap;

use krono_schema::{AdditionalProperties, Schema};
use serde_json::{Map, Value, json};

use crate::expression::Expression;
use crate::graph::{CompiledGraph, Dimension, KindName, Node, Subject};
use crate::reads::Read;
use crate::shape::{Shape, TextPart};

/// What is written at the places that expressions read and at those that are read from there, by places such as `one.data.text`.
/// Expressions with the same sources have the same values in an instance, as far as nobody else changes them.
pub(crate) fn sources<'g>(
    graph: &'g CompiledGraph,
    expressions: impl IntoIterator<Item = &'g Expression>,
) -> BTreeMap<String, Value> {
    let mut search = Search { graph, found: BTreeMap::new(), ahead: expressions.into_iter().collect() };
    while let Some(expression) = search.ahead.pop() {
        expression.reads().iter().for_each(|it| search.follow(it));
    }
    search.found
}

struct Search<'g> {
    graph: &'g CompiledGraph,
    found: BTreeMap<String, Value>,
    ahead: Vec<&'g Expression>,
}

impl<'g> Search<'g> {
    fn follow(&mut self, read: &Read) {
        let Some(node) = read.slot.checked_sub(1) else { return self.instance(&read.path) };
        // Behind the nodes stand iterators; who asks for their objects asks for their lists.
        let Some(node) = self.graph.nodes.get(node) else { return };
        match part(node, &read.path) {
            Some(written) => self.note(&node.id, &read.path, written),
            None => self.note(&node.id, &[], whole(node)),
        }
    }

    fn note(&mut self, id: &str, path: &[String], written: Written<'g>) {
        if self.found.insert(place(id, path), written.text).is_none() {
            self.ahead.extend(written.expressions);
        }
    }

    /// What the owner writes is the same under every revision; what they leave out is not.
    fn instance(&mut self, path: &[String]) {
        let path = match path.split_first() {
            None => path,
            Some((first, rest)) if first == "spec" => rest,
            Some(_) => return,
        };
        self.found.insert(place("schema.spec", path), defaults(&self.graph.instance.spec, path));
    }
}

fn place(start: &str, path: &[String]) -> String {
    std::iter::once(start).chain(path.iter().map(String::as_str)).collect::<Vec<_>>().join(".")
}

/// What an author wrote, and the expressions in it.
#[derive(Default)]
pub(crate) struct Written<'s> {
    pub(crate) text: Value,
    pub(crate) expressions: Vec<&'s Expression>,
}

impl<'s> Written<'s> {
    fn of(shape: &'s Shape) -> Self {
        let mut expressions = Vec::new();
        shape.for_each_expression(&mut |it| expressions.push(it));
        Self { text: text(shape), expressions }
    }
}

/// What is written at a place in nested maps, or as an expression on the way there; nothing where nothing is.
pub(crate) fn written<'s>(shape: &'s Shape, path: &[impl AsRef<str>]) -> Option<Written<'s>> {
    match (shape, path.split_first()) {
        (Shape::Literal(value), _) => {
            let found = path.iter().try_fold(value, |value, field| value.get(field.as_ref()));
            found.map(|it| Written { text: it.clone(), expressions: Vec::new() })
        }
        (Shape::Object(fields), Some((first, rest))) => {
            let field = fields.iter().find(|(name, _)| name == first.as_ref());
            field.and_then(|(_, it)| written(it, rest))
        }
        (Shape::List(_), Some(_)) => None,
        (Shape::Expression(_) | Shape::Text(_), _) | (Shape::Object(_) | Shape::List(_), None) => {
            Some(Written::of(shape))
        }
    }
}

/// What decides about a part of a node's object; nothing where that may be all of it, since others fill it in.
fn part<'g>(node: &'g Node, path: &[String]) -> Option<Written<'g>> {
    let Subject::Template(manifest) = &node.subject else { return None };
    if node.is_collection() || path.is_empty() {
        return None;
    }
    // Who writes no namespace means the instance's.
    let is_namespace = path.iter().eq(["metadata", "namespace"]);
    written(&manifest.shape, path).or_else(|| is_namespace.then(Written::default))
}

/// All that decides about a node's objects. Whether there are any is for who needs them too.
fn whole(node: &Node) -> Written<'_> {
    let KindName { api_version, kind, .. } = node.subject.kind();
    let shapes: Vec<Option<&Shape>> = match &node.subject {
        Subject::Template(manifest) => vec![Some(&manifest.shape)],
        Subject::External(it) => {
            [&it.namespace, &it.name, &it.selector].into_iter().map(Option::as_ref).collect()
        }
    };
    let dimension = |it: &Dimension| json!([it.iterator, it.list.source()]);
    let dimensions: Vec<Value> = node.for_each.iter().map(dimension).collect();
    let written: Vec<Value> = shapes.iter().map(|it| it.map_or(Value::Null, text)).collect();
    let mut expressions: Vec<&Expression> = node.for_each.iter().map(|it| &it.list).collect();
    for shape in shapes.into_iter().flatten() {
        shape.for_each_expression(&mut |it| expressions.push(it));
    }
    Written { text: json!([api_version, kind, dimensions, written]), expressions }
}

fn text(shape: &Shape) -> Value {
    match shape {
        Shape::Literal(value) => value.clone(),
        Shape::Object(fields) => {
            Value::Object(fields.iter().map(|(name, it)| (name.clone(), text(it))).collect())
        }
        Shape::List(elements) => elements.iter().map(text).collect(),
        Shape::Expression(expression) => Value::String(quoted(expression)),
        Shape::Text(parts) => Value::String(parts.iter().map(part_of_text).collect()),
    }
}

fn part_of_text(part: &TextPart) -> String {
    match part {
        TextPart::Literal(text) => text.clone(),
        TextPart::Expression(expression) => quoted(expression),
    }
}

fn quoted(expression: &Expression) -> String {
    format!("${{{}}}", expression.source())
}

/// The defaults of a field, of those that it is in and of those in it; null where there are none.
fn defaults(schema: &Schema, path: &[String]) -> Value {
    let (first, rest) = path.split_first().map_or((None, path), |(first, rest)| (Some(first), rest));
    let is_meant = |name: &str| first.is_none_or(|it| it == name);
    let properties = schema.properties.iter().filter(|(name, _)| is_meant(name));
    let values = schema.additional_properties.as_ref().and_then(AdditionalProperties::schema);
    let others = [("[]", schema.items.as_ref()), ("{}", values)];
    let others = others.into_iter().filter_map(|(name, it)| Some((name, it?)));
    let all = properties.map(|(name, it)| (name.as_str(), it)).chain(others);
    let within = all.map(|(name, it)| (name.to_owned(), defaults(it, rest)));
    let within: Map<String, Value> = within.filter(|(_, it)| !it.is_null()).collect();
    if schema.default.is_none() && within.is_empty() { Value::Null } else { json!([schema.default, within]) }
}
