//! What is different between two revisions.

mod lists;
mod path;
mod render;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use crate::{canonical, content};

pub use path::{Path, Step};
pub use render::yaml;

/// Every difference between two contents, in the order of their fields.
///
/// Two contents with the same digest have no differences, and two with different ones have some.
#[derive(Clone, Debug, PartialEq)]
pub struct Diff {
    /// The differences.
    pub changes: Vec<Change>,
    old: Value,
    new: Value,
}

/// One difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Where: in the newer content, or in the older one for what is no longer there.
    pub path: Path,
    /// What.
    pub kind: ChangeKind,
}

/// How a value differs.
#[derive(Clone, Debug, PartialEq)]
pub enum ChangeKind {
    /// It was not there.
    Added(Value),
    /// It is no longer there.
    Removed(Value),
    /// It was another.
    Replaced {
        /// What it was.
        old: Value,
        /// What it is.
        new: Value,
    },
    /// The same items stand in another order, which means something; by their keys.
    Reordered {
        /// As they stood.
        old: Vec<String>,
        /// As they stand.
        new: Vec<String>,
    },
}

/// What is known about lists whose order means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// `resources` and the conditions of each have no order.
    Definition,
    /// Every list has one.
    Plain,
}

impl Diff {
    /// Between the contents of two definitions or their revisions, policy left out; each is a whole spec.
    pub fn of_definitions(old: &Value, new: &Value) -> Self {
        Self::between(
            &Path::root("spec"),
            content::definition(old),
            content::definition(new),
            Shape::Definition,
        )
    }

    /// Between two specs that krono knows nothing about, such as those of instances.
    pub fn of_specs(old: &Value, new: &Value) -> Self {
        Self::between(&Path::root("spec"), content::as_written(old), content::as_written(new), Shape::Plain)
    }

    /// Between two whole objects, every field of which counts.
    pub fn of_objects(old: &Value, new: &Value) -> Self {
        Self::between(&Path::default(), content::as_written(old), content::as_written(new), Shape::Plain)
    }

    /// Whether the contents are the same.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    fn between(root: &Path, old: Value, new: Value, shape: Shape) -> Self {
        let mut differ = Differ { shape, changes: Vec::new() };
        differ.values(root, &old, &new);
        let changes = differ.changes;
        match shape {
            Shape::Definition => {
                let new = lists::arranged(&content::with_sorted_conditions(&new), &old);
                Self { changes, old: content::with_sorted_conditions(&old), new }
            }
            Shape::Plain => Self { changes, old, new },
        }
    }
}

struct Differ {
    shape: Shape,
    changes: Vec<Change>,
}

impl Differ {
    fn values(&mut self, path: &Path, old: &Value, new: &Value) {
        match (old, new) {
            (Value::Object(old), Value::Object(new)) => self.objects(path, old, new),
            (Value::Array(old), Value::Array(new)) => self.lists(path, old, new),
            (_, _) if canonical::text(old) == canonical::text(new) => {}
            (_, _) => self.tell(path.clone(), ChangeKind::Replaced { old: old.clone(), new: new.clone() }),
        }
    }

    fn objects(&mut self, path: &Path, old: &Map<String, Value>, new: &Map<String, Value>) {
        let mut names: Vec<_> = old.keys().chain(new.keys()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let path = path.field(name);
            match (old.get(name), new.get(name)) {
                (Some(old), Some(new)) => self.values(&path, old, new),
                (None, Some(new)) => self.tell(path, ChangeKind::Added(new.clone())),
                (Some(old), None) => self.tell(path, ChangeKind::Removed(old.clone())),
                (None, None) => {}
            }
        }
    }

    fn tell(&mut self, path: Path, kind: ChangeKind) {
        self.changes.push(Change { path, kind });
    }
}
