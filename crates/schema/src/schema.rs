//! The structural `OpenAPI` v3 schema of Kubernetes.

pub(crate) mod read;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::Value;

/// One node of an `OpenAPI` v3 schema, with the `x-kubernetes-*` extensions.
///
/// Children are shared (`Arc`): a definition that is referenced from many places is one node, and cloning
/// a schema costs one level. The field names are those of `JSONSchemaProps`, without the `x-kubernetes-` prefix.
///
/// ```
/// use krono_schema::Schema;
/// let schema = Schema::from_value(&serde_json::json!({"type": "integer", "minimum": 1}))?;
/// assert_eq!(schema.minimum, Some(1.0));
/// # Ok::<(), krono_schema::InvalidSchema>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "they are the keywords of the wire format")]
pub struct Schema {
    /// `$ref`: a reference to a definition, gone after [`Definitions::resolve`](crate::Definitions::resolve).
    #[serde(rename = "$ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// `type`; absent for int-or-string and for "any value".
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub schema_type: Option<SchemaType>,
    /// `format`, such as `int64` or `date-time`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// `title`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// `description`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// `default`: the value given to an absent field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// `nullable`: null is a valid value.
    #[serde(skip_serializing_if = "is_false")]
    pub nullable: bool,

    /// `properties`: the known fields of an object.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub properties: BTreeMap<String, Arc<Schema>>,
    /// `required`: fields that must be present.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<String>,
    /// `additionalProperties`: the values of a map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additional_properties: Option<AdditionalProperties>,
    /// `minProperties`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_properties: Option<i64>,
    /// `maxProperties`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_properties: Option<i64>,

    /// `items`: the elements of an array.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<Arc<Schema>>,
    /// `minItems`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_items: Option<i64>,
    /// `maxItems`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_items: Option<i64>,
    /// `uniqueItems`; the API server refuses it in favour of list type `set`.
    #[serde(skip_serializing_if = "is_false")]
    pub unique_items: bool,

    /// `minLength`, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_length: Option<i64>,
    /// `maxLength`, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<i64>,
    /// `pattern`: a regular expression found somewhere in the string.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,

    /// `minimum`.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "number")]
    pub minimum: Option<f64>,
    /// `exclusiveMinimum`: `minimum` itself is not allowed.
    #[serde(skip_serializing_if = "is_false")]
    pub exclusive_minimum: bool,
    /// `maximum`.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "number")]
    pub maximum: Option<f64>,
    /// `exclusiveMaximum`: `maximum` itself is not allowed.
    #[serde(skip_serializing_if = "is_false")]
    pub exclusive_maximum: bool,
    /// `multipleOf`.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "number")]
    pub multiple_of: Option<f64>,

    /// `enum`: the only values allowed, when not empty.
    #[serde(rename = "enum", skip_serializing_if = "Vec::is_empty")]
    pub enumeration: Vec<Value>,
    /// `allOf`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub all_of: Vec<Arc<Schema>>,
    /// `anyOf`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub any_of: Vec<Arc<Schema>>,
    /// `oneOf`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub one_of: Vec<Arc<Schema>>,
    /// `not`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not: Option<Arc<Schema>>,

    /// `externalDocs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_docs: Option<ExternalDocs>,
    /// `example`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<Value>,

    /// `x-kubernetes-preserve-unknown-fields`: fields without a schema are kept.
    #[serde(rename = "x-kubernetes-preserve-unknown-fields", skip_serializing_if = "Option::is_none")]
    pub preserve_unknown_fields: Option<bool>,
    /// `x-kubernetes-embedded-resource`: the value is a Kubernetes object of its own.
    #[serde(rename = "x-kubernetes-embedded-resource", skip_serializing_if = "is_false")]
    pub embedded_resource: bool,
    /// `x-kubernetes-int-or-string`: the value is an integer or a string.
    #[serde(rename = "x-kubernetes-int-or-string", skip_serializing_if = "is_false")]
    pub int_or_string: bool,
    /// `x-kubernetes-list-type`; absent means atomic.
    #[serde(rename = "x-kubernetes-list-type", skip_serializing_if = "Option::is_none")]
    pub list_type: Option<ListType>,
    /// `x-kubernetes-list-map-keys`: the fields that identify an element of a list of type map.
    #[serde(rename = "x-kubernetes-list-map-keys", skip_serializing_if = "Vec::is_empty")]
    pub list_map_keys: Vec<String>,
    /// `x-kubernetes-map-type`; absent means granular.
    #[serde(rename = "x-kubernetes-map-type", skip_serializing_if = "Option::is_none")]
    pub map_type: Option<MapType>,
    /// `x-kubernetes-patch-strategy`: how a strategic merge patch treats the field, such as `merge` or `retainKeys`.
    #[serde(rename = "x-kubernetes-patch-strategy", skip_serializing_if = "Option::is_none")]
    pub patch_strategy: Option<String>,
    /// `x-kubernetes-patch-merge-key`: the field by which a strategic merge patch finds an element of a list.
    #[serde(rename = "x-kubernetes-patch-merge-key", skip_serializing_if = "Option::is_none")]
    pub patch_merge_key: Option<String>,
    /// `x-kubernetes-validations`: rules in CEL.
    #[serde(rename = "x-kubernetes-validations", skip_serializing_if = "Vec::is_empty")]
    pub validations: Vec<ValidationRule>,
}

impl Schema {
    /// A schema that says only the type.
    pub fn of_type(schema_type: SchemaType) -> Self {
        Self { schema_type: Some(schema_type), ..Self::default() }
    }

    /// An array of `items`.
    pub fn array_of(items: impl Into<Arc<Schema>>) -> Self {
        Self { items: Some(items.into()), ..Self::of_type(SchemaType::Array) }
    }

    /// A map from strings to `values`.
    pub fn map_of(values: impl Into<Arc<Schema>>) -> Self {
        let values = AdditionalProperties::Schema(values.into());
        Self { additional_properties: Some(values), ..Self::of_type(SchemaType::Object) }
    }

    /// An object with these fields.
    pub fn object<N: Into<String>, S: Into<Arc<Schema>>>(fields: impl IntoIterator<Item = (N, S)>) -> Self {
        let properties = fields.into_iter().map(|(name, schema)| (name.into(), schema.into())).collect();
        Self { properties, ..Self::of_type(SchemaType::Object) }
    }

    /// Any value at all: no type, unknown fields preserved.
    pub fn any() -> Self {
        Self { preserve_unknown_fields: Some(true), ..Self::default() }
    }

    /// Whether fields without a schema are kept.
    pub fn preserves_unknown_fields(&self) -> bool {
        self.preserve_unknown_fields == Some(true)
    }

    /// The schema of the values of a map, when there is one.
    pub fn map_values(&self) -> Option<&Arc<Schema>> {
        self.additional_properties.as_ref().and_then(AdditionalProperties::schema)
    }

    /// The direct children: properties, map values, items and the branches of allOf, anyOf, oneOf and not.
    pub fn children(&self) -> impl Iterator<Item = &Arc<Schema>> {
        let branches = self.all_of.iter().chain(&self.any_of).chain(&self.one_of).chain(&self.not);
        self.properties.values().chain(self.map_values()).chain(&self.items).chain(branches)
    }
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SchemaType {
    /// A list.
    Array,
    /// True or false.
    Boolean,
    /// A whole number.
    Integer,
    /// A number, whole or not.
    Number,
    /// Named fields or a map.
    Object,
    /// Text.
    String,
}

impl SchemaType {
    /// Every type, in alphabetical order.
    pub const ALL: [Self; 6] =
        [Self::Array, Self::Boolean, Self::Integer, Self::Number, Self::Object, Self::String];

    /// The name in a schema.
    pub fn name(self) -> &'static str {
        match self {
            Self::Array => "array",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Object => "object",
            Self::String => "string",
        }
    }
}

/// `additionalProperties`: a yes, a no, or the schema of the values.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum AdditionalProperties {
    /// Whether fields that are not in `properties` are allowed.
    Allowed(bool),
    /// The schema of fields that are not in `properties`.
    Schema(Arc<Schema>),
}

impl AdditionalProperties {
    /// The schema of the values, when there is one.
    pub fn schema(&self) -> Option<&Arc<Schema>> {
        match self {
            Self::Allowed(_) => None,
            Self::Schema(schema) => Some(schema),
        }
    }
}

/// How the elements of a list are identified and merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ListType {
    /// The list is one value.
    Atomic,
    /// Elements are unique.
    Set,
    /// Elements are objects, unique by their keys.
    Map,
}

impl ListType {
    /// Every list type.
    pub const ALL: [Self; 3] = [Self::Atomic, Self::Set, Self::Map];

    /// The name in a schema.
    pub fn name(self) -> &'static str {
        match self {
            Self::Atomic => "atomic",
            Self::Set => "set",
            Self::Map => "map",
        }
    }
}

/// How the fields of an object are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MapType {
    /// The object is one value.
    Atomic,
    /// Fields are independent.
    Granular,
}

impl MapType {
    /// Every map type.
    pub const ALL: [Self; 2] = [Self::Atomic, Self::Granular];

    /// The name in a schema.
    pub fn name(self) -> &'static str {
        match self {
            Self::Atomic => "atomic",
            Self::Granular => "granular",
        }
    }
}

/// One rule of `x-kubernetes-validations`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ValidationRule {
    /// A CEL expression over `self` (and `oldSelf`) that is true for valid values.
    pub rule: String,
    /// What to say when the rule is false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// A CEL expression that makes the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_expression: Option<String>,
    /// The kind of error to report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The field to blame, relative to the rule's schema, such as `.spec.ports`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field_path: Option<String>,
    /// Whether `oldSelf` is an optional, so that the rule also runs on creation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub optional_old_self: Option<bool>,
}

/// The kind of error a failed rule reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Reason {
    /// The value is invalid (the default).
    FieldValueInvalid,
    /// The value is forbidden.
    FieldValueForbidden,
    /// A value is missing.
    FieldValueRequired,
    /// The value is a duplicate.
    FieldValueDuplicate,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 4] = [
        Self::FieldValueDuplicate,
        Self::FieldValueForbidden,
        Self::FieldValueInvalid,
        Self::FieldValueRequired,
    ];

    /// The name in a schema.
    pub fn name(self) -> &'static str {
        match self {
            Self::FieldValueInvalid => "FieldValueInvalid",
            Self::FieldValueForbidden => "FieldValueForbidden",
            Self::FieldValueRequired => "FieldValueRequired",
            Self::FieldValueDuplicate => "FieldValueDuplicate",
        }
    }
}

/// `externalDocs`: where to read more.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ExternalDocs {
    /// What is found there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_false(value: &bool) -> bool {
    !value
}

/// Writes a whole number without a fraction, as the API server does: `1`, not `1.0`.
#[expect(clippy::ref_option, reason = "the signature serde asks for")]
fn number<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        None => serializer.serialize_none(),
        Some(value) => match whole(*value) {
            Some(whole) => serializer.serialize_i64(whole),
            None => serializer.serialize_f64(*value),
        },
    }
}

/// The integer equal to `value`, when there is one that a double holds exactly.
pub(crate) fn whole(value: f64) -> Option<i64> {
    const LIMIT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "whole and within 53 bits")]
    (value.fract() == 0.0 && value.abs() <= LIMIT).then_some(value as i64)
}
