//! The definitions under `examples` are valid, and become what their READMEs say.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::krono::krono;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// Validates an example and renders its instance; compares the objects, and the number of nodes that wait.
fn check(name: &str, more: &[&str], objects: &[&str], waiting: usize) {
    let path = |file: &str| folder(name).join(file).to_str().unwrap().to_owned();
    let (definition, instance, external) = (path("rgd.yaml"), path("instance.yaml"), path("external.yaml"));
    let run = krono(&["validate", &definition, &instance]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run}");
    let mut arguments = vec!["render", &definition, &instance, "-o", "json"];
    arguments.extend(more.iter().map(|it| if *it == "external.yaml" { external.as_str() } else { it }));
    let run = krono(&arguments);
    assert_eq!(run.code, Some(0), "{run}");
    let list: Value = serde_json::from_str(&run.stdout).unwrap();
    let title =
        |it: &Value| format!("{} {}", it["kind"].as_str().unwrap(), it["metadata"]["name"].as_str().unwrap());
    let found: Vec<String> = list["items"].as_array().unwrap().iter().map(title).collect();
    assert_eq!(found, objects, "{name} {more:?}");
    assert_eq!(run.stderr.matches(" waits for ").count(), waiting, "{run}");
}

#[test]
fn web_app() {
    check("web-app", &[], &["ConfigMap shop-settings"], 3);
    check("web-app", &["--assume-applied"], &["ConfigMap shop-settings", "Deployment shop"], 2);
}

#[test]
fn multi_tenant() {
    let namespaces = ["Namespace payments-staging", "Namespace payments-production"];
    check("multi-tenant", &[], &namespaces, 1);
    let workspaces = ["Workspace workspace", "Workspace workspace"];
    check("multi-tenant", &["--assume-applied"], &[namespaces, workspaces].concat(), 0);
}

#[test]
fn collections() {
    let caches = [
        "Deployment sessions-eu-west-hot",
        "Deployment sessions-eu-west-warm",
        "Deployment sessions-us-east-hot",
        "Deployment sessions-us-east-warm",
    ];
    check("collections", &["--assume-applied"], &caches, 2);
}

#[test]
fn external_reference() {
    check("external-reference", &[], &[], 2);
    check(
        "external-reference",
        &["--observed", "external.yaml", "--assume-applied"],
        &["ConfigMap monthly", "CronJob monthly"],
        0,
    );
}

#[test]
fn job_pipeline() {
    check(
        "job-pipeline",
        &["--assume-applied"],
        &["PersistentVolumeClaim nightly-scratch", "Job nightly-extract"],
        3,
    );
}

#[test]
fn every_example_is_here_and_complete() {
    let here = include_str!("examples.rs");
    let mut count = 0;
    for entry in fs::read_dir(folder("")).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_dir() {
            continue;
        }
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        assert!(
            here.contains(&format!("check(\n        \"{name}\""))
                || here.contains(&format!("check(\"{name}\"")),
            "{name} has no test"
        );
        for file in ["rgd.yaml", "instance.yaml", "README.md"] {
            assert!(path.join(file).is_file(), "{name} lacks {file}");
        }
        count += 1;
    }
    assert!(count >= 5, "{count}");
}
