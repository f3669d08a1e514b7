//! Files that describe schemas: definitions, custom resource definitions, SimpleSchema and OpenAPI.

mod form;
mod problem;
mod reading;
mod soundness;
mod status;
#[cfg(test)]
mod tests;
mod versions;

use krono_schema::Schema;
use krono_schema::crd::{CustomResourceDefinition, InstanceSchema};
use serde_json::{Value, json};

use self::form::Form;
pub(crate) use self::problem::Problem;
use self::reading::Reading;
pub(crate) use self::versions::DescribedVersion;
use crate::command_error::CommandError;
use crate::document::{Places, Source};

/// A document that describes a schema.
#[derive(Debug)]
pub(crate) enum Described {
    /// A `ResourceGraphDefinition`, or only the `schema` of one.
    Definition(Box<Definition>),
    /// A `CustomResourceDefinition`.
    Crd(Crd),
    /// A map of fields in kro's short notation, expanded.
    Simple(Box<Schema>),
    /// An OpenAPI schema as it is.
    OpenApi(Box<Schema>),
}

/// What a definition says about its instances.
#[derive(Debug)]
pub(crate) struct Definition {
    pub(crate) instance: InstanceSchema,
    pub(crate) crd: CustomResourceDefinition,
}

/// What there is of interest in a `CustomResourceDefinition`.
#[derive(Debug)]
pub(crate) struct Crd {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) group: String,
    pub(crate) scope: String,
    pub(crate) versions: Vec<CrdVersion>,
    /// Whether a definition has made it.
    pub(crate) is_defined: bool,
    /// All of its specification, with the schemas.
    pub(crate) spec: Value,
}

/// One version that has a schema.
#[derive(Debug)]
pub(crate) struct CrdVersion {
    pub(crate) name: String,
    pub(crate) storage: bool,
    pub(crate) schema: Schema,
}

/// The schemas of one file.
#[derive(Debug)]
pub(crate) struct DescribedFile {
    pub(crate) documents: Vec<Described>,
    /// What was accepted, or left out, but is likely a mistake.
    pub(crate) warnings: Vec<String>,
}

impl DescribedFile {
    /// Reads a file; every problem of every document is told, each with its place.
    pub(crate) fn read(source: &Source) -> Result<Self, CommandError> {
        Self::read_checked(source, |_| Vec::new())
    }

    /// Reads a file and finds what the API server would refuse about its schemas.
    pub(crate) fn read_strictly(source: &Source) -> Result<Self, CommandError> {
        Self::read_checked(source, soundness::problems)
    }

    fn read_checked(source: &Source, check: fn(&Described) -> Vec<Problem>) -> Result<Self, CommandError> {
        let read = source.read_documents()?;
        let mut file = Self { documents: Vec::new(), warnings: read.warnings };
        let mut problems = Vec::new();
        let single = read.values.len() == 1;
        for (index, value) in read.values.iter().enumerate() {
            let form = form::of(value);
            if let (Form::Other(kind), false) = (form, single) {
                file.warnings.push(format!("{source}: left out, as it describes no schema: {kind}"));
                continue;
            }
            match Reading::of(value, form) {
                Ok(described) => {
                    problems.extend(check(&described).into_iter().map(|it| (index, it)));
                    file.documents.push(described);
                }
                Err(found) => problems.extend(found.into_iter().map(|it| (index, it))),
            }
        }
        if !problems.is_empty() {
            return Err(problem::report(source, &Places::of(&read.text), &problems));
        }
        if file.documents.is_empty() {
            return Err(CommandError::wrong(format!("{source} describes no schema")).hint(EXPECTED));
        }
        Ok(file)
    }
}

const EXPECTED: &str =
    "expected a ResourceGraphDefinition, a CustomResourceDefinition, a SimpleSchema or an OpenAPI schema";

impl Described {
    /// What it is, for people.
    pub(crate) fn title(&self) -> String {
        match self {
            Described::Definition(definition) => {
                let InstanceSchema { kind, group, api_version, .. } = &definition.instance;
                format!("definition of {kind} ({group}/{api_version})")
            }
            Described::Crd(crd) => format!("CustomResourceDefinition {} ({})", crd.name, crd.version_list()),
            Described::Simple(_) => "SimpleSchema".to_owned(),
            Described::OpenApi(_) => "OpenAPI schema".to_owned(),
        }
    }
}

impl Described {
    /// What names the API, with words for people; empty where it has no such name.
    pub(crate) fn names(&self) -> [(&'static str, String); 3] {
        let (kind, group, scope) = match self {
            Described::Definition(it) => {
                let InstanceSchema { kind, group, scope, .. } = &it.instance;
                (kind.clone(), group.clone(), format!("{scope:?}"))
            }
            Described::Crd(it) => (it.kind.clone(), it.group.clone(), it.scope.clone()),
            Described::Simple(_) | Described::OpenApi(_) => <_>::default(),
        };
        [("kind", kind), ("group", group), ("scope", scope)]
    }

    /// The `CustomResourceDefinition` it is or makes. Of its metadata, only what a definition asks for is there: the rest
    /// comes from whoever applied it.
    pub(crate) fn manifest(&self) -> Option<Value> {
        match self {
            Described::Definition(it) => serde_json::to_value(&it.crd).ok(),
            Described::Crd(it) => Some(json!({"spec": it.spec})),
            Described::Simple(_) | Described::OpenApi(_) => None,
        }
    }
}

impl Crd {
    /// The custom resource definitions of a file, whatever else it holds.
    pub(crate) fn read_all(source: &Source) -> Result<Vec<Self>, CommandError> {
        let read = source.read_documents()?;
        let (mut crds, mut problems) = (Vec::new(), Vec::new());
        for (index, value) in read.values.iter().enumerate().filter(|(_, it)| form::of(it) == Form::Crd) {
            match Reading::crd(value) {
                Ok(crd) => crds.push(crd),
                Err(found) => problems.extend(found.into_iter().map(|it| (index, it))),
            }
        }
        if problems.is_empty() {
            return Ok(crds);
        }
        Err(problem::report(source, &Places::of(&read.text), &problems))
    }

    /// The custom resource definition that a document is.
    pub(crate) fn of(value: &Value) -> Option<Result<Self, Vec<Problem>>> {
        (form::of(value) == Form::Crd).then(|| Reading::crd(value))
    }

    fn version_list(&self) -> String {
        let shown =
            |it: &CrdVersion| if it.storage { format!("{}, stored", it.name) } else { it.name.clone() };
        self.versions.iter().map(shown).collect::<Vec<_>>().join("; ")
    }
}

fn text<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value.pointer(pointer).and_then(Value::as_str)
}
