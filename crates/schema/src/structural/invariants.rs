//! The invariants of a structural schema.

use std::sync::Arc;

use krono_cel::library;

use crate::error::FieldError;
use crate::path::Path;
use crate::schema::{Schema, SchemaType};

/// Adds every violation.
pub(super) fn check(schema: &Schema, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    Checker { errors }.node(schema, Level::Root, path);
}

/// Where in the schema a node is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

struct Checker<'e> {
    errors: &'e mut Vec<FieldError>,
}

impl Checker<'_> {
    fn node(&mut self, schema: &Schema, level: Level, path: &Path<'_>) {
        self.children(schema, level, path);
        self.extensions(schema, path);
        let branches = Branches::of(schema);
        self.value_validation(schema, branches, path);
        self.node_type(schema, level, path);
        let is_object = level == Level::Root || schema.embedded_resource;
        if is_object {
            self.object_type_fields(schema, path);
        }
        if let Some(metadata) = schema.properties.get("metadata") {
            self.metadata(metadata, level, is_object, &path.field("properties").key("metadata"));
        }
        if schema.embedded_resource && !schema.preserves_unknown_fields() && schema.properties.is_empty() {
            let detail = "must not be empty if x-kubernetes-embedded-resource is true \
                          without x-kubernetes-preserve-unknown-fields";
            self.required(&path.field("properties"), detail);
        }
    }

    fn children(&mut self, schema: &Schema, level: Level, path: &Path<'_>) {
        let items_path = path.field("items");
        match &schema.items {
            Some(items) => self.node(items, Level::Item, &items_path),
            None if schema.schema_type == Some(SchemaType::Array) => {
                self.required(&items_path, "must be specified");
            }
            None => {}
        }
        let properties_path = path.field("properties");
        for (name, property) in &schema.properties {
            self.node(property, Level::Field, &properties_path.key(name));
        }
        if schema.additional_properties.is_some() {
            let at = path.field("additionalProperties");
            if level == Level::Root {
                self.forbidden(&at, "must not be used at the root");
            }
            if schema.embedded_resource {
                self.forbidden(&at, "must not be used if x-kubernetes-embedded-resource is set");
            }
            if let Some(values) = schema.map_values() {
                self.node(values, Level::Field, &at);
            }
        }
    }

    fn extensions(&mut self, schema: &Schema, path: &Path<'_>) {
        if !schema.int_or_string {
            return;
        }
        let detail = "must be false if x-kubernetes-int-or-string is true";
        if schema.preserves_unknown_fields() {
            let at = path.field("x-kubernetes-preserve-unknown-fields");
            self.errors.push(FieldError::invalid(&at, true, detail));
        }
        if schema.embedded_resource {
            let at = path.field("x-kubernetes-embedded-resource");
            self.errors.push(FieldError::invalid(&at, true, detail));
        }
    }

    fn node_type(&mut self, schema: &Schema, level: Level, path: &Path<'_>) {
        let at = path.field("type");
        let embedded = "must be object if x-kubernetes-embedded-resource is true";
        match schema.schema_type {
            None if schema.embedded_resource => self.required(&at, embedded),
            None if schema.int_or_string || schema.preserves_unknown_fields() => {}
            None => self.required(
                &at,
                match level {
                    Level::Root => "must not be empty at the root",
                    Level::Item => "must not be empty for specified array items",
                    Level::Field => "must not be empty for specified object fields",
                },
            ),
            Some(SchemaType::Object) => {}
            Some(other) => {
                if schema.embedded_resource {
                    self.errors.push(FieldError::invalid(&at, other.name(), embedded));
                }
                if level == Level::Root {
                    self.errors.push(FieldError::invalid(&at, other.name(), "must be object at the root"));
                }
            }
        }
    }

    fn object_type_fields(&mut self, schema: &Schema, path: &Path<'_>) {
        for name in ["kind", "apiVersion"] {
            let Some(property) = schema.properties.get(name) else { continue };
            if property.schema_type != Some(SchemaType::String) {
                let found = property.schema_type.map_or("", SchemaType::name);
                let at = path.field("properties");
                let error = FieldError::invalid(&at.key(name).field("type"), found, "must be string");
                self.errors.push(error);
            }
        }
    }

    /// The metadata of an object is implied; at the root only names may be restricted.
    fn metadata(&mut self, metadata: &Schema, level: Level, is_object: bool, path: &Path<'_>) {
        if is_object && metadata.schema_type != Some(SchemaType::Object) {
            let found = metadata.schema_type.map_or("", SchemaType::name);
            self.errors.push(FieldError::invalid(&path.field("type"), found, "must be object"));
        }
        if level != Level::Root {
            return;
        }
        let only_names =
            metadata.properties.keys().all(|name| matches!(name.as_str(), "name" | "generateName"));
        let mut rest = metadata.clone();
        if only_names {
            rest.properties.clear();
        }
        (rest.schema_type, rest.default) = (None, None);
        if rest != Schema::default() {
            let detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
            self.forbidden(path, detail);
        }
    }

    fn value_validation(&mut self, schema: &Schema, branches: Branches, path: &Path<'_>) {
        if branches != Branches::SkipAnyOf {
            self.branches(&schema.any_of, "anyOf", Branches::All, path);
        }
        let all_of_path = path.field("allOf");
        for (index, branch) in schema.all_of.iter().enumerate() {
            let skip_first = branches == Branches::SkipFirstAllOfAnyOf && index == 0;
            let inner = if skip_first { Branches::SkipAnyOf } else { Branches::All };
            self.branch(branch, inner, &all_of_path.index(index));
        }
        self.branches(&schema.one_of, "oneOf", Branches::All, path);
        if let Some(not) = &schema.not {
            self.branch(not, Branches::All, &path.field("not"));
        }
        if let Some(Err(complaint)) = schema.pattern.as_deref().map(library::Pattern::new) {
            let detail = format!("must be a valid regular expression, but isn't: {complaint}");
            let source = schema.pattern.as_deref().unwrap_or_default();
            self.errors.push(FieldError::invalid(&path.field("pattern"), source, detail));
        }
    }

    fn branches(&mut self, branches: &[Arc<Schema>], keyword: &str, inner: Branches, path: &Path<'_>) {
        let at = path.field(keyword);
        for (index, branch) in branches.iter().enumerate() {
            self.branch(branch, inner, &at.index(index));
        }
    }

    /// A branch may restrict values, but not say what they are.
    fn branch(&mut self, branch: &Schema, branches: Branches, path: &Path<'_>) {
        self.value_validation(branch, branches, path);
        if let Some(items) = &branch.items {
            self.branch(items, Branches::All, &path.field("items"));
        }
        let properties_path = path.field("properties");
        for (name, property) in &branch.properties {
            self.branch(property, Branches::All, &properties_path.key(name));
        }
        for (keyword, is_set, detail) in forbidden_in_branches(branch) {
            if is_set {
                self.forbidden(&path.field(keyword), detail);
            }
        }
        if branch.properties.contains_key("metadata") {
            self.forbidden(&properties_path.key("metadata"), "must not be specified in a nested context");
        }
    }

    fn required(&mut self, path: &Path<'_>, detail: &str) {
        self.errors.push(FieldError::required(path, detail));
    }

    fn forbidden(&mut self, path: &Path<'_>, detail: &str) {
        self.errors.push(FieldError::forbidden(path, detail));
    }
}

/// Which branches are looked at: those that only spell int-or-string out are not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Branches {
    All,
    SkipAnyOf,
    SkipFirstAllOfAnyOf,
}

impl Branches {
    fn of(schema: &Schema) -> Self {
        if is_integer_or_string(&schema.any_of) {
            Self::SkipAnyOf
        } else if schema.all_of.first().is_some_and(|first| is_integer_or_string(&first.any_of)) {
            Self::SkipFirstAllOfAnyOf
        } else {
            Self::All
        }
    }
}

fn is_integer_or_string(branches: &[Arc<Schema>]) -> bool {
    let pattern = [SchemaType::Integer, SchemaType::String].map(Schema::of_type);
    branches.len() == 2 && branches.iter().zip(&pattern).all(|(branch, expected)| **branch == *expected)
}

type Forbidden = (&'static str, bool, &'static str);

fn forbidden_in_branches(branch: &Schema) -> [Forbidden; 13] {
    let (empty, undefined, false_) = (
        "must be empty to be structural",
        "must be undefined to be structural",
        "must be false to be structural",
    );
    let additional = match &branch.additional_properties {
        None | Some(crate::schema::AdditionalProperties::Allowed(false)) => false,
        Some(_) => true,
    };
    [
        ("type", branch.schema_type.is_some(), empty),
        ("additionalProperties", additional, undefined),
        ("default", branch.default.is_some(), undefined),
        ("title", branch.title.is_some(), empty),
        ("description", branch.description.is_some(), empty),
        ("nullable", branch.nullable, false_),
        ("x-kubernetes-preserve-unknown-fields", branch.preserves_unknown_fields(), false_),
        ("x-kubernetes-embedded-resource", branch.embedded_resource, false_),
        ("x-kubernetes-int-or-string", branch.int_or_string, false_),
        ("x-kubernetes-list-map-keys", !branch.list_map_keys.is_empty(), empty),
        ("x-kubernetes-list-type", branch.list_type.is_some(), undefined),
        ("x-kubernetes-map-type", branch.map_type.is_some(), undefined),
        ("x-kubernetes-validations", !branch.validations.is_empty(), empty),
    ]
}
