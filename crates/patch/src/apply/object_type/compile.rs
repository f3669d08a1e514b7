//! From a schema to the shapes that merging needs.

use std::collections::HashMap;
use std::sync::Arc;

use krono_schema::{AdditionalProperties, ListType, MapType, Schema, SchemaType, object_meta};
use serde_json::Value;

use super::{Elements, Keys, KnownFields, ListKey, ListShape, MapShape, Node, ObjectType, Scalar, TypeId};

/// Why a schema does not say how to merge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TypeError {
    /// A list is of type map without keys.
    #[error("missing map keys; a list of type map needs x-kubernetes-list-map-keys")]
    MissingMapKeys,
    /// A patch strategy is not known.
    #[error("unknown patch strategy {0}")]
    UnknownPatchStrategy(String),
}

/// Anything, with objects and lists replaced as a whole.
const ATOMIC: TypeId = TypeId(0);
/// Anything, with objects merged and lists replaced as a whole.
const DEDUCED: TypeId = TypeId(1);
const IGNORED: TypeId = TypeId(2);

pub(super) fn built_in(schema: &Schema) -> Result<ObjectType, TypeError> {
    let mut compiler = Compiler::new(false);
    let root = compiler.schema(schema, false)?;
    Ok(compiler.finish(root))
}

pub(super) fn custom_resource(schema: &Schema) -> Result<ObjectType, TypeError> {
    let mut compiler = Compiler::new(true);
    let root = compiler.schema(&Schema { embedded_resource: true, ..schema.clone() }, false)?;
    Ok(compiler.finish(root))
}

pub(super) fn deduced() -> ObjectType {
    Compiler::new(true).finish(DEDUCED)
}

struct Compiler {
    nodes: Vec<Node>,
    /// Shared schemas by address, and whether unknown fields are preserved around them.
    ///
    /// The schema is kept so that its address is not used again.
    known: HashMap<(*const Schema, bool), (Arc<Schema>, TypeId)>,
    object_meta: Arc<Schema>,
    custom: bool,
}

impl Compiler {
    fn new(custom: bool) -> Self {
        let anything = |others: TypeId, atomic: bool| Node {
            scalar: Some(Scalar::Any),
            list: Some(ListShape { items: ATOMIC, elements: Elements::Atomic }),
            map: Some(MapShape {
                fields: KnownFields::default(),
                others: Some(others),
                special: None,
                atomic,
                untyped: !atomic,
            }),
            ignored: false,
        };
        let ignored = Node { ignored: true, ..Node::default() };
        Self {
            nodes: vec![anything(ATOMIC, true), anything(DEDUCED, false), ignored],
            known: HashMap::new(),
            object_meta: Arc::new(object_meta()),
            custom,
        }
    }

    /// Makes the `managedFields` of the object's own metadata invisible.
    fn finish(mut self, root: TypeId) -> ObjectType {
        let metadata = self.map(root).and_then(|map| map.field("metadata"));
        let metadata = metadata.map(|id| self.with_special(id, "managedFields", IGNORED));
        let root = metadata.map_or(root, |id| self.with_special(root, "metadata", id));
        ObjectType { nodes: self.nodes, root }
    }

    fn map(&self, id: TypeId) -> Option<&MapShape> {
        self.nodes[id.0].map.as_ref()
    }

    fn with_special(&mut self, id: TypeId, name: &'static str, special: TypeId) -> TypeId {
        let mut node = self.nodes[id.0].clone();
        if let Some(map) = &mut node.map {
            map.special = Some((name, special));
        }
        self.push(node)
    }

    fn push(&mut self, node: Node) -> TypeId {
        self.nodes.push(node);
        TypeId(self.nodes.len() - 1)
    }

    fn shared(&mut self, schema: &Arc<Schema>, preserve: bool) -> Result<TypeId, TypeError> {
        let key = (Arc::as_ptr(schema), preserve);
        if let Some((_, known)) = self.known.get(&key) {
            return Ok(*known);
        }
        let id = self.schema(schema, preserve)?;
        self.known.insert(key, (Arc::clone(schema), id));
        Ok(id)
    }

    /// `preserve`: a schema around this one preserves unknown fields.
    fn schema(&mut self, schema: &Schema, preserve: bool) -> Result<TypeId, TypeError> {
        let preserve = preserve || schema.preserves_unknown_fields();
        let mut node = Node::default();
        match schema.schema_type {
            None => {
                node.scalar = Some(Scalar::Any);
                node.list = Some(self.list(schema, preserve)?);
                node.map = Some(self.object(schema, preserve)?);
            }
            Some(SchemaType::Object) => node.map = Some(self.object(schema, preserve)?),
            Some(SchemaType::Array) => node.list = Some(self.list(schema, preserve)?),
            Some(SchemaType::Integer | SchemaType::Number) => node.scalar = Some(Scalar::Numeric),
            Some(SchemaType::Boolean) => node.scalar = Some(Scalar::Boolean),
            Some(SchemaType::String) => node.scalar = Some(string(schema)),
        }
        Ok(self.push(node))
    }

    fn object(&mut self, schema: &Schema, preserve: bool) -> Result<MapShape, TypeError> {
        let mut fields = KnownFields::default();
        for (name, property) in &schema.properties {
            fields.set(name, self.shared(property, preserve)?);
        }
        if self.custom && schema.embedded_resource {
            self.embed(&mut fields)?;
        }
        let others = match &schema.additional_properties {
            None if preserve || fields.0.is_empty() => Some(DEDUCED),
            None | Some(AdditionalProperties::Allowed(false)) => None,
            Some(AdditionalProperties::Allowed(true)) => Some(DEDUCED),
            Some(AdditionalProperties::Schema(values)) => Some(self.shared(values, preserve)?),
        };
        let others_untyped = others.is_some_and(|id| self.nodes[id.0].scalar == Some(Scalar::Any));
        let untyped = fields.0.is_empty() && others_untyped;
        let atomic = schema.map_type == Some(MapType::Atomic);
        Ok(MapShape { fields, others, special: None, atomic, untyped })
    }

    /// Gives the fields of every Kubernetes object to the fields of an embedded one.
    fn embed(&mut self, fields: &mut KnownFields) -> Result<(), TypeError> {
        let text = self.push(Node { scalar: Some(Scalar::String), ..Node::default() });
        let metadata = self.shared(&Arc::clone(&self.object_meta), false)?;
        for (name, id) in [("apiVersion", text), ("kind", text), ("metadata", metadata)] {
            fields.set(name, id);
        }
        Ok(())
    }

    fn list(&mut self, schema: &Schema, preserve: bool) -> Result<ListShape, TypeError> {
        let items = match &schema.items {
            Some(items) => self.shared(items, preserve)?,
            None => ATOMIC,
        };
        Ok(ListShape { items, elements: self.elements(schema)? })
    }

    fn elements(&self, schema: &Schema) -> Result<Elements, TypeError> {
        match (schema.list_type, &schema.patch_strategy) {
            (Some(ListType::Set), _) => Ok(Elements::Set),
            (Some(ListType::Map), _) if schema.list_map_keys.is_empty() => Err(TypeError::MissingMapKeys),
            (Some(ListType::Map), _) => Ok(Elements::Keyed(keys(schema, &schema.list_map_keys, self.custom))),
            (None, Some(strategy)) if !self.custom => by_strategy(schema, strategy),
            (Some(ListType::Atomic) | None, _) => Ok(Elements::Atomic),
        }
    }
}

fn by_strategy(schema: &Schema, strategy: &str) -> Result<Elements, TypeError> {
    match (strategy, &schema.patch_merge_key) {
        ("merge" | "merge,retainKeys", Some(key)) => {
            Ok(Elements::Keyed(keys(schema, std::slice::from_ref(key), false)))
        }
        ("merge" | "merge,retainKeys", None) => Ok(Elements::Set),
        ("retainKeys", _) => Ok(Elements::Atomic),
        (other, _) => Err(TypeError::UnknownPatchStrategy(other.to_owned())),
    }
}

fn keys(list: &Schema, names: &[String], custom: bool) -> Keys {
    let default = |name: &String| {
        let item = list.items.as_ref()?;
        let key = item.properties.get(name)?;
        let implied = || (!custom).then(|| empty(key)).flatten();
        key.default.clone().filter(|default| !default.is_null()).or_else(implied)
    };
    let mut sorted: Vec<_> =
        names.iter().map(|name| ListKey { name: name.clone(), default: default(name) }).collect();
    sorted.sort_by(|left, right| left.name.cmp(&right.name));
    Keys { declared: names.to_vec(), sorted }
}

/// What the key of an element of a built-in kind is when nobody says: Go cannot leave it out.
fn empty(schema: &Schema) -> Option<Value> {
    match schema.schema_type? {
        SchemaType::String => Some("".into()),
        SchemaType::Integer | SchemaType::Number => Some(0.into()),
        SchemaType::Boolean => Some(false.into()),
        SchemaType::Array | SchemaType::Object => None,
    }
}

/// A string with a format may be something else in disguise, such as an int-or-string.
fn string(schema: &Schema) -> Scalar {
    match schema.format.as_deref() {
        _ if schema.int_or_string => Scalar::Any,
        None | Some("" | "byte") => Scalar::String,
        Some(_) => Scalar::Any,
    }
}
