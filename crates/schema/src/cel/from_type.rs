//! The schema of values of a CEL type.

use krono_cel::Type;

use crate::schema::read::MAX_SCHEMA_DEPTH;
use crate::schema::{Schema, SchemaType};

/// The schema that kro gives a status field whose expression has this type.
///
/// Types that JSON has no form for, and those nested deeper than schemas go, become "any value".
///
/// ```
/// use krono_cel::Type;
/// use krono_schema::cel::schema_of_type;
/// let schema = schema_of_type(&Type::list(Type::Int));
/// assert_eq!(schema.to_value(), serde_json::json!({"type": "array", "items": {"type": "integer"}}));
/// ```
pub fn schema_of_type(ty: &Type) -> Schema {
    convert(ty, Place::Top, 0)
}

/// Timestamps are typed only at the top of an expression: kro does not type them inside objects, and a definition
/// that it made earlier must compare equal to ours.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Top,
    InObject,
}

fn convert(ty: &Type, place: Place, depth: usize) -> Schema {
    if depth + 1 >= MAX_SCHEMA_DEPTH {
        return Schema::any();
    }
    match ty {
        Type::Bool => Schema::of_type(SchemaType::Boolean),
        Type::Int | Type::Uint => Schema::of_type(SchemaType::Integer),
        Type::Double => Schema::of_type(SchemaType::Number),
        Type::String => Schema::of_type(SchemaType::String),
        Type::Bytes => formatted("byte"),
        Type::Timestamp if place == Place::Top => formatted("date-time"),
        Type::Wrapper(inner) => convert(inner, place, depth),
        Type::List(list) => Schema::array_of(convert(&list.element, place, depth + 1)),
        Type::Map(entry) => Schema::map_of(convert(&entry.1, place, depth + 1)),
        Type::Object(object) => {
            let fields = object.fields.iter();
            let fields = fields.map(|(name, it)| (name.to_string(), convert(it, Place::InObject, depth + 1)));
            Schema { preserve_unknown_fields: object.open.then_some(true), ..Schema::object(fields) }
        }
        Type::Dyn
        | Type::Null
        | Type::Timestamp
        | Type::Duration
        | Type::Optional(_)
        | Type::Type(_)
        | Type::Opaque(_)
        | Type::Param(_)
        | Type::Var(_)
        | Type::Error => Schema::any(),
    }
}

fn formatted(format: &str) -> Schema {
    Schema { format: Some(format.to_owned()), ..Schema::of_type(SchemaType::String) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn schemas() {
        let check = |ty: Type, expect: Value| assert_eq!(schema_of_type(&ty).to_value(), expect);
        let any = json!({"x-kubernetes-preserve-unknown-fields": true});
        check(Type::Bool, json!({"type": "boolean"}));
        check(Type::Uint, json!({"type": "integer"}));
        check(Type::Double, json!({"type": "number"}));
        check(Type::Bytes, json!({"type": "string", "format": "byte"}));
        check(Type::Timestamp, json!({"type": "string", "format": "date-time"}));
        check(Type::Duration, any.clone());
        check(Type::optional(Type::Int), any.clone());
        check(Type::map(Type::String, Type::Dyn), json!({"type": "object", "additionalProperties": any}));
        check(
            Type::object("t", [("at", Type::Timestamp), ("n", Type::Int)]),
            json!({"type": "object", "properties": {"at": any, "n": {"type": "integer"}}}),
        );
    }

    #[test]
    fn depth_is_bounded() {
        let deep = (0..1_000).fold(Type::Int, |inner, _| Type::list(inner));
        assert!(Schema::from_value(&schema_of_type(&deep).to_value()).is_ok());
    }
}
