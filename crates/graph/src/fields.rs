//! Templates against the schemas of their kinds.

use std::sync::Arc;

use krono_cel::{Placed, Segment, Template, Type};
use krono_schema::cel::cel_type;
use krono_schema::{Path, Schema, SchemaType};
use serde_json::{Map, Value};

use crate::diagnostic::instead_of;
use crate::expression::{Expressions, unwrapped};
use crate::mismatch;
use crate::shape::{Shape, TextPart};

/// Turns values with expressions into shapes, and reports what does not fit the schema.
pub(crate) struct Lowering<'a> {
    pub(crate) expressions: Expressions<'a>,
    /// Names the types of fields in messages.
    pub(crate) type_name: &'a str,
}

impl Lowering<'_> {
    /// The shape of a value; without a schema, anything goes. What is wrong with it is reported and left out.
    pub(crate) fn lower(&mut self, value: &Value, schema: Option<&Arc<Schema>>, path: &Path<'_>) -> Shape {
        let schema = schema.filter(|it| it.schema_type.is_some() || it.int_or_string);
        match value {
            Value::String(text) => self.text(text, schema, path),
            Value::Object(_) | Value::Array(_) | Value::Number(_) | Value::Bool(_)
                if !accepts(schema, value) =>
            {
                self.mismatch(value, schema, path)
            }
            Value::Object(fields) => self.object(fields, schema, path),
            Value::Array(elements) => {
                let items = schema.and_then(|it| it.items.as_ref());
                let elements = elements.iter().enumerate();
                list(elements.map(|(index, it)| self.lower(it, items, &path.index(index))).collect())
            }
            Value::Number(_) | Value::Bool(_) | Value::Null => Shape::Literal(value.clone()),
        }
    }

    fn object(
        &mut self,
        fields: &Map<String, Value>,
        schema: Option<&Arc<Schema>>,
        path: &Path<'_>,
    ) -> Shape {
        let mut shapes = Vec::with_capacity(fields.len());
        for (name, value) in fields {
            let at = path.field(name);
            match field(schema, name) {
                Field::Known(schema) => shapes.push((name.clone(), self.lower(value, schema, &at))),
                Field::Unknown(known) => {
                    let known = known.properties.keys().map(String::as_str);
                    self.expressions.diagnostics.report(at, "unknown field").advise(instead_of(name, known));
                }
            }
        }
        object(shapes)
    }

    fn text(&mut self, text: &str, schema: Option<&Arc<Schema>>, path: &Path<'_>) -> Shape {
        match Template::parse(text) {
            Ok(Template::Literal) if accepts_text(schema) => Shape::Literal(Value::String(text.to_owned())),
            Ok(Template::Expression(placed)) => self.expression(placed, schema, path),
            Ok(Template::Mixed(segments)) if accepts_text(schema) => self.mixed(&segments, path),
            Ok(Template::Literal | Template::Mixed(_)) => {
                self.mismatch(&Value::String(text.to_owned()), schema, path)
            }
            Err(error) => {
                self.expressions.unreadable(error, path);
                Shape::Literal(Value::Null)
            }
        }
    }

    fn expression(&mut self, placed: Placed<'_>, schema: Option<&Arc<Schema>>, path: &Path<'_>) -> Shape {
        let Some(expression) = self.expressions.compile(placed, path) else {
            return Shape::Literal(Value::Null);
        };
        let expected = schema.map_or(Type::Dyn, |it| cel_type(it, self.type_name));
        if let Err(incompatible) = expression.result_type().assignable_to(&expected) {
            let advice = mismatch::conversion(&incompatible, expression.source());
            self.expressions
                .diagnostics
                .report(path, mismatch::message(&incompatible))
                .at(expression.span())
                .advise(advice);
        }
        Shape::Expression(expression)
    }

    fn mixed(&mut self, segments: &[Segment<'_>], path: &Path<'_>) -> Shape {
        let mut parts = Vec::with_capacity(segments.len());
        for segment in segments {
            match segment {
                Segment::Text(text) => parts.push(TextPart::Literal((*text).to_owned())),
                Segment::Expression(placed) => parts.extend(self.text_part(*placed, path)),
            }
        }
        Shape::Text(parts)
    }

    fn text_part(&mut self, placed: Placed<'_>, path: &Path<'_>) -> Option<TextPart> {
        let expression = self.expressions.compile(placed, path)?;
        if !matches!(unwrapped(expression.result_type()), Type::String | Type::Dyn) {
            let found = expression.result_type();
            let message = format!("returns type \"{found}\", but it stands in text");
            let advice = format!("write ${{string({})}}", placed.source.trim());
            self.expressions.diagnostics.report(path, message).at(expression.span()).advise(advice);
        }
        self.expressions.refuse_omit(&expression, path);
        Some(TextPart::Expression(expression))
    }

    fn mismatch(&mut self, found: &Value, schema: Option<&Arc<Schema>>, path: &Path<'_>) -> Shape {
        let expected = schema.and_then(|it| it.schema_type);
        let message = mismatch::of_literal(found, expected);
        self.expressions.diagnostics.report(path, message).advise(mismatch::correction(found, expected));
        Shape::Literal(Value::Null)
    }
}

/// A map; one without expressions is a literal.
fn object(fields: Vec<(String, Shape)>) -> Shape {
    if !fields.iter().all(|(_, shape)| matches!(shape, Shape::Literal(_))) {
        return Shape::Object(fields);
    }
    let literal = |(name, shape)| match shape {
        Shape::Literal(value) => (name, value),
        Shape::Object(_) | Shape::List(_) | Shape::Expression(_) | Shape::Text(_) => (name, Value::Null),
    };
    Shape::Literal(Value::Object(fields.into_iter().map(literal).collect()))
}

/// A list; one without expressions is a literal.
fn list(elements: Vec<Shape>) -> Shape {
    let literals: Option<Vec<Value>> = elements
        .iter()
        .map(|shape| match shape {
            Shape::Literal(value) => Some(value.clone()),
            Shape::Object(_) | Shape::List(_) | Shape::Expression(_) | Shape::Text(_) => None,
        })
        .collect();
    literals.map_or(Shape::List(elements), |it| Shape::Literal(Value::Array(it)))
}

enum Field<'s> {
    /// A field of this schema, or one about which nothing is known.
    Known(Option<&'s Arc<Schema>>),
    /// No field of an object that has others.
    Unknown(&'s Schema),
}

fn field<'s>(schema: Option<&'s Arc<Schema>>, name: &str) -> Field<'s> {
    let Some(schema) = schema else { return Field::Known(None) };
    if let Some(known) = schema.properties.get(name) {
        return Field::Known(Some(known));
    }
    if let Some(values) = schema.map_values() {
        return Field::Known(Some(values));
    }
    let open = schema.preserves_unknown_fields() || schema.properties.is_empty() || schema.embedded_resource;
    if open { Field::Known(None) } else { Field::Unknown(schema) }
}

fn accepts(schema: Option<&Arc<Schema>>, value: &Value) -> bool {
    let Some(schema) = schema else { return true };
    if schema.int_or_string {
        return value.is_string() || value.is_i64() || value.is_u64();
    }
    match schema.schema_type {
        None => true,
        Some(SchemaType::Object) => value.is_object(),
        Some(SchemaType::Array) => value.is_array(),
        Some(SchemaType::String) => value.is_string(),
        Some(SchemaType::Boolean) => value.is_boolean(),
        Some(SchemaType::Number) => value.is_number(),
        Some(SchemaType::Integer) => value.is_i64() || value.is_u64(),
    }
}

fn accepts_text(schema: Option<&Arc<Schema>>) -> bool {
    schema.is_none_or(|it| it.int_or_string || matches!(it.schema_type, None | Some(SchemaType::String)))
}
