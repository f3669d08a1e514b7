//! A spec as the schema of one revision sees it.

use krono_schema::crd::InstanceSchema;
use krono_schema::{Schema, Validator, default, drop_nulls, prune};
use serde_json::{Map, Value, json};

/// A spec through the schema of a revision.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenSpec {
    /// The fields that the schema knows, with its own defaults.
    pub spec: Value,
    /// The fields that it does not know, such as `spec.size`.
    pub ignored: Vec<String>,
}

/// A spec through the schema of a revision's spec, whatever schema the API server has put it through.
///
/// The API server fills in defaults and drops fields by the newest schema; an instance that stays at an older revision is
/// evaluated as though there were no newer one.
pub fn seen_through(schema: &Schema, spec: &Value) -> SeenSpec {
    let mut spec = if spec.is_object() { spec.clone() } else { Value::Object(Map::new()) };
    let unknown = prune(schema, &mut spec);
    drop_nulls(schema, &mut spec);
    default(schema, &mut spec);
    SeenSpec { spec, ignored: unknown.iter().map(|path| format!("spec.{path}")).collect() }
}

/// A spec as the revision with this content sees it; nothing where that has no schema.
pub fn seen_by(definition: &Value, spec: &Value) -> Option<SeenSpec> {
    let schema = InstanceSchema::from_definition(&json!({"spec": definition})).ok()?.spec;
    Some(seen_through(&schema, spec))
}

/// Why the schema of a revision's spec refuses a spec, if it does: the first field that is wrong.
///
/// `validator` is that of the schema, which is made once for many specs.
pub fn refusal(schema: &Schema, validator: &Validator, spec: &Value) -> Option<String> {
    let wrong = validator.validate(&seen_through(schema, spec).spec);
    wrong.first().map(|it| format!("spec.{it}"))
}
