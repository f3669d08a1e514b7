//! Equality and order of values.

use std::cmp::Ordering;

use super::{ListView, MapView, Val};
use crate::number::{compare_int_double, compare_int_uint, compare_uint_double};
use crate::types::{ListSemantics, Type};

/// Whether two values are equal as CEL's `==` has it at run time.
pub(super) fn equal(a: &Val<'_>, b: &Val<'_>) -> bool {
    match (a, b) {
        (Val::String(a), Val::String(b)) => **a == **b,
        (Val::Int(a), Val::Int(b)) => a == b,
        (Val::Null, Val::Null) => true,
        (Val::Bool(a), Val::Bool(b)) => a == b,
        (Val::Bytes(a), Val::Bytes(b)) => a == b,
        (Val::Timestamp(a), Val::Timestamp(b)) => a == b,
        (Val::Duration(a), Val::Duration(b)) => a == b,
        (Val::Type(a), Val::Type(b)) => a.runtime_name() == b.runtime_name(),
        (Val::Optional(a), Val::Optional(b)) => a == b,
        (Val::Opaque(a), Val::Opaque(b)) => a.equals(b.as_ref()),
        _ => equal_numbers(a, b).unwrap_or_else(|| equal_aggregates(a, b)),
    }
}

fn equal_numbers(a: &Val<'_>, b: &Val<'_>) -> Option<bool> {
    is_number(a).then(|| compare_numbers(a, b) == Some(Ordering::Equal))
}

fn is_number(value: &Val<'_>) -> bool {
    matches!(value, Val::Int(_) | Val::Uint(_) | Val::Double(_))
}

fn equal_aggregates(a: &Val<'_>, b: &Val<'_>) -> bool {
    if let (Some(left), Some(right)) = (a.as_list(), b.as_list()) {
        return equal_lists(left, right, semantics(a).or_else(|| semantics(b)));
    }
    match (a.as_map(), b.as_map()) {
        (Some(a), Some(b)) => equal_maps(a, b),
        _ => false,
    }
}

fn semantics<'v>(value: &'v Val<'_>) -> Option<&'v ListSemantics> {
    match value {
        Val::Json(_, Type::List(list)) if list.semantics != ListSemantics::Atomic => Some(&list.semantics),
        _ => None,
    }
}

fn equal_lists(a: ListView<'_, '_>, b: ListView<'_, '_>, semantics: Option<&ListSemantics>) -> bool {
    a.len() == b.len()
        && match semantics {
            None | Some(ListSemantics::Atomic) => a.iter().zip(b.iter()).all(|(a, b)| a == b),
            Some(ListSemantics::Set) => a.iter().all(|a| b.iter().any(|b| a == b)),
            Some(ListSemantics::Map(keys)) => {
                a.iter().all(|a| b.iter().any(|b| same_keys(&a, &b, keys) && a == b))
            }
        }
}

/// Whether two elements of a list-map are the same element, whatever their other fields say.
pub(crate) fn same_keys(a: &Val<'_>, b: &Val<'_>, keys: &[std::sync::Arc<str>]) -> bool {
    match (a.as_map(), b.as_map()) {
        (Some(a), Some(b)) => keys.iter().all(|key| a.get_str(key) == b.get_str(key)),
        _ => false,
    }
}

fn equal_maps(a: MapView<'_, '_>, b: MapView<'_, '_>) -> bool {
    if a.len() != b.len() {
        return false;
    }
    a.entries().iter().all(|(key, value)| b.get(key).is_some_and(|other| *value == other))
}

impl Val<'_> {
    /// The order of two values, if their types have one: numbers across types, text, bytes, bools, times.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Val::String(a), Val::String(b)) => Some((**a).cmp(b)),
            (Val::Bool(a), Val::Bool(b)) => Some(a.cmp(b)),
            (Val::Bytes(a), Val::Bytes(b)) => Some(a.cmp(b)),
            (Val::Timestamp(a), Val::Timestamp(b)) => Some(a.cmp(b)),
            (Val::Duration(a), Val::Duration(b)) => Some(a.cmp(b)),
            _ => compare_numbers(self, other),
        }
    }

    /// Whether two values are of types that [`Val::compare`] can order, even if it gives `None` for a NaN.
    pub fn comparable(&self, other: &Self) -> bool {
        is_number(self) && is_number(other) || self.compare(other).is_some()
    }
}

fn compare_numbers(a: &Val<'_>, b: &Val<'_>) -> Option<Ordering> {
    match (a, b) {
        (Val::Int(a), Val::Int(b)) => Some(a.cmp(b)),
        (Val::Uint(a), Val::Uint(b)) => Some(a.cmp(b)),
        (Val::Double(a), Val::Double(b)) => a.partial_cmp(b),
        (Val::Int(a), Val::Uint(b)) => Some(compare_int_uint(*a, *b)),
        (Val::Uint(a), Val::Int(b)) => Some(compare_int_uint(*b, *a).reverse()),
        (Val::Int(a), Val::Double(b)) => compare_int_double(*a, *b),
        (Val::Double(a), Val::Int(b)) => compare_int_double(*b, *a).map(Ordering::reverse),
        (Val::Uint(a), Val::Double(b)) => compare_uint_double(*a, *b),
        (Val::Double(a), Val::Uint(b)) => compare_uint_double(*b, *a).map(Ordering::reverse),
        _ => None,
    }
}
