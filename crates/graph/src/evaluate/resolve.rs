//! The objects a node is about.

#![expect(clippy::wildcard_enum_match_arm, reason = "every other value is itself")]

use krono_cel::{Bindings, EvalError, Val};
use krono_schema::crd::{InstanceSchema, Scope};
use serde_json::Value;

use super::{NodeError, Pass, Target, place};
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
        if manifest.kind.namespaced && place::namespace(object.pointer("/metadata/namespace"))?.is_none() {
            let namespace = self.own_namespace()?.to_owned();
            if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
                metadata.insert("namespace".to_owned(), Value::String(namespace));
            }
        }
        place::check_name(text_at(&object, "name"))?;
        Ok(object)
    }

    /// Notes who makes which object; no object is made twice, and none is the instance.
    fn claim(&mut self, index: usize, kind: &KindName, objects: &[Value]) -> Result<(), NodeError> {
        for object in objects {
            let (namespace, name) = identity(object, kind);
            let key = [kind.group(), &kind.kind, namespace, name];
            let is_instance = key == self.instance_identity();
            if is_instance || self.made.insert(key.map(str::to_owned), index).is_some() {
                let (namespace, name) = (namespace.to_owned(), name.to_owned());
                return Err(if is_instance {
                    NodeError::Itself { namespace, name }
                } else {
                    NodeError::Collision { namespace, name }
                });
            }
        }
        Ok(())
    }

    /// Group, kind, namespace and name.
    fn instance_identity(&self) -> [&str; 4] {
        let InstanceSchema { group, kind, scope, .. } = &self.graph.instance;
        let namespace = if *scope == Scope::Namespaced { self.instance_namespace() } else { "" };
        [group, kind, namespace, text_at(self.instance, "name")]
    }

    fn reference(&self, reference: &'a Reference, bindings: &Bindings<'a>) -> Result<Target, NodeError> {
        let fill = |shape: &'a Option<Shape>, field| filled(shape.as_ref(), bindings, field, &self.budget);
        let namespace = fill(&reference.namespace, "namespace")?;
        let namespace = place::namespace(namespace.as_ref())?;
        if reference.selector.is_some() {
            let selector = fill(&reference.selector, "selector")?.unwrap_or_default();
            check_selector(&selector)?;
            return Ok(Target::Selected { namespace: namespace.map(str::to_owned), selector });
        }
        let name = fill(&reference.name, "name")?;
        let name = name.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
        place::check_name(&name)?;
        let namespace = match namespace {
            _ if !reference.kind.namespaced => "",
            Some(namespace) => namespace,
            None => self.own_namespace()?,
        };
        Ok(Target::Named { namespace: namespace.to_owned(), name })
    }

    /// The namespace of what names none.
    fn own_namespace(&self) -> Result<&'a str, NodeError> {
        let own = self.instance_namespace();
        if own.is_empty() { Err(NodeError::Placeless) } else { Ok(own) }
    }

    pub(super) fn instance_namespace(&self) -> &'a str {
        text_at(self.instance, "namespace")
    }
}

fn filled<'a>(
    shape: Option<&'a Shape>,
    bindings: &Bindings<'a>,
    field: &str,
    budget: &Budget,
) -> Result<Option<Value>, NodeError> {
    let Some(shape) = shape else { return Ok(None) };
    shape.fill(bindings, budget).map_err(|error| within(field, error))
}

fn check_selector(selector: &Value) -> Result<(), NodeError> {
    let Some(first) = krono_schema::selector::flaws(selector).into_iter().next() else { return Ok(()) };
    Err(NodeError::Selector { path: format!("selector{}", first.place), complaint: first.message })
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
