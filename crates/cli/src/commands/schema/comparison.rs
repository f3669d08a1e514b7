//! What changes between an older and a newer form of an API.

use std::fmt;

use krono_schema::compatibility::{self, Effect};

use super::surroundings;
use crate::described::{Described, DescribedVersion};

/// Every change, the breaking ones marked.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Comparison {
    lines: Vec<Line>,
}

#[derive(Debug, PartialEq, Eq)]
struct Line {
    effect: Effect,
    text: String,
}

impl Comparison {
    /// Compares names first, then what belongs to the API besides its schemas, then each version with the version of that name.
    pub(super) fn of(old: &Described, new: &Described) -> Self {
        let mut comparison = Self::default();
        comparison.names(old, new);
        if let (Some(old), Some(new)) = (old.manifest(), new.manifest()) {
            for (effect, text) in surroundings::compare(&old, &new) {
                comparison.push(effect, text);
            }
        }
        comparison.versions(&old.versions(), &new.versions());
        comparison
    }

    pub(super) fn changes(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn breaking(&self) -> usize {
        self.lines.iter().filter(|it| it.effect == Effect::Breaking).count()
    }

    fn names(&mut self, old: &Described, new: &Described) {
        for ((what, before), (_, after)) in old.names().into_iter().zip(new.names()) {
            if before != after && !before.is_empty() && !after.is_empty() {
                self.push(Effect::Breaking, format!("{what} changed from {before} to {after}"));
            }
        }
    }

    fn versions(&mut self, old: &[DescribedVersion<'_>], new: &[DescribedVersion<'_>]) {
        if let ([before], [after]) = (old, new)
            && (before.name.is_none() || after.name.is_none())
        {
            return self.schemas(before, after, "");
        }
        for before in old {
            let name = before.name.unwrap_or_default();
            match new.iter().find(|it| it.name == before.name) {
                Some(after) => self.schemas(before, after, if old.len() > 1 { name } else { "" }),
                None => self.push(Effect::Breaking, format!("version {name} was removed")),
            }
        }
        for after in new.iter().filter(|after| old.iter().all(|it| it.name != after.name)) {
            self.push(Effect::Compatible, format!("version {} was added", after.name.unwrap_or_default()));
        }
    }

    fn schemas(&mut self, old: &DescribedVersion<'_>, new: &DescribedVersion<'_>, version: &str) {
        let prefix = if version.is_empty() { String::new() } else { format!("{version}: ") };
        for change in compatibility::compare(old.schema, new.schema).changes() {
            self.push(change.effect, format!("{prefix}{change}"));
        }
    }

    fn push(&mut self, effect: Effect, text: String) {
        self.lines.push(Line { effect, text });
    }
}

/// One line each, in the order of the fields.
impl fmt::Display for Comparison {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|Line { effect, text }| match effect {
            Effect::Breaking => writeln!(formatter, "breaking    {text}"),
            Effect::Compatible => writeln!(formatter, "compatible  {text}"),
        })
    }
}
