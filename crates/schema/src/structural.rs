//! Whether the API server would accept a schema in a custom resource definition.

mod completeness;
mod context;
mod defaults;
mod invariants;
mod keywords;
mod rules;

use crate::error::FieldError;
use crate::path::Path;
use crate::rules::resolve;
use crate::schema::Schema;

/// Why a schema is not structural; nothing when it is. `root` names the schema in messages.
///
/// ```
/// use krono_schema::{Schema, structural};
/// let schema = serde_json::json!({"type": "object", "properties": {"spec": {}}});
/// let violations = structural::violations(&Schema::from_value(&schema)?, "schema");
/// assert_eq!(
///     violations[0].to_string(),
///     "schema.properties[spec].type: Required value: must not be empty for specified object fields",
/// );
/// # Ok::<(), krono_schema::InvalidSchema>(())
/// ```
pub fn violations(schema: &Schema, root: &str) -> Vec<FieldError> {
    let path = Path::named(root);
    let mut errors = Vec::new();
    invariants::check(schema, &path, &mut errors);
    completeness::check(schema, &path, &mut errors);
    sorted(errors)
}

/// Everything the API server would refuse about the schema of a custom resource: that it is not structural, that
/// keywords do not go together, that defaults are not valid, that rules do not compile.
///
/// Not estimated: what rules could cost at most.
pub fn check(schema: &Schema, root: &str) -> Vec<FieldError> {
    let path = Path::named(root);
    let has_form = has_form(schema);
    let mut errors = if has_form { violations(schema, root) } else { Vec::new() };
    if has_form && errors.is_empty() {
        defaults::check(schema, &path, &mut errors);
    }
    let is_sound = has_form && errors.is_empty();
    if schema.nullable {
        errors.push(FieldError::forbidden(&path.field("nullable"), "nullable cannot be true at the root"));
    }
    keywords::check(schema, &path, is_sound, &mut errors);
    sorted(errors)
}

/// The field that a path such as `.spec.size` leads to: its name as messages print it, and its schema; or why the API
/// server would refuse the path as one of `selectableFields`.
pub fn field<'s>(schema: &'s Schema, path: &str) -> Result<(String, &'s Schema), String> {
    resolve(path, schema, false)
}

/// A schema that says no to unknown fields in so many words has no structural form; what follows from the form
/// is then not looked at.
fn has_form(schema: &Schema) -> bool {
    schema.preserve_unknown_fields != Some(false) && schema.children().all(|child| has_form(child))
}

fn sorted(mut errors: Vec<FieldError>) -> Vec<FieldError> {
    errors.sort_by_cached_key(ToString::to_string);
    errors
}
