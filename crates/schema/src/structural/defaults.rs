//! Defaults that are not valid themselves.

use serde_json::Value;

use crate::error::FieldError;
use crate::path::Path;
use crate::prune::{prune, prune_object};
use crate::schema::Schema;
use crate::validate::Validator;

/// Adds what is wrong with every default of the schema.
pub(super) fn check(schema: &Schema, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if let Some(default) = &schema.default {
        check_default(schema, default, &path.field("default"), errors);
    }
    if let Some(items) = &schema.items {
        check(items, &path.field("items"), errors);
    }
    let at = path.field("properties");
    for (name, property) in &schema.properties {
        check(property, &at.key(name), errors);
    }
}

fn check_default(schema: &Schema, default: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let mut pruned = default.clone();
    let removed =
        if schema.embedded_resource { prune_object(schema, &mut pruned) } else { prune(schema, &mut pruned) };
    if !removed.is_empty() || pruned != *default {
        errors.push(FieldError::invalid(path, default.clone(), "must not have unknown fields"));
    }
    errors.extend(Validator::new(schema).validate_default(default, path));
}
