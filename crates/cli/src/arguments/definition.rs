//! `krono validate`, `krono render` and `krono graph`.

use clap::{Args, ValueEnum};

use super::schema::Notation;
use crate::document::Source;

const VALIDATE_EXAMPLES: &str = "\
Examples:
  krono validate webapp.yaml
  krono validate platform/*.yaml --crds crds/
  krono validate webapp.yaml my-app.yaml     # a definition, and an instance of it
  kustomize build . | krono validate - -o json";

const RENDER_EXAMPLES: &str = "\
Examples:
  krono render webapp.yaml my-app.yaml
  krono render webapp.yaml my-app.yaml --assume-applied | kubectl diff -f -
  kubectl get deployment my-app -o yaml | krono render webapp.yaml my-app.yaml --observed -";

const GRAPH_EXAMPLES: &str = "\
Examples:
  krono graph webapp.yaml
  krono graph webapp.yaml -o svg > webapp.svg
  krono graph webapp.yaml -o dot | dot -Tpng > webapp.png
  krono graph webapp.yaml -o mermaid";

/// Check definitions, and instances of them, without a cluster
///
/// Every problem of every file is told, with its line, its field and what to do. Kinds are the built-in ones of Kubernetes, those of
/// `--crds`, those of CRDs in the files, and those that the definitions make.
#[derive(Debug, Args)]
#[command(after_help = VALIDATE_EXAMPLES)]
pub(crate) struct ValidateArguments {
    /// Definitions, and instances of them; `-` reads stdin
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<Source>,
    #[command(flatten)]
    pub(crate) compiling: CompilingArguments,
    /// How to tell what was found
    #[arg(short, long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) output: ReportFormat,
}

/// Print the objects that a definition makes for an instance, without a cluster
///
/// The instance gets its defaults and is checked as the API server would. Objects are printed in the order in which they would be
/// made; what cannot be made yet, and the status, are told on stderr.
#[derive(Debug, Args)]
#[command(after_help = RENDER_EXAMPLES)]
pub(crate) struct RenderArguments {
    /// The definition, and those that it makes instances of; `-` reads stdin
    #[arg(value_name = "RGD")]
    pub(crate) definition: Source,
    /// The instance; `-` reads stdin
    pub(crate) instance: Source,
    /// Objects that exist, with their status, as `kubectl get -o yaml` prints them; may be repeated, `-` reads stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) observed: Vec<Source>,
    /// Count objects as existing once they are printed, so that those that need them follow
    #[arg(long)]
    pub(crate) assume_applied: bool,
    /// The namespace of an instance that names none
    #[arg(short, long, default_value = "default")]
    pub(crate) namespace: String,
    #[command(flatten)]
    pub(crate) compiling: CompilingArguments,
    /// How to print the objects
    #[arg(short, long, value_enum, default_value_t = Notation::Yaml)]
    pub(crate) output: Notation,
}

/// Show the resources of a definition and what they need
#[derive(Debug, Args)]
#[command(after_help = GRAPH_EXAMPLES)]
pub(crate) struct GraphArguments {
    /// The definition; `-` reads stdin
    #[arg(value_name = "RGD")]
    pub(crate) definition: Source,
    #[command(flatten)]
    pub(crate) compiling: CompilingArguments,
    /// How to draw it
    #[arg(short, long, value_enum, default_value_t = GraphFormat::Text)]
    pub(crate) output: GraphFormat,
}

/// What definitions are compiled with.
#[derive(Debug, Args)]
pub(crate) struct CompilingArguments {
    /// A file or folder of CRDs whose kinds definitions may use; may be repeated
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) crds: Vec<Source>,
    #[command(flatten)]
    pub(crate) limits: CollectionLimits,
}

/// How large collections may be; the names are kro's.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct CollectionLimits {
    /// How many objects a collection may have
    #[arg(long, value_name = "COUNT", default_value_t = krono_graph::Options::default().objects)]
    pub(crate) rgd_max_collection_size: usize,
    /// How many forEach entries a resource may have
    #[arg(long, value_name = "COUNT", default_value_t = krono_graph::Options::default().dimensions)]
    pub(crate) rgd_max_collection_dimension_size: usize,
}

/// How findings are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Lines for people
    Text,
    /// One JSON object with all documents and diagnostics
    Json,
}

/// How a graph is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    /// Levels, one resource per line
    Text,
    /// For Graphviz
    Dot,
    /// For Markdown
    Mermaid,
    /// A picture
    Svg,
}

impl CompilingArguments {
    pub(crate) fn options(&self) -> krono_graph::Options {
        self.limits.options()
    }
}

impl CollectionLimits {
    pub(crate) fn options(self) -> krono_graph::Options {
        krono_graph::Options {
            objects: self.rgd_max_collection_size,
            dimensions: self.rgd_max_collection_dimension_size,
            ..krono_graph::Options::default()
        }
    }
}
