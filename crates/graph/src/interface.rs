//! What a definition was compiled against, so that it compiles to the same graph when the cluster has moved on.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use krono_schema::{AdditionalProperties, Definitions, Schema};
use serde_json::{Map, Value, json};

use crate::kinds::{Kinds, KnownKind};

/// The kinds that one definition mentions, as they were.
///
/// Of their schemas only what compiling looks at is kept, and what occurs more than once is written once.
#[derive(Clone, Debug, Default)]
pub struct Interface {
    kinds: BTreeMap<(String, String), KnownKind>,
}

/// A stored interface that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stored schema of {kind} cannot be read: {problem}")]
pub struct UnreadableInterface {
    /// The kind.
    pub kind: String,
    /// What is wrong.
    pub problem: String,
}

impl Interface {
    /// The kinds that a definition mentions, as far as they are known.
    pub fn of(definition: &Value, kinds: &dyn Kinds) -> Self {
        let known = mentioned_kinds(definition).into_iter().filter_map(|(api_version, kind)| {
            let known = kinds.find(&api_version, &kind)?;
            Some(((api_version, kind), known))
        });
        Self { kinds: known.collect() }
    }

    /// Reads what [`Interface::to_value`] wrote.
    pub fn from_value(value: &Value) -> Result<Self, UnreadableInterface> {
        let unreadable = |kind: &str, problem: String| UnreadableInterface { kind: kind.to_owned(), problem };
        let definitions = Definitions::from_document(value)
            .map_err(|error| unreadable("some of its fields", error.to_string()))?;
        let mut kinds = BTreeMap::new();
        for (name, stored) in value["kinds"].as_object().into_iter().flatten() {
            let (api_version, kind) = name.rsplit_once('/').unwrap_or(("", name));
            let schema =
                Schema::from_value(&stored["schema"]).map_err(|it| unreadable(name, it.to_string()))?;
            let schema =
                definitions.resolve_schema(&schema).map_err(|it| unreadable(name, it.to_string()))?;
            let known = KnownKind {
                schema,
                namespaced: stored["namespaced"] == true,
                is_defined: stored["defined"] == true,
            };
            kinds.insert((api_version.to_owned(), kind.to_owned()), known);
        }
        Ok(Self { kinds })
    }

    /// As it is stored.
    pub fn to_value(&self) -> Map<String, Value> {
        let schemas: Vec<Value> = self.kinds.values().map(|it| plain(&it.schema).to_value()).collect();
        let mut shared = Shared::default();
        for schema in &schemas {
            shared.count(schema);
        }
        let mut kinds = Map::new();
        for (((version, kind), known), schema) in self.kinds.iter().zip(&schemas) {
            let mut stored = json!({"namespaced": known.namespaced, "schema": shared.written(schema)});
            if known.is_defined {
                stored["defined"] = json!(true);
            }
            kinds.insert(format!("{version}/{kind}"), stored);
        }
        let mut value = Map::new();
        value.insert("kinds".to_owned(), kinds.into());
        if !shared.definitions.is_empty() {
            value.insert("definitions".to_owned(), shared.definitions.into());
        }
        value
    }
}

impl Kinds for Interface {
    fn find(&self, api_version: &str, kind: &str) -> Option<KnownKind> {
        self.kinds.get(&(api_version.to_owned(), kind.to_owned())).cloned()
    }
}

/// The API versions and names of the kinds that a definition mentions, each once.
pub fn mentioned_kinds(definition: &Value) -> Vec<(String, String)> {
    let resources = definition.pointer("/spec/resources").and_then(Value::as_array);
    let subject = |it: &Value| {
        let subject = it.get("template").or_else(|| it.get("externalRef"))?;
        Some((subject["apiVersion"].as_str()?.to_owned(), subject["kind"].as_str()?.to_owned()))
    };
    let mut kinds: Vec<_> = resources.into_iter().flatten().filter_map(subject).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// What compiling looks at.
fn plain(schema: &Schema) -> Schema {
    let child = |it: &Arc<Schema>| Arc::new(plain(it));
    Schema {
        schema_type: schema.schema_type,
        format: schema.format.clone(),
        nullable: schema.nullable,
        properties: schema.properties.iter().map(|(name, it)| (name.clone(), child(it))).collect(),
        items: schema.items.as_ref().map(child),
        additional_properties: schema.additional_properties.as_ref().map(|it| match it {
            AdditionalProperties::Schema(values) => AdditionalProperties::Schema(child(values)),
            AdditionalProperties::Allowed(allowed) => AdditionalProperties::Allowed(*allowed),
        }),
        preserve_unknown_fields: schema.preserve_unknown_fields,
        embedded_resource: schema.embedded_resource,
        int_or_string: schema.int_or_string,
        list_type: schema.list_type,
        list_map_keys: schema.list_map_keys.clone(),
        map_type: schema.map_type,
        ..Schema::default()
    }
}

/// Schemas that occur more than once.
#[derive(Default)]
struct Shared {
    counts: HashMap<String, usize>,
    names: HashMap<String, String>,
    definitions: Map<String, Value>,
}

/// What is shorter than this is repeated rather than named, in bytes.
const WORTH_NAMING: usize = 60;

impl Shared {
    fn count(&mut self, schema: &Value) {
        let text = schema.to_string();
        if text.len() >= WORTH_NAMING {
            let count = self.counts.entry(text).or_default();
            *count += 1;
            if *count > 1 {
                return;
            }
        }
        each_child(schema, |child| self.count(child));
    }

    fn written(&mut self, schema: &Value) -> Value {
        let text = schema.to_string();
        if self.counts.get(&text).is_none_or(|count| *count < 2) {
            return self.with_children(schema);
        }
        let known = self.names.get(&text).cloned();
        let name = known.unwrap_or_else(|| self.named(text, schema));
        json!({"$ref": format!("#/definitions/{name}")})
    }

    fn named(&mut self, text: String, schema: &Value) -> String {
        let written = self.with_children(schema);
        let name = self.definitions.len().to_string();
        self.definitions.insert(name.clone(), written);
        self.names.insert(text, name.clone());
        name
    }

    fn with_children(&mut self, schema: &Value) -> Value {
        let Some(fields) = schema.as_object() else { return schema.clone() };
        let written = fields.iter().map(|(name, value)| {
            let value = match (name.as_str(), value) {
                ("properties", Value::Object(properties)) => {
                    properties.iter().map(|(name, it)| (name.clone(), self.written(it))).collect()
                }
                ("items" | "additionalProperties", Value::Object(_)) => self.written(value),
                _ => value.clone(),
            };
            (name.clone(), value)
        });
        Value::Object(written.collect())
    }
}

fn each_child(schema: &Value, mut visit: impl FnMut(&Value)) {
    schema["properties"].as_object().into_iter().flatten().for_each(|(_, it)| visit(it));
    for single in ["items", "additionalProperties"] {
        if schema[single].is_object() {
            visit(&schema[single]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, compile};

    struct Cluster;

    impl Kinds for Cluster {
        fn find(&self, api_version: &str, kind: &str) -> Option<KnownKind> {
            let text = json!({"type": "string", "description": "a text", "pattern": "^[a-z]+$"});
            let part = json!({"type": "object", "description": "a part", "properties": {
                "name": text, "size": {"type": "integer", "minimum": 1}, "more": {"type": "object",
                    "additionalProperties": {"x-kubernetes-int-or-string": true}},
            }});
            let schema = json!({"type": "object", "properties": {
                "spec": {"type": "object", "properties": {"left": part, "right": part,
                    "all": {"type": "array", "items": part, "x-kubernetes-list-type": "map",
                        "x-kubernetes-list-map-keys": ["name"]}}},
                "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
            }});
            let schema = Arc::new(Schema::from_value(&schema).unwrap());
            ((api_version, kind) == ("acme.io/v1", "Widget")).then_some(KnownKind {
                schema,
                namespaced: true,
                is_defined: false,
            })
        }
    }

    fn definition() -> Value {
        json!({"metadata": {"name": "web"}, "spec": {
            "schema": {"kind": "Web", "apiVersion": "v1", "spec": {"name": "string"},
                "status": {"size": "${widget.spec.left.size}", "all": "${widget.spec.all}"}},
            "resources": [
                {"id": "widget", "template": {"apiVersion": "acme.io/v1", "kind": "Widget",
                    "metadata": {"name": "${schema.spec.name}"}, "spec": {"left": {"name": "a", "size": 2}}}},
                {"id": "unknown", "template": {"apiVersion": "v1", "kind": "Nothing"}},
            ],
        }})
    }

    #[test]
    fn v12_what_is_stored_is_read_again() {
        let stored = Value::Object(Interface::of(&definition(), &Cluster).to_value());
        let text = stored.to_string();
        assert!(!text.contains("description") && !text.contains("pattern"), "{text}");
        assert_eq!(text.matches("int-or-string").count(), 1, "what is repeated is written once: {text}");
        let read = Interface::from_value(&stored).unwrap();
        assert_eq!(Value::Object(read.to_value()), stored);
        assert!(read.find("v1", "Nothing").is_none());
    }

    #[test]
    fn v12_a_definition_compiles_to_the_same_against_what_is_stored() {
        let mut definition = definition();
        definition["spec"]["resources"].as_array_mut().unwrap().pop();
        let stored = Value::Object(Interface::of(&definition, &Cluster).to_value());
        let read = Interface::from_value(&stored).unwrap();
        let first = compile(&definition, &Cluster, Options::default()).unwrap();
        let again = compile(&definition, &read, Options::default()).unwrap();
        assert_eq!(first.crd, again.crd);
        assert_eq!(format!("{:?}", first.nodes[0].subject), format!("{:?}", again.nodes[0].subject));
    }

    #[test]
    fn nonsense_is_refused_with_the_kind_named() {
        let check = |value: Value, expected: &str| {
            assert_eq!(Interface::from_value(&value).unwrap_err().to_string(), expected);
        };
        check(
            json!({"kinds": {"v1/Thing": {"schema": {"$ref": "#/definitions/7"}}}}),
            "the stored schema of v1/Thing cannot be read: unknown schema: 7; add it to the definitions",
        );
        assert!(Interface::from_value(&json!(null)).unwrap().kinds.is_empty());
    }
}
