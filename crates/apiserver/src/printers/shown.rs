//! An object that is being shown.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::duration;

/// An object and the moment at which it is shown. Places are JSON pointers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown<'o> {
    /// The object, or a part of it.
    pub(crate) object: &'o Value,
    /// Ages are counted from here.
    pub(crate) now: Timestamp,
}

impl<'o> Shown<'o> {
    /// A part of the object.
    pub(super) fn part(self, object: &'o Value) -> Self {
        Self { object, ..self }
    }

    /// What is at a place; nothing when that is null.
    pub(super) fn at(&self, place: &str) -> Option<&'o Value> {
        self.object.pointer(place).filter(|value| !value.is_null())
    }

    /// The text at a place; empty when there is none.
    pub(super) fn text(&self, place: &str) -> &'o str {
        self.at(place).and_then(Value::as_str).unwrap_or_default()
    }

    /// The text at a place, or these words when there is none.
    pub(super) fn text_or(&self, place: &str, missing: &'static str) -> &'o str {
        Some(self.text(place)).filter(|text| !text.is_empty()).unwrap_or(missing)
    }

    /// The text or number at a place as text.
    pub(super) fn amount(&self, place: &str) -> Option<String> {
        self.at(place).map(crate::jsonpath::text)
    }

    /// The number at a place; 0 when there is none.
    pub(super) fn number(&self, place: &str) -> i64 {
        self.at(place).and_then(Value::as_i64).unwrap_or(0)
    }

    /// The boolean at a place.
    pub(super) fn flag(&self, place: &str) -> Option<bool> {
        self.at(place).and_then(Value::as_bool)
    }

    /// The list at a place; empty when there is none.
    pub(super) fn list(&self, place: &str) -> &'o [Value] {
        self.at(place).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    /// The parts in the list at a place.
    pub(super) fn parts(self, place: &str) -> impl DoubleEndedIterator<Item = Self> + use<'o> {
        self.list(place).iter().map(move |item| self.part(item))
    }

    /// The texts in the list at a place.
    pub(super) fn texts(&self, place: &str) -> Vec<&'o str> {
        self.list(place).iter().filter_map(Value::as_str).collect()
    }

    /// The map at a place.
    pub(super) fn map(&self, place: &str) -> Option<&'o Map<String, Value>> {
        self.at(place).and_then(Value::as_object)
    }

    /// How many items are in the list or map at a place.
    pub(super) fn count(&self, place: &str) -> usize {
        self.map(place).map_or_else(|| self.list(place).len(), Map::len)
    }

    /// The time at a place.
    pub(super) fn time(&self, place: &str) -> Option<Timestamp> {
        self.text(place).parse().ok()
    }

    /// How long ago the time at a place is.
    pub(super) fn since(&self, place: &str) -> String {
        duration::age(self.time(place), self.now)
    }

    /// Whether the object is being deleted.
    pub(super) fn is_deleting(&self) -> bool {
        self.at("/metadata/deletionTimestamp").is_some()
    }

    /// The status of the condition of this type in `.status.conditions`.
    pub(super) fn condition(&self, condition_type: &str) -> Option<&'o str> {
        let mut conditions = self.parts("/status/conditions");
        conditions.find(|it| it.text("/type") == condition_type).map(|it| it.text("/status"))
    }
}
