//! `krono render`.

mod states;

use krono_graph::{CompiledGraph, Evaluation, NodeState, Target};
use serde_json::{Value, json};

use crate::arguments::definition::RenderArguments;
use crate::arguments::schema::Notation;
use crate::command_error::{CommandError, ErrorKind};
use crate::definitions::Definitions;
use crate::document;
use crate::format::Format;
use crate::instance;
use crate::kinds::{self, KnownKinds};
use crate::manifests::{self, Manifest, ManifestFile};
use crate::observed::Objects;
use crate::output::Output;

pub(super) fn run(arguments: &RenderArguments, output: &mut Output) -> Result<(), CommandError> {
    let sources = [&arguments.definition, &arguments.instance];
    document::read_stdin_once(
        sources.into_iter().chain(&arguments.observed).chain(&arguments.compiling.crds),
    )?;
    let mut known = KnownKinds::default();
    kinds::read_crds(&arguments.compiling.crds, &mut known)?;
    let file = read(&arguments.definition, output)?;
    let definitions = Definitions::compile(file.manifests(), &mut known, arguments.compiling.options());
    let instances = read(&arguments.instance, output)?;
    let instance = only_instance(&instances)?;
    let graph = graph_of(&definitions, &instance)?;
    let value = instance::admitted(&instance, graph, &arguments.namespace)
        .map_err(|found| manifests::report(&found))?;
    let namespace = value.pointer("/metadata/namespace").and_then(Value::as_str).unwrap_or_default();
    let mut objects = Objects::read(&arguments.observed, &known, namespace)?;
    let evaluation = evaluate(graph, &value, &mut objects, arguments.assume_applied);
    print(graph, &evaluation, arguments.output, output)?;
    tell(graph, &evaluation, output)
}

fn read(source: &document::Source, output: &mut Output) -> Result<ManifestFile, CommandError> {
    let file = ManifestFile::read(source)?;
    file.warnings.iter().try_for_each(|it| output.warn(it))?;
    Ok(file)
}

fn only_instance(file: &ManifestFile) -> Result<Manifest<'_>, CommandError> {
    let mut instances = file.manifests().filter(|it| !it.is_definition());
    match (instances.next(), instances.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(CommandError::wrong(format!("{} holds no instance", file.source))),
        (Some(_), Some(_)) => Err(CommandError::wrong(format!(
            "{} holds several objects where one instance is expected",
            file.source
        ))
        .hint("keep one of the documents that `---` separates, or split the file")),
    }
}

fn graph_of<'d>(
    definitions: &'d Definitions<'_>,
    instance: &Manifest<'_>,
) -> Result<&'d CompiledGraph, CommandError> {
    let (version, kind) = instance.kind();
    let Some(definition) = definitions.of((version, kind)) else {
        let made: Vec<_> = definitions.all.iter().filter_map(|it| it.makes.as_ref()).collect();
        let made: Vec<_> = made.iter().map(|(version, kind)| format!("{kind} in {version}")).collect();
        let message = format!("{}: there is no definition of {kind} in {version}", instance.location());
        let hint = if made.is_empty() {
            "name the file with the definition first, then the instance".to_owned()
        } else {
            format!("there is one of {}", made.join(", "))
        };
        return Err(CommandError::wrong(message).hint(hint));
    };
    definition.graph.as_deref().filter(|_| definition.findings.is_empty()).ok_or_else(|| definition.report())
}

/// Evaluates the graph; where rendered objects count as existing, until no more follow.
fn evaluate(
    graph: &CompiledGraph,
    instance: &Value,
    objects: &mut Objects,
    assume_applied: bool,
) -> Evaluation {
    loop {
        let evaluation = graph.evaluate(instance, objects);
        let mut news = false;
        for object in made(&evaluation).filter(|_| assume_applied) {
            news |= objects.add_new(object);
        }
        if !news {
            return evaluation;
        }
    }
}

fn made(evaluation: &Evaluation) -> impl Iterator<Item = &Value> {
    evaluation.nodes.iter().flat_map(objects)
}

/// The objects that a node makes.
fn objects(state: &NodeState) -> &[Value] {
    match state {
        NodeState::Resolved(resolved) => match &resolved.target {
            Target::Objects(objects) => objects,
            Target::Named { .. } | Target::Selected { .. } => &[],
        },
        NodeState::Excluded { .. }
        | NodeState::Waiting { .. }
        | NodeState::Pending(_)
        | NodeState::Failed(_) => &[],
    }
}

fn print(
    graph: &CompiledGraph,
    evaluation: &Evaluation,
    notation: Notation,
    output: &mut Output,
) -> Result<(), CommandError> {
    let ordered = graph.order.sequence.iter().filter_map(|index| evaluation.nodes.get(*index));
    let ordered: Vec<&Value> = ordered.flat_map(objects).collect();
    match notation {
        Notation::Json => {
            let list = json!({"apiVersion": "v1", "kind": "List", "items": ordered});
            output.text(&Format::Json.render(&list))
        }
        Notation::Yaml => {
            let documents: Vec<_> = ordered.into_iter().map(|it| Format::Yaml.render(it)).collect();
            output.text(&documents.join("---\n"))
        }
    }
}

fn tell(graph: &CompiledGraph, evaluation: &Evaluation, output: &mut Output) -> Result<(), CommandError> {
    let mut failures = Vec::new();
    for index in &graph.order.sequence {
        match states::told(graph, evaluation, *index) {
            states::Told::Nothing => {}
            states::Told::Note(text) => output.note(&text)?,
            states::Told::Failure(text) => failures.push(text),
        }
    }
    failures.extend(evaluation.status_errors.iter().map(|it| format!("status.{}: {}", it.path, it.error)));
    if !evaluation.status.is_empty() {
        let status = Format::Yaml.render(&Value::Object(evaluation.status.clone()));
        output.note(&format!("the status would be\n{}", indented(&status)))?;
    }
    for failure in &failures {
        output.tell(&CommandError::wrong(failure))?;
    }
    if failures.is_empty() { Ok(()) } else { Err(CommandError::told(ErrorKind::Wrong)) }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}
