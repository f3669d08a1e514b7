//! How the parts of an object are owned and merged, compiled from its schema.

mod compile;
#[cfg(test)]
mod tests;

use krono_schema::Schema;
use serde_json::Value;

pub use compile::TypeError;

/// How the parts of an object are owned and merged.
///
/// Compiled once per kind and version; every request of that kind shares it.
#[derive(Debug)]
pub struct ObjectType {
    nodes: Vec<Node>,
    root: TypeId,
}

impl ObjectType {
    /// The type of a built-in kind, from its schema with all references resolved.
    ///
    /// Lists without a list type are merged by their patch strategy.
    pub fn built_in(schema: &Schema) -> Result<Self, TypeError> {
        compile::built_in(schema)
    }

    /// The type of a custom resource, from the schema of its definition.
    ///
    /// The metadata need not be in the schema, neither here nor in embedded resources.
    pub fn custom_resource(schema: &Schema) -> Result<Self, TypeError> {
        compile::custom_resource(schema)
    }

    /// The type of an object without a schema: objects are merged, lists are replaced.
    pub fn deduced() -> Self {
        compile::deduced()
    }

    pub(super) fn root(&self) -> TypeId {
        self.root
    }

    pub(super) fn node(&self, id: TypeId) -> &Node {
        &self.nodes[id.0]
    }
}

/// A node of one [`ObjectType`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TypeId(usize);

/// What a value may be; several for a value of unknown type, none for a value that may not be there.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub(super) scalar: Option<Scalar>,
    pub(super) list: Option<ListShape>,
    pub(super) map: Option<MapShape>,
    /// Bookkeeping of the server that belongs to nobody and is not looked at.
    pub(super) ignored: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    Numeric,
    String,
    Boolean,
    Any,
}

#[derive(Clone, Debug)]
pub(super) struct ListShape {
    pub(super) items: TypeId,
    pub(super) elements: Elements,
}

/// How the elements of a list are told apart.
#[derive(Clone, Debug)]
pub(super) enum Elements {
    /// Not at all: the list is one value.
    Atomic,
    /// By their values.
    Set,
    /// By some of their fields.
    Keyed(Keys),
}

#[derive(Clone, Debug)]
pub(super) struct Keys {
    /// The names in the order of the schema.
    pub(super) declared: Vec<String>,
    /// The same keys sorted by name.
    pub(super) sorted: Vec<ListKey>,
}

#[derive(Clone, Debug)]
pub(super) struct ListKey {
    pub(super) name: String,
    /// What stands for the field when an element does not have it.
    pub(super) default: Option<Value>,
}

#[derive(Clone, Debug)]
pub(super) struct MapShape {
    fields: KnownFields,
    /// The type of all other fields, if there may be any.
    pub(super) others: Option<TypeId>,
    /// A field, known or not, whose type differs in this place.
    special: Option<(&'static str, TypeId)>,
    pub(super) atomic: bool,
    /// No known fields, and the others are of unknown type.
    pub(super) untyped: bool,
}

impl MapShape {
    /// Whether the schema names the field.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.fields.get(name).is_some()
    }

    /// The type of a field, known or not.
    pub(super) fn field(&self, name: &str) -> Option<TypeId> {
        self.find(name).map(|(id, _)| id)
    }

    /// The type of a field, and whether the schema names it.
    pub(super) fn find(&self, name: &str) -> Option<(TypeId, bool)> {
        let known = self.fields.get(name);
        let special = self.special.filter(|(special, _)| *special == name).map(|(_, id)| id);
        Some((special.or(known).or(self.others)?, known.is_some()))
    }
}

/// The fields that a schema names.
///
/// They are sorted by the length of their names first: most comparisons are then of numbers.
#[derive(Clone, Debug, Default)]
struct KnownFields(Vec<(Box<str>, TypeId)>);

impl KnownFields {
    fn get(&self, name: &str) -> Option<TypeId> {
        self.position(name).ok().map(|at| self.0[at].1)
    }

    fn set(&mut self, name: &str, id: TypeId) {
        match self.position(name) {
            Ok(at) => self.0[at].1 = id,
            Err(at) => self.0.insert(at, (name.into(), id)),
        }
    }

    fn position(&self, name: &str) -> Result<usize, usize> {
        let order = |known: &str| known.len().cmp(&name.len()).then_with(|| known.cmp(name));
        self.0.binary_search_by(|(known, _)| order(known))
    }
}

/// Which of the shapes of a node apply to one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shapes {
    scalar: bool,
    list: bool,
    map: bool,
}

/// The one shape by which a value is treated.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape<'t> {
    Map(&'t MapShape),
    Scalar(Scalar),
    List(&'t ListShape),
    Nothing,
}

impl Node {
    /// The shape of the value's own kind when that is allowed, else all that are.
    pub(super) fn shapes(&self, value: &Value) -> Shapes {
        let none = Shapes { scalar: false, list: false, map: false };
        match value {
            Value::Bool(_) | Value::Number(_) | Value::String(_) if self.scalar.is_some() => {
                Shapes { scalar: true, ..none }
            }
            Value::Array(_) if self.list.is_some() => Shapes { list: true, ..none },
            Value::Object(_) if self.map.is_some() => Shapes { map: true, ..none },
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => self.all_shapes(),
        }
    }

    pub(super) fn all_shapes(&self) -> Shapes {
        Shapes { scalar: self.scalar.is_some(), list: self.list.is_some(), map: self.map.is_some() }
    }

    /// The first of these shapes: objects before scalars before lists.
    pub(super) fn first(&self, shapes: Shapes) -> Shape<'_> {
        match (&self.map, self.scalar, &self.list) {
            (Some(map), _, _) if shapes.map => Shape::Map(map),
            (_, Some(scalar), _) if shapes.scalar => Shape::Scalar(scalar),
            (_, _, Some(list)) if shapes.list => Shape::List(list),
            _ => Shape::Nothing,
        }
    }

    /// The shape by which a value is treated.
    pub(super) fn shape(&self, value: &Value) -> Shape<'_> {
        self.first(self.shapes(value))
    }

    /// The shape of a value that is not at hand.
    pub(super) fn default_shape(&self) -> Shape<'_> {
        self.first(self.all_shapes())
    }
}
