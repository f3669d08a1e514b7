//! Pruning in one walk over the object, for managers who all use one version.
//!
//! It finds the same fields as the definition in the module above, which makes a set of everything at each of its
//! steps. For a part of the object, these words are used:
//! - *claimed*: it is in the set of everything in the object;
//! - *last*: it was in the last configuration, or is a field of known structure around something that was;
//! - *owned*: the same for what anybody owns now;
//! - *dropped*: it is last, or inside of something that is; it is not there once the last configuration is removed;
//! - *unowned*: it is claimed, dropped and not owned; it is not there once everything owned is added back.

use serde_json::{Map, Value};

use super::super::field_set::{FieldSet, Node};
use super::super::object_type::{Elements, ListShape, MapShape, ObjectType, Shape, TypeId};
use super::super::path::PathElement;
use super::super::typed::element::identify;

/// What to take out of `merged`; none when elements that cannot be told apart are in the way.
pub(super) fn gone<'l>(
    types: &ObjectType,
    merged: &Value,
    last: &FieldSet<'l>,
    owned: &[&FieldSet<'_>],
) -> Option<FieldSet<'l>> {
    let united;
    let owned = if let Some(owned) = Owned::new(owned) {
        owned
    } else {
        united = owned.iter().fold(FieldSet::new(), |united, set| united.union(set));
        Owned { sets: [Some(&united), None, None, None, None, None] }
    };
    let place = Place { last: Some(last), owned, dropped: false };
    Some(Walk { types }.inside(merged, types.root(), &place)?.gone)
}

/// The sets of a few managers at one place; looking into all of them is cheaper than uniting them.
#[derive(Clone, Copy)]
struct Owned<'s> {
    sets: [Option<&'s FieldSet<'s>>; 6],
}

impl<'s> Owned<'s> {
    fn new(sets: &[&'s FieldSet<'s>]) -> Option<Self> {
        let mut owned = Self { sets: [None; 6] };
        for (at, set) in sets.iter().enumerate() {
            *owned.sets.get_mut(at)? = Some(*set);
        }
        Some(owned)
    }

    /// Whether any of the sets has the part, in a way that counts, and the sets inside of it.
    fn step(self, element: &PathElement<'_>, counts: impl Fn(&Node<'_>) -> bool) -> (bool, Self) {
        let nodes = self.sets.map(|set| set.and_then(|set| set.node(element)));
        (
            nodes.iter().flatten().any(|node| counts(node)),
            Self { sets: nodes.map(|node| node.map(|node| &node.below)) },
        )
    }
}

#[derive(Clone, Copy)]
struct Walk<'t> {
    types: &'t ObjectType,
}

/// What is known about the inside of a part.
struct Place<'s, 'l> {
    last: Option<&'s FieldSet<'l>>,
    owned: Owned<'s>,
    dropped: bool,
}

/// What became of the inside of a part.
struct Inside<'l> {
    gone: FieldSet<'l>,
    /// Something is claimed inside after everything unowned is taken out.
    claims_left: bool,
    /// There was something inside, and all of it is unowned.
    emptied: bool,
}

impl Inside<'_> {
    fn new(parts: usize) -> Self {
        Self { gone: FieldSet::new(), claims_left: false, emptied: parts > 0 }
    }
}

/// A part and what is known about it.
struct Part<'v> {
    value: &'v Value,
    id: TypeId,
    /// The schema names it.
    known: bool,
    element_of_list: bool,
}

impl<'t> Walk<'t> {
    fn inside<'l>(self, value: &Value, id: TypeId, place: &Place<'_, 'l>) -> Option<Inside<'l>> {
        match (self.types.node(id).shape(value), value) {
            (Shape::Map(map), Value::Object(fields)) if !map.atomic => self.fields(map, fields, place),
            (Shape::List(list), Value::Array(items)) if !matches!(list.elements, Elements::Atomic) => {
                self.items(list, items, place)
            }
            _ => Some(Inside::new(0)),
        }
    }

    fn fields<'l>(
        self,
        map: &MapShape,
        fields: &Map<String, Value>,
        place: &Place<'_, 'l>,
    ) -> Option<Inside<'l>> {
        let mut inside = Inside::new(fields.len());
        for (name, value) in fields {
            let Some((id, known)) = map.find(name) else { continue };
            let part = Part { value, id, known, element_of_list: false };
            self.part(&PathElement::field(name), &part, place, &mut inside)?;
        }
        Some(inside)
    }

    fn items<'l>(self, list: &ListShape, items: &[Value], place: &Place<'_, 'l>) -> Option<Inside<'l>> {
        let mut elements = Vec::with_capacity(items.len());
        for item in items {
            elements.push((identify(list, item).ok()?, item));
        }
        elements.sort_by(|(left, _), (right, _)| left.cmp(right));
        if elements.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return None;
        }
        let mut inside = Inside::new(items.len());
        for (element, value) in &elements {
            let part = Part { value, id: list.items, known: false, element_of_list: true };
            self.part(element, &part, place, &mut inside)?;
        }
        Some(inside)
    }

    fn part<'l>(
        self,
        element: &PathElement<'_>,
        part: &Part<'_>,
        place: &Place<'_, 'l>,
        inside: &mut Inside<'l>,
    ) -> Option<()> {
        let last = place.last.and_then(|set| set.node(element));
        let claimed = self.claimed(part);
        if last.is_none() && !place.dropped {
            inside.emptied = false;
            inside.claims_left |= claimed;
            return Some(());
        }
        let counts = |node: &Node<'_>| node.member || part.known;
        let is_last = last.is_some_and(counts);
        let (is_owned, owned) = place.owned.step(element, counts);
        let dropped = place.dropped || is_last;
        let there_without_last = !dropped && !last.is_some_and(|last| self.becomes_null(part, last));
        if claimed && !there_without_last && !is_owned {
            self.unowned(part, last, is_last, inside);
            return Some(());
        }
        inside.emptied = false;
        let place = Place { last: last.map(|node| &node.below), owned, dropped };
        let inner = self.inside(part.value, part.id, &place)?;
        let left = claimed && self.still_claimed(part, &inner);
        inside.claims_left |= left;
        if let Some(last) = last {
            let is_gone = claimed && is_last && !left;
            inside.gone.add(last.element.clone(), is_gone, inner.gone);
        }
        Some(())
    }

    /// Takes out a part that is unowned, or at least what of it was in the last configuration.
    fn unowned<'l>(self, part: &Part<'_>, last: Option<&Node<'l>>, is_last: bool, inside: &mut Inside<'l>) {
        let Some(last) = last else { return };
        let below =
            if is_last { FieldSet::new() } else { self.claimed_and_last(part.value, part.id, &last.below) };
        inside.gone.add(last.element.clone(), is_last, below);
    }

    /// Everything inside that is claimed and last.
    fn claimed_and_last<'l>(self, value: &Value, id: TypeId, last: &FieldSet<'l>) -> FieldSet<'l> {
        let mut found = FieldSet::new();
        for node in last.nodes() {
            let Some(part) = self.child(value, id, &node.element) else { continue };
            let both = self.claimed(&part) && (node.member || part.known);
            let below =
                if both { FieldSet::new() } else { self.claimed_and_last(part.value, part.id, &node.below) };
            found.add(node.element.clone(), both, below);
        }
        found
    }

    /// The part that a step leads to.
    fn child<'v>(self, value: &'v Value, id: TypeId, element: &PathElement<'_>) -> Option<Part<'v>>
    where
        't: 'v,
    {
        match (self.types.node(id).shape(value), value, element) {
            (Shape::Map(map), Value::Object(fields), PathElement::Field(name)) if !map.atomic => {
                let (value, (id, known)) = (fields.get(name.as_ref())?, map.find(name)?);
                Some(Part { value, id, known, element_of_list: false })
            }
            (Shape::List(list), Value::Array(items), element) => {
                let value = items.iter().find(|item| identify(list, item).is_ok_and(|it| it == *element))?;
                Some(Part { value, id: list.items, known: false, element_of_list: true })
            }
            _ => None,
        }
    }

    /// Whether the part is in the set of everything; a field of known structure only if something inside is.
    fn claimed(self, part: &Part<'_>) -> bool {
        !part.known || self.claims(part.value, part.id)
    }

    fn claims(self, value: &Value, id: TypeId) -> bool {
        match (self.types.node(id).shape(value), value) {
            (_, Value::Null) | (Shape::Scalar(_), _) => true,
            (Shape::Map(map), Value::Object(fields)) => {
                map.atomic
                    || fields.is_empty()
                    || fields.iter().any(|(name, value)| self.field_claims(map, name, value))
            }
            (Shape::List(list), Value::Array(items)) => {
                matches!(list.elements, Elements::Atomic) || !items.is_empty()
            }
            _ => false,
        }
    }

    fn field_claims(self, map: &MapShape, name: &str, value: &Value) -> bool {
        map.find(name).is_some_and(|(id, known)| !known || self.claims(value, id))
    }

    /// Whether a part that stays is in the set of everything once what is unowned is taken out of it.
    ///
    /// What is emptied becomes null. A null is claimed, but not as the element of a list that it was.
    fn still_claimed(self, part: &Part<'_>, inner: &Inside<'_>) -> bool {
        match self.types.node(part.id).shape(part.value) {
            _ if part.element_of_list => !inner.emptied,
            _ if !part.known || inner.emptied => true,
            Shape::Map(map) if !map.atomic && has_parts(part.value) => inner.claims_left,
            Shape::List(list) if !matches!(list.elements, Elements::Atomic) && has_parts(part.value) => {
                inner.claims_left
            }
            Shape::Map(_) | Shape::List(_) | Shape::Scalar(_) | Shape::Nothing => true,
        }
    }

    /// Whether an element of a list becomes null when the last configuration is removed from inside of it.
    fn becomes_null(self, part: &Part<'_>, last: &Node<'_>) -> bool {
        if !part.element_of_list || last.member {
            return false;
        }
        match (self.types.node(part.id).shape(part.value), part.value) {
            (Shape::Scalar(_), _) => false,
            (Shape::Map(map), Value::Object(fields)) if !map.atomic => fields.keys().all(|name| {
                let node = last.below.node(&PathElement::field(name.as_str()));
                node.is_some_and(|node| node.member || map.knows(name))
            }),
            _ => true,
        }
    }
}

fn has_parts(value: &Value) -> bool {
    match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
