//! Limits on numbers, lengths and counts.

use std::cmp::Ordering;
use std::fmt;

use super::{ChangeKind, Place};
use crate::schema::Schema;

/// What a limit's changes are called.
struct Names {
    added: ChangeKind,
    increased: ChangeKind,
    decreased: ChangeKind,
    removed: ChangeKind,
}

macro_rules! names {
    ($added:ident, $increased:ident, $decreased:ident, $removed:ident) => {
        Names {
            added: ChangeKind::$added,
            increased: ChangeKind::$increased,
            decreased: ChangeKind::$decreased,
            removed: ChangeKind::$removed,
        }
    };
}

const MINIMUM: Names = names!(MinimumAdded, MinimumIncreased, MinimumDecreased, MinimumRemoved);
const MAXIMUM: Names = names!(MaximumAdded, MaximumIncreased, MaximumDecreased, MaximumRemoved);
const MIN_LENGTH: Names = names!(MinLengthAdded, MinLengthIncreased, MinLengthDecreased, MinLengthRemoved);
const MAX_LENGTH: Names = names!(MaxLengthAdded, MaxLengthIncreased, MaxLengthDecreased, MaxLengthRemoved);
const MIN_ITEMS: Names = names!(MinItemsAdded, MinItemsIncreased, MinItemsDecreased, MinItemsRemoved);
const MAX_ITEMS: Names = names!(MaxItemsAdded, MaxItemsIncreased, MaxItemsDecreased, MaxItemsRemoved);
const MIN_PROPERTIES: Names =
    names!(MinPropertiesAdded, MinPropertiesIncreased, MinPropertiesDecreased, MinPropertiesRemoved);
const MAX_PROPERTIES: Names =
    names!(MaxPropertiesAdded, MaxPropertiesIncreased, MaxPropertiesDecreased, MaxPropertiesRemoved);

/// Which side of the allowed values a limit is on.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Lower,
    Upper,
}

/// A limit, and whether it is itself excluded.
#[derive(Clone, Copy, PartialEq)]
struct Bound {
    value: f64,
    exclusive: bool,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.value, if self.exclusive { " (exclusive)" } else { "" })
    }
}

impl Place<'_> {
    pub(super) fn bounds(&mut self, old: &Schema, new: &Schema) {
        let lower = |it: &Schema| it.minimum.map(|value| Bound { value, exclusive: it.exclusive_minimum });
        let upper = |it: &Schema| it.maximum.map(|value| Bound { value, exclusive: it.exclusive_maximum });
        self.bound(&MINIMUM, Side::Lower, lower(old), lower(new));
        self.bound(&MAXIMUM, Side::Upper, upper(old), upper(new));
        self.count(&MIN_LENGTH, Side::Lower, old.min_length, new.min_length);
        self.count(&MAX_LENGTH, Side::Upper, old.max_length, new.max_length);
        self.count(&MIN_ITEMS, Side::Lower, old.min_items, new.min_items);
        self.count(&MAX_ITEMS, Side::Upper, old.max_items, new.max_items);
        self.count(&MIN_PROPERTIES, Side::Lower, old.min_properties, new.min_properties);
        self.count(&MAX_PROPERTIES, Side::Upper, old.max_properties, new.max_properties);
        self.multiple(old.multiple_of, new.multiple_of);
    }

    #[expect(clippy::cast_precision_loss, reason = "counts beyond 2^53 are no counts")]
    fn count(&mut self, names: &Names, side: Side, old: Option<i64>, new: Option<i64>) {
        let bound = |value: i64| Bound { value: value as f64, exclusive: false };
        self.bound(names, side, old.map(bound), new.map(bound));
    }

    fn bound(&mut self, names: &Names, side: Side, old: Option<Bound>, new: Option<Bound>) {
        let (old, new) = match (old, new) {
            (None, None) => return,
            (None, Some(new)) => return self.breaking(names.added, "", new),
            (Some(old), None) => return self.compatible(names.removed, old, ""),
            (Some(old), Some(new)) => (old, new),
        };
        let kind = match order(side, old, new) {
            Some(Ordering::Less) => names.increased,
            Some(Ordering::Greater) => names.decreased,
            Some(Ordering::Equal) | None => return,
        };
        let tighter = (kind == names.increased) == (side == Side::Lower);
        if tighter { self.breaking(kind, old, new) } else { self.compatible(kind, old, new) }
    }

    /// What is a multiple of the old number is one of the new if the old number itself is.
    fn multiple(&mut self, old: Option<f64>, new: Option<f64>) {
        match (old, new) {
            (None, Some(new)) => self.breaking(ChangeKind::MultipleOfAdded, "", new),
            (Some(old), None) => self.compatible(ChangeKind::MultipleOfRemoved, old, ""),
            (Some(old), Some(new)) if old % new == 0.0 && old.to_bits() != new.to_bits() => {
                self.compatible(ChangeKind::MultipleOfChanged, old, new);
            }
            (Some(old), Some(new)) if old.to_bits() != new.to_bits() => {
                self.breaking(ChangeKind::MultipleOfChanged, old, new);
            }
            (Some(_), Some(_)) | (None, None) => {}
        }
    }
}

/// Whether the new limit is higher (`Less`) or lower; an excluded limit counts as a little beyond itself.
fn order(side: Side, old: Bound, new: Bound) -> Option<Ordering> {
    let beyond = |bound: Bound| match side {
        Side::Lower => i8::from(bound.exclusive),
        Side::Upper => -i8::from(bound.exclusive),
    };
    Some(old.value.partial_cmp(&new.value)?.then(beyond(old).cmp(&beyond(new))))
}
