//! Lists and maps, whether lent as JSON or made during evaluation.

use serde_json::Value;

use super::{Key, Map, Text, Val};
use crate::error::EvalError;
use crate::meter::Meter;
use crate::types::Type;

static DYN: Type = Type::Dyn;

/// A list, lent or made.
#[derive(Clone, Copy, Debug)]
pub enum ListView<'v, 'a> {
    /// A JSON array and the type of its elements.
    Json(&'a [Value], &'a Type),
    /// A list made during evaluation.
    Made(&'v [Val<'a>]),
}

impl<'v, 'a> ListView<'v, 'a> {
    pub(super) fn of(value: &'v Val<'a>) -> Option<Self> {
        match value {
            Val::List(elements) | Val::United(elements, _) => Some(Self::Made(elements)),
            Val::Json(Value::Array(elements), ty) => Some(Self::Json(elements, element_type(ty))),
            _ => None,
        }
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Json(elements, _) => elements.len(),
            Self::Made(elements) => elements.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element at an index.
    pub fn get(&self, index: usize) -> Option<Val<'a>> {
        match self {
            Self::Json(elements, ty) => elements.get(index).map(|it| Val::from_json(it, ty)),
            Self::Made(elements) => elements.get(index).cloned(),
        }
    }

    /// Where an equal element is found first.
    pub fn position(self, element: &Val<'_>, meter: &Meter<'_>) -> Result<Option<usize>, EvalError> {
        self.search(0..self.len(), element, meter)
    }

    /// Where an equal element is found last.
    pub fn last_position(self, element: &Val<'_>, meter: &Meter<'_>) -> Result<Option<usize>, EvalError> {
        self.search((0..self.len()).rev(), element, meter)
    }

    fn search(
        self,
        places: impl Iterator<Item = usize>,
        element: &Val<'_>,
        meter: &Meter<'_>,
    ) -> Result<Option<usize>, EvalError> {
        for place in places {
            meter.charge(1)?;
            let found = self.get(place).map_or(Ok(false), |it| it.equals(element, meter))?;
            if found {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// The elements in order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = Val<'a>> + DoubleEndedIterator + use<'v, 'a> {
        (0..self.len()).map(move |index| self.get(index).unwrap_or(Val::Null))
    }
}

/// A map or object, lent or made.
#[derive(Clone, Copy, Debug)]
pub enum MapView<'v, 'a> {
    /// A JSON object and its type.
    Json(&'a serde_json::Map<String, Value>, &'a Type),
    /// A map made during evaluation.
    Made(&'v Map<'a>),
}

impl<'v, 'a> MapView<'v, 'a> {
    pub(super) fn of(value: &'v Val<'a>) -> Option<Self> {
        match value {
            Val::Map(map) => Some(Self::Made(map)),
            Val::Json(Value::Object(map), ty) => Some(Self::Json(map, ty)),
            _ => None,
        }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Json(map, _) => map.len(),
            Self::Made(map) => map.entries().len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a key.
    pub fn get(&self, key: &Key<'_>) -> Option<Val<'a>> {
        match (self, key) {
            (Self::Json(..), Key::String(name)) => self.get_str(name),
            (Self::Json(..), Key::Bool(_) | Key::Int(_) | Key::Uint(_)) => None,
            (Self::Made(map), _) => map.get(key).cloned(),
        }
    }

    /// The value of a text key.
    pub fn get_str(&self, key: &str) -> Option<Val<'a>> {
        match self {
            Self::Json(map, ty) => map.get(key).map(|it| Val::from_json(it, field_type(ty, key))),
            Self::Made(map) => map.get_str(key).cloned(),
        }
    }

    /// Whether the key is there.
    pub fn contains(&self, key: &Key<'_>) -> bool {
        match (self, key) {
            (Self::Json(map, _), Key::String(name)) => map.contains_key(&**name),
            (Self::Json(..), Key::Bool(_) | Key::Int(_) | Key::Uint(_)) => false,
            (Self::Made(map), _) => map.get(key).is_some(),
        }
    }

    /// The entries in key order.
    pub fn entries(self) -> Vec<(Key<'a>, Val<'a>)> {
        match self {
            Self::Json(map, ty) => json_entries(map, ty),
            Self::Made(map) => map.entries().to_vec(),
        }
    }
}

/// The type of the elements of a list of this type.
pub(crate) fn element_type(ty: &Type) -> &Type {
    match ty {
        Type::List(list) => &list.element,
        _ => &DYN,
    }
}

/// The type of a field of an object or map of this type.
pub(crate) fn field_type<'t>(ty: &'t Type, field: &str) -> &'t Type {
    match ty {
        Type::Object(object) => object.fields.get(field).unwrap_or(&DYN),
        Type::Map(entry) => &entry.1,
        _ => &DYN,
    }
}

fn json_entries<'a>(map: &'a serde_json::Map<String, Value>, ty: &'a Type) -> Vec<(Key<'a>, Val<'a>)> {
    let mut entries: Vec<_> = map
        .iter()
        .map(|(key, value)| (Key::String(Text::Lent(key)), Val::from_json(value, field_type(ty, key))))
        .collect();
    // `serde_json` keeps insertion order when any crate in the build asks it to.
    if !entries.is_sorted_by(|a, b| a.0 <= b.0) {
        entries.sort_by(|a, b| a.0.cmp(&b.0));
    }
    entries
}
