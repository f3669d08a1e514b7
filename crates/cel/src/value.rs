//! Run-time values.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "an operation takes a few kinds of value and refuses all others alike"
)]

mod equality;
mod json;
mod key;
mod union;
mod view;

use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::ast::Literal;
use crate::error::EvalError;
use crate::meter::Meter;
use crate::time::{Duration, Timestamp};
use crate::types::{ListSemantics, Type};

pub use key::{Key, Map};
pub(crate) use union::append_lists;
pub use view::{ListView, MapView};
pub(crate) use view::{element_type, field_type};

/// A value during evaluation, borrowing the inputs and the program for `'a`.
///
/// JSON is never converted: arrays and objects stay references beside the type that says how to read them.
#[derive(Clone, Debug)]
pub enum Val<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    Uint(u64),
    /// A double.
    Double(f64),
    /// Text.
    String(Text<'a>),
    /// Bytes.
    Bytes(Arc<[u8]>),
    /// A point in time.
    Timestamp(Timestamp),
    /// A length of time.
    Duration(Duration),
    /// A JSON array or object (never a scalar) and how to read it.
    Json(&'a serde_json::Value, &'a Type),
    /// A list made during evaluation.
    List(Arc<Vec<Val<'a>>>),
    /// What `+` made of a list that Kubernetes treats as a set or map: it is still one.
    United(Arc<Vec<Val<'a>>>, &'a ListSemantics),
    /// A map made during evaluation.
    Map(Arc<Map<'a>>),
    /// A value that may be absent.
    Optional(Option<Arc<Val<'a>>>),
    /// A type as a value.
    Type(Arc<Type>),
    /// A value only its library understands.
    Opaque(Arc<dyn Opaque>),
}

/// Text that is either lent or shared.
#[derive(Clone, Debug)]
pub enum Text<'a> {
    /// Part of an input or of the program.
    Lent(&'a str),
    /// Made during evaluation.
    Shared(Arc<str>),
}

/// A library's own kind of value, such as a quantity or an IP address.
pub trait Opaque: Any + fmt::Debug + Send + Sync {
    /// Its type, an [`Type::Opaque`].
    fn type_of(&self) -> Type;
    /// Whether `other` is of the same type and equal.
    fn equals(&self, other: &dyn Opaque) -> bool;
    /// How it is written as JSON, for the kinds that can leave an expression.
    fn to_json(&self) -> Option<serde_json::Value> {
        None
    }
    /// Whether it stands for nothing: in JSON the field or element that holds it is left out, and it cannot be compared.
    fn is_absence(&self) -> bool {
        false
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Lent(text) => text,
            Self::Shared(text) => text,
        }
    }
}

impl<'a> Val<'a> {
    /// Text lent by an input.
    pub fn str(text: &'a str) -> Self {
        Self::String(Text::Lent(text))
    }

    /// Text made during evaluation.
    pub fn string(text: impl Into<Arc<str>>) -> Self {
        Self::String(Text::Shared(text.into()))
    }

    /// Bytes made during evaluation.
    pub fn bytes(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self::Bytes(bytes.into())
    }

    /// A list made during evaluation.
    pub fn list(elements: Vec<Val<'a>>) -> Self {
        Self::List(Arc::new(elements))
    }

    /// A map made during evaluation.
    pub fn map(map: Map<'a>) -> Self {
        Self::Map(Arc::new(map))
    }

    /// A present optional.
    pub fn some(value: Val<'a>) -> Self {
        Self::Optional(Some(Arc::new(value)))
    }

    /// A library's own value.
    pub fn opaque(value: impl Opaque) -> Self {
        Self::Opaque(Arc::new(value))
    }

    /// The text, if it is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The library value, if it is one of type `T`.
    pub fn as_opaque<T: Opaque>(&self) -> Option<&T> {
        match self {
            Self::Opaque(value) => (value.as_ref() as &dyn Any).downcast_ref(),
            _ => None,
        }
    }

    /// Whether the field or element that holds it is left out when it is written as JSON.
    pub fn is_absence(&self) -> bool {
        matches!(self, Self::Opaque(value) if value.is_absence())
    }

    /// The list, lent or made, if it is one.
    pub fn as_list(&self) -> Option<ListView<'_, 'a>> {
        ListView::of(self)
    }

    /// The map or object, lent or made, if it is one.
    pub fn as_map(&self) -> Option<MapView<'_, 'a>> {
        MapView::of(self)
    }

    /// The text, or the error of a call with wrong types.
    pub fn text(&self) -> Result<&str, EvalError> {
        self.as_str().ok_or_else(EvalError::no_such_overload)
    }

    /// The integer, or the error of a call with wrong types.
    pub fn int(&self) -> Result<i64, EvalError> {
        match self {
            Self::Int(value) => Ok(*value),
            _ => Err(EvalError::no_such_overload()),
        }
    }

    /// The list, or the error of a call with wrong types.
    pub fn elements(&self) -> Result<ListView<'_, 'a>, EvalError> {
        self.as_list().ok_or_else(EvalError::no_such_overload)
    }

    /// The map, or the error of a call with wrong types.
    pub fn entries(&self) -> Result<MapView<'_, 'a>, EvalError> {
        self.as_map().ok_or_else(EvalError::no_such_overload)
    }

    /// The library value of type `T`, or the error of a call with wrong types.
    pub fn library<T: Opaque>(&self) -> Result<&T, EvalError> {
        self.as_opaque().ok_or_else(EvalError::no_such_overload)
    }

    /// The type at run time; parameters of lists and maps are erased to `dyn`.
    pub fn type_of(&self) -> Type {
        match self {
            Self::Null => Type::Null,
            Self::Bool(_) => Type::Bool,
            Self::Int(_) => Type::Int,
            Self::Uint(_) => Type::Uint,
            Self::Double(_) => Type::Double,
            Self::String(_) => Type::String,
            Self::Bytes(_) => Type::Bytes,
            Self::Timestamp(_) => Type::Timestamp,
            Self::Duration(_) => Type::Duration,
            Self::Json(_, ty @ Type::Object(_)) => (*ty).clone(),
            Self::Json(json, _) if json.is_array() => Type::list(Type::Dyn),
            Self::List(_) | Self::United(..) => Type::list(Type::Dyn),
            Self::Json(..) | Self::Map(_) => Type::map(Type::Dyn, Type::Dyn),
            Self::Optional(_) => Type::optional(Type::Dyn),
            Self::Type(_) => Type::Type(None),
            Self::Opaque(value) => value.type_of(),
        }
    }
}

impl From<&Literal> for Val<'_> {
    fn from(literal: &Literal) -> Self {
        match literal {
            Literal::Null => Self::Null,
            Literal::Bool(value) => Self::Bool(*value),
            Literal::Int(value) => Self::Int(*value),
            Literal::Uint(value) => Self::Uint(*value),
            Literal::Double(value) => Self::Double(*value),
            Literal::String(text) => Self::string(Arc::clone(text)),
            Literal::Bytes(bytes) => Self::Bytes(Arc::clone(bytes)),
        }
    }
}

/// [`Val::equals`] within the default budget; values too large to compare within it are not equal.
impl PartialEq for Val<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.equals(other, &Meter::default()).unwrap_or(false)
    }
}
