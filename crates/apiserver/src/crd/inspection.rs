//! What the server would say about a definition that nobody sends.

use std::sync::LazyLock;

use krono_schema::FieldError;
use serde_json::Value;

use super::{default, prepare_new, validate};
use crate::builtin;
use crate::kind::Kind;
use crate::object::Object;
use crate::resource::Resource;
use crate::write::metadata;

static DEFINITIONS: LazyLock<Option<Resource>> = LazyLock::new(|| {
    let is_definition = |it: &Kind| &*it.kind == "CustomResourceDefinition";
    builtin::kinds().into_iter().find(is_definition).map(Resource::built_in)
});

/// All that the server would refuse about a new `CustomResourceDefinition`, in its words.
pub fn complaints(definition: &Value) -> Vec<FieldError> {
    let Some(mut object) = Object::new(definition.clone()) else { return Vec::new() };
    default(&mut object);
    prepare_new(&mut object);
    let mut errors = DEFINITIONS.as_ref().map(|it| metadata::errors(it, &object)).unwrap_or_default();
    errors.extend(validate(&object, None));
    errors
}
