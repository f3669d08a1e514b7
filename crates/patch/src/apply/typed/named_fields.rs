//! Fields that are owned because something inside of them is.

use super::super::field_set::FieldSet;
use super::super::object_type::{ObjectType, TypeId};
use super::super::path::PathElement;

/// The set with every field that the schema names and that holds something of the set.
///
/// A field of known structure is not claimed by itself; it comes and goes with its content.
pub(in super::super) fn with_named_fields<'a>(types: &ObjectType, set: &FieldSet<'a>) -> FieldSet<'a> {
    let mut set = set.clone();
    name_fields(types, &mut set, Some(types.root()));
    set
}

fn name_fields(types: &ObjectType, set: &mut FieldSet<'_>, id: Option<TypeId>) {
    set.change_nodes(|node| {
        let (known, inner) = step(types, id, &node.element);
        node.member |= known;
        name_fields(types, &mut node.below, inner);
    });
}

/// Whether the schema names the step, and the type it leads to.
pub(in super::super) fn step(
    types: &ObjectType,
    id: Option<TypeId>,
    element: &PathElement<'_>,
) -> (bool, Option<TypeId>) {
    let Some(node) = id.map(|id| types.node(id)) else { return (false, None) };
    match element {
        PathElement::Field(name) => match &node.map {
            Some(map) => map.find(name).map_or((false, None), |(id, known)| (known, Some(id))),
            None => (false, None),
        },
        PathElement::Key(_) => (false, node.list.as_ref().map(|list| list.items)),
        PathElement::Value(_) | PathElement::Index(_) => (false, None),
    }
}
