//! The objects that the design prints, applied with kubectl.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::cluster::fleet::crd;
use crate::cluster::{Cluster, Controllers};
use crate::krono::Run;
use crate::story::kubectl;

/// Compared with the design by the tests of the model.
const OBJECTS: [&str; 7] = [
    "definition",
    "propagating-definition",
    "definition-revision",
    "input-revision",
    "resource",
    "instance",
    "pinned-instance",
];

#[test]
fn v05_objects_are_applied_as_printed() {
    let Some(kubectl) = kubectl() else { return };
    let cluster = Cluster::start(Controllers::None);
    cluster.apply(&crd());
    for name in OBJECTS {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../model/tests/it/seed/{name}.yaml"));
        let mut typed = Command::new(&kubectl);
        typed.args(["apply", "-o", "json", "-f"]).arg(&file).env("KUBECONFIG", cluster.kubeconfig());
        let run: Run = typed.output().unwrap().into();
        assert_eq!(run.code, Some(0), "{name}: {run}");
        let stored: Value = serde_json::from_str(&run.stdout).unwrap();
        let printed: Value = serde_saphyr::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        assert!(holds(&stored["spec"], &printed["spec"]), "{name}: {stored:#}");
        let is_namespaced = !stored["kind"].as_str().unwrap().starts_with("ResourceGraphDefinition");
        let namespace = if is_namespaced { Some("default") } else { None };
        // The design prints one for revisions of definitions; servers forget it.
        assert_eq!(stored["metadata"]["namespace"].as_str(), namespace, "{name}");
    }
}

/// Whether all that is printed is there, among what servers fill in.
fn holds(stored: &Value, printed: &Value) -> bool {
    match (stored, printed) {
        (Value::Object(stored), Value::Object(printed)) => {
            printed.iter().all(|(name, value)| stored.get(name).is_some_and(|it| holds(it, value)))
        }
        (Value::Array(stored), Value::Array(printed)) => {
            stored.len() == printed.len() && stored.iter().zip(printed).all(|(it, value)| holds(it, value))
        }
        (_, _) => stored == printed,
    }
}
