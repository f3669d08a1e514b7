//! Map keys, and maps made during evaluation.

use std::cmp::Ordering;
use std::fmt;

use super::{Text, Val};
use crate::error::EvalError;
use crate::number::{compare_int_uint, exact_int, exact_uint};

/// A map key. Integers are equal across signedness, as CEL's `==` has it.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Key<'a> {
    Bool(bool),
    Int(i64),
    Uint(u64),
    String(Text<'a>),
}

impl<'a> Key<'a> {
    /// The value as the key of a map literal, if its type allows.
    pub fn new(value: &Val<'a>) -> Option<Self> {
        match value {
            Val::Bool(value) => Some(Self::Bool(*value)),
            Val::Int(value) => Some(Self::Int(*value)),
            Val::Uint(value) => Some(Self::Uint(*value)),
            Val::String(text) => Some(Self::String(text.clone())),
            _ => None,
        }
    }

    /// The value as a key to look up: a double that is a whole number finds integers.
    pub fn lookup(value: &Val<'a>) -> Option<Self> {
        match value {
            Val::Double(value) => {
                exact_int(*value).map(Self::Int).or_else(|| exact_uint(*value).map(Self::Uint))
            }
            _ => Self::new(value),
        }
    }

    /// The key as a value.
    pub fn to_val(&self) -> Val<'a> {
        match self {
            Self::Bool(value) => Val::Bool(*value),
            Self::Int(value) => Val::Int(*value),
            Self::Uint(value) => Val::Uint(*value),
            Self::String(text) => Val::String(text.clone()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Bool(_) => 0,
            Self::Int(_) | Self::Uint(_) => 1,
            Self::String(_) => 2,
        }
    }
}

impl fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Uint(value) => value.fmt(f),
            Self::String(text) => f.write_str(text),
        }
    }
}

impl Ord for Key<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::String(a), Self::String(b)) => (**a).cmp(b),
            (Self::Int(a), Self::Int(b)) => a.cmp(b),
            (Self::Uint(a), Self::Uint(b)) => a.cmp(b),
            (Self::Int(a), Self::Uint(b)) => compare_int_uint(*a, *b),
            (Self::Uint(a), Self::Int(b)) => compare_int_uint(*b, *a).reverse(),
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for Key<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Key<'_> {}

/// A map made during evaluation; iterates in key order.
#[derive(Clone, Debug, Default)]
pub struct Map<'a> {
    /// Sorted by key, no key twice.
    entries: Vec<(Key<'a>, Val<'a>)>,
}

impl<'a> Map<'a> {
    /// The map of these entries; a key that comes twice is an error.
    pub fn new(mut entries: Vec<(Key<'a>, Val<'a>)>) -> Result<Self, EvalError> {
        if !entries.is_sorted_by(|a, b| a.0 < b.0) {
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            if let Some(pair) = entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                return Err(EvalError::invalid(format!("insert failed: key {} already exists", pair[0].0)));
            }
        }
        Ok(Self { entries })
    }

    /// The map of these entries; of a key that comes twice, the last entry counts.
    pub fn last_wins(mut entries: Vec<(Key<'a>, Val<'a>)>) -> Self {
        entries.reverse();
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        entries.dedup_by(|later, first| later.0 == first.0);
        Self { entries }
    }

    /// The value of a key.
    pub fn get(&self, key: &Key<'_>) -> Option<&Val<'a>> {
        let found = self.entries.binary_search_by(|(it, _)| it.cmp(key)).ok()?;
        Some(&self.entries[found].1)
    }

    /// The value of a text key.
    pub fn get_str(&self, key: &str) -> Option<&Val<'a>> {
        self.get(&Key::String(Text::Lent(key)))
    }

    /// The entries in key order.
    pub fn entries(&self) -> &[(Key<'a>, Val<'a>)] {
        &self.entries
    }
}
