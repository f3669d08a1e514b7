//! From a document of a known form to the schema it describes.

use krono_model::names;
use krono_schema::crd::{InstanceSchema, status_schema};
use krono_schema::{Schema, simple};
use serde_json::{Value, json};

use super::form::Form;
use super::status::StatusChecker;
use super::{Crd, CrdVersion, Definition, Described, EXPECTED, Problem, problem, text};

/// Where a CRD has the schema of a version.
pub(super) fn crd_path(version: usize) -> String {
    format!("spec.versions[{version}].schema.openAPIV3Schema")
}

/// Reads documents; a namespace for one function per form.
pub(super) struct Reading;

impl Reading {
    /// The schema that a document of this form describes, or everything wrong with it.
    pub(super) fn of(value: &Value, form: Form<'_>) -> Result<Described, Vec<Problem>> {
        let null = Value::Null;
        match form {
            Form::Definition => Self::definition(value, "spec.schema"),
            Form::DefinitionSchema => Self::definition(&json!({"spec": {"schema": value}}), ""),
            Form::Crd => Self::crd(value).map(Described::Crd),
            Form::SimpleWithTypes => {
                Self::simple("spec", value.get("spec").unwrap_or(&null), &value["types"])
            }
            Form::Simple => Self::simple("", value, &null),
            Form::OpenApi => Self::open_api(value).map(|it| Described::OpenApi(Box::new(it))),
            Form::Other(kind) => {
                Err(vec![Problem::new("kind", format!("{kind} describes no schema; {EXPECTED}"))])
            }
            Form::Scalar => Err(vec![Problem::new("", format!("this is no map; {EXPECTED}"))]),
        }
    }

    fn definition(definition: &Value, prefix: &str) -> Result<Described, Vec<Problem>> {
        let status = definition.pointer("/spec/schema/status").unwrap_or(&Value::Null);
        let read = match InstanceSchema::from_definition(definition) {
            Ok(instance) => Self::with_status(instance, definition, status),
            Err(invalid) => {
                let mut problems = problem::of_instance(invalid);
                let shape = status_schema(status, &mut |_| Schema::any());
                problems.extend(shape.err().into_iter().flat_map(problem::of_status));
                Err(problems)
            }
        };
        read.map_err(|found| found.into_iter().map(|it| it.below(prefix)).collect())
    }

    fn with_status(
        instance: InstanceSchema,
        definition: &Value,
        status: &Value,
    ) -> Result<Described, Vec<Problem>> {
        let mut checker = StatusChecker::new(definition, &instance);
        let crd = instance.definition(&mut |it| checker.schema_of(it)).map_err(problem::of_status);
        let mut problems = checker.problems(status);
        match crd {
            Ok(crd) if problems.is_empty() => {
                Ok(Described::Definition(Box::new(Definition { instance, crd })))
            }
            Ok(_) => Err(problems),
            Err(found) => {
                problems.extend(found);
                Err(problems)
            }
        }
    }

    pub(super) fn crd(value: &Value) -> Result<Crd, Vec<Problem>> {
        let versions = value.pointer("/spec/versions").and_then(Value::as_array).map(Vec::as_slice);
        let mut read = Vec::new();
        let mut problems = Vec::new();
        for (index, version) in versions.unwrap_or_default().iter().enumerate() {
            match Self::crd_version(version, index) {
                Ok(version) => read.push(version),
                Err(found) => problems.extend(found),
            }
        }
        if versions.is_none_or(<[_]>::is_empty) {
            problems.push(Problem::new("spec.versions", "expected a list of versions"));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let named = |pointer: &str| text(value, pointer).unwrap_or_default().to_owned();
        Ok(Crd {
            name: named("/metadata/name"),
            kind: named("/spec/names/kind"),
            group: named("/spec/group"),
            scope: named("/spec/scope"),
            versions: read,
            is_defined: value["metadata"]["labels"][names::OWNED_LABEL] == "true",
            spec: value["spec"].clone(),
        })
    }

    fn crd_version(version: &Value, index: usize) -> Result<CrdVersion, Vec<Problem>> {
        let place = crd_path(index);
        let Some(schema) = version.pointer("/schema/openAPIV3Schema") else {
            return Err(vec![Problem::new(place, "expected a schema")]);
        };
        let schema = Self::open_api(schema)
            .map_err(|found| found.into_iter().map(|it| it.below(&place)).collect::<Vec<_>>())?;
        let name = text(version, "/name").unwrap_or_default().to_owned();
        Ok(CrdVersion { name, storage: version["storage"] == true, schema })
    }

    fn simple(root: &str, fields: &Value, types: &Value) -> Result<Described, Vec<Problem>> {
        simple::expand(root, fields, types)
            .map(|it| Described::Simple(Box::new(it)))
            .map_err(problem::of_simple)
    }

    fn open_api(value: &Value) -> Result<Schema, Vec<Problem>> {
        Schema::from_value(value).map_err(|it| it.errors.into_iter().map(Problem::from).collect())
    }
}
