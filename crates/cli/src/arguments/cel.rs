//! `krono cel …`.

use clap::{Args, Subcommand};

use super::named::{NamedSource, NamedValue};
use crate::format::Format;

const EVAL_EXAMPLES: &str = "\
Examples:
  krono cel eval '[1, 2, 3].map(x, x * 2)'
  krono cel eval 'app.spec.replicas > 1' --var app=app.yaml
  krono cel eval 'app.metadata.name + \"-svc\"' --var app=app.yaml --schema app=webapp.yaml -o text
  krono cel eval 'port + 1' --set port=8080
  kubectl get deployment web -o json | krono cel eval 'web.status.readyReplicas' --var web=-
  echo '1 + 1' | krono cel eval -";

const CHECK_EXAMPLES: &str = "\
Examples:
  krono cel check 'app.spec.replicas + 1' --schema app=webapp.yaml
  krono cel check 'items.exists(it, it.ready)' --var items=items.json";

/// Evaluate and check CEL expressions
#[derive(Debug, Subcommand)]
pub(crate) enum CelCommand {
    Eval(EvalArguments),
    Check(CheckArguments),
}

/// Evaluate an expression and print its value
#[derive(Debug, Args)]
#[command(after_help = EVAL_EXAMPLES)]
pub(crate) struct EvalArguments {
    #[command(flatten)]
    pub(crate) expression: ExpressionArguments,
    /// How to print the value
    #[arg(short, long, value_enum, default_value_t = Format::Json)]
    pub(crate) output: Format,
    /// How much work the evaluation may do, in steps of a loop
    #[arg(long, value_name = "STEPS", default_value_t = krono_cel::DEFAULT_BUDGET)]
    pub(crate) budget: u64,
}

/// Check an expression and print its type
#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct CheckArguments {
    #[command(flatten)]
    pub(crate) expression: ExpressionArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ExpressionArguments {
    /// The expression; `-` reads it from stdin
    #[arg(value_name = "EXPR", allow_hyphen_values = true)]
    pub(crate) expression: String,
    /// A variable and the YAML or JSON file that holds its value; `-` reads stdin
    #[arg(long = "var", value_name = "NAME=FILE")]
    pub(crate) variables: Vec<NamedSource>,
    /// A variable and its value as JSON
    #[arg(long = "set", value_name = "NAME=JSON")]
    pub(crate) values: Vec<NamedValue>,
    /// A variable and the file that describes it: a definition, a CRD, an OpenAPI schema or a SimpleSchema; without one its
    /// type is `dyn`
    #[arg(long = "schema", value_name = "NAME=FILE")]
    pub(crate) schemas: Vec<NamedSource>,
}
