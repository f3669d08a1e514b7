//! A schema that takes what either of two takes.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::schema::{AdditionalProperties, Schema, SchemaType};

/// The narrowest schema of this form that takes every value which one of the two takes and keeps every field that one of
/// them knows.
///
/// Where they only differ in words or defaults, those of `preferred` stay. Joining the result with either of the two changes
/// nothing any more.
pub fn union(preferred: &Schema, other: &Schema) -> Schema {
    if preferred == other {
        return preferred.clone();
    }
    let Some((schema_type, int_or_string)) = types(preferred, other) else {
        return Schema { description: preferred.description.clone(), ..Schema::any() };
    };
    let Ok(additional_properties) = additional(preferred, other) else {
        let schema_type = Some(SchemaType::Object);
        return Schema { description: preferred.description.clone(), schema_type, ..Schema::any() };
    };
    let preserves = preferred.preserves_unknown_fields() || other.preserves_unknown_fields();
    let mut joined = Schema {
        schema_type,
        int_or_string,
        additional_properties,
        properties: properties(preferred, other),
        required: preferred.required.iter().filter(|it| other.required.contains(it)).cloned().collect(),
        items: both(preferred.items.as_ref(), other.items.as_ref()),
        nullable: preferred.nullable || other.nullable,
        preserve_unknown_fields: if preserves { Some(true) } else { preferred.preserve_unknown_fields },
        enumeration: enumeration(preferred, other),
        validations: preferred
            .validations
            .iter()
            .filter(|it| other.validations.contains(it))
            .cloned()
            .collect(),
        ..preferred.clone()
    };
    loosen(&mut joined, other);
    joined
}

/// Nothing when the types have nothing in common.
fn types(one: &Schema, other: &Schema) -> Option<(Option<SchemaType>, bool)> {
    use SchemaType::{Integer, Number, String};
    let is_either = |it: &Schema| it.int_or_string || matches!(it.schema_type, Some(Integer | String));
    match (one.schema_type, other.schema_type) {
        (same, other_type) if same == other_type && one.int_or_string == other.int_or_string => {
            Some((same, one.int_or_string))
        }
        (Some(Integer), Some(Number)) | (Some(Number), Some(Integer)) => Some((Some(Number), false)),
        _ if is_either(one) && is_either(other) => Some((None, true)),
        _ => None,
    }
}

/// One is a map, and the other has fields or takes any.
struct Apart;

fn is_apart(schema: &Schema) -> bool {
    !schema.properties.is_empty() || schema.preserves_unknown_fields()
}

fn additional(one: &Schema, other: &Schema) -> Result<Option<AdditionalProperties>, Apart> {
    use AdditionalProperties::{Allowed, Schema as Values};
    match (&one.additional_properties, &other.additional_properties) {
        (Some(Values(one)), Some(Values(other))) => Ok(Some(Values(Arc::new(union(one, other))))),
        (Some(Allowed(true)), _) | (_, Some(Allowed(true))) => Ok(Some(Allowed(true))),
        (Some(Values(_)), _) if is_apart(other) => Err(Apart),
        (_, Some(Values(_))) if is_apart(one) => Err(Apart),
        (Some(it), _) | (None, Some(it)) => Ok(Some(it.clone())),
        (None, None) => Ok(None),
    }
}

fn properties(one: &Schema, other: &Schema) -> BTreeMap<String, Arc<Schema>> {
    let mut joined = other.properties.clone();
    for (name, schema) in &one.properties {
        let schema = match other.properties.get(name) {
            Some(other) => Arc::new(union(schema, other)),
            None => Arc::clone(schema),
        };
        joined.insert(name.clone(), schema);
    }
    joined
}

fn both(one: Option<&Arc<Schema>>, other: Option<&Arc<Schema>>) -> Option<Arc<Schema>> {
    match (one, other) {
        (Some(one), Some(other)) => Some(Arc::new(union(one, other))),
        (Some(it), None) | (None, Some(it)) => Some(Arc::clone(it)),
        (None, None) => None,
    }
}

/// No list means that all values are allowed.
fn enumeration(one: &Schema, other: &Schema) -> Vec<serde_json::Value> {
    if one.enumeration.is_empty() || other.enumeration.is_empty() {
        return Vec::new();
    }
    let more = other.enumeration.iter().filter(|it| !one.enumeration.contains(it));
    one.enumeration.iter().chain(more).cloned().collect()
}

/// Limits are the wider of both; what only one of them asks for is not asked.
fn loosen(joined: &mut Schema, other: &Schema) {
    let least = |one: Option<i64>, other: Option<i64>| one.zip(other).map(|(one, other)| one.min(other));
    let most = |one: Option<i64>, other: Option<i64>| one.zip(other).map(|(one, other)| one.max(other));
    joined.min_items = least(joined.min_items, other.min_items);
    joined.max_items = most(joined.max_items, other.max_items);
    joined.min_length = least(joined.min_length, other.min_length);
    joined.max_length = most(joined.max_length, other.max_length);
    joined.min_properties = least(joined.min_properties, other.min_properties);
    joined.max_properties = most(joined.max_properties, other.max_properties);
    loosen_numbers(joined, other);
    same(&mut joined.pattern, other.pattern.as_ref());
    same(&mut joined.format, other.format.as_ref());
    same(&mut joined.multiple_of, other.multiple_of.as_ref());
    same(&mut joined.list_type, other.list_type.as_ref());
    same(&mut joined.map_type, other.map_type.as_ref());
    same(&mut joined.not, other.not.as_ref());
    if joined.list_type.is_none() || joined.list_map_keys != other.list_map_keys {
        (joined.list_type, joined.list_map_keys) = (None, Vec::new());
    }
    for (branches, other) in [
        (&mut joined.all_of, &other.all_of),
        (&mut joined.any_of, &other.any_of),
        (&mut joined.one_of, &other.one_of),
    ] {
        if branches != other {
            branches.clear();
        }
    }
    joined.embedded_resource &= other.embedded_resource;
    joined.unique_items &= other.unique_items;
}

fn loosen_numbers(joined: &mut Schema, other: &Schema) {
    let (minimum, exclusive) = match (joined.minimum, other.minimum) {
        (Some(one), Some(two)) if one > two => (Some(two), other.exclusive_minimum),
        (Some(one), Some(two)) if one < two => (Some(one), joined.exclusive_minimum),
        (Some(one), Some(_)) => (Some(one), joined.exclusive_minimum && other.exclusive_minimum),
        (_, _) => (None, false),
    };
    (joined.minimum, joined.exclusive_minimum) = (minimum, exclusive);
    let (maximum, exclusive) = match (joined.maximum, other.maximum) {
        (Some(one), Some(two)) if one < two => (Some(two), other.exclusive_maximum),
        (Some(one), Some(two)) if one > two => (Some(one), joined.exclusive_maximum),
        (Some(one), Some(_)) => (Some(one), joined.exclusive_maximum && other.exclusive_maximum),
        (_, _) => (None, false),
    };
    (joined.maximum, joined.exclusive_maximum) = (maximum, exclusive);
}

/// What both say alike stays.
fn same<T: PartialEq>(joined: &mut Option<T>, other: Option<&T>) {
    if joined.as_ref() != other {
        *joined = None;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "the tables read better")]
    fn check(one: Value, other: Value, expected: Value) {
        let read = |it: &Value| Schema::from_value(it).unwrap();
        let joined = union(&read(&one), &read(&other));
        assert_eq!(joined.to_value(), expected, "{one} with {other}");
        assert_eq!(union(&read(&one), &joined), joined, "{one} with {other}: joined again");
    }

    #[test]
    fn v6_fields_of_both_stay_and_nothing_is_required_that_one_does_not_know() {
        check(
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer", "default": 1}},
                "required": ["a", "b"]}),
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer", "default": 1}},
                "required": ["a"]}),
        );
    }

    #[test]
    fn v6_limits_are_the_wider_of_both() {
        let number = |words: Value| {
            let mut schema = json!({"type": "integer"});
            schema.as_object_mut().unwrap().extend(words.as_object().unwrap().clone());
            schema
        };
        check(
            number(json!({"minimum": 1, "maximum": 5, "default": 2})),
            number(json!({"minimum": 0, "default": 3})),
            number(json!({"minimum": 0, "default": 2})),
        );
        check(
            number(json!({"minimum": 1, "exclusiveMinimum": true})),
            number(json!({"minimum": 1})),
            number(json!({"minimum": 1})),
        );
        check(
            json!({"type": "string", "enum": ["a"], "pattern": "a"}),
            json!({"type": "string", "enum": ["b", "a"]}),
            json!({"type": "string", "enum": ["a", "b"]}),
        );
        check(
            json!({"type": "string", "enum": ["a"]}),
            json!({"type": "string", "maxLength": 3}),
            json!({"type": "string"}),
        );
    }

    #[test]
    fn v6_types_that_differ_become_one_that_takes_both() {
        let of = |it: &str| json!({"type": it});
        check(of("integer"), of("number"), of("number"));
        check(of("integer"), of("string"), json!({"x-kubernetes-int-or-string": true}));
        check(of("boolean"), of("string"), json!({"x-kubernetes-preserve-unknown-fields": true}));
        check(
            json!({"type": "object", "additionalProperties": {"type": "string"}}),
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            json!({"type": "object", "additionalProperties": {"x-kubernetes-int-or-string": true}}),
        );
        check(
            json!({"type": "object", "additionalProperties": {"type": "string"}}),
            json!({"type": "object", "properties": {"a": {"type": "string"}}}),
            json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
        );
    }

    #[test]
    fn v6_rules_hold_that_both_have() {
        let rule = |it: &str| json!({"rule": it});
        check(
            json!({"type": "string", "x-kubernetes-validations": [rule("a"), rule("b")]}),
            json!({"type": "string", "x-kubernetes-validations": [rule("b"), rule("c")]}),
            json!({"type": "string", "x-kubernetes-validations": [rule("b")]}),
        );
        check(
            json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}),
            json!({"type": "array", "items": {"type": "string"}}),
            json!({"type": "array", "items": {"type": "string"}}),
        );
    }
}
