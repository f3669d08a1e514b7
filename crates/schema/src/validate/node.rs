//! A schema with its patterns and formats compiled.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use krono_cel::library;

use super::format::Format;
use crate::schema::{AdditionalProperties, Schema, SchemaType};

/// One node of a compiled schema. A node that is shared in the schema is shared here.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) schema: Schema,
    pub(super) types: Types,
    pub(super) format: Option<Format>,
    pub(super) pattern: Option<Pattern>,
    pub(super) properties: BTreeMap<String, Arc<Node>>,
    pub(super) additional: Additional,
    pub(super) items: Option<Arc<Node>>,
    pub(super) all_of: Vec<Arc<Node>>,
    pub(super) any_of: Vec<Arc<Node>>,
    pub(super) one_of: Vec<Arc<Node>>,
    pub(super) not: Option<Arc<Node>>,
}

/// A compiled pattern, or why there is none.
pub(super) type Pattern = Result<library::Pattern, library::PatternError>;

/// What fields that are not in `properties` must be.
#[derive(Debug)]
pub(super) enum Additional {
    Anything,
    Forbidden,
    Schema(Arc<Node>),
}

/// The types a value may have; none means any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Types {
    Any,
    One(SchemaType),
    IntegerOrString,
}

impl Types {
    fn of(schema: &Schema) -> Self {
        match schema.schema_type {
            _ if schema.int_or_string => Self::IntegerOrString,
            Some(one) => Self::One(one),
            None => Self::Any,
        }
    }

    pub(super) fn contains(self, wanted: SchemaType) -> bool {
        match self {
            Self::Any => false,
            Self::One(one) => one == wanted,
            Self::IntegerOrString => matches!(wanted, SchemaType::Integer | SchemaType::String),
        }
    }

    /// The only type, when there is one.
    pub(super) fn only(self) -> Option<SchemaType> {
        match self {
            Self::One(one) => Some(one),
            Self::Any | Self::IntegerOrString => None,
        }
    }

    pub(super) fn names(self) -> &'static str {
        match self {
            Self::Any => "",
            Self::One(one) => one.name(),
            Self::IntegerOrString => "integer,string",
        }
    }
}

impl Node {
    pub(super) fn compile(schema: &Schema) -> Self {
        Compiler::default().node(schema)
    }
}

/// Remembers what was compiled, by the address of the shared schema.
#[derive(Default)]
struct Compiler {
    done: HashMap<*const Schema, Arc<Node>>,
}

impl Compiler {
    fn node(&mut self, schema: &Schema) -> Node {
        let types = Types::of(schema);
        Node {
            types,
            format: schema.format.as_deref().and_then(|name| Format::of(name, types)),
            pattern: schema.pattern.as_deref().map(library::Pattern::new),
            properties: schema.properties.iter().map(|(name, it)| (name.clone(), self.shared(it))).collect(),
            additional: self.additional(schema),
            items: schema.items.as_ref().map(|items| self.shared(items)),
            all_of: self.branches(&schema.all_of),
            any_of: self.branches(&schema.any_of),
            one_of: self.branches(&schema.one_of),
            not: schema.not.as_ref().map(|not| self.shared(not)),
            schema: schema.clone(),
        }
    }

    fn additional(&mut self, schema: &Schema) -> Additional {
        match &schema.additional_properties {
            None | Some(AdditionalProperties::Allowed(true)) => Additional::Anything,
            Some(AdditionalProperties::Allowed(false)) => Additional::Forbidden,
            Some(AdditionalProperties::Schema(values)) => Additional::Schema(self.shared(values)),
        }
    }

    fn branches(&mut self, branches: &[Arc<Schema>]) -> Vec<Arc<Node>> {
        branches.iter().map(|branch| self.shared(branch)).collect()
    }

    fn shared(&mut self, schema: &Arc<Schema>) -> Arc<Node> {
        if let Some(node) = self.done.get(&Arc::as_ptr(schema)) {
            return Arc::clone(node);
        }
        let node = Arc::new(self.node(schema));
        self.done.insert(Arc::as_ptr(schema), Arc::clone(&node));
        node
    }
}
