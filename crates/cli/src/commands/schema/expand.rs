//! `krono schema expand`.

use serde_json::Value;

use crate::arguments::schema::{ExpandArguments, Notation};
use crate::command_error::{CommandError, ErrorKind};
use crate::described::{Described, DescribedFile};
use crate::format::Format;
use crate::output::Output;

pub(super) fn run(arguments: &ExpandArguments, output: &mut Output) -> Result<(), CommandError> {
    let file = DescribedFile::read_strictly(&arguments.file)?;
    file.warnings.iter().try_for_each(|it| output.warn(it))?;
    let expanded = file.documents.iter().map(expanded).collect::<Result<Vec<_>, _>>()?;
    output.text(&rendered(&expanded, arguments.output))
}

fn expanded(described: &Described) -> Result<Value, CommandError> {
    match described {
        Described::Definition(definition) => serde_json::to_value(&definition.crd)
            .map_err(|error| CommandError::of(ErrorKind::Internal, format!("cannot write the CRD: {error}"))),
        Described::Simple(schema) => Ok(schema.to_value()),
        Described::Crd(crd) => Err(expanded_already(&format!("the CustomResourceDefinition {}", crd.name))),
        Described::OpenApi(_) => Err(expanded_already("an OpenAPI schema")),
    }
}

fn expanded_already(what: &str) -> CommandError {
    CommandError::wrong(format!("{what} is expanded already"))
        .hint("expand takes a ResourceGraphDefinition or a SimpleSchema")
}

fn rendered(documents: &[Value], notation: Notation) -> String {
    match notation {
        Notation::Yaml => {
            documents.iter().map(|it| Format::Yaml.render(it)).collect::<Vec<_>>().join("---\n")
        }
        Notation::Json => documents.iter().map(|it| Format::Json.render(it)).collect(),
    }
}
