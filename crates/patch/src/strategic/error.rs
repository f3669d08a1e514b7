//! Why a strategic merge patch does not apply, in the API server's words.

use serde_json::Value;

use super::{Fields, PATCH, SET_ELEMENT_ORDER};
use crate::depth::TooDeep;
use crate::go_value;

/// Why a strategic merge patch does not apply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StrategicPatchError {
    /// The patch or the object is not an object; a bad request.
    #[error("json: cannot unmarshal {found} into Go value of type map[string]interface {{}}")]
    NotAnObject {
        /// What it is instead.
        found: &'static str,
    },
    /// A `$deleteFromPrimitiveList` names no list; a bad request.
    #[error("invalid patch format of primitive list")]
    PrimitiveListFormat,
    /// A `$retainKeys` is not a list, or does not list what the patch sets; a bad request.
    #[error("invalid patch format of retainKeys")]
    RetainKeysFormat,
    /// A `$setElementOrder` names no list; a bad request.
    #[error("invalid patch format of setElementOrder list")]
    SetElementOrderFormat,
    /// A list in a list cannot be merged; the entity cannot be processed.
    #[error("lists of lists are not supported")]
    ListOfLists,
    /// The schema has a list in a list here; an internal error.
    #[error("unexpected slice of slice")]
    ListOfListsInSchema,
    /// A `$patch` directive is not known; an internal error.
    #[error("unknown patch type: {directive} in map: {map}")]
    UnknownDirective {
        /// The directive.
        directive: String,
        /// Where it stands.
        map: String,
    },
    /// A `$patch: merge` stands in a list; an internal error.
    #[error("merging lists cannot yet be specified in the patch")]
    MergeInList,
    /// An element has no merge key; an internal error.
    #[error("map: {map} does not contain declared merge key: {key}")]
    NoMergeKey {
        /// The element.
        map: String,
        /// The key.
        key: String,
    },
    /// Objects are to be merged into a list that has no merge key; an internal error.
    #[error("cannot merge lists without merge key for {kind}")]
    ListWithoutMergeKey {
        /// What the elements are.
        kind: &'static str,
    },
    /// A value is of the wrong type; an internal error.
    #[error("expected a {expected}, but received a {received}")]
    WrongType {
        /// What it should be.
        expected: &'static str,
        /// What it is.
        received: &'static str,
    },
    /// An element of a list is not an object; an internal error.
    #[error("value for key {position} is not a map")]
    ElementNotAnObject {
        /// Which element, from zero.
        position: usize,
    },
    /// The elements of a list differ in type; an internal error.
    #[error("list element types are not identical: {lists}")]
    DifferentTypes {
        /// The lists.
        lists: String,
    },
    /// There is nothing to order; an internal error.
    #[error("no elements in any of the given slices")]
    NoElements,
    /// The patch does not keep to its own order; an internal error.
    #[error("The order in patch list:\n{patch}\n doesn't match {SET_ELEMENT_ORDER} list:\n{order}\n")]
    OrderMismatch {
        /// The list in the patch.
        patch: String,
        /// The order.
        order: String,
    },
    /// The schema does not have the field; an internal error.
    #[error("unable to find api field in struct for the json field {field}")]
    UnknownField {
        /// The name of the field, in quotes.
        field: String,
    },
    /// The schema has no fields here; an internal error.
    #[error("merging an object in json but data type is not struct, instead is: {kind}")]
    NotAStruct {
        /// What it has.
        kind: &'static str,
    },
    /// The schema has no list here; an internal error.
    #[error("expected slice or array type, but got: struct")]
    NotAList,
    /// The schema has a patch strategy that is not known; an internal error.
    #[error("unexpected patch strategy: [{strategy}]")]
    UnknownStrategy {
        /// The strategy.
        strategy: String,
    },
    /// The patch or the object is nested too deeply; a bad request.
    #[error(transparent)]
    TooDeep(#[from] TooDeep),
}

impl StrategicPatchError {
    pub(super) fn unknown_directive(patch: &Fields) -> Self {
        let directive = match patch.get(PATCH) {
            Some(Value::String(directive)) => directive.clone(),
            Some(Value::Null) => "%!s(<nil>)".to_owned(),
            Some(other) => format!("%!s({}={})", go_value::type_name(other), go_value::plain(other)),
            None => String::new(),
        };
        Self::UnknownDirective { directive, map: text(patch) }
    }

    pub(super) fn no_merge_key(element: &Fields, key: &str) -> Self {
        Self::NoMergeKey { map: text(element), key: key.to_owned() }
    }

    pub(super) fn not_an_object(value: &Value) -> Self {
        Self::WrongType { expected: "map[string]interface {}", received: go_value::type_name(value) }
    }

    pub(super) fn not_a_list(value: &Value) -> Self {
        Self::WrongType { expected: "[]interface {}", received: go_value::type_name(value) }
    }
}

fn text(fields: &Fields) -> String {
    go_value::plain_fields(fields)
}
