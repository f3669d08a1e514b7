//! kro's own definitions compile, and their instances have the objects that the author meant.

use std::path::{Path, PathBuf};

use krono_graph::{CompiledGraph, Evaluation, NodeState, Options, Target, compile};
use serde_json::Value;

use crate::world::{BuiltIn, Objects, yaml};

fn corpus() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/kro");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "the corpus is not beside the project");
    println!("left out: the corpus is not beside the project");
    None
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|it| it.expect("an entry").path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            files(&entry, found);
        } else if entry.extension().is_some_and(|it| it == "yaml") {
            found.push(entry);
        }
    }
}

/// The objects of all files, with the folder of each.
fn documents(folder: &Path) -> Vec<(PathBuf, Value)> {
    let mut paths = Vec::new();
    files(folder, &mut paths);
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let parts: Vec<String> = text.split("\n---").map(str::to_owned).collect();
        parts.into_iter().map(move |part| (path.clone(), yaml(&part))).collect::<Vec<_>>()
    };
    paths.retain(|path| !path.to_string_lossy().contains("assert"));
    paths.into_iter().flat_map(read).filter(|(_, it)| it.is_object()).collect()
}

fn is_definition(value: &Value) -> bool {
    value["kind"] == "ResourceGraphDefinition" && value.pointer("/spec/schema").is_some()
}

/// Kinds that the corpus brings along are not built in.
fn known_to_need_more(path: &Path) -> bool {
    path.to_string_lossy().contains("check-unknown-fields")
}

#[test]
fn every_definition_compiles() {
    let Some(folder) = corpus() else { return };
    let mut compiled = 0;
    for (path, document) in documents(&folder) {
        if !is_definition(&document) || known_to_need_more(&path) {
            continue;
        }
        let result = compile(&document, &BuiltIn, Options::default());
        if let Err(found) = &result {
            let found: Vec<_> = found.iter().map(ToString::to_string).collect();
            panic!("{}\n{}", path.display(), found.join("\n"));
        }
        compiled += 1;
    }
    println!("corpus: {compiled} definitions compiled");
    assert!(compiled >= 20, "{compiled}");
}

#[test]
fn every_instance_reaches_its_last_level() {
    let Some(folder) = corpus() else { return };
    let documents = documents(&folder);
    let mut reached = 0;
    for (path, definition) in documents.iter().filter(|(_, it)| is_definition(it)) {
        let Ok(graph) = compile(definition, &BuiltIn, Options::default()) else { continue };
        let siblings = documents.iter().filter(|(other, _)| other.parent() == path.parent());
        for (_, instance) in siblings.filter(|(_, it)| it["kind"] == graph.instance.kind.as_str()) {
            let objects = settle(&graph, instance, &documents);
            assert!(!objects.is_empty() || graph.nodes.is_empty(), "{}", path.display());
            reached += 1;
        }
    }
    println!("corpus: {reached} instances evaluated");
    assert!(reached >= 15, "{reached}");
}

/// Makes what the graph wants, as it is, until nothing more is wanted.
fn settle(graph: &CompiledGraph, instance: &Value, others: &[(PathBuf, Value)]) -> Vec<Value> {
    let mut instance = instance.clone();
    instance["metadata"]["namespace"] = "default".into();
    instance["metadata"]["uid"] = "00000000-0000-4000-8000-000000000001".into();
    let schema = graph.crd.spec.versions[0].schema().expect("a schema").clone();
    krono_schema::default(&schema, &mut instance);
    let (mut world, mut made) = (Objects::default(), Vec::new());
    for (_, map) in others.iter().filter(|(_, it)| it["kind"] == "ConfigMap") {
        world.add(map.clone());
    }
    for _ in 0..=graph.order.levels.len() {
        let evaluation = graph.evaluate(&instance, &world);
        made = wanted(&evaluation);
        for object in &made {
            world.add(object.clone());
        }
    }
    made
}

fn wanted(evaluation: &Evaluation) -> Vec<Value> {
    let objects = evaluation.nodes.iter().filter_map(|state| match state {
        NodeState::Resolved(resolved) => Some(&resolved.target),
        NodeState::Failed(error) => panic!("{error}"),
        NodeState::Excluded { .. } | NodeState::Waiting { .. } | NodeState::Pending(_) => None,
    });
    let objects = objects.filter_map(|target| match target {
        Target::Objects(objects) => Some(objects.clone()),
        Target::Named { .. } | Target::Selected { .. } => None,
    });
    objects.flatten().collect()
}
