//! Room for krono's own fields in the status of instances.

use std::sync::Arc;

use krono_graph::CompiledGraph;
use krono_schema::Schema;
use krono_schema::crd::CustomResourceSpec;

/// The spec of a graph's CRD, which lets the API server keep what krono tells about revisions beside what the author declared.
///
/// No properties are added: kro would take their end for a breaking change and refuse to serve what krono hands back, but it
/// does not look at whether unknown fields are kept.
pub(super) fn spec_of(graph: &CompiledGraph) -> CustomResourceSpec {
    let mut spec = graph.crd.spec.clone();
    for version in &mut spec.versions {
        if let Some(schema) = version.schema.as_mut().and_then(|it| it.open_api_v3_schema.as_mut()) {
            keep_unknown(schema, Some(true));
        }
    }
    spec
}

/// A spec without room for krono's own fields.
pub(super) fn without_room_in(mut spec: CustomResourceSpec) -> CustomResourceSpec {
    for version in &mut spec.versions {
        if let Some(schema) = version.schema.as_mut().and_then(|it| it.open_api_v3_schema.as_mut()) {
            keep_unknown(schema, None);
        }
    }
    spec
}

/// What is promised to those who read instances: the room for krono's own fields keeps nothing of the author's.
pub(super) fn without_room(schema: &Schema) -> Schema {
    let mut schema = schema.clone();
    keep_unknown(&mut schema, None);
    schema
}

fn keep_unknown(schema: &mut Schema, keep: Option<bool>) {
    if let Some(status) = schema.properties.get_mut("status") {
        Arc::make_mut(status).preserve_unknown_fields = keep;
    }
}
