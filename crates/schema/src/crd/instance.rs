//! The `schema` of a `ResourceGraphDefinition`: the kind of its instances.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::definition::{CustomResourceDefinition, Names, PrinterColumn, Scope, Version};
use super::status::{StatusErrors, status_schema};
use crate::metadata::names::subdomain_complaints;
use crate::metadata::{cluster_object_meta, object_meta};
use crate::schema::{Schema, SchemaType};
use crate::simple::{self, SimpleSchemaErrors};

/// The kind of an RGD's instances, as the author wrote it.
#[derive(Clone, Debug, PartialEq)]
pub struct InstanceSchema {
    /// Such as `WebApp`.
    pub kind: String,
    /// Such as `v1alpha1`.
    pub api_version: String,
    /// The API group.
    pub group: String,
    /// Whether instances live in namespaces.
    pub scope: Scope,
    /// The spec, expanded.
    pub spec: Schema,
    /// The expressions of the status.
    pub status: Value,
    /// The author's columns, if any.
    pub printer_columns: Vec<PrinterColumn>,
    /// Short names for `kubectl`.
    pub short_names: Vec<String>,
    /// Groups of kinds.
    pub categories: Vec<String>,
    /// Labels of the definition.
    pub labels: BTreeMap<String, String>,
    /// Annotations of the definition.
    pub annotations: BTreeMap<String, String>,
}

/// Why an instance's kind cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidInstanceSchema {
    /// Fields of `schema` are missing or of the wrong shape.
    #[error("{}", .0.join("\n"))]
    Fields(Vec<String>),
    /// The spec or the types are wrong.
    #[error(transparent)]
    Spec(#[from] SimpleSchemaErrors),
    /// The status is wrong.
    #[error(transparent)]
    Status(#[from] StatusErrors),
}

impl InstanceSchema {
    /// Reads `spec.schema` of a `ResourceGraphDefinition`.
    pub fn from_definition(definition: &Value) -> Result<Self, InvalidInstanceSchema> {
        let Some(fields) = definition.pointer("/spec/schema").and_then(Value::as_object) else {
            let problem = "spec.schema: expected a map with kind and apiVersion";
            return Err(InvalidInstanceSchema::Fields(vec![problem.to_owned()]));
        };
        let mut reader = Reader { fields, problems: Vec::new() };
        let mut instance = Self {
            kind: reader.name("kind", is_kind, "an UpperCamelCase word such as WebApp"),
            api_version: reader.name("apiVersion", is_api_version, "a version such as v1alpha1"),
            group: reader.group(),
            scope: reader.read("scope"),
            spec: Schema::default(),
            status: fields.get("status").cloned().unwrap_or_default(),
            printer_columns: reader.read("additionalPrinterColumns"),
            short_names: reader.read("shortNames"),
            categories: reader.read("categories"),
            labels: reader.metadata("labels"),
            annotations: reader.metadata("annotations"),
        };
        if !reader.problems.is_empty() {
            return Err(InvalidInstanceSchema::Fields(reader.problems));
        }
        let null = Value::Null;
        let spec = fields.get("spec").unwrap_or(&null);
        instance.spec = simple::expand("spec", spec, fields.get("types").unwrap_or(&null))?;
        Ok(instance)
    }

    /// The schema of the variable `schema` in expressions: the instance without its status.
    pub fn variable(&self) -> Schema {
        let metadata = match self.scope {
            Scope::Namespaced => object_meta(),
            Scope::Cluster => cluster_object_meta(),
        };
        let string = || Schema::of_type(SchemaType::String);
        let fields = [
            ("apiVersion", string()),
            ("kind", string()),
            ("metadata", metadata),
            ("spec", self.spec.clone()),
        ];
        Schema::object(fields)
    }

    /// The definition that serves the kind; `schema_of` gives the schema of an expression in the status.
    pub fn definition(
        &self,
        schema_of: &mut dyn FnMut(&str) -> Schema,
    ) -> Result<CustomResourceDefinition, StatusErrors> {
        let status = status_schema(&self.status, schema_of)?;
        let schema = object_schema(self.spec.clone(), status);
        let columns = match self.printer_columns.as_slice() {
            [] => PrinterColumn::instance_defaults(),
            columns => columns.to_vec(),
        };
        let names = Names {
            short_names: self.short_names.clone(),
            categories: self.categories.clone(),
            ..Names::of(&self.kind)
        };
        let versions = vec![Version::served(&self.api_version, schema, columns)];
        let mut definition = CustomResourceDefinition::new(&self.group, names, self.scope, versions);
        definition.metadata.labels.clone_from(&self.labels);
        definition.metadata.annotations.clone_from(&self.annotations);
        Ok(definition)
    }
}

/// The schema of an object with this spec and status.
fn object_schema(spec: Schema, status: Schema) -> Schema {
    let string = || Schema::of_type(SchemaType::String);
    let metadata = Schema::of_type(SchemaType::Object);
    let fields = [
        ("apiVersion", string()),
        ("kind", string()),
        ("metadata", metadata),
        ("spec", spec),
        ("status", status),
    ];
    Schema::object(fields)
}

struct Reader<'v> {
    fields: &'v Map<String, Value>,
    problems: Vec<String>,
}

impl<'v> Reader<'v> {
    fn text(&mut self, name: &str) -> Option<&'v str> {
        let value = self.fields.get(name).filter(|value| !value.is_null())?;
        if !value.is_string() {
            self.problems.push(format!("spec.schema.{name}: expected a string"));
        }
        value.as_str().filter(|text| !text.is_empty())
    }

    fn name(&mut self, name: &str, fits: impl Fn(&str) -> bool, expected: &str) -> String {
        let text = self.text(name).unwrap_or_default();
        if !fits(text) {
            self.problems.push(format!("spec.schema.{name}: {text:?} is not {expected}"));
        }
        text.to_owned()
    }

    fn group(&mut self) -> String {
        let group = self.text("group").unwrap_or("kro.run");
        if !subdomain_complaints(group).is_empty() {
            self.problems
                .push(format!("spec.schema.group: {group:?} is not a DNS subdomain such as kro.run"));
        }
        group.to_owned()
    }

    fn read<T: serde::de::DeserializeOwned + Default>(&mut self, name: &str) -> T {
        self.parse(self.fields.get(name), name)
    }

    fn metadata(&mut self, name: &str) -> BTreeMap<String, String> {
        let value = self.fields.get("metadata").and_then(|metadata| metadata.get(name));
        self.parse(value, &format!("metadata.{name}"))
    }

    fn parse<T: serde::de::DeserializeOwned + Default>(&mut self, value: Option<&Value>, name: &str) -> T {
        let Some(value) = value.filter(|value| !value.is_null()) else { return T::default() };
        T::deserialize(value).unwrap_or_else(|error| {
            self.problems.push(format!("spec.schema.{name}: {error}"));
            T::default()
        })
    }
}

/// `^[A-Z][a-zA-Z0-9]{0,62}$`
fn is_kind(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_uppercase())
        && text.len() <= 63
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// `^v[0-9]+(alpha[0-9]+|beta[0-9]+)?$`
fn is_api_version(text: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let Some(rest) = text.strip_prefix('v') else { return false };
    let stage = ["alpha", "beta"].into_iter().find_map(|stage| rest.split_once(stage));
    stage.map_or_else(|| is_number(rest), |(major, minor)| is_number(major) && is_number(minor))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names() {
        let check = |text: &str, expect: bool| assert_eq!(is_api_version(text), expect, "{text}");
        check("v1", true);
        check("v1alpha1", true);
        check("v10beta2", true);
        check("v1alpha", false);
        check("1", false);
        check("v1alpha1beta1", false);
        assert!(is_kind("WebApp2") && !is_kind("webApp") && !is_kind("Web-App") && !is_kind(""));
    }

    #[test]
    fn problems() {
        let check = |schema: Value, expect: &str| {
            let invalid = InstanceSchema::from_definition(&json!({"spec": {"schema": schema}})).unwrap_err();
            assert_eq!(invalid.to_string(), expect);
        };
        check(Value::Null, "spec.schema: expected a map with kind and apiVersion");
        check(
            json!({"kind": "web", "apiVersion": 1, "scope": "Galaxy"}),
            concat!(
                "spec.schema.kind: \"web\" is not an UpperCamelCase word such as WebApp\n",
                "spec.schema.apiVersion: expected a string\n",
                "spec.schema.apiVersion: \"\" is not a version such as v1alpha1\n",
                "spec.schema.scope: unknown variant `Galaxy`, expected `Namespaced` or `Cluster`"
            ),
        );
        check(
            json!({"kind": "Web", "apiVersion": "v1", "spec": {"a": "int"}}),
            "spec.a: unknown type \"int\"; write \"integer\"",
        );
    }
}
