//! The schema of an instance's status, from the expressions that fill it.

use std::sync::Arc;

use krono_cel::Template;
use serde_json::Value;

use crate::path::Path;
use crate::schema::read::MAX_SCHEMA_DEPTH;
use crate::schema::{Schema, SchemaType};

/// Every problem of a status.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct StatusErrors {
    /// The problems.
    pub errors: Vec<StatusError>,
}

/// One problem of a status and where it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {problem}")]
pub struct StatusError {
    /// The field, such as `status.endpoint`.
    pub path: String,
    /// What is wrong and what to do.
    pub problem: String,
}

/// The schema of a status whose leaves are expressions.
///
/// `schema_of` gives the schema of one expression; a string with text around expressions is a string.
/// `state` and `conditions`, which every instance has, are added unless the author has fields of that name;
/// the author's `conditions` are expressions that make conditions, so their schema is the usual one too.
pub fn status_schema(
    status: &Value,
    schema_of: &mut dyn FnMut(&str) -> Schema,
) -> Result<Schema, StatusErrors> {
    let mut builder = Builder { schema_of, errors: Vec::new() };
    let mut schema = builder.root(status);
    if !builder.errors.is_empty() {
        return Err(StatusErrors { errors: builder.errors });
    }
    let state = || Arc::new(Schema::of_type(SchemaType::String));
    schema.properties.entry("state".to_owned()).or_insert_with(state);
    schema.properties.insert("conditions".to_owned(), Arc::new(conditions()));
    Ok(schema)
}

fn conditions() -> Schema {
    let strings = ["type", "status", "reason", "message", "lastTransitionTime"];
    let strings = strings.map(|name| (name, Schema::of_type(SchemaType::String)));
    let generation = ("observedGeneration", Schema::of_type(SchemaType::Integer));
    Schema::array_of(Schema::object(strings.into_iter().chain([generation])))
}

struct Builder<'f> {
    schema_of: &'f mut dyn FnMut(&str) -> Schema,
    errors: Vec<StatusError>,
}

impl Builder<'_> {
    fn root(&mut self, status: &Value) -> Schema {
        let path = Path::named("status");
        let mut object = Schema::of_type(SchemaType::Object);
        if !status.is_object() && !status.is_null() {
            self.report(&path, "expected a map of fields");
        }
        for (name, value) in status.as_object().into_iter().flatten() {
            let at = path.field(name);
            if name == "conditions" {
                self.check_conditions(value, &at);
            } else if let Some(schema) = self.node(value, &at, 1) {
                object.properties.insert(name.clone(), Arc::new(schema));
            }
        }
        object
    }

    fn check_conditions(&mut self, conditions: &Value, path: &Path<'_>) {
        let Some(entries) = conditions.as_array() else {
            return self.report(path, "expected a list of expressions such as ${runtime.newCondition({…})}");
        };
        for (index, entry) in entries.iter().enumerate() {
            if !matches!(entry.as_str().map(Template::parse), Some(Ok(Template::Expression(_)))) {
                self.report(&path.index(index), "expected one expression, ${…}, with nothing around it");
            }
        }
    }

    /// The schema of a node; none for an empty map or list, which says nothing.
    fn node(&mut self, value: &Value, path: &Path<'_>, depth: usize) -> Option<Schema> {
        if depth >= MAX_SCHEMA_DEPTH {
            self.report(path, "nested too deep; make the status flatter");
            return None;
        }
        match value {
            Value::Object(fields) => {
                let fields = fields.iter().filter_map(|(name, value)| {
                    let schema = self.node(value, &path.field(name), depth + 1)?;
                    Some((name.as_str(), schema))
                });
                Some(Schema::object(fields)).filter(|object| !object.properties.is_empty())
            }
            Value::Array(items) => {
                let items: Vec<Schema> = items
                    .iter()
                    .enumerate()
                    .filter_map(|(index, item)| self.node(item, &path.index(index), depth + 1))
                    .collect();
                common(items).map(Schema::array_of)
            }
            Value::String(text) => self.leaf(text, path),
            Value::Null | Value::Bool(_) | Value::Number(_) => self.literal(path),
        }
    }

    fn leaf(&mut self, text: &str, path: &Path<'_>) -> Option<Schema> {
        match Template::parse(text) {
            Ok(Template::Expression(placed)) => Some((self.schema_of)(placed.source)),
            Ok(Template::Mixed(_)) => Some(Schema::of_type(SchemaType::String)),
            Ok(Template::Literal) => self.literal(path),
            Err(error) => {
                self.report(path, error.to_string());
                None
            }
        }
    }

    fn literal(&mut self, path: &Path<'_>) -> Option<Schema> {
        self.report(
            path,
            "a status field needs an expression, ${…}; remove the field or refer to a resource",
        );
        None
    }

    fn report(&mut self, path: &Path<'_>, problem: impl Into<String>) {
        self.errors.push(StatusError { path: path.to_string(), problem: problem.into() });
    }
}

/// A schema that every element of a list fits.
fn common(items: Vec<Schema>) -> Option<Schema> {
    let mut items = items.into_iter();
    let first = items.next()?;
    Some(if items.all(|item| item == first) { first } else { Schema::any() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The source of an expression is the name of its type.
    fn named(source: &str) -> Schema {
        let named = SchemaType::ALL.into_iter().find(|it| it.name() == source);
        named.map_or_else(Schema::any, Schema::of_type)
    }

    #[test]
    fn schemas() {
        let check = |status: Value, expect: Value| {
            let mut schema = status_schema(&status, &mut named).unwrap().to_value();
            let properties = schema["properties"].as_object_mut().unwrap();
            assert_eq!(properties.remove("conditions"), Some(conditions().to_value()));
            assert_eq!(properties.remove("state"), Some(json!({"type": "string"})));
            assert_eq!(schema, json!({"type": "object", "properties": expect}));
        };
        check(Value::Null, json!({}));
        check(
            json!({"a": "${integer}", "b": {"c": "x-${integer}", "d": "${unknown}"}, "e": {}, "f": []}),
            json!({
                "a": {"type": "integer"},
                "b": {"type": "object", "properties": {
                    "c": {"type": "string"}, "d": {"x-kubernetes-preserve-unknown-fields": true},
                }},
            }),
        );
        check(
            json!({"l": ["${string}", "${string}"], "m": ["${string}", "${integer}"]}),
            json!({
                "l": {"type": "array", "items": {"type": "string"}},
                "m": {"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": true}},
            }),
        );
        check(json!({"conditions": ["${runtime.newCondition({})}"]}), json!({}));
    }

    #[test]
    fn an_authors_state_stays() {
        let schema = status_schema(&json!({"state": "${integer}"}), &mut named).unwrap();
        assert_eq!(schema.properties["state"].schema_type, Some(SchemaType::Integer));
    }

    #[test]
    fn problems() {
        let check = |status: Value, expect: &[&str]| {
            let errors = status_schema(&status, &mut named).unwrap_err();
            assert_eq!(errors.to_string().lines().collect::<Vec<_>>(), expect);
        };
        let literal = "a status field needs an expression, ${…}; remove the field or refer to a resource";
        check(
            json!({"a": "text", "b": [1], "conditions": ["x"]}),
            &[
                &format!("status.a: {literal}"),
                &format!("status.b[0]: {literal}"),
                "status.conditions[0]: expected one expression, ${…}, with nothing around it",
            ],
        );
        check(json!("x"), &["status: expected a map of fields"]);
    }
}
