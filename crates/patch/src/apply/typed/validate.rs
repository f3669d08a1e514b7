//! Whether a value is of its type.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Map, Value};

use crate::go_value;

use super::super::object_type::{Elements, ListShape, MapShape, ObjectType, Scalar, Shape, TypeId};
use super::super::path::PathElement;
use super::element::{check_identity, identify, same_identity};

/// Every way in which a value is not of its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistakes(Vec<Mistake>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Mistake {
    /// The steps to it, innermost first.
    path: Vec<String>,
    message: String,
}

impl std::error::Error for Mistakes {}

impl fmt::Display for Mistakes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [only] => write!(out, "{only}"),
            several => {
                out.write_str("errors:")?;
                several.iter().try_for_each(|mistake| write!(out, "\n  {mistake}"))
            }
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            return out.write_str(&self.message);
        }
        self.path.iter().rev().try_for_each(|step| out.write_str(step))?;
        write!(out, ": {}", self.message)
    }
}

/// Whether lists may hold elements that cannot be told apart from each other.
///
/// An applied configuration may not; an object may, since validation of old objects was laxer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Duplicates {
    Allowed,
    Forbidden,
}

pub(in super::super) fn validate(
    types: &ObjectType,
    value: &Value,
    duplicates: Duplicates,
) -> Result<(), Mistakes> {
    let mut validator = Validator { types, duplicates, mistakes: Vec::new() };
    validator.value(value, types.root());
    if validator.mistakes.is_empty() { Ok(()) } else { Err(Mistakes(validator.mistakes)) }
}

struct Validator<'t> {
    types: &'t ObjectType,
    duplicates: Duplicates,
    mistakes: Vec<Mistake>,
}

impl Validator<'_> {
    fn value(&mut self, value: &Value, id: TypeId) {
        let node = self.types.node(id);
        if node.ignored {
            return;
        }
        match (node.shape(value), value) {
            (Shape::Nothing, _) => self.report("schema error: invalid atom: inlined".to_owned()),
            (_, Value::Null) => {}
            (Shape::Map(map), Value::Object(fields)) => self.fields(map, fields),
            (Shape::List(list), Value::Array(items)) => self.items(list, items),
            (Shape::Map(_), other) => {
                self.report(format!("expected map, got &{{{}}}", go_value::plain(other)));
            }
            (Shape::List(_), other) => {
                self.report(format!("expected list, got &{{{}}}", go_value::plain(other)));
            }
            (Shape::Scalar(scalar), value) => self.scalar(scalar, value),
        }
    }

    fn scalar(&mut self, scalar: Scalar, value: &Value) {
        let message = match scalar {
            Scalar::Numeric if !value.is_number() => {
                format!("expected numeric (int or float), got {}", go_value::type_name(value))
            }
            Scalar::String if !value.is_string() => {
                format!("expected string, got &value.valueUnstructured{{Value:{}}}", go_value::syntax(value))
            }
            Scalar::Boolean if !value.is_boolean() => {
                format!("expected boolean, got &{{{}}}", go_value::plain(value))
            }
            Scalar::Any if value.is_array() || value.is_object() => {
                format!("expected any scalar, got &{{{}}}", go_value::plain(value))
            }
            Scalar::Numeric | Scalar::String | Scalar::Boolean | Scalar::Any => return,
        };
        self.report(message);
    }

    fn fields(&mut self, map: &MapShape, fields: &Map<String, Value>) {
        for (name, value) in fields {
            let at = self.mistakes.len();
            let id = map.field(name);
            match id {
                Some(id) => self.value(value, id),
                None => self.report("field not declared in schema".to_owned()),
            }
            self.step(at, || format!(".{name}"));
            if id.is_none() {
                return;
            }
        }
    }

    fn items(&mut self, list: &ListShape, items: &[Value]) {
        let atomic = matches!(list.elements, Elements::Atomic);
        let mut seen = Seen::new(list, items);
        for (position, item) in items.iter().enumerate() {
            if !atomic && let Err(error) = check_identity(list, item) {
                return self.report(format!("element {position}: {error}"));
            }
            let at = self.mistakes.len();
            self.value(item, list.items);
            self.step(at, || step_text(list, position, item));
            if !atomic && self.duplicates == Duplicates::Forbidden && seen.before(position) {
                self.report(format!("duplicate entries for key {}", step_text(list, position, item)));
            }
        }
    }

    fn report(&mut self, message: String) {
        self.mistakes.push(Mistake { path: Vec::new(), message });
    }

    /// Adds a step to the mistakes found since there were `at`.
    fn step(&mut self, at: usize, text: impl FnOnce() -> String) {
        if let Some(new @ [_, ..]) = self.mistakes.get_mut(at..) {
            let text = text();
            for mistake in new {
                mistake.path.push(text.clone());
            }
        }
    }
}

fn step_text(list: &ListShape, position: usize, item: &Value) -> String {
    identify(list, item).map_or_else(|_| format!("[{position}]"), |element| element.to_string())
}

/// The elements of a list before a position.
struct Seen<'a> {
    list: &'a ListShape,
    items: &'a [Value],
    /// For long lists; in a short one looking at every element is cheaper.
    elements: Option<BTreeSet<PathElement<'a>>>,
}

impl<'a> Seen<'a> {
    const SHORT: usize = 16;

    fn new(list: &'a ListShape, items: &'a [Value]) -> Self {
        Self { list, items, elements: (items.len() > Self::SHORT).then(BTreeSet::new) }
    }

    /// Whether the element at this position was there before; asked for each position in turn.
    fn before(&mut self, position: usize) -> bool {
        let item = &self.items[position];
        match &mut self.elements {
            None => self.items[..position].iter().any(|it| same_identity(self.list, it, item)),
            Some(elements) => identify(self.list, item).is_ok_and(|element| !elements.insert(element)),
        }
    }
}
