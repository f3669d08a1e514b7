//! What a definition says about how its revisions reach instances.

use std::sync::Arc;

use krono_cel::Type;
use krono_propagation::Problem;
use krono_propagation::gate::{Gates, of_resources};
use krono_propagation::policy::Policy;
use krono_schema::cel::cel_type;
use krono_schema::crd::InstanceSchema;
use serde_json::Value;

/// The policy and the gates, or all that is wrong with both.
pub(crate) fn read(
    definition: &Value,
    propagate_when: &Value,
    propagation: &Value,
) -> Result<(Policy, Gates), Vec<Problem>> {
    let ungated = of_resources(&definition["spec"]["resources"]);
    match (Policy::read(propagation), Gates::compile(propagate_when, &spec_type(definition))) {
        (Ok(policy), Ok(gates)) if ungated.is_empty() => Ok((policy, gates)),
        (policy, gates) => {
            Err(policy.err().into_iter().chain(gates.err()).flatten().chain(ungated).collect())
        }
    }
}

/// What a spec that cannot be read may hold is not known.
fn spec_type(definition: &Value) -> Type {
    let schema = InstanceSchema::from_definition(definition).ok();
    schema.map_or(Type::Dyn, |it| cel_type(&Arc::new(it.spec), "spec"))
}
