//! Schemas made from fields.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::apply::{self, Demands};
use super::error::{Problem, SimpleSchemaError, SimpleSchemaErrors};
use super::type_name::TypeName;
use super::{custom, marker};
use crate::definitions::MAX_SCHEMA_NODES;
use crate::path::Path;
use crate::schema::read::MAX_SCHEMA_DEPTH;
use crate::schema::{Schema, SchemaType};

/// A schema with its measures when custom types are written out.
#[derive(Clone)]
struct Built {
    schema: Arc<Schema>,
    nodes: usize,
    depth: usize,
}

impl Built {
    fn leaf(schema: Schema) -> Self {
        Self { schema: Arc::new(schema), nodes: 1, depth: 1 }
    }

    fn around(inner: &Self, wrap: impl FnOnce(Arc<Schema>) -> Schema) -> Self {
        let schema = Arc::new(wrap(Arc::clone(&inner.schema)));
        Self { schema, nodes: inner.nodes + 1, depth: inner.depth + 1 }
    }
}

/// A custom type, and whether each field of that type is required.
#[derive(Clone)]
struct CustomType {
    built: Built,
    required: bool,
}

/// Builds schemas, remembering custom types and problems.
#[derive(Default)]
pub(super) struct Builder {
    types: HashMap<String, CustomType>,
    /// Types with a problem of their own; using one is not another problem.
    broken: HashSet<String>,
    errors: Vec<SimpleSchemaError>,
}

impl Builder {
    pub(super) fn load_types(&mut self, types: &Value) {
        let root = Path::named("types");
        let Some(types) = self.map(types, &root) else { return };
        let order = custom::order(types);
        for cycle in &order.cycles {
            self.report_cycle(cycle, &root);
        }
        for name in order.sorted {
            if let Some(value) = types.get(name).filter(|_| !self.broken.contains(name)) {
                self.load_type(name, value, &root.field(name));
            }
        }
    }

    fn report_cycle(&mut self, cycle: &[&str], root: &Path<'_>) {
        let names: Vec<String> = cycle.iter().chain(cycle.first()).map(|name| (*name).to_owned()).collect();
        self.broken.extend(names.iter().cloned());
        if let Some(first) = cycle.first() {
            self.report(&root.field(first), Problem::Cycle { cycle: names });
        }
    }

    fn load_type(&mut self, name: &str, value: &Value, path: &Path<'_>) {
        let errors = self.errors.len();
        let (built, demands) = self.field(value, path, 1);
        if self.errors.len() > errors {
            self.broken.insert(name.to_owned());
        } else {
            self.types.insert(name.to_owned(), CustomType { built, required: demands.required });
        }
    }

    pub(super) fn root(&mut self, name: &str, fields: &Value) -> Schema {
        let path = Path::named(name);
        let Some(fields) = self.map(fields, &path) else { return Schema::of_type(SchemaType::Object) };
        Schema::clone(&self.object(fields, &path, 1).schema)
    }

    pub(super) fn finish(self, schema: Schema) -> Result<Schema, SimpleSchemaErrors> {
        if self.errors.is_empty() { Ok(schema) } else { Err(SimpleSchemaErrors { errors: self.errors }) }
    }

    fn report(&mut self, path: &Path<'_>, problem: Problem) {
        self.errors.push(SimpleSchemaError { path: path.to_string(), problem });
    }

    /// A map, where null is the empty one.
    fn map<'v>(&mut self, value: &'v Value, path: &Path<'_>) -> Option<&'v Map<String, Value>> {
        if !value.is_object() && !value.is_null() {
            self.report(path, Problem::NotAMap { found: found(value) });
        }
        value.as_object()
    }

    fn object(&mut self, fields: &Map<String, Value>, path: &Path<'_>, depth: usize) -> Built {
        let mut object = Schema::of_type(SchemaType::Object);
        let mut built = Built::leaf(Schema::default());
        for (name, value) in fields {
            let at = path.field(name);
            let (field, demands) = self.field(value, &at, depth + 1);
            if demands.required {
                object.required.push(name.clone());
            }
            built.nodes = built.nodes.saturating_add(field.nodes);
            built.depth = built.depth.max(field.depth + 1);
            object.properties.insert(name.clone(), field.schema);
        }
        object.default = implied_default(&object);
        object.required.sort_unstable();
        self.within_limits(Built { schema: Arc::new(object), ..built }, path)
    }

    fn field(&mut self, value: &Value, path: &Path<'_>, depth: usize) -> (Built, Demands) {
        if depth > MAX_SCHEMA_DEPTH {
            self.report(path, Problem::TooDeep);
            return (Built::leaf(Schema::any()), Demands::default());
        }
        match value {
            Value::String(text) => self.typed_field(text, path),
            Value::Object(fields) => (self.object(fields, path, depth), Demands::default()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                self.report(path, Problem::NotAField { found: found(value) });
                (Built::leaf(Schema::any()), Demands::default())
            }
        }
    }

    /// `TYPE` or `TYPE | markers`.
    fn typed_field(&mut self, text: &str, path: &Path<'_>) -> (Built, Demands) {
        let (type_text, marker_text) = match text.split_once('|') {
            Some((type_text, marker_text)) => (type_text, Some(marker_text)),
            None => (text, None),
        };
        let (markers, mut problems) = marker_text.map(marker::parse).unwrap_or_default();
        let field = match self.typed(type_text) {
            Ok(Some((built, mut demands))) => {
                let mut schema = Schema::clone(&built.schema);
                let (own, more) = apply::apply(&mut schema, &markers);
                problems.extend(more);
                demands.required |= own.required;
                Some((Built { schema: Arc::new(schema), ..built }, demands))
            }
            Ok(None) => None,
            Err(problem) => {
                problems.insert(0, problem);
                None
            }
        };
        for problem in problems {
            self.report(path, problem);
        }
        let (built, demands) = field.unwrap_or_else(|| (Built::leaf(Schema::any()), Demands::default()));
        (self.within_limits(built, path), demands)
    }

    /// The schema a type text stands for; none when it names a type that is broken.
    fn typed(&self, text: &str) -> Result<Option<(Built, Demands)>, Problem> {
        let name = TypeName::parse(text)?;
        Ok(self.resolve(&name)?.map(|built| (built, self.demands(&name))))
    }

    /// The schema of a type; none when the type is custom and broken.
    fn resolve(&self, name: &TypeName<'_>) -> Result<Option<Built>, Problem> {
        Ok(match name {
            TypeName::Scalar(scalar) => Some(Built::leaf(Schema::of_type(*scalar))),
            TypeName::Object => {
                let object = Schema { schema_type: Some(SchemaType::Object), ..Schema::any() };
                Some(Built::leaf(object))
            }
            TypeName::List(element) => self.resolve(element)?.map(|it| Built::around(&it, Schema::array_of)),
            TypeName::Map(value) => self.resolve(value)?.map(|it| Built::around(&it, Schema::map_of)),
            TypeName::Custom(name) if self.broken.contains(*name) => None,
            TypeName::Custom(name) => {
                let custom = self.types.get(*name);
                let custom = custom.ok_or_else(|| Problem::UnknownType { name: (*name).to_owned() })?;
                Some(custom.built.clone())
            }
        })
    }

    fn demands(&self, name: &TypeName<'_>) -> Demands {
        let required = match name {
            TypeName::Custom(name) => self.types.get(*name).is_some_and(|custom| custom.required),
            TypeName::Scalar(_) | TypeName::Object | TypeName::List(_) | TypeName::Map(_) => false,
        };
        Demands { required }
    }

    fn within_limits(&mut self, built: Built, path: &Path<'_>) -> Built {
        let problem = match (built.nodes > MAX_SCHEMA_NODES, built.depth > MAX_SCHEMA_DEPTH) {
            (false, false) => return built,
            (true, _) => Problem::TooLarge,
            (false, true) => Problem::TooDeep,
        };
        // A schema of one node in its place, so that the objects around it do not complain as well.
        self.report(path, problem);
        Built::leaf(Schema::any())
    }
}

/// An object whose fields have defaults is itself `{}` by default, so that they take effect when it is left out;
/// but not when a field is required, because `{}` would not have it.
fn implied_default(object: &Schema) -> Option<Value> {
    let child_has_default = object.properties.values().any(|field| field.default.is_some());
    (child_has_default && object.required.is_empty()).then(|| Value::Object(Map::new()))
}

fn found(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}
