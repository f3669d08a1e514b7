//! Static types.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

/// A static type, with the schema knowledge that reading JSON of that type needs.
///
/// `PartialEq` compares as cel-go's `IsExactType`: objects by name, lists without their semantics.
#[derive(Clone, Debug)]
pub enum Type {
    /// Known only at run time.
    Dyn,
    /// The type of `null`.
    Null,
    /// `true`, `false`.
    Bool,
    /// 64-bit signed.
    Int,
    /// 64-bit unsigned.
    Uint,
    /// IEEE 754 double.
    Double,
    /// Unicode text.
    String,
    /// Bytes; in JSON of this type, base64.
    Bytes,
    /// A point in time; in JSON of this type, RFC 3339.
    Timestamp,
    /// A length of time; in JSON of this type, Go's notation.
    Duration,
    /// A nullable primitive, as protobuf's wrapper messages are.
    Wrapper(Arc<Type>),
    /// A list.
    List(Arc<ListType>),
    /// A map from the first type to the second.
    Map(Arc<(Type, Type)>),
    /// A value that may be absent.
    Optional(Arc<Type>),
    /// The type of a type; without a parameter, of any.
    Type(Option<Arc<Type>>),
    /// A type known by name only, such as `kubernetes.Quantity`.
    Opaque(Arc<OpaqueType>),
    /// An object with declared fields.
    Object(Arc<ObjectType>),
    /// A type parameter of an overload, by its number in that overload.
    Param(u32),
    /// A type still to be inferred; only inside the checker.
    Var(u32),
    /// The type of an expression that has been reported as wrong; agrees with everything.
    Error,
}

/// A list's element type and how Kubernetes compares such lists.
#[derive(Clone, Debug)]
pub struct ListType {
    /// Type of the elements.
    pub element: Type,
    /// How two of them are compared and concatenated.
    pub semantics: ListSemantics,
}

/// What `x-kubernetes-list-type` says about a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ListSemantics {
    /// Order matters, duplicates are kept.
    #[default]
    Atomic,
    /// Order is ignored; concatenation is union.
    Set,
    /// Elements are objects identified by these keys; order is ignored; concatenation merges by key.
    Map(Vec<Arc<str>>),
}

/// A named type with parameters.
#[derive(Clone, Debug)]
pub struct OpaqueType {
    /// The name, such as `kubernetes.Quantity`.
    pub name: Arc<str>,
    /// Its parameters, often none.
    pub params: Vec<Type>,
}

/// An object with declared fields, as an OpenAPI schema describes it.
#[derive(Debug)]
pub struct ObjectType {
    /// The name; two object types are the same when their names are.
    pub name: Arc<str>,
    /// The declared fields.
    pub fields: Fields,
    /// Fields that are not declared are allowed and dynamic (`x-kubernetes-preserve-unknown-fields`).
    pub open: bool,
}

/// The fields of an object with their types, made when somebody asks: kinds have thousands of fields, expressions read a few.
pub type Fields = LazyLock<FieldTypes, Box<dyn FnOnce() -> FieldTypes + Send>>;

/// Fields with their types.
pub type FieldTypes = BTreeMap<Arc<str>, Type>;

impl ObjectType {
    /// An object whose fields are known when somebody asks for them.
    pub fn new(name: &str, open: bool, fields: impl FnOnce() -> FieldTypes + Send + 'static) -> Self {
        Self { name: name.into(), fields: LazyLock::new(Box::new(fields)), open }
    }
}

impl Type {
    /// A list of `element`.
    pub fn list(element: Type) -> Self {
        Self::List(Arc::new(ListType { element, semantics: ListSemantics::Atomic }))
    }

    /// A map from `key` to `value`.
    pub fn map(key: Type, value: Type) -> Self {
        Self::Map(Arc::new((key, value)))
    }

    /// An optional `value`.
    pub fn optional(value: Type) -> Self {
        Self::Optional(Arc::new(value))
    }

    /// The type of the type `of`.
    pub fn type_of(of: Type) -> Self {
        Self::Type(Some(Arc::new(of)))
    }

    /// A named type without parameters.
    pub fn opaque(name: &str) -> Self {
        Self::Opaque(Arc::new(OpaqueType { name: name.into(), params: Vec::new() }))
    }

    /// An object with exactly these fields.
    pub fn object<'a>(name: &str, fields: impl IntoIterator<Item = (&'a str, Type)>) -> Self {
        let fields: FieldTypes = fields.into_iter().map(|(name, field)| (Arc::from(name), field)).collect();
        Self::Object(Arc::new(ObjectType::new(name, false, || fields)))
    }

    /// Whether the type says nothing.
    pub fn is_dyn(&self) -> bool {
        matches!(self, Self::Dyn)
    }

    /// The name of the type at run time, without parameters, as `type(x)` prints it.
    pub fn runtime_name(&self) -> &str {
        match self {
            Self::Dyn | Self::Param(_) | Self::Var(_) => "dyn",
            Self::Null => "null_type",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Double => "double",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Timestamp => "google.protobuf.Timestamp",
            Self::Duration => "google.protobuf.Duration",
            Self::Wrapper(inner) => inner.runtime_name(),
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Optional(_) => "optional_type",
            Self::Type(_) => "type",
            Self::Opaque(opaque) => &opaque.name,
            Self::Object(object) => &object.name,
            Self::Error => "error",
        }
    }
}

impl PartialEq for Type {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Wrapper(a), Self::Wrapper(b)) | (Self::Optional(a), Self::Optional(b)) => a == b,
            (Self::List(a), Self::List(b)) => Arc::ptr_eq(a, b) || a.element == b.element,
            (Self::Map(a), Self::Map(b)) => Arc::ptr_eq(a, b) || a == b,
            (Self::Type(a), Self::Type(b)) => a == b,
            (Self::Opaque(a), Self::Opaque(b)) => a.name == b.name && a.params == b.params,
            (Self::Object(a), Self::Object(b)) => Arc::ptr_eq(a, b) || a.name == b.name,
            (Self::Param(a), Self::Param(b)) | (Self::Var(a), Self::Var(b)) => a == b,
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

impl Eq for Type {}

/// Prints types as cel-go's messages do, for example `map(string, list(int))`.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Timestamp => f.write_str("timestamp"),
            Self::Duration => f.write_str("duration"),
            Self::Error => f.write_str("!error!"),
            Self::Param(index) => write!(f, "{}", char::from(b'A' + (index % 26) as u8)),
            Self::Var(index) => write!(f, "_var{index}"),
            Self::Wrapper(inner) => write!(f, "wrapper({inner})"),
            Self::List(list) => write!(f, "list({})", list.element),
            Self::Map(entry) => write!(f, "map({}, {})", entry.0, entry.1),
            Self::Optional(inner) => write!(f, "optional_type({inner})"),
            Self::Type(Some(inner)) => write!(f, "type({inner})"),
            Self::Opaque(opaque) if !opaque.params.is_empty() => {
                write!(f, "{}(", opaque.name)?;
                for (index, param) in opaque.params.iter().enumerate() {
                    let comma = if index > 0 { ", " } else { "" };
                    write!(f, "{comma}{param}")?;
                }
                f.write_str(")")
            }
            Self::Dyn
            | Self::Bool
            | Self::Int
            | Self::Uint
            | Self::Double
            | Self::String
            | Self::Bytes
            | Self::Type(None)
            | Self::Opaque(_)
            | Self::Object(_) => f.write_str(self.runtime_name()),
        }
    }
}
