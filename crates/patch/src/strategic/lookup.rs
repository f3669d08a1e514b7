//! What the schema says about merging a field.

use std::sync::Arc;

use krono_schema::{Schema, SchemaType, go_text};

use super::{Result, StrategicPatchError};

/// A place in the schema.
#[derive(Clone, Copy)]
pub(super) struct Lookup<'s> {
    schema: &'s Schema,
}

/// How a field is merged, and the schema of what it holds: its fields, or the elements of its list.
#[derive(Clone, Copy)]
pub(super) struct Field<'s> {
    schema: &'s Schema,
    pub(super) inner: Lookup<'s>,
}

impl<'s> Lookup<'s> {
    pub(super) fn new(schema: &'s Schema) -> Self {
        Self { schema }
    }

    /// A field that holds an object.
    pub(super) fn object(self, name: &str) -> Result<Field<'s>> {
        let schema = self.field(name)?;
        Ok(Field { schema, inner: Lookup { schema } })
    }

    /// A field that holds a list.
    pub(super) fn list(self, name: &str) -> Result<Field<'s>> {
        let schema = self.field(name)?;
        let Some(items) = &schema.items else { return Err(StrategicPatchError::NotAList) };
        if items.schema_type == Some(SchemaType::Array) {
            return Err(StrategicPatchError::ListOfListsInSchema);
        }
        Ok(Field { schema, inner: Lookup { schema: items } })
    }

    fn field(self, name: &str) -> Result<&'s Arc<Schema>> {
        if self.schema.properties.is_empty() {
            return Err(StrategicPatchError::NotAStruct { kind: self.kind() });
        }
        let properties = &self.schema.properties;
        let ignoring_case =
            || properties.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|it| it.1);
        properties
            .get(name)
            .or_else(ignoring_case)
            .ok_or_else(|| StrategicPatchError::UnknownField { field: go_text::quote(name) })
    }

    /// What Go calls the kind of value.
    pub(super) fn kind(self) -> &'static str {
        match self.schema.schema_type {
            Some(SchemaType::Object) if self.schema.additional_properties.is_some() => "map",
            Some(SchemaType::Object) => "struct",
            Some(SchemaType::Array) => "slice",
            Some(SchemaType::Boolean) => "bool",
            Some(SchemaType::Integer | SchemaType::Number) => "int32",
            Some(SchemaType::String) => "string",
            None => "interface",
        }
    }
}

impl<'s> Field<'s> {
    /// `merge`, `replace`, or nothing.
    pub(super) fn strategy(self) -> Result<&'s str> {
        let strategy = self.schema.patch_strategy.as_deref().unwrap_or_default();
        match strategy.split(',').collect::<Vec<_>>().as_slice() {
            ["retainKeys"] => Ok(""),
            [only] | ["retainKeys", only] | [only, "retainKeys"] => Ok(only),
            _ => Err(StrategicPatchError::UnknownStrategy { strategy: strategy.replace(',', " ") }),
        }
    }

    /// The field by which an element of the list is found; empty when elements are compared as a whole.
    pub(super) fn merge_key(self) -> &'s str {
        self.schema.patch_merge_key.as_deref().unwrap_or_default()
    }
}
