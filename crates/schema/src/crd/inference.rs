//! The schemas of status expressions, as far as the definition alone tells them.

use krono_cel::library::kro;
use krono_cel::{Env, EnvBuilder, Issues, Type};
use serde_json::Value;

use super::instance::InstanceSchema;
use crate::cel::{cel_type, schema_of_type};
use crate::schema::Schema;

/// Knows the type of `schema`, and that resources exist, but not what is in them.
///
/// ```
/// use krono_schema::crd::{Inference, InstanceSchema};
/// let definition = serde_json::json!({"spec": {
///     "schema": {"kind": "App", "apiVersion": "v1", "spec": {"replicas": "integer"}},
///     "resources": [{"id": "service"}],
/// }});
/// let instance = InstanceSchema::from_definition(&definition)?;
/// let inference = Inference::new(&definition, &instance);
/// assert_eq!(inference.schema_of("schema.spec.replicas + 1").to_value(), serde_json::json!({"type": "integer"}));
/// assert!(inference.schema_of("service.spec.clusterIP").preserves_unknown_fields());
/// # Ok::<(), krono_schema::crd::InvalidInstanceSchema>(())
/// ```
#[derive(Debug)]
pub struct Inference {
    env: Env,
}

impl Inference {
    /// An inference for the status of a `ResourceGraphDefinition` whose schema is `instance`.
    pub fn new(definition: &Value, instance: &InstanceSchema) -> Self {
        let schema = cel_type(&instance.variable().into(), "__type_schema");
        let resources = definition.pointer("/spec/resources").and_then(Value::as_array).into_iter().flatten();
        let declare = |env: EnvBuilder, resource: &Value| match resource.get("id").and_then(Value::as_str) {
            Some(id) => env.variable(id, resource_type(resource)),
            None => env,
        };
        let env = resources.fold(kro::environment().variable("schema", schema), declare);
        Self { env: env.build() }
    }

    /// The schema of an expression: any value where the type is not known, or the expression is wrong.
    pub fn schema_of(&self, expression: &str) -> Schema {
        self.check(expression).unwrap_or_else(|_| Schema::any())
    }

    /// The schema of an expression, any value where the type is not known, or all that is wrong with it.
    pub fn check(&self, expression: &str) -> Result<Schema, Issues> {
        Ok(schema_of_type(self.env.check(self.env.parse(expression)?)?.result_type()))
    }
}

/// A collection is a list of objects.
fn resource_type(resource: &Value) -> Type {
    let is_collection =
        resource.get("forEach").is_some() || resource.pointer("/externalRef/metadata/selector").is_some();
    if is_collection { Type::list(Type::Dyn) } else { Type::Dyn }
}
