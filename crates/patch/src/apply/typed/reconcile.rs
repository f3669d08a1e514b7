//! Field sets brought up to date with a schema that changed since they were written.

use super::super::field_set::{FieldSet, Node};
use super::super::object_type::{Elements, ListShape, MapShape, ObjectType, Shape, TypeId};
use super::super::path::PathElement;

/// Whoever owned parts of what became atomic now owns it as a whole.
pub(in super::super) fn reconcile(types: &ObjectType, set: &mut FieldSet<'_>) {
    inside(types, set, types.root());
}

fn inside(types: &ObjectType, set: &mut FieldSet<'_>, id: TypeId) {
    match types.node(id).default_shape() {
        Shape::Map(map) if !map.untyped => fields(types, map, set),
        Shape::List(list) => items(types, list, set),
        Shape::Map(_) | Shape::Scalar(_) | Shape::Nothing => {}
    }
}

fn fields(types: &ObjectType, map: &MapShape, set: &mut FieldSet<'_>) {
    set.change_nodes(|node| {
        let id = match &node.element {
            PathElement::Field(name) => map.field(name),
            PathElement::Key(_) | PathElement::Value(_) | PathElement::Index(_) => map.others,
        };
        if let Some(id) = id {
            part(types, node, id);
        }
    });
}

fn items(types: &ObjectType, list: &ListShape, set: &mut FieldSet<'_>) {
    set.change_nodes(|node| part(types, node, list.items));
}

fn part(types: &ObjectType, node: &mut Node<'_>, id: TypeId) {
    let became_atomic = match types.node(id).default_shape() {
        Shape::Map(map) => map.atomic && !map.untyped,
        Shape::List(list) => matches!(list.elements, Elements::Atomic),
        Shape::Scalar(_) | Shape::Nothing => false,
    };
    if !became_atomic {
        return inside(types, &mut node.below, id);
    }
    if !node.below.is_empty() {
        node.member = true;
        node.below = FieldSet::new();
    }
}
