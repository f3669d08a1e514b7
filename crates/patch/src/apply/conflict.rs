//! Fields that belong to somebody else.

use std::fmt;

use krono_schema::go_text;

use super::field_set::FieldSet;
use super::managers::{ManagerId, Operation};
use super::path::{PathElement, path_text};

/// A field that an apply would take from another manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The manager, as the API server names it: `"hpa" with subresource "scale" using apps/v1`.
    pub manager: String,
    /// The field, such as `.spec.replicas`.
    pub field: String,
}

impl Conflict {
    /// The message of the cause in the details of the API server's answer.
    pub fn message(&self) -> String {
        format!("conflict with {}", self.manager)
    }
}

/// Every field that an apply would take from other managers, by manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflicts(pub Vec<Conflict>);

impl fmt::Display for Conflicts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [only] = self.0.as_slice() {
            return write!(out, "Apply failed with 1 conflict: {}: {}", only.message(), only.field);
        }
        write!(out, "Apply failed with {} conflicts:", self.0.len())?;
        for (position, of_manager) in self.0.chunk_by(|left, right| left.manager == right.manager).enumerate()
        {
            let separator = if position == 0 { ' ' } else { '\n' };
            write!(out, "{separator}conflicts with {}:", of_manager[0].manager)?;
            of_manager.iter().try_for_each(|conflict| write!(out, "\n- {}", conflict.field))?;
        }
        Ok(())
    }
}

/// A conflict before it is put into words.
pub(super) struct RawConflict<'m> {
    manager: ManagerId<'m>,
    pub(super) path: Vec<PathElement<'m>>,
}

/// The paths of every set, sorted by manager.
pub(super) fn raw_conflicts<'c, 'm: 'c>(
    taken: impl Iterator<Item = (&'c ManagerId<'m>, &'c FieldSet<'m>)>,
) -> Vec<RawConflict<'m>> {
    let mut taken: Vec<_> = taken.filter(|(_, set)| !set.is_empty()).collect();
    taken.sort_by_cached_key(|(manager, _)| manager.sort_key());
    let conflicts = taken.into_iter().flat_map(|(manager, set)| {
        set.paths().into_iter().map(|path| RawConflict { manager: manager.clone(), path })
    });
    conflicts.collect()
}

pub(super) fn in_words(conflicts: &[RawConflict<'_>]) -> Conflicts {
    let worded = conflicts
        .iter()
        .map(|conflict| Conflict { manager: name(&conflict.manager), field: path_text(&conflict.path) });
    Conflicts(worded.collect())
}

fn name(manager: &ManagerId<'_>) -> String {
    let mut name = go_text::quote(&manager.name);
    if !manager.subresource.is_empty() {
        name = format!("{name} with subresource {}", go_text::quote(&manager.subresource));
    }
    match manager.operation {
        Operation::Update => format!("{name} using {}", manager.api_version),
        Operation::Apply => name,
    }
}
