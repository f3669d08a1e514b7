//! Named schemas, and schemas without references made from them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use serde_json::Value;

use crate::schema::read::{InvalidSchema, MAX_SCHEMA_DEPTH};
use crate::schema::{AdditionalProperties, Schema, SchemaType};

/// The most nodes a schema may have once every reference is written out.
pub const MAX_SCHEMA_NODES: usize = 500_000;

/// Named schemas that refer to each other by `$ref`.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    schemas: BTreeMap<String, Schema>,
}

/// Why references cannot be resolved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// Some names are not defined.
    #[error("unknown schema: {}; add it to the definitions", .names.iter().cloned().collect::<Vec<_>>().join(", "))]
    Unknown {
        /// The names.
        names: BTreeSet<String>,
    },
    /// The schema would be too large.
    #[error("schema has more than {MAX_SCHEMA_NODES} nodes once its references are resolved")]
    TooLarge,
    /// The schema would be too deep.
    #[error("schema is more than {MAX_SCHEMA_DEPTH} levels deep once its references are resolved")]
    TooDeep,
}

impl Definitions {
    /// Definitions from schemas by name.
    pub fn new(schemas: impl IntoIterator<Item = (String, Schema)>) -> Self {
        Self { schemas: schemas.into_iter().collect() }
    }

    /// The definitions of an `OpenAPI` document, of version 3 (`components.schemas`) or 2 (`definitions`).
    pub fn from_document(document: &Value) -> Result<Self, InvalidSchema> {
        let found = document.pointer("/components/schemas").or_else(|| document.get("definitions"));
        let fields = found.and_then(Value::as_object).into_iter().flatten();
        fields.map(|(name, value)| Ok((name.clone(), Schema::from_value(value)?))).collect()
    }

    /// The definition of this name, references and all.
    pub fn get(&self, name: &str) -> Option<&Schema> {
        self.schemas.get(name)
    }

    /// The definition of this name with every reference replaced by what it refers to.
    ///
    /// A definition that contains itself is cut there: the inner occurrence is an object of unknown fields.
    pub fn resolve(&self, name: &str) -> Result<Arc<Schema>, ResolveError> {
        let mut resolver = Resolver::new(self);
        let schema = resolver.definition(name)?.schema;
        resolver.finish(schema)
    }

    /// `schema` with every reference replaced by what it refers to.
    pub fn resolve_schema(&self, schema: &Schema) -> Result<Arc<Schema>, ResolveError> {
        let mut resolver = Resolver::new(self);
        let schema = resolver.schema(schema)?.schema;
        resolver.finish(schema)
    }
}

impl FromIterator<(String, Schema)> for Definitions {
    fn from_iter<I: IntoIterator<Item = (String, Schema)>>(schemas: I) -> Self {
        Self::new(schemas)
    }
}

/// A schema without references, its measures when written out as a tree, and the position on the stack of
/// the outermost definition it was cut at (`usize::MAX` when it was not cut).
#[derive(Clone)]
struct Resolved {
    schema: Arc<Schema>,
    nodes: usize,
    depth: usize,
    cut: usize,
}

/// What is known so far about a schema whose children are being resolved.
struct Measure {
    nodes: usize,
    depth: usize,
    cut: usize,
}

struct Resolver<'d> {
    definitions: &'d Definitions,
    /// Definitions being resolved, outermost first.
    active: Vec<&'d str>,
    /// Definitions that were not cut: the same wherever they are used.
    complete: HashMap<&'d str, Resolved>,
    /// Definitions inside a cycle, good until the definition that closes the cycle is complete.
    /// Without them a knot of n definitions would be expanded n! times.
    provisional: HashMap<&'d str, Resolved>,
    missing: BTreeSet<String>,
    depth: usize,
}

impl<'d> Resolver<'d> {
    fn new(definitions: &'d Definitions) -> Self {
        Self {
            definitions,
            active: Vec::new(),
            complete: HashMap::new(),
            provisional: HashMap::new(),
            missing: BTreeSet::new(),
            depth: 0,
        }
    }

    fn finish(self, schema: Arc<Schema>) -> Result<Arc<Schema>, ResolveError> {
        if self.missing.is_empty() { Ok(schema) } else { Err(ResolveError::Unknown { names: self.missing }) }
    }

    fn definition(&mut self, name: &str) -> Result<Resolved, ResolveError> {
        let definitions = self.definitions;
        let Some((name, schema)) = definitions.schemas.get_key_value(name) else {
            self.missing.insert(name.to_owned());
            return Ok(leaf(Schema::any(), usize::MAX));
        };
        if let Some(known) = self.complete.get(name.as_str()).or_else(|| self.provisional.get(name.as_str()))
        {
            return Ok(known.clone());
        }
        if let Some(position) = self.active.iter().position(|active| active == name) {
            return Ok(leaf(recursion(schema), position));
        }
        let position = self.active.len();
        self.active.push(name);
        let resolved = self.schema(schema);
        self.active.pop();
        let resolved = resolved?;
        self.remember(name, position, &resolved);
        Ok(resolved)
    }

    fn remember(&mut self, name: &'d str, position: usize, resolved: &Resolved) {
        if resolved.cut < position {
            for inner in self.provisional.values_mut().filter(|inner| inner.cut >= position) {
                inner.cut = resolved.cut;
            }
            self.provisional.insert(name, resolved.clone());
        } else {
            self.provisional.clear();
            self.complete.insert(name, Resolved { cut: usize::MAX, ..resolved.clone() });
        }
    }

    fn schema(&mut self, schema: &Schema) -> Result<Resolved, ResolveError> {
        if self.depth > MAX_SCHEMA_DEPTH {
            return Err(ResolveError::TooDeep);
        }
        self.depth += 1;
        let resolved = match referenced(schema) {
            Some(reference) => self.definition(&definition_name(reference)).map(|it| overlay(it, schema)),
            None => self.children(schema),
        };
        self.depth -= 1;
        resolved
    }

    fn children(&mut self, schema: &Schema) -> Result<Resolved, ResolveError> {
        let mut measure = Measure { nodes: 1, depth: 0, cut: usize::MAX };
        let mut result = schema.clone();
        let additional = result.additional_properties.as_mut().and_then(|it| match it {
            AdditionalProperties::Schema(schema) => Some(schema),
            AdditionalProperties::Allowed(_) => None,
        });
        let branches = result.all_of.iter_mut().chain(&mut result.any_of).chain(&mut result.one_of);
        let single = additional.into_iter().chain(&mut result.items).chain(&mut result.not);
        for child in result.properties.values_mut().chain(single).chain(branches) {
            *child = self.child(child, &mut measure)?;
        }
        let Measure { nodes, depth, cut } = measure;
        Ok(Resolved { schema: Arc::new(result), nodes, depth: depth + 1, cut })
    }

    fn child(&mut self, child: &Schema, measure: &mut Measure) -> Result<Arc<Schema>, ResolveError> {
        let resolved = self.schema(child)?;
        measure.nodes = measure.nodes.saturating_add(resolved.nodes);
        measure.depth = measure.depth.max(resolved.depth);
        measure.cut = measure.cut.min(resolved.cut);
        if measure.nodes > MAX_SCHEMA_NODES {
            return Err(ResolveError::TooLarge);
        }
        if measure.depth >= MAX_SCHEMA_DEPTH {
            return Err(ResolveError::TooDeep);
        }
        Ok(resolved.schema)
    }
}

fn leaf(schema: Schema, cut: usize) -> Resolved {
    Resolved { schema: Arc::new(schema), nodes: 1, depth: 1, cut }
}

/// What stands for a definition inside itself.
fn recursion(schema: &Schema) -> Schema {
    Schema { schema_type: schema.schema_type.filter(|it| *it == SchemaType::Object), ..Schema::any() }
}

/// The reference of a schema that is nothing but a reference. Kubernetes wraps one in `allOf` to give it a
/// description or a default of its own.
fn referenced(schema: &Schema) -> Option<&str> {
    match (&schema.reference, schema.all_of.as_slice()) {
        (Some(reference), _) => Some(reference),
        (None, [only]) => only.reference.as_deref(),
        (None, _) => None,
    }
}

/// `#/definitions/a.b` and `#/components/schemas/a.b` both name `a.b`.
fn definition_name(reference: &str) -> String {
    let path =
        reference.strip_prefix("#/definitions/").or_else(|| reference.strip_prefix("#/components/schemas/"));
    path.unwrap_or(reference).replace("~1", "/").replace("~0", "~")
}

/// What is said beside a reference is said of this use of the definition.
fn overlay(resolved: Resolved, outer: &Schema) -> Resolved {
    if says_nothing(outer) {
        return resolved;
    }
    let mut schema = Schema::clone(&resolved.schema);
    schema.description = outer.description.clone().or(schema.description);
    schema.title = outer.title.clone().or(schema.title);
    schema.default = outer.default.clone().or(schema.default);
    schema.example = outer.example.clone().or(schema.example);
    schema.nullable |= outer.nullable;
    schema.map_type = outer.map_type.or(schema.map_type);
    schema.patch_strategy = outer.patch_strategy.clone().or(schema.patch_strategy);
    schema.patch_merge_key = outer.patch_merge_key.clone().or(schema.patch_merge_key);
    Resolved { schema: Arc::new(schema), ..resolved }
}

fn says_nothing(outer: &Schema) -> bool {
    outer.description.is_none()
        && outer.title.is_none()
        && outer.default.is_none()
        && outer.example.is_none()
        && !outer.nullable
        && outer.map_type.is_none()
        && outer.patch_strategy.is_none()
        && outer.patch_merge_key.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn definitions(value: &Value) -> Definitions {
        Definitions::from_document(&json!({ "definitions": value })).unwrap()
    }

    fn check(value: &Value, expect: &Value) {
        assert_eq!(definitions(value).resolve("A").unwrap().to_value(), *expect);
    }

    #[test]
    fn references_are_replaced() {
        check(
            &json!({
                "A": {"type": "object", "properties": {
                    "plain": {"$ref": "#/definitions/B"},
                    "wrapped": {"allOf": [{"$ref": "#/components/schemas/B"}], "default": "x", "description": "d"},
                    "list": {"type": "array", "items": {"$ref": "#/definitions/B"}},
                    "atomic": {"allOf": [{"$ref": "#/definitions/C"}], "x-kubernetes-map-type": "atomic",
                        "x-kubernetes-patch-strategy": "retainKeys"},
                }},
                "B": {"type": "string"},
                "C": {"type": "object"},
            }),
            &json!({"type": "object", "properties": {
                "plain": {"type": "string"},
                "wrapped": {"type": "string", "default": "x", "description": "d"},
                "list": {"type": "array", "items": {"type": "string"}},
                "atomic": {"type": "object", "x-kubernetes-map-type": "atomic",
                    "x-kubernetes-patch-strategy": "retainKeys"},
            }}),
        );
    }

    #[test]
    fn cycles_are_cut() {
        let any_object = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        check(
            &json!({"A": {"type": "object", "properties": {"a": {"$ref": "#/definitions/A"}}}}),
            &json!({"type": "object", "properties": {"a": any_object}}),
        );
        check(
            &json!({
                "A": {"type": "object", "properties": {"b": {"$ref": "#/definitions/B"}}},
                "B": {"type": "array", "items": {"$ref": "#/definitions/A"}},
            }),
            &json!({"type": "object", "properties": {"b": {"type": "array", "items": any_object}}}),
        );
    }

    #[test]
    fn a_definition_used_in_a_cycle_is_whole_outside_it() {
        check(
            &json!({
                "A": {"type": "object", "properties": {
                    "b": {"$ref": "#/definitions/B"}, "c": {"$ref": "#/definitions/C"}}},
                "B": {"type": "object", "properties": {"c": {"$ref": "#/definitions/C"}}},
                "C": {"type": "array", "items": {"$ref": "#/definitions/B"}},
            }),
            &json!({"type": "object", "properties": {
                "b": {"type": "object", "properties": {"c": {"type": "array", "items":
                    {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}},
                "c": {"type": "array", "items": {"type": "object", "properties": {"c": {"type": "array", "items":
                    {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}},
            }}),
        );
    }

    /// Every definition refers to every other, as `JSONSchemaProps` refers to itself in many fields.
    #[test]
    fn a_knot_does_not_explode() {
        let properties: Value =
            (0..40).map(|to| (format!("p{to}"), json!({"$ref": format!("#/definitions/D{to}")}))).collect();
        let knot = (0..40).map(|from| {
            let schema = json!({"type": "object", "properties": properties});
            (format!("D{from}"), Schema::from_value(&schema).unwrap())
        });
        let error = Definitions::new(knot).resolve("D0");
        assert!(error.is_ok() || error == Err(ResolveError::TooLarge) || error == Err(ResolveError::TooDeep));
    }

    #[test]
    fn limits_and_missing_names() {
        let doubling = |count: usize| {
            let level = |index: usize| {
                let next = json!({"$ref": format!("#/definitions/D{}", index + 1)});
                let schema = json!({"type": "object", "properties": {"x": next, "y": next}});
                (format!("D{index}"), Schema::from_value(&schema).unwrap())
            };
            let last = (format!("D{count}"), Schema::of_type(SchemaType::String));
            Definitions::new((0..count).map(level).chain([last]))
        };
        assert!(doubling(10).resolve("D0").is_ok());
        assert_eq!(doubling(40).resolve("D0"), Err(ResolveError::TooLarge));

        let missing = definitions(&json!({"A": {"properties": {"x": {"$ref": "B"}, "y": {"$ref": "C"}}}}));
        assert_eq!(
            missing.resolve("A").unwrap_err().to_string(),
            "unknown schema: B, C; add it to the definitions"
        );
    }
}
