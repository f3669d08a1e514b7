//! The fields that an applied configuration claims.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::super::field_set::FieldSet;
use super::super::object_type::{Elements, ListShape, MapShape, ObjectType, Shape, TypeId};
use super::super::path::PathElement;
use super::element::elements;

/// Every leaf, map entry and list element of the value; fields of known structure that only hold others are not
/// claimed themselves.
pub(in super::super) fn to_set<'a>(types: &'a ObjectType, value: &'a Value) -> FieldSet<'a> {
    below(types, value, types.root()).1
}

/// Whether the value is claimed as a whole, and what is claimed inside of it.
fn below<'a>(types: &'a ObjectType, value: &'a Value, id: TypeId) -> (bool, FieldSet<'a>) {
    match (types.node(id).shape(value), value) {
        (Shape::Scalar(_), _) => (true, FieldSet::new()),
        (Shape::Map(map), _) if map.atomic => (true, FieldSet::new()),
        (Shape::List(list), _) if matches!(list.elements, Elements::Atomic) => (true, FieldSet::new()),
        (Shape::Map(map), Value::Object(fields)) => (false, of_fields(types, map, fields)),
        (Shape::List(list), Value::Array(items)) => (false, of_items(types, list, items)),
        (Shape::Map(_) | Shape::List(_) | Shape::Nothing, _) => (false, FieldSet::new()),
    }
}

fn of_fields<'a>(types: &'a ObjectType, map: &'a MapShape, fields: &'a Map<String, Value>) -> FieldSet<'a> {
    let mut set = FieldSet::new();
    for (name, value) in fields {
        let Some((id, known)) = map.find(name).filter(|(id, _)| !types.node(*id).ignored) else { continue };
        let (claimed, inside) = below(types, value, id);
        let empty = value.is_null() || value.as_object().is_some_and(Map::is_empty);
        set.add(PathElement::Field(Cow::Borrowed(name)), claimed || empty || !known, inside);
    }
    set
}

/// Of elements that cannot be told apart nothing is claimed but their being there.
fn of_items<'a>(types: &'a ObjectType, list: &'a ListShape, items: &'a [Value]) -> FieldSet<'a> {
    let mut elements = elements(list, items);
    elements.sort_by(|(left, _), (right, _)| left.cmp(right));
    let mut set = FieldSet::new();
    for same in elements.chunk_by(|(left, _), (right, _)| left == right) {
        match same {
            [(element, item)] => set.add(element.clone(), true, below(types, item, list.items).1),
            several => set.add(several[0].0.clone(), true, FieldSet::new()),
        }
    }
    set
}
