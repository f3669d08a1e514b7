//! `krono schema …`.

use clap::{Args, Subcommand, ValueEnum};

use crate::document::Source;

const EXPAND_EXAMPLES: &str = "\
Examples:
  krono schema expand webapp.yaml
  krono schema expand webapp.yaml | kubectl apply --dry-run=server -f -
  cat fields.yaml | krono schema expand - -o json";

const CHECK_EXAMPLES: &str = "\
Examples:
  krono schema check webapp.yaml
  krono schema check crds/*.yaml
  git show HEAD:webapp.yaml | krono schema check webapp.yaml --against -";

/// Expand and check API schemas
#[derive(Debug, Subcommand)]
pub(crate) enum SchemaCommand {
    Expand(ExpandArguments),
    Check(CheckArguments),
}

/// Print the CRD of a definition, or the OpenAPI schema of a SimpleSchema
#[derive(Debug, Args)]
#[command(after_help = EXPAND_EXAMPLES)]
pub(crate) struct ExpandArguments {
    /// The definition or SimpleSchema; `-` reads stdin
    pub(crate) file: Source,
    /// How to print it
    #[arg(short, long, value_enum, default_value_t = Notation::Yaml)]
    pub(crate) output: Notation,
}

/// Check that definitions, CRDs and schemas are valid
#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct CheckArguments {
    /// What to check; `-` reads stdin
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<Source>,
    /// An older form of the one file: print every change, and end with exit code 3 when one is breaking
    #[arg(long, value_name = "OLD")]
    pub(crate) against: Option<Source>,
}

/// How a document is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Notation {
    Yaml,
    Json,
}
