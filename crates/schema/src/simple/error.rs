//! What is wrong with a `SimpleSchema`.

use super::marker::MarkerKind;
use super::type_name::MAX_TYPE_NESTING;
use crate::definitions::MAX_SCHEMA_NODES;
use crate::schema::read::MAX_SCHEMA_DEPTH;

/// Every problem of a `SimpleSchema`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct SimpleSchemaErrors {
    /// The problems, in the order of the fields.
    pub errors: Vec<SimpleSchemaError>,
}

/// One problem and where it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {problem}")]
pub struct SimpleSchemaError {
    /// The field, such as `spec.database.host` or `types.Port`.
    pub path: String,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with one field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The value is neither a type nor a map of fields.
    #[error("expected a type such as \"string\" or a map of fields, found {found}")]
    NotAField {
        /// What was found.
        found: &'static str,
    },
    /// The whole of `spec` or `types` is not a map.
    #[error("expected a map, found {found}")]
    NotAMap {
        /// What was found.
        found: &'static str,
    },
    /// There is no type before the markers.
    #[error("type is missing; write one before \"|\", such as \"string\"")]
    EmptyType,
    /// `[]` without an element type.
    #[error("type of the list's elements is missing; write for example \"[]string\"")]
    EmptyElement,
    /// `map[string]` without a value type.
    #[error("type of the map's values is missing; write for example \"map[string]string\"")]
    EmptyValue,
    /// A map with keys that are not strings.
    #[error("keys of a map must be strings; write \"map[string]…\" instead of {written:?}")]
    MapKey {
        /// The type as written.
        written: String,
    },
    /// Lists and maps in each other, too deep.
    #[error("lists and maps are nested more than {MAX_TYPE_NESTING} deep; name the inner type under types")]
    TypeTooNested,
    /// Fields in fields, or custom types in custom types, too deep.
    #[error("fields are nested more than {MAX_SCHEMA_DEPTH} deep; make the schema flatter")]
    TooDeep,
    /// Custom types that contain each other many times over.
    #[error(
        "schema has more than {MAX_SCHEMA_NODES} fields once custom types are written out; use them less often"
    )]
    TooLarge,
    /// A name that is no type.
    #[error("unknown type {name:?}; {}", hint(.name))]
    UnknownType {
        /// The name.
        name: String,
    },
    /// Custom types that contain themselves.
    #[error("type contains itself: {}; break the cycle with \"object\"", .cycle.join(" -> "))]
    Cycle {
        /// The types on the way round, the first repeated at the end.
        cycle: Vec<String>,
    },
    /// `|` with nothing behind it.
    #[error("marker is missing after \"|\"; write one, such as \"required=true\", or remove \"|\"")]
    NoMarkers,
    /// A word without `=value`.
    #[error("marker {word:?} has no value; write {word}=… without spaces around \"=\"")]
    BareMarker {
        /// The word.
        word: String,
    },
    /// `=value` without a word.
    #[error("name is missing before \"=\"; write marker=value")]
    NamelessMarker,
    /// A marker that does not exist.
    #[error("unknown marker {name:?}; known are {}", MarkerKind::list())]
    UnknownMarker {
        /// The name as written.
        name: String,
    },
    /// A string that does not end.
    #[error(
        "quote in the value of {marker} is not closed; add \" at the end, and write \\\" for a quote inside"
    )]
    UnclosedQuote {
        /// The marker.
        marker: MarkerKind,
    },
    /// A list or object that does not end.
    #[error("bracket in the value of {marker} is not closed")]
    UnclosedBracket {
        /// The marker.
        marker: MarkerKind,
    },
    /// A bracket that was never opened.
    #[error("closing bracket in the value of {marker} was never opened; quote the value if it is text")]
    UnopenedBracket {
        /// The marker.
        marker: MarkerKind,
    },
    /// A value that the marker cannot use.
    #[error("{marker}={value:?} is not {expected}")]
    Value {
        /// The marker.
        marker: MarkerKind,
        /// The value as read.
        value: String,
        /// What it should be.
        expected: &'static str,
    },
    /// A pattern that does not compile.
    #[error("pattern={value:?} is not a regular expression: {complaint}")]
    Pattern {
        /// The pattern.
        value: String,
        /// What the compiler said.
        complaint: String,
    },
    /// A marker on a field of another type.
    #[error("{marker} applies to {applies} only, and this is {found}; remove it")]
    WrongType {
        /// The marker.
        marker: MarkerKind,
        /// The types it applies to.
        applies: &'static str,
        /// The type of the field.
        found: &'static str,
    },
    /// Two markers that cannot both hold.
    #[error("{marker} asks for list type {wanted}, but an earlier marker made it {earlier}; keep one")]
    ListTypeConflict {
        /// The later marker.
        marker: MarkerKind,
        /// What it asks for.
        wanted: &'static str,
        /// What was asked for before.
        earlier: &'static str,
    },
    /// A key given twice.
    #[error("listMapKey={key} is given twice; remove one")]
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// Keys on a list that is not a map.
    #[error("listMapKey needs listType=map; add it")]
    KeyWithoutMap,
}

fn hint(name: &str) -> &'static str {
    match name.to_ascii_lowercase().as_str() {
        "int" | "int32" | "int64" | "long" => "write \"integer\"",
        "bool" => "write \"boolean\"",
        "number" | "double" | "float64" | "float32" => "write \"float\"",
        "str" | "text" => "write \"string\"",
        "any" | "dict" | "struct" | "json" => "write \"object\" for content of any shape",
        "array" | "list" => "write \"[]\" and the type of the elements, such as \"[]string\"",
        "map" => "write \"map[string]\" and the type of the values, such as \"map[string]string\"",
        _ => "define it under types, or use string, integer, boolean, float or object",
    }
}
