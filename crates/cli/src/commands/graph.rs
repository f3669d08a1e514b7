//! `krono graph`.

mod dot;
mod layout;
mod mermaid;
mod svg;
mod text;

use krono_graph::{CompiledGraph, Node, Subject};

use crate::arguments::definition::{GraphArguments, GraphFormat};
use crate::command_error::CommandError;
use crate::definitions::Definitions;
use crate::document;
use crate::kinds::{self, KnownKinds};
use crate::manifests::ManifestFile;
use crate::output::Output;

pub(super) fn run(arguments: &GraphArguments, output: &mut Output) -> Result<(), CommandError> {
    document::read_stdin_once([&arguments.definition].into_iter().chain(&arguments.compiling.crds))?;
    let mut known = KnownKinds::default();
    kinds::read_crds(&arguments.compiling.crds, &mut known)?;
    let file = ManifestFile::read(&arguments.definition)?;
    file.warnings.iter().try_for_each(|it| output.warn(it))?;
    let definitions = Definitions::compile(file.manifests(), &mut known, arguments.compiling.options());
    if definitions.all.is_empty() {
        return Err(CommandError::wrong(format!("{} holds no ResourceGraphDefinition", file.source)));
    }
    let drawn = definitions.all.iter().map(|it| {
        let graph = it.graph.as_deref().filter(|_| it.findings.is_empty()).ok_or_else(|| it.report())?;
        Ok(draw(graph, arguments.output))
    });
    let drawn: Vec<String> = drawn.collect::<Result<_, CommandError>>()?;
    if arguments.output == GraphFormat::Svg && drawn.len() > 1 {
        return Err(CommandError::wrong(format!(
            "{} holds several definitions; a picture shows one",
            file.source
        )));
    }
    output.text(&drawn.join("\n"))
}

fn draw(graph: &CompiledGraph, format: GraphFormat) -> String {
    match format {
        GraphFormat::Text => text::draw(graph),
        GraphFormat::Dot => dot::draw(graph),
        GraphFormat::Mermaid => mermaid::draw(graph),
        GraphFormat::Svg => svg::draw(graph),
    }
}

/// `WebApp kro.run/v1alpha1`
fn title(graph: &CompiledGraph) -> String {
    let instance = &graph.instance;
    format!("{} {}/{}", instance.kind, instance.group, instance.api_version)
}

/// `Deployment apps/v1`
fn kind(node: &Node) -> String {
    let kind = node.subject.kind();
    format!("{} {}", kind.kind, kind.api_version)
}

/// What is special about a node, in a few words.
fn marks(node: &Node) -> Vec<String> {
    let mut marks = Vec::new();
    if let Subject::External(_) = node.subject {
        marks.push(if node.is_collection() { "external, selected" } else { "external" }.to_owned());
    }
    if !node.for_each.is_empty() {
        let iterators: Vec<_> = node.for_each.iter().map(|it| it.iterator.as_str()).collect();
        marks.push(format!("for each {}", iterators.join(" × ")));
    }
    if !node.include_when.is_empty() {
        marks.push("conditional".to_owned());
    }
    marks
}

fn is_external(node: &Node) -> bool {
    matches!(node.subject, Subject::External(_))
}

/// Every pair of a node and one that needs it, by position.
fn edges(graph: &CompiledGraph) -> impl Iterator<Item = (usize, usize)> {
    graph
        .nodes
        .iter()
        .enumerate()
        .flat_map(|(index, node)| node.dependencies.iter().map(move |it| (*it, index)))
}
