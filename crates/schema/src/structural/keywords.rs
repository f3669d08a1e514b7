//! Keywords that do not go together or are not allowed where they are.

use std::collections::HashSet;
use std::sync::Arc;

use super::context::Context;
use super::rules;
use crate::error::FieldError;
use crate::path::Path;
use crate::schema::{AdditionalProperties, ListType, MapType, Schema, SchemaType};

/// Adds every problem; rules are compiled only if the schema is sound so far.
pub(super) fn check(schema: &Schema, path: &Path<'_>, compile_rules: bool, errors: &mut Vec<FieldError>) {
    let context = Context { compile_rules, ..Context::default() };
    Checker { errors }.node(schema, Place::Root, path, &context);
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Root,
    Inside,
}

struct Checker<'e> {
    errors: &'e mut Vec<FieldError>,
}

impl Checker<'_> {
    fn node(&mut self, schema: &Schema, place: Place, path: &Path<'_>, context: &Context) {
        let before = self.errors.len();
        self.place(schema, path, context);
        self.additional_properties(schema, path, context);
        self.properties(schema, place, path, context);
        self.branches(schema, path, context);
        self.items(schema, path, context);
        self.extensions(schema, path);
        self.list_map(schema, path);
        self.list_elements(schema, path);
        rules::check_texts(schema, path, self.errors);
        // A problem here or below makes what the compiler says about rules misleading.
        if context.compile_rules && self.errors.len() == before {
            rules::check_programs(schema, place == Place::Root, context, path, self.errors);
        }
    }

    fn place(&mut self, schema: &Schema, path: &Path<'_>, context: &Context) {
        if let (Some(_), Some(reason)) = (&schema.default, &context.no_default) {
            self.forbidden(&path.field("default"), &format!("must not be set {reason}"));
        }
        if schema.reference.is_some() {
            self.forbidden(&path.field("$ref"), "$ref is not supported");
        }
        if context.in_metadata && schema.embedded_resource {
            let at = path.field("x-kubernetes-embedded-resource");
            self.forbidden(&at, "must not be used inside of resource meta");
        }
        if schema.unique_items {
            let detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
            self.forbidden(&path.field("uniqueItems"), detail);
        }
    }

    fn additional_properties(&mut self, schema: &Schema, path: &Path<'_>, context: &Context) {
        let at = path.field("additionalProperties");
        let restricts =
            !matches!(schema.additional_properties, None | Some(AdditionalProperties::Allowed(true)));
        if restricts && !schema.properties.is_empty() {
            self.forbidden(&at, "additionalProperties and properties are mutual exclusive");
        }
        let Some(values) = schema.map_values() else { return };
        let reason = "inside additionalProperties applying to object metadata";
        let no_default =
            if context.in_metadata { Some(reason.to_owned()) } else { context.no_default.clone() };
        self.node(values, Place::Inside, &at, &Context { no_default, ..context.clone() });
    }

    fn properties(&mut self, schema: &Schema, place: Place, path: &Path<'_>, context: &Context) {
        let at = path.field("properties");
        for (name, property) in &schema.properties {
            let mut context = context.clone();
            let is_object = place == Place::Root || schema.embedded_resource;
            if is_object && matches!(name.as_str(), "metadata" | "kind" | "apiVersion") {
                context.in_metadata = true;
                if place == Place::Root {
                    context.no_default = Some(format!("in top-level {name}"));
                }
            }
            self.node(property, Place::Inside, &at.key(name), &context);
        }
    }

    fn branches(&mut self, schema: &Schema, path: &Path<'_>, context: &Context) {
        let context = Context { compile_rules: false, ..context.clone() };
        if let Some(not) = &schema.not {
            self.node(not, Place::Inside, &path.field("not"), &context);
        }
        for (keyword, branches) in
            [("allOf", &schema.all_of), ("oneOf", &schema.one_of), ("anyOf", &schema.any_of)]
        {
            let at = path.field(keyword);
            for (index, branch) in branches.iter().enumerate() {
                self.node(branch, Place::Inside, &at.index(index), &context);
            }
        }
    }

    fn items(&mut self, schema: &Schema, path: &Path<'_>, context: &Context) {
        let Some(items) = &schema.items else { return };
        let mut context = context.clone();
        if schema.list_type != Some(ListType::Map) && context.uncorrelated.is_none() {
            context.uncorrelated = Some(path.to_string());
        }
        self.node(items, Place::Inside, &path.field("items"), &context);
    }

    fn extensions(&mut self, schema: &Schema, path: &Path<'_>) {
        if schema.preserve_unknown_fields == Some(false) {
            let at = path.field("x-kubernetes-preserve-unknown-fields");
            self.errors.push(FieldError::invalid(&at, false, "must be true or undefined"));
        }
        if schema.map_type.is_some() {
            let detail = "must be object if x-kubernetes-map-type is specified";
            self.expect_type(schema, SchemaType::Object, detail, path);
        }
        if schema.list_type.is_some() {
            let detail = "must be array if x-kubernetes-list-type is specified";
            self.expect_type(schema, SchemaType::Array, detail, path);
        }
        if schema.list_type == Some(ListType::Set) && schema.schema_type == Some(SchemaType::Array) {
            self.set_elements(schema.items.as_ref(), path);
        }
        if !schema.list_map_keys.is_empty() && schema.list_type != Some(ListType::Map) {
            let at = path.field("x-kubernetes-list-type");
            let detail = "must be map if x-kubernetes-list-map-keys is non-empty";
            self.errors.push(match schema.list_type {
                None => FieldError::required(&at, detail),
                Some(other) => FieldError::invalid(&at, other.name(), detail),
            });
        }
    }

    fn expect_type(&mut self, schema: &Schema, expected: SchemaType, detail: &str, path: &Path<'_>) {
        let at = path.field("type");
        match schema.schema_type {
            None => self.errors.push(FieldError::required(&at, detail)),
            Some(found) if found != expected => {
                self.errors.push(FieldError::invalid(&at, found.name(), detail));
            }
            Some(_) => {}
        }
    }

    fn set_elements(&mut self, items: Option<&Arc<Schema>>, path: &Path<'_>) {
        let Some(items) = items else { return };
        let at = path.field("items");
        let detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
        let shown = items.list_type.map_or(serde_json::Value::Null, |it| it.name().into());
        match items.schema_type {
            Some(SchemaType::Array) if !matches!(items.list_type, None | Some(ListType::Atomic)) => {
                self.errors.push(FieldError::invalid(&at.field("x-kubernetes-list-type"), shown, detail));
            }
            Some(SchemaType::Object) if items.map_type != Some(MapType::Atomic) => {
                self.errors.push(FieldError::invalid(&at.field("x-kubernetes-map-type"), shown, detail));
            }
            _ => {}
        }
    }

    fn list_map(&mut self, schema: &Schema, path: &Path<'_>) {
        if schema.list_type != Some(ListType::Map) {
            return;
        }
        let keys_at = path.field("x-kubernetes-list-map-keys");
        if schema.list_map_keys.is_empty() {
            let detail = "must not be empty if x-kubernetes-list-type is map";
            self.errors.push(FieldError::required(&keys_at, detail));
        }
        let items_at = path.field("items");
        let Some(items) = &schema.items else {
            let detail = "must have a schema if x-kubernetes-list-type is map";
            return self.errors.push(FieldError::required(&items_at, detail));
        };
        if items.schema_type != Some(SchemaType::Object) {
            let found = items.schema_type.map_or("", SchemaType::name);
            let detail = "must be object if parent array's x-kubernetes-list-type is map";
            return self.errors.push(FieldError::invalid(&items_at.field("type"), found, detail));
        }
        self.keys(schema, items, path);
    }

    fn keys(&mut self, schema: &Schema, items: &Schema, path: &Path<'_>) {
        let (keys_at, items_at) = (path.field("x-kubernetes-list-map-keys"), path.field("items"));
        let properties_at = items_at.field("properties");
        let shown = || serde_json::Value::from(schema.list_map_keys.clone());
        let mut seen = HashSet::new();
        for key in &schema.list_map_keys {
            match items.properties.get(key).map(|property| property.schema_type) {
                Some(Some(SchemaType::Array | SchemaType::Object)) => {
                    let detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
                    let at = properties_at.key(key);
                    self.errors.push(FieldError::invalid(&at.field("type"), "object", detail));
                }
                Some(_) => {}
                None => {
                    let detail = "entries must all be names of item properties";
                    self.errors.push(FieldError::invalid(&keys_at, shown(), detail));
                }
            }
            if !seen.insert(key) {
                self.errors.push(FieldError::invalid(
                    &keys_at,
                    shown(),
                    "must not contain duplicate entries",
                ));
            }
        }
    }

    /// Elements of sets and maps, and the keys of the latter, are never null; a key is always there.
    fn list_elements(&mut self, schema: &Schema, path: &Path<'_>) {
        let (Some(items), Some(list_type @ (ListType::Set | ListType::Map))) =
            (&schema.items, schema.list_type)
        else {
            return;
        };
        let items_at = path.field("items");
        if items.nullable {
            let detail = format!("cannot be nullable when x-kubernetes-list-type is {}", list_type.name());
            self.forbidden(&items_at.field("nullable"), &detail);
        }
        let properties_at = items_at.field("properties");
        for key in schema.list_map_keys.iter().filter(|_| list_type == ListType::Map) {
            let Some(property) = items.properties.get(key) else { continue };
            let at = properties_at.key(key);
            if !items.required.contains(key) && property.default.is_none() {
                let detail = "this property is in x-kubernetes-list-map-keys, \
                              so it must have a default or be a required property";
                self.errors.push(FieldError::required(&at.field("default"), detail));
            }
            if property.nullable {
                let detail = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
                self.forbidden(&at.field("nullable"), detail);
            }
        }
    }

    fn forbidden(&mut self, path: &Path<'_>, detail: &str) {
        self.errors.push(FieldError::forbidden(path, detail));
    }
}
