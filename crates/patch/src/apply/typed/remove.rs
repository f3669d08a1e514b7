//! Fields taken out of an object.

use serde_json::{Map, Value};

use super::super::field_set::FieldSet;
use super::super::object_type::{Elements, ListShape, MapShape, ObjectType, Shape, TypeId};
use super::super::path::PathElement;
use super::element::identify;

/// Takes the fields, map entries and list elements of the set out of the value.
///
/// An object or list that loses its last part becomes null, and so does an atomic one of which the set names a part.
pub(in super::super) fn remove(types: &ObjectType, value: &mut Value, set: &FieldSet<'_>) {
    remove_inside(types, value, set, types.root());
}

fn remove_inside(types: &ObjectType, value: &mut Value, set: &FieldSet<'_>, id: TypeId) {
    let empty = match (types.node(id).shape(value), &mut *value) {
        (Shape::Scalar(_), _) => return,
        (Shape::Map(map), Value::Object(fields)) if !map.atomic => {
            remove_fields(types, map, fields, set);
            fields.is_empty()
        }
        (Shape::List(list), Value::Array(items)) if !matches!(list.elements, Elements::Atomic) => {
            remove_items(types, list, items, set);
            items.is_empty()
        }
        (Shape::Map(_) | Shape::List(_) | Shape::Nothing, _) => true,
    };
    if empty {
        *value = Value::Null;
    }
}

fn remove_fields(types: &ObjectType, map: &MapShape, fields: &mut Map<String, Value>, set: &FieldSet<'_>) {
    for node in set.nodes() {
        let PathElement::Field(name) = &node.element else { continue };
        if node.member {
            fields.remove(name.as_ref());
        } else if let (Some(value), Some(id)) = (fields.get_mut(name.as_ref()), map.field(name)) {
            remove_inside(types, value, &node.below, id);
        }
    }
}

fn remove_items(types: &ObjectType, list: &ListShape, items: &mut Vec<Value>, set: &FieldSet<'_>) {
    items.retain_mut(|item| {
        let Ok(element) = identify(list, item) else { return true };
        let Some(node) = set.node(&element) else { return true };
        if !node.member {
            remove_inside(types, item, &node.below, list.items);
        }
        !node.member
    });
}
