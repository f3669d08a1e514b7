//! Equality and order of values.

use std::cmp::Ordering;
use std::sync::Arc;

use super::{ListView, MapView, Opaque, Val};
use crate::error::EvalError;
use crate::meter::Meter;
use crate::number::{compare_int_double, compare_int_uint, compare_uint_double};
use crate::types::{ListSemantics, Type};

type Verdict = Result<bool, EvalError>;

/// Whether two values are equal as CEL's `==` has it at run time.
///
/// Values made during evaluation may share parts, so that comparing them takes far longer than making them: hence the meter.
pub(super) fn equal(a: &Val<'_>, b: &Val<'_>, meter: &Meter<'_>) -> Verdict {
    Ok(match (a, b) {
        (Val::String(a), Val::String(b)) => **a == **b,
        (Val::Int(a), Val::Int(b)) => a == b,
        (Val::Null, Val::Null) => true,
        (Val::Bool(a), Val::Bool(b)) => a == b,
        (Val::Bytes(a), Val::Bytes(b)) => a == b,
        (Val::Timestamp(a), Val::Timestamp(b)) => a == b,
        (Val::Duration(a), Val::Duration(b)) => a == b,
        (Val::Type(a), Val::Type(b)) => a.runtime_name() == b.runtime_name(),
        (Val::Optional(Some(a)), Val::Optional(Some(b))) => return equal(a, b, meter),
        (Val::Optional(a), Val::Optional(b)) => a.is_none() && b.is_none(),
        (Val::Opaque(it), _) | (_, Val::Opaque(it)) if it.is_absence() => return Err(compared_absence(it)),
        // JSON has no NaN, so what is the same is equal.
        (Val::Json(a, _), Val::Json(b, _)) if std::ptr::eq(*a, *b) => true,
        (Val::Opaque(a), Val::Opaque(b)) => a.equals(b.as_ref()),
        _ if is_number(a) => compare_numbers(a, b) == Some(Ordering::Equal),
        _ => return equal_aggregates(a, b, meter),
    })
}

#[cold]
fn compared_absence(it: &Arc<dyn Opaque>) -> EvalError {
    let name = it.type_of();
    EvalError::invalid(format!("{} is a field-removal sentinel and cannot be compared", name.runtime_name()))
}

fn is_number(value: &Val<'_>) -> bool {
    matches!(value, Val::Int(_) | Val::Uint(_) | Val::Double(_))
}

fn equal_aggregates(a: &Val<'_>, b: &Val<'_>, meter: &Meter<'_>) -> Verdict {
    if let (Some(left), Some(right)) = (a.as_list(), b.as_list()) {
        // As in Kubernetes, the left side says how: `set == ['b', 'a']` may hold where `['b', 'a'] == set` does not.
        let semantics = semantics(a).unwrap_or(&ListSemantics::Atomic);
        return if left.len() == right.len() {
            equal_lists(left, right, semantics, meter)
        } else {
            Ok(false)
        };
    }
    match (a.as_map(), b.as_map()) {
        (Some(a), Some(b)) if a.len() == b.len() => equal_maps(a, b, meter),
        _ => Ok(false),
    }
}

/// What is special about a list, if anything is.
pub(super) fn semantics<'a>(value: &Val<'a>) -> Option<&'a ListSemantics> {
    match value {
        Val::United(_, semantics) => Some(semantics),
        Val::Json(_, Type::List(list)) if list.semantics != ListSemantics::Atomic => Some(&list.semantics),
        _ => None,
    }
}

fn equal_lists(
    a: ListView<'_, '_>,
    b: ListView<'_, '_>,
    semantics: &ListSemantics,
    meter: &Meter<'_>,
) -> Verdict {
    match semantics {
        ListSemantics::Atomic => every(a.iter().zip(b.iter()), |(a, b)| {
            meter.charge(1)?;
            equal(&a, &b, meter)
        }),
        ListSemantics::Set => every(a.iter(), |a| any_equal(&a, b, &[], meter)),
        ListSemantics::Map(keys) => every(a.iter(), |a| any_equal(&a, b, keys, meter)),
    }
}

/// Whether an element with the same keys is in the list and equal.
fn any_equal(element: &Val<'_>, list: ListView<'_, '_>, keys: &[Arc<str>], meter: &Meter<'_>) -> Verdict {
    let differs = every(list.iter(), |it| {
        meter.charge(1)?;
        Ok(!(same_keys(element, &it, keys) && equal(element, &it, meter)?))
    })?;
    Ok(!differs)
}

/// Whether two elements of a list-map are the same element, whatever their other fields say.
pub(super) fn same_keys(a: &Val<'_>, b: &Val<'_>, keys: &[Arc<str>]) -> bool {
    match (a.as_map(), b.as_map()) {
        (Some(a), Some(b)) => keys.iter().all(|key| a.get_str(key) == b.get_str(key)),
        _ => keys.is_empty(),
    }
}

/// The price of one entry of a map: it is looked up in the other.
const ENTRY_PRICE: u64 = 4;

fn equal_maps(a: MapView<'_, '_>, b: MapView<'_, '_>, meter: &Meter<'_>) -> Verdict {
    meter.charge(ENTRY_PRICE * a.len() as u64)?;
    every(a.entries().into_iter(), |(key, value)| {
        b.get(&key).map_or(Ok(false), |other| equal(&value, &other, meter))
    })
}

fn every<T>(mut items: impl Iterator<Item = T>, mut holds: impl FnMut(T) -> Verdict) -> Verdict {
    items.try_fold(true, |all, item| if all { holds(item) } else { Ok(false) })
}

impl Val<'_> {
    /// Whether two values are equal as CEL's `==` has it at run time: numbers by value across types, other types never equal.
    pub fn equals(&self, other: &Self, meter: &Meter<'_>) -> Result<bool, EvalError> {
        equal(self, other, meter)
    }

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
