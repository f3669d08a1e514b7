//! A schema read from JSON, with every problem found at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::{
    AdditionalProperties, ExternalDocs, ListType, MapType, Reason, Schema, SchemaType, ValidationRule,
};
use crate::error::FieldError;
use crate::path::Path;

/// The deepest nesting of schemas that is read; published schemas stay below thirty.
pub const MAX_SCHEMA_DEPTH: usize = 100;

/// Why a value is not a schema.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("not a schema: {}", .errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct InvalidSchema {
    /// Every problem, with its place in the schema.
    pub errors: Vec<FieldError>,
}

impl Schema {
    /// Reads a schema; keywords that Kubernetes does not keep are skipped, those it refuses are errors.
    pub fn from_value(value: &Value) -> Result<Self, InvalidSchema> {
        let mut reader = Reader { errors: Vec::new(), depth: 0 };
        let schema = reader.schema(value, &Path::ROOT);
        if reader.errors.is_empty() { Ok(schema) } else { Err(InvalidSchema { errors: reader.errors }) }
    }

    /// The schema as JSON.
    pub fn to_value(&self) -> Value {
        // Serialising fails only for maps whose keys are not strings; there are none here.
        serde_json::to_value(self).unwrap_or(Value::Null)
    }
}

impl<'de> Deserialize<'de> for Schema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_value(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

struct Reader {
    errors: Vec<FieldError>,
    depth: usize,
}

impl Reader {
    fn schema(&mut self, value: &Value, path: &Path<'_>) -> Schema {
        let mut schema = Schema::default();
        let Some(fields) = self.object(value, path) else { return schema };
        if self.depth == MAX_SCHEMA_DEPTH {
            let detail = format!("must not be nested more than {MAX_SCHEMA_DEPTH} levels deep");
            self.errors.push(FieldError::forbidden(path, detail));
            return schema;
        }
        self.depth += 1;
        for (keyword, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
            let at = path.field(keyword);
            let _read = self.description(&mut schema, keyword, value, &at)
                || self.limit(&mut schema, keyword, value, &at)
                || self.nested(&mut schema, keyword, value, &at)
                || self.extension(&mut schema, keyword, value, &at)
                || self.refused(keyword, &at);
        }
        self.depth -= 1;
        schema
    }

    fn description(&mut self, schema: &mut Schema, keyword: &str, value: &Value, at: &Path<'_>) -> bool {
        match keyword {
            "$ref" => schema.reference = self.string(value, at),
            "type" => schema.schema_type = self.choice(value, at, SchemaType::ALL, SchemaType::name),
            "format" => schema.format = self.string(value, at),
            "title" => schema.title = self.string(value, at),
            "description" => schema.description = self.string(value, at),
            "default" => schema.default = Some(value.clone()),
            "example" => schema.example = Some(value.clone()),
            "nullable" => schema.nullable = self.boolean(value, at),
            "externalDocs" => schema.external_docs = self.external_docs(value, at),
            _ => return false,
        }
        true
    }

    fn limit(&mut self, schema: &mut Schema, keyword: &str, value: &Value, at: &Path<'_>) -> bool {
        match keyword {
            "required" => schema.required = self.strings(value, at),
            "enum" => schema.enumeration = self.list(value, at, |_, item, _| item.clone()),
            "pattern" => schema.pattern = self.string(value, at),
            "minimum" => schema.minimum = self.double(value, at),
            "maximum" => schema.maximum = self.double(value, at),
            "exclusiveMinimum" => schema.exclusive_minimum = self.boolean(value, at),
            "exclusiveMaximum" => schema.exclusive_maximum = self.boolean(value, at),
            "multipleOf" => schema.multiple_of = self.double(value, at),
            "minLength" => schema.min_length = self.integer(value, at),
            "maxLength" => schema.max_length = self.integer(value, at),
            "minItems" => schema.min_items = self.integer(value, at),
            "maxItems" => schema.max_items = self.integer(value, at),
            "uniqueItems" => schema.unique_items = self.boolean(value, at),
            "minProperties" => schema.min_properties = self.integer(value, at),
            "maxProperties" => schema.max_properties = self.integer(value, at),
            _ => return false,
        }
        true
    }

    fn nested(&mut self, schema: &mut Schema, keyword: &str, value: &Value, at: &Path<'_>) -> bool {
        match keyword {
            "properties" => schema.properties = self.properties(value, at),
            "additionalProperties" => {
                schema.additional_properties = Some(match value.as_bool() {
                    Some(allowed) => AdditionalProperties::Allowed(allowed),
                    None => AdditionalProperties::Schema(self.child(value, at)),
                });
            }
            "items" if value.is_array() => {
                self.errors.push(FieldError::forbidden(at, "items must be a schema object and not an array"));
            }
            "items" => schema.items = Some(self.child(value, at)),
            "allOf" => schema.all_of = self.list(value, at, Self::child),
            "anyOf" => schema.any_of = self.list(value, at, Self::child),
            "oneOf" => schema.one_of = self.list(value, at, Self::child),
            "not" => schema.not = Some(self.child(value, at)),
            _ => return false,
        }
        true
    }

    fn extension(&mut self, schema: &mut Schema, keyword: &str, value: &Value, at: &Path<'_>) -> bool {
        match keyword.strip_prefix("x-kubernetes-") {
            Some("preserve-unknown-fields") => {
                schema.preserve_unknown_fields = Some(self.boolean(value, at));
            }
            Some("embedded-resource") => schema.embedded_resource = self.boolean(value, at),
            Some("int-or-string") => schema.int_or_string = self.boolean(value, at),
            Some("list-type") => schema.list_type = self.choice(value, at, ListType::ALL, ListType::name),
            Some("list-map-keys") => schema.list_map_keys = self.strings(value, at),
            Some("map-type") => schema.map_type = self.choice(value, at, MapType::ALL, MapType::name),
            Some("patch-strategy") => schema.patch_strategy = self.string(value, at),
            Some("patch-merge-key") => schema.patch_merge_key = self.string(value, at),
            Some("validations") => schema.validations = self.list(value, at, Self::rule),
            _ => return false,
        }
        true
    }

    /// Keywords of JSON schema that the API server refuses by name; all others are dropped silently.
    fn refused(&mut self, keyword: &str, at: &Path<'_>) -> bool {
        let refused = ["id", "additionalItems", "patternProperties", "definitions", "dependencies"];
        if refused.contains(&keyword) {
            self.errors.push(FieldError::forbidden(at, format!("{keyword} is not supported")));
        }
        true
    }

    fn rule(&mut self, value: &Value, path: &Path<'_>) -> ValidationRule {
        let mut rule = ValidationRule::default();
        let Some(fields) = self.object(value, path) else { return rule };
        for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
            let at = path.field(name);
            match name.as_str() {
                "rule" => rule.rule = self.string(value, &at).unwrap_or_default(),
                "message" => rule.message = self.string(value, &at),
                "messageExpression" => rule.message_expression = self.string(value, &at),
                "reason" => rule.reason = self.choice(value, &at, Reason::ALL, Reason::name),
                "fieldPath" => rule.field_path = self.string(value, &at),
                "optionalOldSelf" => rule.optional_old_self = Some(self.boolean(value, &at)),
                _ => {}
            }
        }
        rule
    }

    fn external_docs(&mut self, value: &Value, path: &Path<'_>) -> Option<ExternalDocs> {
        let fields = self.object(value, path)?;
        let mut text = |name: &str| fields.get(name).and_then(|value| self.string(value, &path.field(name)));
        Some(ExternalDocs { description: text("description"), url: text("url") })
    }

    fn properties(&mut self, value: &Value, path: &Path<'_>) -> BTreeMap<String, Arc<Schema>> {
        let Some(fields) = self.object(value, path) else { return BTreeMap::new() };
        fields.iter().map(|(name, value)| (name.clone(), self.child(value, &path.key(name)))).collect()
    }

    fn child(&mut self, value: &Value, path: &Path<'_>) -> Arc<Schema> {
        Arc::new(self.schema(value, path))
    }

    fn object<'v>(&mut self, value: &'v Value, path: &Path<'_>) -> Option<&'v Map<String, Value>> {
        self.expect(value, path, "an object", Value::as_object)
    }

    /// Empty text is the same as none: Kubernetes drops both when it stores a schema.
    fn string(&mut self, value: &Value, path: &Path<'_>) -> Option<String> {
        self.expect(value, path, "a string", Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
    }

    fn boolean(&mut self, value: &Value, path: &Path<'_>) -> bool {
        self.expect(value, path, "a boolean", Value::as_bool).unwrap_or_default()
    }

    fn integer(&mut self, value: &Value, path: &Path<'_>) -> Option<i64> {
        self.expect(value, path, "an integer", Value::as_i64)
    }

    fn double(&mut self, value: &Value, path: &Path<'_>) -> Option<f64> {
        self.expect(value, path, "a number", Value::as_f64)
    }

    fn strings(&mut self, value: &Value, path: &Path<'_>) -> Vec<String> {
        self.list(value, path, |reader, item, at| reader.string(item, at).unwrap_or_default())
    }

    fn list<T>(
        &mut self,
        value: &Value,
        path: &Path<'_>,
        read: impl Fn(&mut Self, &Value, &Path<'_>) -> T,
    ) -> Vec<T> {
        let items = self.expect(value, path, "an array", Value::as_array);
        let items = items.map(Vec::as_slice).unwrap_or_default();
        items.iter().enumerate().map(|(index, item)| read(self, item, &path.index(index))).collect()
    }

    fn choice<T: Copy, const N: usize>(
        &mut self,
        value: &Value,
        path: &Path<'_>,
        all: [T; N],
        name: impl Fn(T) -> &'static str,
    ) -> Option<T> {
        let text = self.string(value, path)?;
        let found = all.into_iter().find(|choice| name(*choice) == text);
        if found.is_none() {
            self.errors.push(FieldError::not_supported(path, text, all.map(name)));
        }
        found
    }

    fn expect<'v, T>(
        &mut self,
        value: &'v Value,
        path: &Path<'_>,
        what: &str,
        convert: impl Fn(&'v Value) -> Option<T>,
    ) -> Option<T> {
        let converted = convert(value);
        if converted.is_none() {
            self.errors.push(FieldError::invalid(path, value.clone(), format!("must be {what}")));
        }
        converted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn problems_are_found_at_once() {
        let check = |value: Value, expect: &[&str]| {
            let errors = Schema::from_value(&value).map_or_else(|invalid| invalid.errors, |_| Vec::new());
            assert_eq!(errors.iter().map(ToString::to_string).collect::<Vec<_>>(), expect);
        };
        check(json!({"type": "object", "x-anything": 1, "discriminator": {}}), &[]);
        check(json!([]), &["<nil>: Invalid value: []: must be an object"]);
        check(
            json!({"properties": {"a": {"type": "float", "minimum": "1"}}, "items": [{}], "definitions": {}}),
            &[
                "definitions: Forbidden: definitions is not supported",
                "items: Forbidden: items must be a schema object and not an array",
                r#"properties[a].minimum: Invalid value: "1": must be a number"#,
                concat!(
                    r#"properties[a].type: Unsupported value: "float": supported values: "#,
                    r#""array", "boolean", "integer", "number", "object", "string""#
                ),
            ],
        );
    }

    #[test]
    fn depth_is_bounded() {
        let mut deep = json!({"type": "string"});
        for _ in 0..MAX_SCHEMA_DEPTH {
            deep = json!({"type": "array", "items": deep});
        }
        let invalid = Schema::from_value(&deep).unwrap_err();
        assert!(invalid.to_string().ends_with("must not be nested more than 100 levels deep"), "{invalid}");
        assert!(Schema::from_value(&deep["items"]).is_ok());
    }

    #[test]
    fn round_trip() {
        let check = |value: Value| assert_eq!(Schema::from_value(&value).unwrap().to_value(), value);
        check(json!({}));
        check(json!({
            "$ref": "#/definitions/a", "type": "object", "format": "x", "title": "t", "description": "d",
            "default": {"a": 1}, "nullable": true, "required": ["a"], "additionalProperties": false,
            "properties": {"a": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2}},
            "minProperties": 1, "maxProperties": 2, "uniqueItems": true, "enum": [1, "a", null],
        }));
        check(json!({
            "minLength": 1, "maxLength": 2, "pattern": "^a", "minimum": 1, "exclusiveMinimum": true,
            "maximum": 2.5, "exclusiveMaximum": true, "multipleOf": 0.5,
            "allOf": [{"not": {}}], "anyOf": [{"type": "string"}], "oneOf": [{}], "not": {"nullable": true},
            "externalDocs": {"description": "d", "url": "u"}, "example": [1],
        }));
        check(json!({
            "x-kubernetes-preserve-unknown-fields": false, "x-kubernetes-embedded-resource": true,
            "x-kubernetes-int-or-string": true, "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["a"], "x-kubernetes-map-type": "granular",
            "x-kubernetes-patch-strategy": "merge,retainKeys", "x-kubernetes-patch-merge-key": "a",
            "x-kubernetes-validations": [{
                "rule": "self.a", "message": "m", "messageExpression": "e", "reason": "FieldValueForbidden",
                "fieldPath": ".a", "optionalOldSelf": false,
            }],
        }));
    }
}
