//! The objects a node is about.

#![expect(clippy::wildcard_enum_match_arm, reason = "every other value is itself")]

use krono_cel::{Bindings, EvalError, Val};
use serde_json::Value;

use super::{NodeError, Pass, Target};
use crate::budget::Budget;
use crate::graph::{KindName, Manifest, Node, Reference, Subject};
use crate::shape::{FillError, Shape};

impl<'a> Pass<'a> {
    pub(super) fn resolve(&mut self, index: usize) -> Result<Target, NodeError> {
        let graph = self.graph;
        let node = &graph.nodes[index];
        let bindings = self.bindings(&node.env);
        match &node.subject {
            Subject::Template(manifest) => {
                let objects = self.objects(node, manifest, &bindings)?;
                self.claim(index, &manifest.kind, &objects)?;
                Ok(Target::Objects(objects))
            }
            Subject::External(reference) => self.reference(reference, &bindings),
        }
    }

    fn objects(
        &self,
        node: &'a Node,
        manifest: &'a Manifest,
        bindings: &Bindings<'a>,
    ) -> Result<Vec<Value>, NodeError> {
        if node.for_each.is_empty() {
            return Ok(vec![self.object(manifest, bindings)?]);
        }
        combinations(node, bindings, self.graph.most_objects, &self.budget)?
            .into_iter()
            .map(|it| self.object(manifest, &bound(node, bindings, it)))
            .collect()
    }

    fn object(&self, manifest: &'a Manifest, bindings: &Bindings<'a>) -> Result<Value, NodeError> {
        let mut object = manifest.shape.fill(bindings, &self.budget)?.unwrap_or_default();
        if manifest.kind.namespaced && text_at(&object, "namespace").is_empty() {
            let namespace = self.instance_namespace().to_owned();
            if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
                metadata.insert("namespace".to_owned(), Value::String(namespace));
            }
        }
        if text_at(&object, "name").is_empty() { Err(NodeError::Nameless) } else { Ok(object) }
    }

    /// Notes who makes which object; no object is made twice.
    fn claim(&mut self, index: usize, kind: &KindName, objects: &[Value]) -> Result<(), NodeError> {
        for object in objects {
            let (namespace, name) = identity(object, kind);
            let key = [kind.group(), &kind.kind, namespace, name].map(str::to_owned);
            if self.made.insert(key, index).is_some() {
                return Err(NodeError::Collision { namespace: namespace.to_owned(), name: name.to_owned() });
            }
        }
        Ok(())
    }

    fn reference(&self, reference: &'a Reference, bindings: &Bindings<'a>) -> Result<Target, NodeError> {
        let namespace = text(reference.namespace.as_ref(), bindings, "namespace", &self.budget)?;
        if let Some(selector) = &reference.selector {
            let selector =
                selector.fill(bindings, &self.budget).map_err(|error| within("selector", error))?;
            let namespace = namespace.filter(|it| !it.is_empty());
            return Ok(Target::Selected { namespace, selector: selector.unwrap_or_default() });
        }
        let name = text(reference.name.as_ref(), bindings, "name", &self.budget)?.unwrap_or_default();
        if name.is_empty() {
            return Err(NodeError::Nameless);
        }
        let own = || self.instance_namespace().to_owned();
        let namespace = namespace.filter(|it| !it.is_empty()).unwrap_or_else(own);
        Ok(Target::Named {
            namespace: if reference.kind.namespaced { namespace } else { String::new() },
            name,
        })
    }

    pub(super) fn instance_namespace(&self) -> &'a str {
        text_at(self.instance, "namespace")
    }
}

fn text<'a>(
    shape: Option<&'a Shape>,
    bindings: &Bindings<'a>,
    field: &str,
    budget: &Budget,
) -> Result<Option<String>, NodeError> {
    let Some(shape) = shape else { return Ok(None) };
    let value = shape.fill(bindings, budget).map_err(|error| within(field, error))?;
    Ok(value.and_then(|it| it.as_str().map(str::to_owned)))
}

/// What the expressions of one item of a collection see.
pub(super) fn bound<'a>(node: &'a Node, bindings: &Bindings<'a>, item: Vec<Val<'a>>) -> Bindings<'a> {
    let mut bindings = bindings.clone();
    for (dimension, element) in node.for_each.iter().zip(item) {
        bindings.set_val(&dimension.iterator, element);
    }
    bindings
}

/// Every combination of the elements, the last dimension varying fastest.
pub(super) fn combinations<'a>(
    node: &'a Node,
    bindings: &Bindings<'a>,
    most: usize,
    budget: &Budget,
) -> Result<Vec<Vec<Val<'a>>>, NodeError> {
    let mut combinations = vec![Vec::new()];
    for dimension in &node.for_each {
        let path = || format!("forEach.{}", dimension.iterator);
        let list = dimension.list.evaluate(bindings, budget);
        let list = list.map_err(|error| FillError { path: path(), error })?;
        let list = unwrapped(list);
        let no_list = || NodeError::NoList { iterator: dimension.iterator.clone() };
        let elements: Vec<_> = list.as_list().ok_or_else(no_list)?.iter().collect();
        let size = combinations.len().saturating_mul(elements.len());
        if size > most {
            return Err(NodeError::TooLarge { size, most });
        }
        let longer = |combination: &Vec<Val<'a>>| {
            let combination = combination.clone();
            elements
                .iter()
                .map(move |it| combination.iter().chain([it]).cloned().collect())
                .collect::<Vec<_>>()
        };
        combinations = combinations.iter().flat_map(longer).collect();
    }
    Ok(combinations)
}

fn unwrapped(value: Val<'_>) -> Val<'_> {
    match value {
        Val::Optional(Some(inner)) => (*inner).clone(),
        other => other,
    }
}

fn within(field: &str, error: FillError) -> NodeError {
    let FillError { path, error } = error;
    let path = if path.is_empty() { field.to_owned() } else { format!("{field}.{path}") };
    NodeError::Fill(FillError { path, error })
}

/// Namespace and name of an object; the namespace is empty for cluster-wide kinds.
pub(super) fn identity<'o>(object: &'o Value, kind: &KindName) -> (&'o str, &'o str) {
    let namespace = if kind.namespaced { text_at(object, "namespace") } else { "" };
    (namespace, text_at(object, "name"))
}

fn text_at<'o>(object: &'o Value, field: &str) -> &'o str {
    object.get("metadata").and_then(|it| it.get(field)).and_then(Value::as_str).unwrap_or_default()
}

/// The error of an expression, at a field.
pub(super) fn at(path: &str, error: EvalError) -> FillError {
    FillError { path: path.to_owned(), error }
}
