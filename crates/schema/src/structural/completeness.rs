//! What branches restrict must be specified outside of them.

use crate::error::FieldError;
use crate::path::Path;
use crate::schema::Schema;

/// Adds an error for each field or item that only a branch mentions.
pub(super) fn check(schema: &Schema, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    Checker { errors }.branches(schema, schema, path, path);
}

struct Checker<'e> {
    errors: &'e mut Vec<FieldError>,
}

impl Checker<'_> {
    /// The branches of `said`, about values of `shape`.
    fn branches(&mut self, said: &Schema, shape: &Schema, shape_path: &Path<'_>, path: &Path<'_>) {
        if let Some(not) = &said.not {
            self.branch(not, shape, shape_path, &path.field("not"));
        }
        for (keyword, branches) in [("allOf", &said.all_of), ("anyOf", &said.any_of), ("oneOf", &said.one_of)]
        {
            let at = path.field(keyword);
            for (index, branch) in branches.iter().enumerate() {
                self.branch(branch, shape, shape_path, &at.index(index));
            }
        }
    }

    fn branch(&mut self, said: &Schema, shape: &Schema, shape_path: &Path<'_>, path: &Path<'_>) {
        self.branches(said, shape, shape_path, path);
        if let Some(items) = &said.items {
            let (shape_at, at) = (shape_path.field("items"), path.field("items"));
            self.pair(items, shape.items.as_deref(), &shape_at, &at);
        }
        let (shape_at, at) = (shape_path.field("properties"), path.field("properties"));
        for (name, property) in &said.properties {
            self.pair(
                property,
                shape.properties.get(name).map(AsRef::as_ref),
                &shape_at.key(name),
                &at.key(name),
            );
        }
    }

    fn pair(&mut self, said: &Schema, shape: Option<&Schema>, shape_path: &Path<'_>, path: &Path<'_>) {
        let Some(shape) = shape else {
            let detail = format!("because it is defined in {path}");
            return self.errors.push(FieldError::required(shape_path, detail));
        };
        self.branch(said, shape, shape_path, path);
    }
}
