//! What changed between two objects.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::super::field_set::FieldSet;
use super::super::object_type::{Elements, ListShape, MapShape, ObjectType, Shape, TypeId};
use super::super::order::same;
use super::super::path::PathElement;
use super::element::elements;
use super::{as_list, as_object, zip};

/// The paths that differ between two objects; no path is in two of the sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison<'a> {
    /// Only in the new object.
    pub added: FieldSet<'a>,
    /// In both, with different values.
    pub modified: FieldSet<'a>,
    /// Only in the old object.
    pub removed: FieldSet<'a>,
}

impl<'a> Comparison<'a> {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.modified.is_empty() && self.removed.is_empty()
    }

    pub(in super::super) fn subtract_with_contents(&mut self, set: &FieldSet<'_>) {
        for changes in [&mut self.added, &mut self.modified, &mut self.removed] {
            changes.subtract_with_contents(set);
        }
    }

    fn add(&mut self, element: &PathElement<'a>, change: Change, inside: Comparison<'a>) {
        if change == Change::None && inside.is_empty() {
            return;
        }
        self.added.add(element.clone(), change == Change::Added, inside.added);
        self.modified.add(element.clone(), change == Change::Modified, inside.modified);
        self.removed.add(element.clone(), change == Change::Removed, inside.removed);
    }

    fn unite(&mut self, other: Comparison<'a>) {
        self.added.unite(other.added);
        self.modified.unite(other.modified);
        self.removed.unite(other.removed);
    }
}

/// What happened to one part itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    None,
    Added,
    Modified,
    Removed,
}

/// What changed from `old` to `new`, which are both valid for their type.
pub(in super::super) fn compare<'a>(types: &'a ObjectType, old: &'a Value, new: &'a Value) -> Comparison<'a> {
    Comparer { types }.both(old, new, types.root()).1
}

#[derive(Clone, Copy)]
struct Comparer<'a> {
    types: &'a ObjectType,
}

impl<'a> Comparer<'a> {
    fn either(self, old: Option<&'a Value>, new: Option<&'a Value>, id: TypeId) -> (Change, Comparison<'a>) {
        match (old, new) {
            _ if self.types.node(id).ignored => (Change::None, Comparison::default()),
            (Some(old), Some(new)) => self.both(old, new, id),
            (None, Some(new)) => {
                (Change::Added, Comparison { added: self.everything(new, id), ..Comparison::default() })
            }
            (Some(old), None) => {
                (Change::Removed, Comparison { removed: self.everything(old, id), ..Comparison::default() })
            }
            (None, None) => (Change::None, Comparison::default()),
        }
    }

    /// A value whose kind changes is compared once as what it was and once as what it is.
    fn both(self, old: &'a Value, new: &'a Value, id: TypeId) -> (Change, Comparison<'a>) {
        let node = self.types.node(id);
        let (before, after) = (node.shapes(old), node.shapes(new));
        let (mut change, mut comparison) = self.shaped(node.first(after), old, new);
        if before != after {
            let (as_before, inside) = self.shaped(node.first(before), old, new);
            comparison.unite(inside);
            change = if change == Change::None { as_before } else { change };
        }
        (change, comparison)
    }

    fn shaped(self, shape: Shape<'a>, old: &'a Value, new: &'a Value) -> (Change, Comparison<'a>) {
        let inside = match shape {
            Shape::Map(map) => self.objects(map, old, new),
            Shape::List(list) => self.lists(list, old, new),
            Shape::Scalar(_) => None,
            Shape::Nothing => return (Change::None, Comparison::default()),
        };
        match inside {
            Some(comparison) => (Change::None, comparison),
            None if same(old, new) => (Change::None, Comparison::default()),
            None => (Change::Modified, Comparison::default()),
        }
    }

    /// What changed inside; none when the objects are compared as a whole.
    fn objects(self, map: &'a MapShape, old: &'a Value, new: &'a Value) -> Option<Comparison<'a>> {
        let (old, new) = (as_object(Some(old)), as_object(Some(new)));
        if map.atomic || (old.is_none_or(Map::is_empty) && new.is_none_or(Map::is_empty)) {
            return None;
        }
        let mut comparison = Comparison::default();
        for (name, old, new) in zip(old, new) {
            let Some(id) = map.field(name) else { continue };
            let (change, inside) = self.either(old, new, id);
            comparison.add(&PathElement::Field(Cow::Borrowed(name)), change, inside);
        }
        Some(comparison)
    }

    fn lists(self, list: &'a ListShape, old: &'a Value, new: &'a Value) -> Option<Comparison<'a>> {
        let (old, new) = (as_list(Some(old)), as_list(Some(new)));
        if matches!(list.elements, Elements::Atomic)
            || (old.is_none_or(Vec::is_empty) && new.is_none_or(Vec::is_empty))
        {
            return None;
        }
        let (old, new) = (old.map_or(&[][..], Vec::as_slice), new.map_or(&[][..], Vec::as_slice));
        let unchanged = old.len() == new.len() && old.iter().zip(new).all(|(old, new)| same(old, new));
        if unchanged {
            return Some(Comparison::default());
        }
        let mut both = sided(list, old, Side::Old);
        both.extend(sided(list, new, Side::New));
        both.sort_by(|left, right| left.element.cmp(&right.element));
        let mut comparison = Comparison::default();
        for same in both.chunk_by(|left, right| left.element == right.element) {
            self.items(list.items, same, &mut comparison);
        }
        Some(comparison)
    }

    /// Elements that cannot be told apart are compared as a whole, and own nothing inside.
    fn items(self, id: TypeId, same_element: &[Sided<'a>], comparison: &mut Comparison<'a>) {
        let on = |side| same_element.iter().filter(move |it| it.side == side).map(|it| it.value);
        let (mut old, mut new) = (on(Side::Old), on(Side::New));
        let element = &same_element[0].element;
        match (old.clone().count(), new.clone().count()) {
            (0 | 1, 0 | 1) => {
                let (change, inside) = self.either(old.next(), new.next(), id);
                comparison.add(element, change, inside);
            }
            (0 | 1, _) => {
                if let (change, inside) = self.either(old.next(), None, id)
                    && change != Change::None
                {
                    comparison.add(element, change, inside);
                }
                comparison.add(element, Change::Added, Comparison::default());
            }
            (_, 0 | 1) => {
                if let (change, inside) = self.either(None, new.next(), id)
                    && change != Change::None
                {
                    comparison.add(element, change, inside);
                }
                comparison.add(element, Change::Removed, Comparison::default());
            }
            (before, after) => {
                if before != after || !old.zip(new).all(|(old, new)| same(old, new)) {
                    comparison.add(element, Change::Modified, Comparison::default());
                }
            }
        }
    }

    /// Every path inside of a value that is on one side only.
    fn everything(self, value: &'a Value, id: TypeId) -> FieldSet<'a> {
        match (self.types.node(id).shape(value), value) {
            (Shape::Map(map), Value::Object(fields)) if !map.atomic => self.every_field(map, fields),
            (Shape::List(list), Value::Array(items)) if !matches!(list.elements, Elements::Atomic) => {
                self.every_item(list, items)
            }
            _ => FieldSet::new(),
        }
    }

    fn every_field(self, map: &'a MapShape, fields: &'a Map<String, Value>) -> FieldSet<'a> {
        let mut set = FieldSet::new();
        for (name, value) in fields {
            let Some(id) = map.field(name).filter(|id| !self.types.node(*id).ignored) else { continue };
            set.add(PathElement::Field(Cow::Borrowed(name)), true, self.everything(value, id));
        }
        set
    }

    fn every_item(self, list: &'a ListShape, items: &'a [Value]) -> FieldSet<'a> {
        let mut elements = elements(list, items);
        elements.sort_by(|(left, _), (right, _)| left.cmp(right));
        let mut set = FieldSet::new();
        for same in elements.chunk_by(|(left, _), (right, _)| left == right) {
            match same {
                [(element, item)] => set.add(element.clone(), true, self.everything(item, list.items)),
                several => set.add(several[0].0.clone(), true, FieldSet::new()),
            }
        }
        set
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Old,
    New,
}

/// An element of one of two lists.
struct Sided<'a> {
    element: PathElement<'a>,
    side: Side,
    value: &'a Value,
}

fn sided<'a>(list: &'a ListShape, items: &'a [Value], side: Side) -> Vec<Sided<'a>> {
    let elements = elements(list, items).into_iter();
    elements.map(|(element, value)| Sided { element, side, value }).collect()
}
