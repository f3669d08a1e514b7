//! What a definition says about how its revisions reach instances.

use krono_planner::fleet::Rules;
use krono_propagation::Problem;
use krono_schema::crd::InstanceSchema;
use serde_json::{Value, json};

/// The policy and the gates of a definition, or of what stands for its own; or all that is wrong with both.
pub(crate) fn read(
    definition: &Value,
    propagate_when: &Value,
    propagation: &Value,
) -> Result<Rules, Vec<Problem>> {
    // What instances hold whose schema cannot be read is not known.
    let schema = InstanceSchema::from_definition(definition).ok();
    Rules::read(propagate_when, propagation, schema.as_ref())
}

/// The spec of an instance whose user says nothing.
pub(crate) fn default_spec(definition: &Value) -> Value {
    let mut spec = json!({});
    if let Ok(schema) = InstanceSchema::from_definition(definition) {
        krono_schema::default(&schema.spec, &mut spec);
    }
    spec
}
