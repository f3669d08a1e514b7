//! Room for krono's own fields in the status of instances.

use std::sync::Arc;

use krono_graph::CompiledGraph;
use krono_schema::crd::CustomResourceSpec;

/// The spec of a graph's CRD, which lets the API server keep what krono tells about revisions beside what the author declared.
///
/// No properties are added: kro would take their end for a breaking change and refuse to serve what krono hands back, but it
/// does not look at whether unknown fields are kept.
pub(super) fn spec_of(graph: &CompiledGraph) -> CustomResourceSpec {
    let mut spec = graph.crd.spec.clone();
    for version in &mut spec.versions {
        let schema = version.schema.as_mut().and_then(|it| it.open_api_v3_schema.as_mut());
        if let Some(status) = schema.and_then(|it| it.properties.get_mut("status")) {
            Arc::make_mut(status).preserve_unknown_fields = Some(true);
        }
    }
    spec
}
