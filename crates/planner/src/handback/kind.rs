//! The CRD of a definition, as kro would make it.

use krono_graph::{CompiledGraph, Interface, Options, compile};
use krono_history::Digest;
use serde_json::Value;

use super::{Consequence, Removal, removal};
use crate::definition::crd::narrowed;

/// What comes off the CRD of a definition; `revisions` are those of the definition, which know what it was compiled against.
///
/// kro takes properties that it would not make for a breaking change, and refuses to serve the kind.
pub fn kind_removal(crd: &Value, definition: &Value, revisions: &[Value]) -> Option<Removal> {
    let marks = removal(crd);
    let Some(narrowed) = narrowed(crd, graph(definition, revisions).as_ref()) else { return marks };
    let (mut keys, mut patch) = match marks {
        Some(marks) => (marks.keys, marks.patch),
        None => (
            Vec::new(),
            serde_json::json!({"metadata": {"resourceVersion": crd["metadata"]["resourceVersion"]}}),
        ),
    };
    keys.push("spec.versions".to_owned());
    patch["spec"] = narrowed.patch;
    let consequence = narrowed.forgets_fields.then_some(Consequence::FieldsForgotten);
    Some(Removal { keys, patch, consequence })
}

/// The graph of the definition as it is, if it has a revision that still compiles.
fn graph(definition: &Value, revisions: &[Value]) -> Option<CompiledGraph> {
    let digest = Digest::of_definition(&definition["spec"]);
    let same = revisions.iter().filter(|it| Digest::of_definition(&it["spec"]) == digest);
    let newest = same.max_by_key(|it| it["spec"]["revision"].as_i64())?;
    let interface = Interface::from_value(&newest["spec"]["interface"]).ok()?;
    compile(definition, &interface, Options::default()).ok()
}
