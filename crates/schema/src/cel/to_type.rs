//! The CEL type of values that fit a schema.

use std::sync::Arc;

use krono_cel::{FieldTypes, ListSemantics, ListType, ObjectType, Type};

use super::escape::escape;
use crate::schema::{self, Schema, SchemaType};

/// The type of a variable whose values fit `schema`, as kro types resources.
///
/// Objects have the fields of the schema under their own names; unknown fields are `dyn` where the schema preserves
/// them. Unions, int-or-string and schemas without a type are `dyn`. `name` names the type in messages; the types
/// inside are named after it and their place.
///
/// ```
/// use krono_schema::{Schema, cel::cel_type};
/// let schema = serde_json::json!({"type": "array", "items": {"type": "string", "format": "date-time"}});
/// let ty = cel_type(&Schema::from_value(&schema)?.into(), "times");
/// assert_eq!(ty.to_string(), "list(timestamp)");
/// # Ok::<(), krono_schema::InvalidSchema>(())
/// ```
pub fn cel_type(schema: &Arc<Schema>, name: &str) -> Type {
    Rules::Kro.convert(schema, name).unwrap_or(Type::Dyn)
}

/// The type of `self` in a validation rule; none when Kubernetes does not offer the value to rules.
pub(crate) fn rule_type(schema: &Arc<Schema>, name: &str) -> Option<Type> {
    Rules::Kubernetes.convert(schema, name)
}

/// Whose rules decide what is typed how.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rules {
    /// Everything can be seen, what is not typed as `dyn`.
    Kro,
    /// What is not typed cannot be seen, and neither can fields whose names cannot be escaped.
    Kubernetes,
}

impl Rules {
    fn convert(self, schema: &Arc<Schema>, name: &str) -> Option<Type> {
        if schema.int_or_string {
            return Some(Type::Dyn);
        }
        match schema.schema_type {
            Some(SchemaType::Array) => self.list(schema, name),
            Some(SchemaType::Object) => self.object_or_map(schema, name),
            Some(SchemaType::String) => Some(string_type(schema.format.as_deref())),
            Some(SchemaType::Boolean) => Some(Type::Bool),
            Some(SchemaType::Number) => Some(Type::Double),
            Some(SchemaType::Integer) => Some(Type::Int),
            None => self.untyped(),
        }
    }

    fn untyped(self) -> Option<Type> {
        (self == Self::Kro).then_some(Type::Dyn)
    }

    fn list(self, schema: &Schema, name: &str) -> Option<Type> {
        let element = match &schema.items {
            Some(items) => self.convert(items, &format!("{name}.@idx"))?,
            None => self.untyped()?,
        };
        Some(Type::List(Arc::new(ListType { element, semantics: semantics(schema) })))
    }

    fn object_or_map(self, schema: &Arc<Schema>, name: &str) -> Option<Type> {
        if let Some(values) = schema.map_values() {
            let value = self.convert(values, &format!("{name}.@elem"))?;
            return Some(Type::map(Type::String, value));
        }
        let open = self == Self::Kro
            && (schema.preserves_unknown_fields()
                || schema.additional_properties == Some(schema::AdditionalProperties::Allowed(true)));
        let (schema, owned_name) = (Arc::clone(schema), name.to_owned());
        let fields = move || self.fields(&schema, &owned_name);
        Some(Type::Object(Arc::new(ObjectType::new(name, open, fields))))
    }

    fn fields(self, schema: &Schema, name: &str) -> FieldTypes {
        let visible =
            schema.properties.iter().filter(|(field, _)| self == Self::Kro || escape(field).is_some());
        let typed = visible.filter_map(|(field, it)| {
            Some((field.as_str().into(), self.convert(it, &format!("{name}.{field}"))?))
        });
        let mut fields: FieldTypes = typed.collect();
        if schema.embedded_resource && self == Self::Kubernetes {
            add_object_fields(&mut fields, name);
        }
        fields
    }
}

/// What every Kubernetes object has, whether its schema says so or not.
fn add_object_fields(fields: &mut FieldTypes, name: &str) {
    let names = [("name", Type::String), ("generateName", Type::String)];
    fields.insert("apiVersion".into(), Type::String);
    fields.insert("kind".into(), Type::String);
    let complete = matches!(fields.get("metadata"), Some(Type::Object(metadata))
        if names.iter().all(|(name, _)| metadata.fields.get(*name) == Some(&Type::String)));
    if !complete {
        fields.insert("metadata".into(), Type::object(&format!("{name}.metadata"), names));
    }
}

fn string_type(format: Option<&str>) -> Type {
    match format {
        Some("byte") => Type::Bytes,
        Some("duration") => Type::Duration,
        Some("date" | "date-time") => Type::Timestamp,
        _ => Type::String,
    }
}

fn semantics(schema: &Schema) -> ListSemantics {
    match schema.list_type {
        None | Some(schema::ListType::Atomic) => ListSemantics::Atomic,
        Some(schema::ListType::Set) => ListSemantics::Set,
        Some(schema::ListType::Map) => {
            ListSemantics::Map(schema.list_map_keys.iter().map(|key| key.as_str().into()).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn check(schema: &Value, kro: &str, kubernetes: &str) {
        let schema = Arc::new(Schema::from_value(schema).unwrap());
        assert_eq!(cel_type(&schema, "t").to_string(), kro, "{schema:?}");
        let rule = rule_type(&schema, "t").map_or_else(|| "none".to_owned(), |it| it.to_string());
        assert_eq!(rule, kubernetes, "{schema:?}");
    }

    #[test]
    fn scalars_and_containers() {
        check(&json!({"type": "integer", "format": "int32"}), "int", "int");
        check(&json!({"type": "number"}), "double", "double");
        check(&json!({"type": "string", "format": "byte"}), "bytes", "bytes");
        check(&json!({"type": "string", "format": "duration"}), "duration", "duration");
        check(&json!({"type": "string", "format": "date"}), "timestamp", "timestamp");
        check(&json!({"type": "string", "format": "uuid"}), "string", "string");
        check(&json!({"x-kubernetes-int-or-string": true, "type": "string"}), "dyn", "dyn");
        check(&json!({"x-kubernetes-preserve-unknown-fields": true}), "dyn", "none");
        check(&json!({"type": "array"}), "list(dyn)", "none");
        check(&json!({"type": "array", "items": {}}), "list(dyn)", "none");
        check(
            &json!({"type": "object", "additionalProperties": {"type": "boolean"}}),
            "map(string, bool)",
            "map(string, bool)",
        );
        check(&json!({"type": "array", "items": {"type": "object"}}), "list(t.@idx)", "list(t.@idx)");
    }

    #[test]
    fn objects() {
        let fields = |ty: Type| {
            let Type::Object(object) = ty else { panic!("{ty}") };
            (object.fields.keys().map(ToString::to_string).collect::<Vec<_>>(), object.open)
        };
        let schema = Schema::from_value(&json!({
            "type": "object", "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-embedded-resource": true,
            "properties": {"namespace": {"type": "string"}, "a b": {"type": "string"}, "any": {}},
        }))
        .unwrap()
        .into();
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(fields(cel_type(&schema, "t")), (names(&["a b", "any", "namespace"]), true));
        let expect = names(&["apiVersion", "kind", "metadata", "namespace"]);
        assert_eq!(fields(rule_type(&schema, "t").unwrap()), (expect, false));
    }
}
